#include "usmx/memory/memory_resource.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <memory>

#include <sycl/exception.hpp>
#include <sycl/usm.hpp>

#include "usmx/base/error.hpp"
#include "usmx/memory/registry_internal.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx {
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

void check_request(std::size_t nbytes, std::size_t alignment) {
  if (nbytes == 0) {
    throw value_error("number of bytes to allocate must be positive, found 0");
  }
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    throw value_error(detail::message("alignment must be 0 or a power of two, found ", alignment));
  }
}

std::byte* ask_runtime(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue,
                       sycl::usm::alloc kind) {
  void* block = alignment == 0 ? sycl::malloc(nbytes, queue, kind)
                               : sycl::aligned_alloc(alignment, nbytes, queue, kind);
  return static_cast<std::byte*>(block);
}

/// The OpenCL CPU device takes alignments from 2**32 on, and does not keep them.
bool is_aligned(const std::byte* block, std::size_t alignment) {
  return alignment == 0 || reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

/// Asks Linux for large pages where the host works on the memory: filling new memory for the first
/// time takes a third of the time then, and reading it at random places less, too.
void advise_large_pages(std::byte* block, std::size_t nbytes, usm_kind kind,
                        const sycl::queue& queue) {
  constexpr std::size_t page = std::size_t{1} << 21;
  if (nbytes < 2 * page || !host_may_touch(kind, queue.get_device())) {
    return;
  }
  void* first = block;
  std::size_t left = nbytes;
  std::align(page, page, first, left);
  madvise(first, left / page * page, MADV_HUGEPAGE);  // where it is refused, nothing changes
}

std::string refusal(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                    std::string_view reason) {
  return detail::message("cannot allocate ", nbytes, " bytes of USM ", name(kind), " memory on ",
                         describe(queue.get_device()), ": ", reason);
}

}  // namespace

usm_resource::usm_resource(sycl::queue queue, usm_kind kind)
    : queue_(std::move(queue)), kind_(kind) {
  to_sycl(kind);  // refuses unknown
}

std::byte* usm_resource::allocate(std::size_t nbytes, std::size_t alignment) {
  check_request(nbytes, alignment);
  std::byte* block = nullptr;
  try {
    block = ask_runtime(nbytes, alignment, queue_, to_sycl(kind_));
  } catch (const sycl::exception& e) {
    throw allocation_error(refusal(nbytes, kind_, queue_, e.what()));
  }
  if (block == nullptr) {
    throw allocation_error(refusal(nbytes, kind_, queue_, "the SYCL runtime returned no memory"));
  }
  if (!is_aligned(block, alignment)) {
    sycl::free(block, queue_);
    throw allocation_error(
        refusal(nbytes, kind_, queue_,
                detail::message("the SYCL runtime cannot align to ", alignment, " bytes")));
  }
  try {
    advise_large_pages(block, nbytes, kind_, queue_);
    registry::add({block, nbytes, kind_, queue_.get_context()});
  } catch (...) {
    sycl::free(block, queue_);
    throw;
  }
  return block;
}

void usm_resource::deallocate(std::byte* block) noexcept {
  registry::remove(block);
  try {
    sycl::free(block, queue_);
  } catch (const sycl::exception&) {
    // The runtime refused to take its memory back: it is leaked, there is nobody to tell.
  }
}

}  // namespace usmx
