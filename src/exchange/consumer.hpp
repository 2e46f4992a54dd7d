// The consumer of an export, and what the export holds for it until it ends: the lease of a queue,
// or a view by the host. Not installed.
#pragma once

#include <optional>

#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "layout/layout.hpp"
#include "memory/buffer.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/exchange/usm_array_interface.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1::internal {

/// The consumer of an array's memory, for the life of this object.
class consumer {
 public:
  /// Notes where the consumer works. On the host it reads and writes at once. On a oneAPI device it
  /// works on a queue that nobody names. Consumers on CUDA devices work on streams, and nobody
  /// knows when they are done with the memory.
  void works_on(dlpack::device where, const array& a) {
    if (where == dlpack::host) {
      if (const auto bytes = detail::range_of(a.memory().data(), a.type(), a.layout())) {
        view_.emplace(bytes->begin, bytes->nbytes(), !a.readonly());
      }
    } else if (where.type == dlpack::device_type::oneapi) {
      lent_.emplace(buffer::lent_out(a.owner()));
    } else {
      a.memory().expose();
    }
  }

 private:
  std::optional<host_view> view_;
  std::optional<buffer> lent_;
};

/// usmx's queue of a device that DLPack names, in its platform's default context; none if there is
/// no such device.
USMX_API std::optional<sycl::queue> find_queue(dlpack::device);

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::exchange {

/// Reads the type. Throws as check() does if there is no such type.
held_dtype parse_type(const usm_array_interface&);

struct elements {
  held_dtype type;
  layout where;
};

/// Reads the elements. Throws as check() does if type, shape, strides or offset is not possible.
elements parse_elements(const usm_array_interface&);

/// The bytes of elements with that span. Throws value_error for a null pointer, and overflow_error
/// if a byte is outside of the address space.
detail::byte_range touched_bytes(const usm_array_interface&, dtype, element_range span);

}  // namespace usmx::inline v1::exchange
