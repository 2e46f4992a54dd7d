// The sources of memory: the SYCL runtime, and the resources that lie on top of others.
#include "usmx/memory/resources.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <sycl/exception.hpp>
#include <sycl/usm.hpp>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/current_resource.hpp"
#include "memory/observer.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/allocator.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/memory_observer.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The largest request, since offsets in a block, and ranges of bytes, are ptrdiff_t.
constexpr auto largest_request =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

}  // namespace

bool is_possible_request(std::size_t nbytes, std::size_t alignment) noexcept {
  return nbytes > 0 && nbytes <= largest_request &&
         (alignment == 0 || std::has_single_bit(alignment));
}

any_resource as_upstream(any_resource resource) {
  std::ignore = required(resource.identity(), "memory resource", "another one to lie on");
  int depth = 0;
  for (const any_resource* each = &resource; each != nullptr; each = each->upstream()) {
    ++depth;
  }
  if (depth >= max_resource_depth) {
    throw value_error(message("at most ", max_resource_depth,
                              " memory resources may lie on top of each other, found ", depth,
                              " below a new one"));
  }
  return resource;
}

void check_request(std::size_t nbytes, std::size_t alignment) {
  if (nbytes == 0) {
    throw value_error("number of bytes to allocate must be positive, found 0");
  }
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    throw value_error(message("alignment must be 0 or a power of two, found ", alignment));
  }
}

std::string refusal(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                    std::string_view reason) {
  return message("cannot allocate ", nbytes, " bytes of USM ", name(kind), " memory on ",
                 describe(queue.get_device()), ": ", reason);
}

}  // namespace usmx::inline v1::detail

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
    // A block of malloc may have the alignment nevertheless.
    block = sycl::malloc(nbytes, queue, kind);
  }
  return static_cast<std::byte*>(block);
}

/// Whether a block has the alignment: the OpenCL CPU device accepts alignments of 2**32 and more,
/// but does not keep them.
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
  const internal::kept_thread_state kept;
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
  const internal::kept_thread_state kept;
  try {
    sycl::free(block, queue);
  } catch (const sycl::exception&) {
    // The runtime refused to take its memory back: it is leaked, and nobody can be told.
  }
}

failing_resource::failing_resource(any_resource upstream, std::function<bool(std::size_t)> fails)
    : upstream_(detail::as_upstream(std::move(upstream))),
      fails_(detail::required(std::move(fails), "failing_resource",
                              "a function that says what fails")) {}

std::byte* failing_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                      const sycl::queue& queue) {
  detail::check_request(nbytes, alignment);
  if (fails_(nbytes)) {
    throw allocation_error(detail::refusal(nbytes, kind(), queue, "a failure on purpose"));
  }
  return upstream_.allocate(nbytes, alignment, queue);
}

void failing_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                  const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
}

function_resource::function_resource(usm_kind kind, allocate_function to_allocate,
                                     free_function to_free, int device)
    : kind_(kind), allocate_(to_allocate), free_(to_free), device_(device) {
  to_sycl(kind);  // throws for usm_kind::unknown
  if (to_allocate == nullptr || to_free == nullptr) {
    throw value_error("the functions of a resource must be addresses of functions, found null");
  }
}

std::byte* function_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue& queue) const {
  detail::require_possible_request(nbytes, alignment, kind_, queue);
  sycl::queue own = queue;
  auto* const block = static_cast<std::byte*>(allocate_(nbytes, device_, &own));
  if (block == nullptr) {
    throw allocation_error(
        detail::refusal(nbytes, kind_, queue, "the resource's function returned no memory"));
  }
  if (alignment != 0 && reinterpret_cast<std::uintptr_t>(block) % alignment != 0) {
    free_(block, nbytes, &own);
    throw allocation_error(detail::refusal(
        nbytes, kind_, queue,
        detail::message("the resource's function did not align to ", alignment, " bytes")));
  }
  return block;
}

void function_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t,
                                   const sycl::queue& queue) const noexcept {
  sycl::queue own = queue;
  free_(block, nbytes, &own);
}

limiting_resource::limiting_resource(any_resource upstream, std::size_t limit)
    : upstream_(detail::as_upstream(std::move(upstream))), limit_(limit) {}

std::byte* limiting_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue& queue) {
  detail::check_request(nbytes, alignment);
  count_in(nbytes, queue);
  try {
    return upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    used_.fetch_sub(nbytes, std::memory_order_relaxed);
    throw;
  }
}

void limiting_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                   const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
  used_.fetch_sub(nbytes, std::memory_order_relaxed);
}

void limiting_resource::count_in(std::size_t nbytes, const sycl::queue& queue) {
  std::size_t before = used();
  do {
    if (nbytes > limit_ - before) {
      throw allocation_error(detail::refusal(
          nbytes, kind(), queue,
          detail::message("a limit of ", limit_, " bytes, of which ", before, " are in use")));
    }
  } while (!used_.compare_exchange_weak(before, before + nbytes, std::memory_order_relaxed));
}

logging_resource::logging_resource(any_resource upstream, const std::filesystem::path& path)
    : upstream_(detail::as_upstream(std::move(upstream))),
      log_(std::make_shared<detail::memory_log>(path.string())) {}

