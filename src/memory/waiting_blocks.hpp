// Blocks of pools that were released while usmx's own work on them was unfinished. That work stays
// known by address, so a block serves a new buffer on the same queue at once if the new user orders
// its work by address. When the work is found finished, the block goes back to its pool and serves
// every request. Blocks on which others may work, and blocks of other resources, wait in
// deferred_release.
//
// Thread-safe. No lock is held during a call of the runtime or of a pool. Private to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <sycl/queue.hpp>

#include "layout/layout.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

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

  // What follows is for waiting_blocks.cpp, which reads it under its lock.
  std::uint64_t age = 0;
  chain_links by_age{};
  chain_links by_size{};
  std::size_t bucket = 0;
  bool is_looked_at = false;
};

/// The block's pool keeps it until its work is finished or an allocation takes it.
void keep_waiting(std::unique_ptr<owned_block>) noexcept;

/// The latest waiting block for such a request on this queue, or null. The caller must order all
/// its work on the bytes, by address, after the work that is pending there.
std::unique_ptr<owned_block> take_waiting(const any_resource& pool, std::size_t nbytes,
                                          std::size_t alignment, const sycl::queue&) noexcept;

/// Looks at some blocks in turn, and gives those whose work is finished back to their pools. Takes
/// no longer if very many wait. Never waits.
void return_some_waiting() noexcept;

/// The same with all blocks.
void return_finished_waiting() noexcept;

/// The block that waits for the longest time.
struct oldest_waiting {
  byte_range range;
  std::uint64_t age;
};
std::optional<oldest_waiting> find_oldest_waiting() noexcept;

/// Waits for the work on that block, and gives the block back to its pool. Waits for a thread that
/// looks at the block, too. Returns false if the block stays, since the runtime cannot tell whether
/// its work is finished.
bool wait_for_waiting(const oldest_waiting&);

/// Waits for all blocks that wait now, and gives them back to their pools. Those of which the
/// runtime cannot tell whether their work is finished stay.
void return_all_waiting();

/// Bytes of all blocks that wait, with what rounding adds.
std::size_t waiting_nbytes() noexcept;

/// The age number of a block that begins to wait now; later ones have greater numbers.
std::uint64_t next_age() noexcept;

}  // namespace usmx::inline v1::detail
