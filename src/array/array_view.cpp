#include "usmx/array/array_view.hpp"

#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

std::byte* array_view::data() const noexcept {
  // Without elements, the offset may be anything.
  const std::ptrdiff_t first = size() == 0 ? 0 : layout_.offset();
  return origin_ + first * static_cast<std::ptrdiff_t>(type_.itemsize());
}

std::size_t array_view::nbytes() const noexcept {
  return static_cast<std::size_t>(size()) * type_.itemsize();
}

void array_view::require_host_access() const {
  if (kind_ == usm_kind::device) {
    throw value_error(
        "array must be in memory that the host may touch, of kind shared or host, found kind "
        "device");
  }
}

void array_view::require(dtype type, int ndim, bool writable) const {
  if (type != type_) {
    throw type_error(detail::message("element type must be ", type, ", found ", type_));
  }
  if (ndim != this->ndim()) {
    throw value_error(detail::message("array must have ", ndim, " dimensions, found ", this->ndim(),
                                      " with shape ", tuple_text(shape())));
  }
  if (writable && readonly_) {
    throw read_only_error("array must be writable, found a read-only one");
  }
}

void array_view::require_c_contiguous() const {
  if (!layout_.is_c_contiguous()) {
    throw value_error(detail::message("array must be C-contiguous, found ", layout_));
  }
}

}  // namespace usmx::inline v1
