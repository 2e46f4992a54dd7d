// Elements that the host cannot read where they lie, or not in their type, copied to ordinary
// memory.
#pragma once

#include <memory>

#include "usmx/array/array.hpp"
#include "usmx/copy/copy.hpp"

namespace usmx::bindings {

/// In C order, converted to an element type. To be made without the interpreter lock, after the
/// work on the source.
class host_copy {
 public:
  host_copy(const array_view& source, dtype type)
      : memory_(std::make_unique_for_overwrite<std::byte[]>(
            checked_nbytes(source.layout().size(), type))),
        view_(memory_.get(), type, layout::c_order(source.shape()), usm_kind::unknown,
              source.queue(), false) {
    copy(source, view_);
  }

  const array_view& view() const noexcept { return view_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  array_view view_;
};

}  // namespace usmx::bindings
