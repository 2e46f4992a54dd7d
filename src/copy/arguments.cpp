#include "copy/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

using shape_span = std::span<const std::ptrdiff_t>;

void require(shape_span source_shape, dtype source_type, shape_span destination_shape,
             dtype destination_type, bool readonly) {
  if (!std::ranges::equal(source_shape, destination_shape)) {
    throw value_error(message("source of a copy must have the destination's shape ",
                              tuple_text(destination_shape), ", found ", tuple_text(source_shape)));
  }
  if (source_type != destination_type &&
      (source_type.is_structured() || destination_type.is_structured())) {
    throw value_error(message("source of a copy must have the destination's element type ",
                              destination_type, ", found ", source_type));
  }
  if (readonly) {
    throw read_only_error("destination of a copy is read-only");
  }
}

}  // namespace

void require_copyable(const array_view& source, const array_view& destination) {
  require(source.shape(), source.type(), destination.shape(), destination.type(),
          destination.readonly());
}

void require_copyable(const host_array& source, const array_view& destination) {
  require(source.shape, source.type, destination.shape(), destination.type(),
          destination.readonly());
}

void require_copyable(const array_view& source, const host_array& destination) {
  require(source.shape(), source.type(), destination.shape, destination.type, false);
}

void require_host_memory(std::string_view function, const array_view& view) {
  if (view.kind() != usm_kind::unknown) {
    throw value_error(message(function, ": expected a view of ordinary host memory, found one of ",
                              name(view.kind()), " memory: pass its array"));
  }
}

void require_fillable(const array_view& destination) {
  if (destination.readonly()) {
    throw read_only_error("destination of a copy is read-only");
  }
}

}  // namespace usmx::inline v1::detail
