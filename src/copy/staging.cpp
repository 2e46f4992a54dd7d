#include "copy/staging.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sycl/aspects.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/memcpy2d.hpp>
#include <sycl/usm/usm_pointer_info.hpp>

#include "base/threads.hpp"
#include "copy/copy.hpp"
#include "copy/host.hpp"
#include "memory/buffer.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1 {

internal::staging::staging(std::span<const std::ptrdiff_t> shape, dtype type,
                           const sycl::queue& queue)
    : staging(layout::c_order(shape), type, queue) {}

internal::staging::staging(layout&& where, dtype type, const sycl::queue& queue)
    : bytes_(std::make_unique_for_overwrite<std::byte[]>(checked_nbytes(where.size(), type))),
      view_(bytes_.get(), type, std::move(where), usm_kind::unknown, queue, false) {}

internal::staging internal::staging::fetched(const array_view& source, dtype type) {
  staging result(source.shape(), type, source.queue());
  copy_elements(source, result.view());
  return result;
}

internal::staging internal::staging::fetched(const array& source, dtype type) {
  staging result(source.shape(), type, private_queue(source.memory()));
  const layout in_bytes =
      result.view().layout().scaled(static_cast<std::ptrdiff_t>(type.itemsize()));
  copy_to_host(source, {result.view().origin(), type, result.view().shape(), in_bytes.strides()});
  return result;
}

