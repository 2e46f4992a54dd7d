#include "usmx/copy/zeros.hpp"

#include "copy/copy_internal.hpp"

namespace usmx::inline v1 {

array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue, usm_kind kind) {
  array result = empty(shape, type, queue, kind);
  internal::fill_bytes(result.memory(), std::byte{0});
  return result;
}

}  // namespace usmx::inline v1
