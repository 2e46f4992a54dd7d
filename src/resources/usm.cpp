#include "usmx/memory/resources/usm.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <memory>

#include <sycl/exception.hpp>
#include <sycl/usm.hpp>

#include "resources/requests.hpp"
#include "runtime/drivers/back_ends.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx::inline v1 {
namespace {

sycl::usm::alloc to_sycl(usm_kind kind) {
  switch (kind) {
    case usm_kind::device:
      return sycl::usm::alloc::device;
    case usm_kind::shared:
      return sycl::usm::alloc::shared;
    case usm_kind::host:
      return sycl::usm::alloc::host;
    case usm_kind::unknown:
      break;
  }
  throw value_error("memory kind must be device, shared or host, found unknown");
}

std::byte* ask_runtime(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue,
                       sycl::usm::alloc kind) {
  const bool can_ask =
      alignment > 0 && alignment <= detail::traits_of(queue.get_backend()).largest_alignment;
  void* block = can_ask ? sycl::aligned_alloc(alignment, nbytes, queue, kind) : nullptr;
  if (block == nullptr) {
    // The memory may have the alignment nevertheless.
    block = sycl::malloc(nbytes, queue, kind);
  }
  return static_cast<std::byte*>(block);
}

/// The OpenCL CPU device accepts alignments of 2**32 and more, but does not keep them.
bool is_aligned(const std::byte* block, std::size_t alignment) {
  return alignment == 0 || reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

/// Asks Linux for large pages if the host works on the memory. Then filling new memory for the
/// first time takes a third of the time, and reading it at random places takes less, too.
void advise_large_pages(std::byte* block, std::size_t nbytes, usm_kind kind,
                        const sycl::queue& queue) {
  constexpr std::size_t page = std::size_t{1} << 21;
  if (nbytes < 2 * page || !host_may_touch(kind, queue.get_device())) {
    return;
  }
  void* first = block;
  std::size_t left = nbytes;
  std::align(page, page, first, left);
  madvise(first, left / page * page, MADV_HUGEPAGE);  // if this fails, nothing changes
}

}  // namespace

usm_resource::usm_resource(usm_kind kind) : kind_(kind) {
  to_sycl(kind);  // throws for usm_kind::unknown
}

std::byte* usm_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                  const sycl::queue& queue) const {
  detail::require_possible_request(nbytes, alignment, kind_, queue);
  const auto refuse = [&](std::string_view reason) {
    throw allocation_error(detail::refusal(nbytes, kind_, queue, reason));
  };
  std::byte* block = nullptr;
  try {
    block = ask_runtime(nbytes, alignment, queue, to_sycl(kind_));
  } catch (const sycl::exception& e) {
    refuse(e.what());
  }
  if (block == nullptr) {
    refuse("the SYCL runtime returned no memory");
  }
  if (!is_aligned(block, alignment)) {
    sycl::free(block, queue);
    refuse(detail::message("the SYCL runtime cannot align to ", alignment, " bytes"));
  }
  advise_large_pages(block, nbytes, kind_, queue);
  return block;
}

void usm_resource::deallocate(std::byte* block, std::size_t, std::size_t,
                              const sycl::queue& queue) const noexcept {
  try {
    sycl::free(block, queue);
  } catch (const sycl::exception&) {
    // The runtime refused to take its memory back. It is leaked, and there is nobody to tell.
  }
}

}  // namespace usmx::inline v1
