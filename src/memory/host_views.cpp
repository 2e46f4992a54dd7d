#include "memory/host_views.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

#include "base/ranked_mutex.hpp"

namespace usmx::inline v1 {
namespace {

using detail::access;
using detail::byte_range;

/// The bytes from one address, at which a view begins or ends, to the next one: how many views
/// there are of each, and how many begin or end at the first.
struct segment {
  std::size_t views = 0;
  std::size_t writable_views = 0;
  std::size_t edges = 0;
};

/// The views, as segments of the address space. There are at most twice as many segments as views.
class view_table {
 public:
  void add(byte_range bytes, bool writable) {
    // Where this throws, a segment has been divided, which changes nothing.
    const auto first = segment_from(bytes.begin);
    const auto end = segment_from(bytes.end);
    ++first->second.edges;
    ++end->second.edges;
    for (auto at = first; at != end; ++at) {
      ++at->second.views;
      at->second.writable_views += writable ? 1 : 0;
    }
    views_.fetch_add(1, std::memory_order_release);
  }

  void remove(byte_range bytes, bool writable) noexcept {
    const auto first = segments_.find(bytes.begin);
    const auto end = segments_.find(bytes.end);
    for (auto at = first; at != end; ++at) {
      --at->second.views;
      at->second.writable_views -= writable ? 1 : 0;
    }
    remove_edge(end);
    remove_edge(first);
    views_.fetch_sub(1, std::memory_order_release);
  }

  bool has(byte_range bytes, access made) const noexcept {
    auto at = segments_.upper_bound(bytes.begin);
    if (at != segments_.begin()) {
      --at;
    }
    for (; at != segments_.end() && at->first < bytes.end; ++at) {
      if ((made == access::write ? at->second.views : at->second.writable_views) > 0) {
        return true;
      }
    }
    return false;
  }

  bool is_empty() const noexcept { return views_.load(std::memory_order_acquire) == 0; }

  detail::ranked_mutex<detail::lock_rank::host_views> mutex;

 private:
  using segments = std::map<std::uintptr_t, segment>;

  /// The segment that begins there, which may be a part of one that there was.
  segments::iterator segment_from(std::uintptr_t at) {
    const auto next = segments_.lower_bound(at);
    if (next != segments_.end() && next->first == at) {
      return next;
    }
    segment part = next == segments_.begin() ? segment{} : std::prev(next)->second;
    part.edges = 0;
    return segments_.emplace_hint(next, at, part);
  }

  /// Joins a segment with the one before it where no view begins or ends between them any more:
  /// then both have the same views.
  void remove_edge(segments::iterator at) noexcept {
    if (--at->second.edges == 0) {
      segments_.erase(at);
    }
  }

  /// Segments by their first address. No view lies in front of the first segment or in the last
  /// one.
  segments segments_;
  std::atomic<std::size_t> views_ = 0;
};

view_table& host_views() {
  // Never destroyed: a view may end after main.
  static view_table& table = *new view_table;
  return table;
}

}  // namespace

internal::host_view::host_view(std::uintptr_t first, std::size_t nbytes, bool writable)
    : bytes_{first, first + nbytes}, writable_(writable) {
  if (nbytes > 0) {
    const std::lock_guard lock(host_views().mutex);
    host_views().add(bytes_, writable_);
  }
}

internal::host_view::~host_view() {
  if (bytes_.nbytes() > 0) {
    const std::lock_guard lock(host_views().mutex);
    host_views().remove(bytes_, writable_);
  }
}

bool detail::has_host_view(byte_range bytes, access made) noexcept {
  if (host_views().is_empty()) {
    return false;
  }
  const std::lock_guard lock(host_views().mutex);
  return host_views().has(bytes, made);
}

}  // namespace usmx::inline v1
