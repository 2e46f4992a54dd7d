// Copies on the host: runs a copy over memory that the host may touch, on as many threads as pay
// for its size. Has also the parts that the loops share. No SYCL here. Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/threads.hpp"
#include "copy/convert.hpp"
#include "copy/plan.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/for_each.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

/// A rectangle of items, at any alignment; steps in bytes.
struct block {
  const std::byte* source;
  std::byte* destination;
  std::ptrdiff_t rows;
  std::ptrdiff_t source_row_step;
  std::ptrdiff_t destination_row_step;
  std::ptrdiff_t count;  // items in a row
  std::ptrdiff_t source_step;
  std::ptrdiff_t destination_step;
  std::size_t itemsize;
};

using block_kernel = void (*)(const block&) noexcept;

/// Copies as memcpy. The C library's memcpy is one instruction from a few KiB on, which on AMD's
/// processors takes twelve times as long where the destination lies less than 16 bytes behind the
/// source in their pages of 4 KiB. Blocks of a pool begin where pages do, so `a[1:] = b` is such a
/// copy.
inline void copy_bytes(std::byte* destination, const std::byte* source,
                       std::size_t nbytes) noexcept {
  using lane [[gnu::vector_size(16)]] = long long;
  constexpr std::size_t at_once = 4 * sizeof(lane);
  const auto read = [](const std::byte* from) {
    lane made;
    std::memcpy(&made, from, sizeof made);
    return made;
  };
  const auto write = [](std::byte* to, lane value) { std::memcpy(to, &value, sizeof value); };
  const std::size_t behind =
      (reinterpret_cast<std::uintptr_t>(destination) - reinterpret_cast<std::uintptr_t>(source)) %
      4096;
  if (behind > 0 && behind < 16) {
    for (; nbytes >= at_once; nbytes -= at_once) {  // all are read before the first is written
      const lane first = read(source), second = read(source + 16);
      const lane third = read(source + 32), fourth = read(source + 48);
      write(destination, first);
      write(destination + 16, second);
      write(destination + 32, third);
      write(destination + 48, fourth);
      destination += at_once;
      source += at_once;
    }
  }
  std::memcpy(destination, source, nbytes);
}

/// The fastest function that moves blocks of these steps inside their rows. The item size may be
/// any number. The blocks have the size and the steps given here.
block_kernel move_kernel(std::size_t itemsize, std::ptrdiff_t source_step,
                         std::ptrdiff_t destination_step) noexcept;

/// Whether a transposing loop exists for items of that size: 1, 2, 4, 8 or 16 bytes. Rows are
/// adjacent items in the source, and columns are in the destination: source_step ==
/// destination_row_step == itemsize. (rows: source rows; count: their length. Step names are of the
/// source's rows.)
bool can_transpose(std::size_t itemsize) noexcept;
void transpose(const block& tile) noexcept;

/// Copies with streaming stores, which bypass the caches. Call finish_streaming() on the same
/// thread before another thread may read the bytes.
void stream(std::byte* destination, const std::byte* source, std::size_t nbytes) noexcept;
void finish_streaming() noexcept;

/// The sizes of a destination, in bytes, from which on a method pays; measured in
/// docs/copy-engine.md.
struct host_thresholds {
  /// Several threads share a copy of this size and more.
  std::size_t parallel = std::size_t{1} << 20;
  /// The bytes that a thread takes at a time.
  std::size_t task = std::size_t{256} << 10;
  /// Streaming stores bypass the caches in a copy of this size and more.
  std::size_t streaming = std::size_t{16} << 20;
};

/// Copies on the host. Source and destination do not overlap.
void copy_on_host(const copy_plan& plan, const host_thresholds& thresholds = {}) noexcept;

inline constexpr std::ptrdiff_t line_nbytes = 64;
/// The size of a thread's scratch memory, which fits its first-level cache.
inline constexpr std::ptrdiff_t scratch_nbytes = 16384;
using scratch = std::array<std::byte, scratch_nbytes>;

/// Moves or converts rectangles of elements. All threads share one object.
class block_mover {
 public:
  /// Takes the steps inside the rows of all blocks that follow.
  block_mover(dtype from, dtype to, std::size_t itemsize, std::ptrdiff_t source_step,
              std::ptrdiff_t destination_step) noexcept
      : source_itemsize_(from == to ? static_cast<std::ptrdiff_t>(itemsize)
                                    : static_cast<std::ptrdiff_t>(from.itemsize())),
        destination_itemsize_(static_cast<std::ptrdiff_t>(itemsize)),
        converts_(from != to),
        source_adjacent_(source_step == source_itemsize_),
        source_repeats_(source_step == 0),
        source_is_dense_(std::abs(source_step) <= source_itemsize_),
        destination_adjacent_(destination_step == destination_itemsize_),
        move_(move_kernel(itemsize, source_step, destination_step)),
        convert_(converts_ ? conversion(from, to)
                           : conversion(type_code::bool_, type_code::bool_)) {}

  std::ptrdiff_t source_itemsize() const noexcept { return source_itemsize_; }
  std::ptrdiff_t destination_itemsize() const noexcept { return destination_itemsize_; }
  bool converts() const noexcept { return converts_; }
  /// Whether streaming stores can write whole cache lines, and writing takes most of the time.
  /// (Reading does if the source has gaps.)
  bool can_stream() const noexcept {
    return destination_adjacent_ && source_is_dense_ && destination_itemsize_ <= scratch_nbytes / 4;
  }

