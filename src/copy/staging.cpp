#include "copy/staging.hpp"

#include <utility>

#include <sycl/aspects.hpp>

#include "copy/copy_internal.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1::detail {
namespace {

std::unique_ptr<std::byte[]> bytes_for(const layout& where, dtype type) {
  const std::ptrdiff_t nbytes =
      checked_multiply(where.size(), static_cast<std::ptrdiff_t>(type.itemsize()),
                       "number of bytes of a staged copy");
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(nbytes));
}

}  // namespace

staging::staging(std::span<const std::ptrdiff_t> shape, dtype type, const sycl::queue& queue)
    : staging(layout::c_order(shape), type, queue) {}

staging::staging(layout&& where, dtype type, const sycl::queue& queue)
    : bytes_(bytes_for(where, type)),
      view_(bytes_.get(), type, std::move(where), usm_kind::unknown, queue, false) {}

staging staging::fetched(const array_view& source) {
  staging result(source);
  internal::copy_elements(source, result.view());
  return result;
}

std::optional<array> staging_for_commands(layout where, dtype type, const sycl::queue& queue) {
  if (!queue.get_device().has(sycl::aspect::usm_host_allocations)) {
    return std::nullopt;
  }
  return empty(std::move(where), type, queue, usm_kind::host);
}

}  // namespace usmx::inline v1::detail
