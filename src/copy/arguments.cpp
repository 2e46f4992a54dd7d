#include "copy/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

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

/// What nobody but the caller knows of ordinary host memory.
void require_described(const host_array& host) {
  if (host.strides_bytes.size() != host.shape.size()) {
    throw value_error(message("host memory of shape ", tuple_text(host.shape), " must have ",
                              host.shape.size(), " strides, found ", host.strides_bytes.size()));
  }
}

void require_address(std::string_view what, const std::byte* first, std::ptrdiff_t count) {
  if (first == nullptr && count != 0) {
    throw value_error(message(what, ": expected the address of ", count, " elements, found null"));
  }
}

}  // namespace

void require_copyable(const array_view& source, const array_view& destination) {
  require(source.shape(), source.type(), destination.shape(), destination.type());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const host_array& source, const array_view& destination) {
  require_described(source);
  require(source.shape, source.type, destination.shape(), destination.type());
  require_address("host memory", source.data, destination.size());
  require_writable(destination, destination_of_copies);
}

void require_copyable(const array_view& source, const host_array& destination) {
  require_described(destination);
  require(source.shape(), source.type(), destination.shape, destination.type);
  require_address("host memory", destination.data, source.size());
}

void require_host_memory(std::string_view function, const array_view& view) {
  if (view.kind() != usm_kind::unknown) {
    throw value_error(message(function, ": expected a view of ordinary host memory, found one of ",
                              name(view.kind()), " memory: pass its array"));
  }
  require_address(function, view.origin(), view.size());
}

void require_fillable(const array_view& destination, const std::byte* element) {
  require_writable(destination, destination_of_copies);
  require_address("element of a fill", element, destination.size() == 0 ? 0 : 1);
}

void require_writable(const array_view& view, std::string_view what) {
  if (view.readonly()) {
    throw read_only_error(message(what, " is read-only"));
  }
}

}  // namespace usmx::inline v1::detail
