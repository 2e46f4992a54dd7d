#include "copy/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "copy/copy_internal.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

using shape_span = std::span<const std::ptrdiff_t>;

void require(shape_span source_shape, dtype source_type, shape_span destination_shape,
             dtype destination_type) {
  if (!std::ranges::equal(source_shape, destination_shape)) {
    throw value_error(message("source of a copy must have the destination's shape ",
                              tuple_text(destination_shape), ", found ", tuple_text(source_shape)));
  }
  if (!internal::is_convertible(source_type, destination_type)) {
    throw value_error(message("source of a copy must have the destination's element type ",
                              destination_type, ", found ", source_type));
  }
}

}  // namespace

void require_copyable(const array_view& source, const array_view& destination) {
  require(source.shape(), source.type(), destination.shape(), destination.type());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const host_array& source, const array_view& destination) {
  require(source.shape, source.type, destination.shape(), destination.type());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const array_view& source, const host_array& destination) {
  require(source.shape(), source.type(), destination.shape, destination.type);
}

void require_host_memory(std::string_view function, const array_view& view) {
  if (view.kind() != usm_kind::unknown) {
    throw value_error(message(function, ": expected a view of ordinary host memory, found one of ",
                              name(view.kind()), " memory: pass its array"));
  }
}

void require_writable(const array_view& view, std::string_view what) {
  if (view.readonly()) {
    throw read_only_error(message(what, " is read-only"));
  }
}

}  // namespace usmx::inline v1::detail