std::optional<array> detail::staging_for_commands(layout where, dtype type,
                                                  const sycl::queue& queue) {
  if (!queue.get_device().has(sycl::aspect::usm_host_allocations)) {
    return std::nullopt;
  }
  return empty(std::move(where), type, queue, usm_kind::host);
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::detail {

sycl::event start_memcpy(std::byte* destination, const std::byte* source, std::size_t nbytes,
                         sycl::queue queue, const std::vector<sycl::event>& before) {
  return submit_to(std::move(queue),
                   [&](sycl::queue& to) { return to.memcpy(destination, source, nbytes, before); });
}

namespace {

struct equal_rows {
  const std::byte* source;
  std::byte* destination;
  std::size_t nbytes;
  copy_dimension rows;
};

bool is_the_devices(const void* pointer, const sycl::queue& queue) {
  const sycl::usm::alloc kind = sycl::get_pointer_type(pointer, queue.get_context());
  return kind == sycl::usm::alloc::device || kind == sycl::usm::alloc::shared;
}

/// Whether the driver copies the rows by one command. Between two ends in the host's memory no
/// driver does.
bool is_one_command(const equal_rows& copy, const sycl::queue& queue) {
  const std::ptrdiff_t longest_distance = traits_of(queue.get_backend()).longest_row_distance;
  const auto nbytes = static_cast<std::ptrdiff_t>(copy.nbytes);
  const auto is_distance = [&](std::ptrdiff_t stride) {
    return nbytes <= stride && stride <= longest_distance;
  };
  return is_distance(copy.rows.strides[source_side]) &&
         is_distance(copy.rows.strides[destination_side]) &&
         (is_the_devices(copy.source, queue) || is_the_devices(copy.destination, queue));
}

void start_rows(const equal_rows& copy, const sycl::queue& queue) {
  const auto count = static_cast<std::size_t>(copy.rows.extent);
  if (is_one_command(copy, queue)) {
    submit_to(queue, [&](sycl::queue& to) {
      return to.ext_oneapi_memcpy2d(
          copy.destination, static_cast<std::size_t>(copy.rows.strides[destination_side]),
          copy.source, static_cast<std::size_t>(copy.rows.strides[source_side]), copy.nbytes,
          count);
    });
    return;
  }
  for_each_index(std::span(&copy.rows, 1), copy.source, copy.destination,
                 [&](const std::byte* source, std::byte* destination) {
                   start_memcpy(destination, source, copy.nbytes, queue);
                 });
}

/// A plan as rows, and the dimensions around them. If no items are adjacent, a row is one item.
struct all_rows {
  explicit all_rows(const copy_plan& plan)
      : nbytes(plan.has_rows() ? plan.row_nbytes() : plan.source_type.itemsize()),
        around(
            plan.dimensions().first(plan.has_rows() && plan.ndim > 0 ? plan.ndim - 1 : plan.ndim)) {
    if (!around.empty()) {
      rows = around.back();
      around = around.first(around.size() - 1);
    }
  }

  std::size_t nbytes;
  copy_dimension rows{1, 0, 0};
  std::span<const copy_dimension> around;
};

}  // namespace

std::size_t command_nbytes(const copy_plan& plan, const sycl::queue& queue) {
  const all_rows all(plan);
  const bool at_once = is_one_command({plan.source, plan.destination, all.nbytes, all.rows}, queue);
  return all.nbytes * (at_once ? static_cast<std::size_t>(all.rows.extent) : 1);
}

void copy_by_queue(const copy_plan& plan, sycl::queue queue) {
  if (plan.is_whole()) {  // its event takes less than a queue of many streams
    return wait_for(start_memcpy(plan.destination, plan.source, plan.row_nbytes(), queue));
  }
  const all_rows all(plan);
  try {
    for_each_index(all.around, plan.source, plan.destination,
                   [&](const std::byte* source, std::byte* destination) {
                     start_rows({source, destination, all.nbytes, all.rows}, queue);
                   });
  } catch (...) {
    wait_for_queue(queue);  // the rows before it are in flight
    throw;
  }
  wait_for_queue(queue);
}

bool has_fast_fill(const std::byte* destination, usm_kind kind, std::size_t itemsize,
                   const sycl::queue& queue) {
  const std::size_t fast = traits_of(queue.get_backend()).fast_fill_itemsize;
  return fast > 0 && itemsize == fast && kind != usm_kind::unknown &&
         reinterpret_cast<std::uintptr_t>(destination) % fast == 0;
}

void fill_by_queue(std::byte* destination, usm_kind kind, const std::byte* item,
                   std::size_t itemsize, std::size_t count, sycl::queue queue) {
  if (has_fast_fill(destination, kind, itemsize, queue)) {
    std::uint32_t pattern;
    std::memcpy(&pattern, item, sizeof pattern);
    return wait_for(submit_to(
        std::move(queue), [&](sycl::queue& to) { return to.fill(destination, pattern, count); }));
  }
  // The host sends as many bytes as cost no more than the command itself. Then each command copies
  // the filled part to the bytes behind it.
  constexpr std::size_t first_nbytes = 4096;
  const std::size_t nbytes = itemsize * count;
  const std::size_t first_count =
      std::min(count, std::max<std::size_t>(first_nbytes / itemsize, 1));
  std::vector<std::byte> first(itemsize * first_count);
  const auto step = static_cast<std::ptrdiff_t>(itemsize);
  move_kernel(itemsize, 0, step)(block{
      item, first.data(), 1, 0, 0, static_cast<std::ptrdiff_t>(first_count), 0, step, itemsize});
  wait_for(start_memcpy(destination, first.data(), first.size(), queue));
  for (std::size_t done = first.size(); done < nbytes;) {
    const std::size_t now = std::min(done, nbytes - done);
    wait_for(start_memcpy(destination + done, destination, now, queue));
    done += now;
  }
}

namespace {

/// The most pieces of a transfer: the device works on some while the host works on one. With two
/// pieces, the bus stood still whenever a thread woke up late.
constexpr std::size_t most_pieces = 4;

/// The bytes of a piece. Sharing a piece among the host's threads costs 25 us on 16 cores; while
/// the host works on the first or the last piece, the device has nothing to do. Measured in
/// docs/copy-engine.md.
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

/// Has the system give memory to addresses that were not used yet, without changing other contents.
/// Each thread takes large pages of its own: threads that copy to one new page would all clear a
/// page for it, and all but one in vain.
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
                  // A failure has no effect: then the copy brings the pages in.
                  madvise(reinterpret_cast<void*>(mine), std::min(start + large_page, end) - mine,
                          populate_for_writing);
                });
}

/// A staging buffer; the device may still be using it.
class piece {
 public:
  piece(array room, const sycl::queue& queue) : room_(std::move(room)), queue_(queue) {}
  piece(piece&&) = default;
  piece& operator=(piece&&) = delete;
  ~piece() {
    try {
      wait();
    } catch (const sycl::exception&) {
      // Ignored: another error has ended the transfer.
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

/// Makes as many pieces as the bytes need, or as memory of kind `host` allows.
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
  // Streaming stores bypass the caches: the device reads the bytes next, and not the host.
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
