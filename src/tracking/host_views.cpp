#include "tracking/host_views.hpp"

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

/// How many views there are of some byte.
struct view_counts {
  std::size_t all = 0;
  std::size_t writable = 0;

  bool operator==(const view_counts&) const = default;
};

/// The views, as segments of the address space in which each byte has equally many. There are at
/// most twice as many segments as views.
class view_table {
 public:
  void add(byte_range bytes, bool writable) {
    // Nothing has changed where this throws: a boundary between equal segments means nothing.
    const auto first = boundary(bytes.begin);
    const auto end = boundary(bytes.end);
    for (auto at = first; at != end; ++at) {
      ++at->second.all;
      at->second.writable += writable ? 1 : 0;
    }
    views_.fetch_add(1, std::memory_order_release);
  }

  void remove(byte_range bytes, bool writable) noexcept {
    const auto first = segments_.find(bytes.begin);
    const auto end = segments_.find(bytes.end);
    for (auto at = first; at != end; ++at) {
      --at->second.all;
      at->second.writable -= writable ? 1 : 0;
    }
    erase_if_equal(end);
    erase_if_equal(first);
    views_.fetch_sub(1, std::memory_order_release);
  }

  bool has(byte_range bytes, access made) const noexcept {
    auto at = segments_.upper_bound(bytes.begin);
    if (at != segments_.begin()) {
      --at;
    }
    for (; at != segments_.end() && at->first < bytes.end; ++at) {
      if ((made == access::write ? at->second.all : at->second.writable) > 0) {
        return true;
      }
    }
    return false;
  }

  bool is_empty() const noexcept { return views_.load(std::memory_order_acquire) == 0; }

  detail::ranked_mutex<detail::lock_rank::host_views> mutex;

 private:
  using segments = std::map<std::uintptr_t, view_counts>;

  /// The segment that begins there, which may be a part of one that there was.
  segments::iterator boundary(std::uintptr_t at) {
    const auto next = segments_.lower_bound(at);
    if (next != segments_.end() && next->first == at) {
      return next;
    }
    const view_counts before = next == segments_.begin() ? view_counts{} : std::prev(next)->second;
    return segments_.emplace_hint(next, at, before);
  }

  /// Joins a segment with the one before it where that makes no difference.
  void erase_if_equal(segments::iterator at) noexcept {
    const view_counts before = at == segments_.begin() ? view_counts{} : std::prev(at)->second;
    if (at->second == before) {
      segments_.erase(at);
    }
  }

  /// Each from its address to that of the next one. None in front of the first one, and the last
  /// one has no views.
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
