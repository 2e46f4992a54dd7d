#include "usmx/memory/resources/tracking.hpp"

#include <atomic>
#include <utility>

#include "observing/environment.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {
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

}  // namespace usmx::inline v1
