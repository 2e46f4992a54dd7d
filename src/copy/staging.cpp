#include "copy/staging.hpp"

#include <utility>

#include <sycl/aspects.hpp>

#include "copy/copy_internal.hpp"
#include "memory/buffer.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

internal::staging::staging(std::span<const std::ptrdiff_t> shape, dtype type,
                           const sycl::queue& queue)
    : staging(layout::c_order(shape), type, queue) {}

internal::staging::staging(layout&& where, dtype type, const sycl::queue& queue)
    : bytes_(std::make_unique_for_overwrite<std::byte[]>(checked_nbytes(where.size(), type))),
      view_(bytes_.get(), type, std::move(where), usm_kind::unknown, queue, false) {}

internal::staging internal::staging::fetched(const array_view& source, dtype type) {
  staging result(source.shape(), type, source.queue());
  copy_elements(source, result.view());
  return result;
}

internal::staging internal::staging::fetched(const array& source, dtype type) {
  staging result(source.shape(), type, private_queue(source.memory()));
  const layout in_bytes =
      result.view().layout().scaled(static_cast<std::ptrdiff_t>(type.itemsize()));
  copy_to_host(source, {result.view().origin(), type, result.view().shape(), in_bytes.strides()});
  return result;
}

std::optional<array> detail::staging_for_commands(layout where, dtype type,
                                                  const sycl::queue& queue) {
  if (!queue.get_device().has(sycl::aspect::usm_host_allocations)) {
    return std::nullopt;
  }
  return empty(std::move(where), type, queue, usm_kind::host);
}

}  // namespace usmx::inline v1
