// New buffers for usmx's own parts, its Python module among them: without waiting, and in memory on
// which work may be unfinished. This header is not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "layout/layout.hpp"
#include "memory/pending_work.hpp"
#include "usmx/base/api.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::inline v1::internal {

/// How the new owner of some memory uses it first.
enum class first_use : std::uint8_t {
  at_once,  ///< In any way: no work on the memory is unfinished.
  in_order  ///< Only after the work that is pending on the bytes, by address.
};

struct new_buffer {
  struct request;
  struct block;

  /// Does as buffer::allocate_shared(), but returns null if it would have to wait, to call the SYCL
  /// runtime, or to throw another exception than bad_alloc.
  USMX_API static std::shared_ptr<buffer> try_to_allocate(std::size_t nbytes, usm_kind kind,
                                                          const sycl::queue& queue,
                                                          std::size_t alignment, first_use);
  /// Does as buffer::allocate_shared(), for memory with that first use.
  USMX_API static std::shared_ptr<buffer> allocate(std::size_t nbytes, const sycl::queue& queue,
                                                   const placement& where, std::size_t alignment,
                                                   first_use);

 private:
  static std::shared_ptr<buffer> from_block(block&& made, const request& wanted);
};

/// A program's part or library that may have submitted work on memory to a queue without recording
/// it.
struct partner {
  sycl::queue queue;
  /// Whether the partner orders its work by events (runtime/queues.hpp).
  bool reads_events;
};

struct buffer_access {
  static std::vector<partner> partners(const buffer&);
  /// Forgets the leases of the memory that have ended, before work on a queue, or null. The last
  /// work of their holders becomes work that is known by address. It is waited for if there are no
  /// events of it, or they are of another queue.
  static void settle_ended_leases(buffer&, const sycl::queue* before_work_on);
  /// A part of a buffer that has all its bytes, on the same queue.
  USMX_API static buffer part_of_all(std::shared_ptr<buffer> whole);
  /// Does as buffer::on_queue(), for usmx's own work: others may work through that queue only once
  /// the result is exposed.
  USMX_API static std::shared_ptr<buffer> moved_to_queue(std::shared_ptr<buffer> whole,
                                                         const sycl::queue&);
  /// A part of a buffer that has all its bytes, for a partner that reads events. As long as the
  /// part lives, the partner works on the memory through the part's queue.
  USMX_API static std::shared_ptr<buffer> lent_to_partner(std::shared_ptr<buffer> whole);
  /// Notes that memory which was just imported belongs to a partner that reads events.
  USMX_API static void note_partners(buffer& imported);

  static const sycl::queue& queue(const buffer& of) noexcept { return of.queue_; }
  static std::size_t owned_nbytes(const buffer& of) noexcept {
    return of.traits_.is_new && of.whole_ == nullptr ? of.nbytes_ : 0;
  }
};

/// The queue on which usmx works on the bytes, without exposing them: for work of usmx's own.
inline const sycl::queue& private_queue(const buffer& of) noexcept {
  return buffer_access::queue(of);
}

inline std::vector<partner> partners(const buffer& of) { return buffer_access::partners(of); }

/// The number of the bytes, if usmx allocated them for this buffer; 0 for memory of others, and for
/// a part.
inline std::size_t owned_nbytes(const buffer& of) noexcept {
  return buffer_access::owned_nbytes(of);
}

// The views that host code has of USM: buffers of Python, DLPack tensors of the host, columns of
// Arrow's. Nobody can tell their owners of work, so a call that starts work on such bytes, and
// gives no event, waits for the work while a view of these bytes lives (docs/concepts.md). By
// address, as the unfinished work.

/// Counts a view of the bytes [first, first + nbytes), as long as this object lives. It may end on
/// any thread.
class USMX_API host_view {
 public:
  host_view(std::uintptr_t first, std::size_t nbytes, bool writable);
  host_view(const host_view&) = delete;
  host_view& operator=(const host_view&) = delete;
  ~host_view();

 private:
  detail::byte_range bytes_;
  bool writable_;
};

}  // namespace usmx::inline v1::internal

namespace usmx::inline v1::detail {

/// Tells partners that may work on the memory, and read events, to come after an event that was
/// recorded. Waits for the event where they cannot be told.
void tell_partners(const buffer&, const sycl::event&);

/// Whether the host has a view of any of these bytes that would race with work that makes such an
/// access. Work that only reads does not race with a view that only reads.
bool has_host_view(byte_range, access) noexcept;

}  // namespace usmx::inline v1::detail