  void operator()(const block& b) const noexcept {
    if (converts_) {
      return convert_rows(b);
    }
    if (source_adjacent_ && destination_adjacent_ && b.count * source_itemsize_ > 64) {
      return copy_rows(b);
    }
    move_(b);
  }

  /// Moves one row whose destination is adjacent, with streaming stores.
  void stream_row(const std::byte* source, std::ptrdiff_t source_step, std::byte* destination,
                  std::ptrdiff_t count) const noexcept {
    if (!converts_ && source_adjacent_) {
      return stream(destination, source, static_cast<std::size_t>(count * source_itemsize_));
    }
    alignas(line_nbytes) scratch at_hand;
    const std::ptrdiff_t most = scratch_nbytes / 4 / destination_itemsize_;
    for (std::ptrdiff_t done = 0; done < count; done += most) {
      const std::ptrdiff_t now = std::min(most, count - done);
      if (done == 0 || !source_repeats_) {
        (*this)(block{source + done * source_step, at_hand.data(), 1, 0, 0, now, source_step,
                      destination_itemsize_, static_cast<std::size_t>(destination_itemsize_)});
      }
      stream(destination + done * destination_itemsize_, at_hand.data(),
             static_cast<std::size_t>(now * destination_itemsize_));
    }
  }

 private:
  void convert_rows(const block& b) const noexcept {
    for (std::ptrdiff_t row = 0; row < b.rows; ++row) {
      const std::byte* source = b.source + row * b.source_row_step;
      std::byte* destination = b.destination + row * b.destination_row_step;
      if (source_adjacent_ && destination_adjacent_) {
        convert_.adjacent(source, destination, b.count);
      } else {
        convert_.strided(source, b.source_step, destination, b.destination_step, b.count);
      }
    }
  }

  void copy_rows(const block& b) const noexcept {
    const auto nbytes = static_cast<std::size_t>(b.count * source_itemsize_);
    for (std::ptrdiff_t row = 0; row < b.rows; ++row) {
      copy_bytes(b.destination + row * b.destination_row_step, b.source + row * b.source_row_step,
                 nbytes);
    }
  }

  std::ptrdiff_t source_itemsize_;
  std::ptrdiff_t destination_itemsize_;
  bool converts_;
  bool source_adjacent_;
  bool source_repeats_;
  bool source_is_dense_;
  bool destination_adjacent_;
  block_kernel move_;
  conversion convert_;
};

/// The dimensions of a plan, or some of them, as one sequence of indices.
class index_space {
 public:
  void add(const copy_dimension& d) noexcept {
    dimensions_[ndim_++] = d;
    size_ *= d.extent;
  }
  std::ptrdiff_t size() const noexcept { return size_; }

  /// Calls `body(source offset, destination offset, count, innermost dimension)` for runs along the
  /// innermost dimension, which together are the indices from `first` to `end` - 1. Without
  /// dimensions, there is one index.
  template <class Body>
  void for_each_run(std::ptrdiff_t first, std::ptrdiff_t end, const Body& body) const noexcept {
    if (ndim_ == 0) {
      return body(std::ptrdiff_t{0}, std::ptrdiff_t{0}, std::ptrdiff_t{1}, copy_dimension{1, 0, 0});
    }
    std::ptrdiff_t source = 0;
    std::ptrdiff_t destination = 0;
    const auto extent_of = [&](std::size_t k) { return dimensions_[k].extent; };
    const auto move = [&](std::size_t k, std::ptrdiff_t steps) {
      source += dimensions_[k].strides[source_side] * steps;
      destination += dimensions_[k].strides[destination_side] * steps;
    };
    std::array<std::ptrdiff_t, max_ndim> entries;
    const std::span index(entries.data(), ndim_);
    place_index(index, extent_of, move, first);
    const copy_dimension& inner = dimensions_[ndim_ - 1];
    while (first < end) {
      const std::ptrdiff_t count = std::min(inner.extent - index.back(), end - first);
      body(source, destination, count, inner);
      first += count;
      advance_index(index, extent_of, move, count);
    }
  }

 private:
  std::array<copy_dimension, max_ndim> dimensions_;
  std::size_t ndim_ = 0;
  std::ptrdiff_t size_ = 1;
};

inline std::ptrdiff_t ceil_divide(std::ptrdiff_t a, std::ptrdiff_t b) { return (a + b - 1) / b; }

/// The division of the work among threads: small work is one task.
struct sharing {
  bool parallel;
  bool streaming;
  std::ptrdiff_t task_nbytes;

  sharing(std::ptrdiff_t nbytes, const host_thresholds& thresholds) noexcept
      : parallel(static_cast<std::size_t>(nbytes) >= thresholds.parallel),
        streaming(static_cast<std::size_t>(nbytes) >= thresholds.streaming),
        task_nbytes(static_cast<std::ptrdiff_t>(thresholds.task)) {}

  /// Divides `units` of work of that many bytes each into tasks, and calls body(first, end) for
  /// each.
  template <class Body>
  void run(std::ptrdiff_t units, std::ptrdiff_t unit_nbytes, const Body& body) const noexcept {
    const std::ptrdiff_t at_once = std::max<std::ptrdiff_t>(task_nbytes / unit_nbytes, 1);
    if (!parallel || units <= at_once) {
      return body(std::ptrdiff_t{0}, units);
    }
    for_each_task(ceil_divide(units, at_once), [&](std::ptrdiff_t task) {
      body(task * at_once, std::min((task + 1) * at_once, units));
    });
  }
};

}  // namespace usmx::inline v1::detail
