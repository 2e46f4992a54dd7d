// Other users of a buffer's memory, who may work on it, and until when. The memory is exposed for
// as long as it lives, or leased by a part of it for as long as the part lives (docs/decisions.md,
// 28 and 120).
#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/buffer.hpp"
#include "memory/pending_work.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1 {

void buffer::expose() const noexcept {
  if (!whole_) {
    return exposed_.store(true, std::memory_order_relaxed);
  }
  try {
    begin_lease(lease_kind::queue);
  } catch (const std::bad_alloc&) {
    root().exposed_.store(true, std::memory_order_relaxed);  // longer than it need be
  }
}

/// Begins the lease of a part: from now on others may work on the memory through its queue, until
/// the part ends.
void buffer::begin_lease(lease_kind wanted) const {
  if (leased_.load(std::memory_order_acquire) >= wanted) {
    return;
  }
  auto& memory = const_cast<buffer&>(root());
  const std::lock_guard lock(memory.leases_mutex_);
  const lease_kind before = leased_.load(std::memory_order_relaxed);
  if (before < wanted) {
    memory.add_holder(*this, wanted);
    memory.remove_holder(*this, before);
    leased_.store(wanted, std::memory_order_release);
  }
}

/// Ends the lease of a part. May be called on any thread, also of the runtime: it only counts.
void buffer::end_lease() noexcept {
  const lease_kind held = leased_.exchange(lease_kind::none);
  if (held != lease_kind::none) {
    const std::lock_guard lock(root().leases_mutex_);
    root().remove_holder(*this, held);
  }
}

/// Adds a part to the holders of its lease. Called under the lock.
void buffer::add_holder(const buffer& part, lease_kind kind) {
  const auto known = std::ranges::find_if(
      leases_, [&](const lease& each) { return each.kind == kind && each.queue == part.queue_; });
  if (known == leases_.end()) {
    leases_.push_back({part.queue_, part.traits_.queue_is_ours, kind, 1, 1});
  } else {
    ++known->holders;
    ++known->begun;
  }
  note_leases();
}

/// Removes a part from the holders of its lease, which stays known, since its last work may be
/// unfinished. Called under the lock.
void buffer::remove_holder(const buffer& part, lease_kind kind) noexcept {
  for (lease& each : leases_) {
    if (each.kind == kind && each.queue == part.queue_) {
      --each.holders;
      return;
    }
  }
}

void buffer::note_leases() noexcept {
  leased_queues found = leases_.empty() ? leased_queues::none : leased_queues::ours;
  for (const lease& each : leases_) {
    found = each.queue_is_ours ? found : leased_queues::others;
  }
  leased_queues_.store(found, std::memory_order_release);
}

/// The leases that have no holder any more: their work may be unfinished, but none can be added.
std::vector<buffer::lease> buffer::ended_leases() const {
  std::vector<lease> ended;
  const std::lock_guard lock(leases_mutex_);
  std::ranges::copy_if(leases_, std::back_inserter(ended),
                       [](const lease& each) { return each.holders == 0; });
  return ended;
}

void buffer::forget(const std::vector<lease>& ended) {
  const std::lock_guard lock(leases_mutex_);
  for (const lease& past : ended) {
    std::erase_if(leases_, [&](const lease& each) {
      return each.kind == past.kind && each.begun == past.begun && each.holders == 0 &&
             each.queue == past.queue;
    });
  }
  note_leases();
}

bool buffer::may_have_others_work() const noexcept {
  const leased_queues leased = leased_queues_.load(std::memory_order_acquire);
  const bool exposed = exposed_.load(std::memory_order_relaxed);
  if (leased == leased_queues::others || (exposed && !traits_.queue_is_ours)) {
    return true;
  }
  // Others reach a queue of usmx's own only by the peers' queue in its place, or if usmx has given
  // out cached queues.
  return (exposed || leased == leased_queues::ours) &&
         (internal::peers_are_known() || internal::cached_queues_exposed());
}

namespace {

using internal::partner;

/// Adds a partner; each queue is added once. A partner reads events only if it does so on every way
/// to the queue.
void add_partner(std::vector<partner>& all, const sycl::queue& queue, bool reads_events) {
  const auto known = std::ranges::find(all, queue, &partner::queue);
  if (known == all.end()) {
    all.push_back({queue, reads_events});
  } else {
    known->reads_events = known->reads_events && reads_events;
  }
}

/// Adds the partners that may have a queue. In place of a cached queue, they have the peers' queue.
/// The cached queue itself is added only if usmx has ever given one out, and not for partners that
/// read events.
void add_partners(std::vector<partner>& all, const sycl::queue& queue, bool reads_events,
                  bool to_peers) {
  const bool is_cached = internal::is_cached_queue(queue);
  if (!is_cached || (internal::cached_queues_exposed() && !reads_events)) {
    add_partner(all, queue, reads_events);
  }
  if (is_cached || to_peers) {
    if (const auto peers = internal::peers_queue_beside(queue)) {
      add_partner(all, *peers, reads_events);
    }
  }
}

void add_partners_of(const auto& leases, std::vector<partner>& all) {
  for (const auto& each : leases) {
    using kind = decltype(each.kind);
    add_partners(all, each.queue, each.kind == kind::events, each.kind == kind::queue_and_peers);
  }
}

/// Events that come after everything that a partner has submitted. Waits if there can be no such
/// event: on an out-of-order queue no barrier is sure to come after commands that still wait for a
/// host task (docs/decisions.md, 19).
std::vector<sycl::event> last_work_of(const partner& him, bool events_are_useful) {
  if (him.reads_events && events_are_useful) {
    if (auto events = detail::unfinished_work_of_partner(him.queue)) {
      return *std::move(events);
    }
  }
  if (!him.queue.is_in_order()) {
    internal::wait_interruptibly(him.queue);
  } else if (!detail::is_known_empty(him.queue)) {
    return {detail::submit_barrier(him.queue)};
  }
  return {};
}

}  // namespace

