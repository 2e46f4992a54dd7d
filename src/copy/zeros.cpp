#include "usmx/copy/zeros.hpp"

#include "usmx/copy/copy.hpp"

namespace usmx::inline v1 {

array zeros(const shape_argument& shape, dtype type, const sycl::queue& queue, usm_kind kind) {
  array result = empty(shape, type, queue, kind);
  fill_bytes(result.memory().data(), 0, result.memory().nbytes(), kind, queue);
  return result;
}

}  // namespace usmx::inline v1
