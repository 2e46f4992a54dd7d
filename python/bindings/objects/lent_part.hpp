// The lease of memory that an object's dictionaries give: whoever has a dictionary holds the
// object, so others may work on the memory until the object ends.
#pragma once

#include <memory>

#include "internals.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"

namespace usmx::bindings {

class lent_part {
 public:
  /// The same elements in a part of the memory, which lives as long as this object.
  array lend(const array& whole) {
    return internal::unchecked_array(part_of(whole.owner()), whole.type(), whole.layout(),
                                     whole.readonly());
  }

 private:
  const std::shared_ptr<buffer>& part_of(const std::shared_ptr<buffer>& whole) {
    static nb::ft_mutex mutex;
    const nb::ft_lock_guard lock(mutex);
    if (part_ == nullptr) {
      part_ = std::make_shared<buffer>(internal::buffer_access::part_of_all(whole));
    }
    return part_;
  }

  std::shared_ptr<buffer> part_;  // made when it is first needed
};

}  // namespace usmx::bindings