std::vector<partner> internal::buffer_access::partners(const buffer& of) {
  const buffer& memory = of.root();
  std::vector<partner> all;
  if (!memory.may_have_others_work()) {
    return all;
  }
  if (memory.exposed_.load(std::memory_order_relaxed)) {
    add_partners(all, memory.queue_, false, false);
  }
  if (memory.leased_queues_.load(std::memory_order_acquire) != buffer::leased_queues::none) {
    const std::vector<buffer::lease> leases = [&] {
      const std::lock_guard lock(memory.leases_mutex_);
      return memory.leases_;
    }();
    add_partners_of(leases, all);
  }
  return all;
}

void internal::buffer_access::settle_ended_leases(buffer& of, const sycl::queue* before_work_on) {
  buffer& memory = of.root();
  if (memory.leased_queues_.load(std::memory_order_acquire) == buffer::leased_queues::none) {
    return;
  }
  const std::vector<buffer::lease> ended = memory.ended_leases();
  if (ended.empty()) {
    return;
  }
  std::vector<partner> past;
  add_partners_of(ended, past);
  for (const partner& each : past) {
    const bool is_there = before_work_on != nullptr && each.queue == *before_work_on;
    for (const sycl::event& last : last_work_of(each, is_there)) {
      detail::add_pending_work(detail::range_of(memory.data_, memory.nbytes_),
                               detail::access::write, last, {}, memory.queue_);
    }
  }
  memory.forget(ended);
}

std::shared_ptr<buffer> internal::buffer_access::lent_to_partner(std::shared_ptr<buffer> whole) {
  auto lent = std::make_shared<buffer>(part_of_all(std::move(whole)));
  lent->begin_lease(buffer::lease_kind::events);
  return lent;
}

void internal::buffer_access::note_partners(buffer& imported) {
  const auto events = buffer::lease_kind::events;
  if (imported.whole_) {
    imported.end_lease();
    return imported.begin_lease(events);
  }
  {
    const std::lock_guard lock(imported.leases_mutex_);
    imported.add_holder(imported, events);  // for the memory's life
  }
  imported.exposed_.store(false, std::memory_order_relaxed);
}

void detail::tell_partners(const buffer& memory, const sycl::event& recorded) {
  for (const partner& each : internal::partners(memory)) {
    tell_partner(each.queue, recorded, false);
  }
}

std::vector<sycl::queue> buffer::others_queues() const {
  std::vector<sycl::queue> queues;
  std::ranges::transform(internal::partners(*this), std::back_inserter(queues), &partner::queue);
  return queues;
}

void buffer::wait_for_others() {
  buffer& memory = root();
  if (!memory.may_have_others_work()) {
    return;
  }
  const detail::runtime_call call;
  const std::vector<lease> ended = memory.leased_queues_.load() == leased_queues::none
                                       ? std::vector<lease>()
                                       : memory.ended_leases();
  for (const sycl::queue& queue : memory.others_queues()) {
    if (!detail::is_known_empty(queue)) {
      internal::wait_interruptibly(queue);
    }
  }
  if (!ended.empty()) {
    memory.forget(ended);
  }
}

namespace {

using detail::access;
using detail::byte_range;

/// The bytes from one address, at which a view begins or ends, to the next such address. The
/// members are the numbers of views of each byte, of the writable ones among them, and of views
/// that begin or end at the first address.
struct segment {
  std::size_t views = 0;
  std::size_t writable_views = 0;
  std::size_t edges = 0;
};

/// The views, as segments of the address space. There are at most twice as many segments as views.
class view_table {
 public:
  void add(byte_range bytes, bool writable) {
    // If this throws, a segment has been divided, which changes nothing.
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

  /// The segment that begins at that address; divides one if none does.
  segments::iterator segment_from(std::uintptr_t at) {
    const auto next = segments_.lower_bound(at);
    if (next != segments_.end() && next->first == at) {
      return next;
    }
    segment part = next == segments_.begin() ? segment{} : std::prev(next)->second;
    part.edges = 0;
    return segments_.emplace_hint(next, at, part);
  }

  /// Joins a segment with the one before it if no view begins or ends between them any more: then
  /// both have the same views.
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

view_table& host_views() { return detail::immortal<view_table>(); }

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