std::byte* logging_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                      const sycl::queue& queue) {
  const auto write = [&](memory_action action, const std::byte* block) {
    log_->write({action, memory_source::resource, kind(), nbytes, block, queue});
  };
  std::byte* block = nullptr;
  try {
    block = upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    write(memory_action::failure, nullptr);
    throw;
  }
  write(memory_action::allocate, block);
  return block;
}

void logging_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                  const sycl::queue& queue) noexcept {
  log_->write({memory_action::free, memory_source::resource, kind(), nbytes, block, queue});
  upstream_.deallocate(block, nbytes, alignment, queue);
}

namespace {

void add(allocation_count& to, std::size_t amount) {
  to.current += amount;
  to.total += amount;
  to.peak = std::max(to.peak, to.current);
}

}  // namespace

statistics_resource::statistics_resource(any_resource upstream)
    : upstream_(detail::as_upstream(std::move(upstream))) {}

std::byte* statistics_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                         const sycl::queue& queue) {
  std::byte* block = nullptr;
  try {
    block = upstream_.allocate(nbytes, alignment, queue);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    ++counts_.failures;
    throw;
  }
  const std::lock_guard lock(mutex_);
  add(counts_.nbytes, nbytes);
  add(counts_.blocks, 1);
  return block;
}

void statistics_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                     const sycl::queue& queue) noexcept {
  upstream_.deallocate(block, nbytes, alignment, queue);
  const std::lock_guard lock(mutex_);
  counts_.nbytes.current -= nbytes;
  --counts_.blocks.current;
}

allocation_counts statistics_resource::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

namespace {

std::atomic<std::string (*)()> call_site_function = nullptr;
std::atomic<bool> somebody_tracks = false;

}  // namespace

void set_call_site_function(std::string (*function)()) noexcept { call_site_function = function; }

std::string current_call_site() {
  const auto function = call_site_function.load();
  return function == nullptr ? "native code" : function();
}

bool detail::call_sites_are_wanted() noexcept {
  return somebody_tracks.load(std::memory_order_relaxed) || leak_report_is_wanted();
}

tracking_resource::tracking_resource(any_resource upstream, std::function<std::string()> call_site)
    : upstream_(detail::as_upstream(std::move(upstream))),
      call_site_(detail::required(std::move(call_site), "tracking_resource",
                                  "a function that names call sites")) {
  somebody_tracks = true;
}

std::byte* tracking_resource::allocate(std::size_t nbytes, std::size_t alignment,
                                       const sycl::queue& queue) {
  entry made{nbytes, call_site_()};
  std::byte* const block = upstream_.allocate(nbytes, alignment, queue);
  try {
    const std::lock_guard lock(mutex_);
    live_.emplace(block, std::move(made));
  } catch (...) {
    upstream_.deallocate(block, nbytes, alignment, queue);
    throw;
  }
  return block;
}

void tracking_resource::deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                                   const sycl::queue& queue) noexcept {
  {
    const std::lock_guard lock(mutex_);
    live_.erase(block);
  }
  upstream_.deallocate(block, nbytes, alignment, queue);
}

std::vector<tracked_block> tracking_resource::live_blocks() const {
  std::vector<tracked_block> all;
  const std::lock_guard lock(mutex_);
  all.reserve(live_.size());
  for (const auto& [first, known] : live_) {
    all.push_back({first, known.nbytes, known.call_site});
  }
  return all;
}

namespace {

/// The buffers of all containers, by their first byte: a container gives back nothing else.
struct container_blocks {
  detail::ranked_mutex<detail::lock_rank::container_blocks> mutex;
  std::unordered_map<const void*, std::shared_ptr<buffer>> live;

  void add(std::shared_ptr<buffer> block) {
    const std::lock_guard lock(mutex);
    live.emplace(block->data(), std::move(block));
  }
  std::shared_ptr<buffer> take(const void* first) noexcept {
    const std::lock_guard lock(mutex);
    const auto found = live.find(first);
    auto block = std::move(found->second);
    live.erase(found);
    return block;
  }
};

container_blocks& all_blocks() { return detail::immortal<container_blocks>(); }

}  // namespace

detail::container_memory::container_memory(const sycl::queue& queue, const placement& where)
    : queue_(queue), where_(where) {
  if (!is_host_accessible(where.kind())) {
    throw value_error(message("containers need memory that the host may touch, of kind shared or ",
                              "host, found kind ", name(where.kind())));
  }
}

void* detail::container_memory::allocate(std::size_t nbytes, std::size_t alignment) const {
  auto block = buffer::allocate_shared(std::max<std::size_t>(nbytes, 1), queue_, where_, alignment);
  void* const first = block->data();
  all_blocks().add(std::move(block));
  return first;
}

void detail::container_memory::deallocate(void* block) noexcept {
  all_blocks().take(block);  // released here, under no lock
}

pmr_resource::pmr_resource(const sycl::queue& queue, const placement& where)
    : memory_(queue, where) {}

pmr_resource::~pmr_resource() = default;

void* pmr_resource::do_allocate(std::size_t nbytes, std::size_t alignment) {
  return memory_.allocate(nbytes, alignment);
}

void pmr_resource::do_deallocate(void* block, std::size_t, std::size_t) {
  memory_.deallocate(block);
}

/// Whether containers may take each other's memory over: each of these resources frees it.
bool pmr_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return dynamic_cast<const pmr_resource*>(&other) != nullptr;
}

}  // namespace usmx::inline v1
