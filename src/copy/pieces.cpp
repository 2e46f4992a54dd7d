#include "copy/pieces.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/exception.hpp>

#include "base/parallel.hpp"
#include "copy/host.hpp"
#include "copy/plan.hpp"
#include "copy/queue.hpp"
#include "copy/staging.hpp"
#include "runtime/waiting.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The device works on some pieces while the host works on one: with two of them, the bus stood
/// still whenever a thread woke up late.
constexpr std::size_t most_pieces = 4;

/// Pieces that the host's threads share cost 25 us each on 16 cores; the first one and the last one
/// have nobody who works at the same time. Measured in docs/copy-engine.md.
std::size_t piece_nbytes(std::size_t nbytes) {
  return std::clamp(nbytes / most_pieces, std::size_t{4} << 20, std::size_t{8} << 20);
}

void copy_bytes(std::byte* destination, const std::byte* source, std::size_t nbytes,
                const host_thresholds& thresholds) {
  const std::array extent{static_cast<std::ptrdiff_t>(nbytes)};
  const std::array<std::ptrdiff_t, 1> adjacent{1};
  copy_on_host(make_plan(extent, {const_cast<std::byte*>(source), type_code::uint8, adjacent, 1},
                         {destination, type_code::uint8, adjacent, 1}),
               thresholds);
}

/// Has the system give memory to addresses that were not used yet, without changing what others
/// hold. Each thread does large pages of its own. Threads that copy to one new page all clear a
/// page for it, and all but one clear it in vain.
void bring_in(std::byte* first, std::size_t nbytes) {
  constexpr std::uintptr_t page = 4096;
  constexpr std::uintptr_t large_page = std::uintptr_t{2} << 20;
  constexpr int populate_for_writing = 23;  // MADV_POPULATE_WRITE of Linux 5.14
  const auto down = [](std::uintptr_t address, std::uintptr_t to) { return address / to * to; };
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t begin = down(address + page - 1, page);
  const std::uintptr_t end = down(address + nbytes, page);
  const std::uintptr_t from = down(begin, large_page);
  for_each_task(static_cast<std::ptrdiff_t>((end - from + large_page - 1) / large_page),
                [&](std::ptrdiff_t k) {
                  const std::uintptr_t start = from + static_cast<std::uintptr_t>(k) * large_page;
                  const std::uintptr_t mine = std::max(start, begin);
                  // If this fails, the copy brings them in.
                  madvise(reinterpret_cast<void*>(mine), std::min(start + large_page, end) - mine,
                          populate_for_writing);
                });
}

/// Room for a piece, which the device may be at work on.
class piece {
 public:
  piece(array room, const sycl::queue& queue) : room_(std::move(room)), queue_(queue) {}
  piece(piece&&) = default;
  piece& operator=(piece&&) = delete;
  ~piece() {
    try {
      wait();
    } catch (const sycl::exception&) {
      // Another error is on its way.
    }
  }

  void wait() {
    if (moved_) {
      wait_for(*std::exchange(moved_, std::nullopt));
    }
  }
  void start_from(const std::byte* source, std::size_t nbytes) {
    moved_ = start_memcpy(room_.data(), source, nbytes, queue_);
  }
  void start_to(std::byte* destination, std::size_t nbytes) {
    moved_ = start_memcpy(destination, room_.data(), nbytes, queue_);
  }
  std::byte* data() const noexcept { return room_.data(); }

 private:
  array room_;
  const sycl::queue& queue_;
  std::optional<sycl::event> moved_;
};

/// As many as the bytes need, or as memory of kind `host` allows.
std::vector<piece> pieces_for(std::size_t nbytes, const sycl::queue& queue) {
  const std::size_t each = piece_nbytes(nbytes);
  const std::array extent{static_cast<std::ptrdiff_t>(std::min(nbytes, each))};
  const std::size_t count = std::min((nbytes + each - 1) / each, most_pieces);
  std::vector<piece> pieces;
  pieces.reserve(count);
  while (pieces.size() < count) {
    try {
      auto room = staging_for_commands(layout::c_order(extent), type_code::uint8, queue);
      if (!room) {
        break;
      }
      pieces.emplace_back(*std::move(room), queue);
    } catch (const allocation_error&) {
      break;  // slower with fewer, and by the driver alone with none
    }
  }
  return pieces;
}

/// Calls `body(piece, offset, count)` for all bytes, with the pieces in turn.
template <class Body>
void for_each_piece(std::vector<piece>& pieces, std::size_t nbytes, const Body& body) {
  const std::size_t each = piece_nbytes(nbytes);
  for (std::size_t k = 0; k * each < nbytes; ++k) {
    body(pieces[k % pieces.size()], k * each, std::min(each, nbytes - k * each));
  }
}

}  // namespace

bool upload_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                      const sycl::queue& queue) {
  std::vector<piece> pieces = pieces_for(nbytes, queue);
  if (pieces.empty()) {
    return false;
  }
  // Past the caches: the device reads it next, and not the host.
  const host_thresholds thresholds{.streaming = 0};
  for_each_piece(pieces, nbytes, [&](piece& now, std::size_t offset, std::size_t count) {
    now.wait();
    copy_bytes(now.data(), source + offset, count, thresholds);
    now.start_to(destination + offset, count);
  });
  for (piece& each : pieces) {
    each.wait();
  }
  return true;
}

bool download_in_pieces(std::byte* destination, const std::byte* source, std::size_t nbytes,
                        const sycl::queue& queue) {
  std::vector<piece> pieces = pieces_for(nbytes, queue);
  if (pieces.empty()) {
    return false;
  }
  std::size_t started = 0;
  const auto start_next = [&](piece& into) {
    const std::size_t count = std::min(piece_nbytes(nbytes), nbytes - started);
    if (count > 0) {
      into.start_from(source + started, count);
      started += count;
    }
  };
  std::ranges::for_each(pieces, start_next);
  bring_in(destination, nbytes);  // while the first pieces are on their way
  for_each_piece(pieces, nbytes, [&](piece& now, std::size_t offset, std::size_t count) {
    now.wait();
    copy_bytes(destination + offset, now.data(), count, {});
    start_next(now);
  });
  return true;
}

}  // namespace usmx::inline v1::detail
