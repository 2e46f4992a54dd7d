// Reclaim: memory that has lost its last user while work on it may be unfinished, and what becomes
// of it. A block of a pool on which only usmx's own work is unfinished is reusable: that work stays
// known by address, so the block serves a new buffer on the same queue at once, if the new user
// orders its work by address. All other memory is deferred: others may work on it, or the thread
// that let it go is one of the runtime's own, which must neither wait nor call the runtime. Both
// stay here until a thread of the program finds the work finished.
//
// Thread-safe. No lock is held during a call of a pool, or of a release action. Private to the
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "layout/layout.hpp"
#include "memory/pending_work.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/release_action.hpp"

namespace usmx::inline v1::detail {

// ---- reusable blocks

/// The neighbours of a block in one of the lists that it is in.
struct chain_links {
  struct owned_block* before = nullptr;
  struct owned_block* after = nullptr;
};

/// A block that usmx allocated, the resource that it goes back to, and its links while it waits. It
/// has the links itself so that releasing it needs no memory.
struct owned_block {
  any_resource resource;
  std::byte* first;
  std::size_t nbytes;
  std::size_t alignment;
  sycl::queue queue;

  // The members below belong to reclaim.cpp, which reads and writes them under its lock.
  std::uint64_t age = 0;
  chain_links by_age{};
  chain_links by_size{};
  std::size_t bucket = 0;
  bool is_looked_at = false;
};

/// Leaves a block to its pool, which keeps it until its work is finished or an allocation takes it.
void keep_waiting(std::unique_ptr<owned_block>) noexcept;

/// Takes the latest waiting block for such a request on this queue, or null. The caller must order
/// all its work on the bytes, by address, after the work that is pending there.
std::unique_ptr<owned_block> take_waiting(const any_resource& pool, std::size_t nbytes,
                                          std::size_t alignment, const sycl::queue&) noexcept;

// ---- deferred releases

/// Memory whose release comes after work that others may do, or on another thread.
struct deferred_release {
  /// The bytes whose pending work the release comes after. The range may be empty.
  byte_range range{};
  /// Whether nobody can reach these bytes any more, so that their work is forgotten with them.
  /// False for adopted bytes, which several buffers may have.
  bool memory_ends = false;
  sycl::queue queue;
  /// The queues to which others may have submitted work that the release comes after, too.
  std::vector<sycl::queue> other_queues{};
  release_action release;
};

/// An action that only keeps an object alive until it runs.
release_action holding(std::shared_ptr<const void> kept);

/// Adds a block to those that wait. Does not call the runtime. Allocates nothing for the first
/// thousand blocks between two looks at the list. A later block is leaked if there is no memory to
/// list it.
void release_later(deferred_release block) noexcept;

// ---- both

/// Whether a look at the blocks may submit barriers to queues of others. A thread that frees memory
/// submits none: it may have the interpreter lock (docs/decisions.md, 189).
enum class look : std::uint8_t { submits, only_asks };

/// Releases some of the blocks whose work is finished. Takes no longer if very many wait, and
/// unfinished work does not keep other blocks from being found. Never waits.
void release_finished(look) noexcept;
inline void release_finished() noexcept { release_finished(look::submits); }

void release_all_finished() noexcept;

/// Waits for the oldest blocks and releases them, if more bytes wait than pending_limit() allows,
/// or if very many blocks wait for out-of-order queues of others. The caller holds no lock.
void limit_deferred();

/// Waits for the work of all blocks, and releases them.
void release_all();

std::size_t deferred_nbytes() noexcept;

/// Moves batches that are finished to `finished`: asks each in turn, from `next` on, until so many
/// were not. A batch that cannot be asked stays, and the others are asked: the caller must count
/// the batches that were moved in any case. Returns the last failure, or null.
template <class Batch>
std::exception_ptr take_finished(std::list<Batch>& all, typename std::list<Batch>::iterator& next,
                                 std::size_t unfinished, std::list<Batch>& finished) noexcept {
  std::exception_ptr failure;
  for (std::size_t left = all.size(); left > 0 && unfinished > 0; --left) {
    const auto at = next == all.end() ? all.begin() : next;
    next = std::next(at);
    bool is_finished = false;
    try {
      is_finished = at->is_finished();
    } catch (...) {
      failure = std::current_exception();
    }
    if (is_finished) {
      finished.splice(finished.end(), all, at);
    } else {
      --unfinished;
    }
  }
  return failure;
}

}  // namespace usmx::inline v1::detail
