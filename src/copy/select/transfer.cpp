#include "copy/select/transfer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>

#include "base/parallel.hpp"
#include "base/ranked_mutex.hpp"
#include "copy/element_dispatch.hpp"
#include "copy/select/index_blocks.hpp"
#include "usmx/layout/index_walk.hpp"

namespace usmx::inline v1::detail {
namespace {

using extents = std::span<const std::ptrdiff_t>;

/// The bytes from each element of the common shape to the next where one number says it.
std::optional<std::ptrdiff_t> single_step(extents shape, extents strides) {
  std::optional<std::ptrdiff_t> step;
  std::ptrdiff_t next = 0;
  for (std::size_t k = shape.size(); k > 0; --k) {
    if (shape[k - 1] == 1) {
      continue;
    }
    if (step && strides[k - 1] != next) {
      return std::nullopt;
    }
    step = step.value_or(strides[k - 1]);
    next = strides[k - 1] * shape[k - 1];
  }
  return step.value_or(0);
}

/// A row of adjacent items is an item.
void absorb_rows(transfer& moved) {
  for (std::size_t k = moved.rest.size(); k > 0; --k) {
    const rest_dimension& d = moved.rest[k - 1];
    const auto item = static_cast<std::ptrdiff_t>(moved.item_nbytes);
    if (d.linear_stride == item && d.indexed_stride == item) {
      moved.item_nbytes *= static_cast<std::size_t>(d.extent);
      moved.rest.erase(moved.rest.begin() + static_cast<std::ptrdiff_t>(k - 1));
    }
  }
}

std::size_t common_begin(const selection& selected) {
  return static_cast<std::size_t>(selected.position());
}

bool is_indexed(const selection& selected, int dimension) {
  return std::ranges::any_of(selected.indices(),
                             [=](const axis_index& index) { return index.dimension == dimension; });
}

index_blocks blocks_of(const selection& selected, const array_view& indexed) {
  return {selected.common_shape(), selected.indices(), scales_of(indexed, selected)};
}

/// Calls `body(linear, indexed)`, byte addresses, once for each index of the outermost `outer`
/// dimensions of the rest.
template <class Body>
void for_each_rest(const transfer& moved, std::size_t outer, std::byte* linear, const Body& body) {
  std::byte* indexed = moved.indexed;
  for_each_index(
      outer, [&](std::size_t k) { return moved.rest[k].extent; },
      [&](std::size_t k, std::ptrdiff_t steps) {
        linear += moved.rest[k].linear_stride * steps;
        indexed += moved.rest[k].indexed_stride * steps;
      },
      [&](std::span<const std::ptrdiff_t>) { body(linear, indexed); });
}

/// Whether the innermost rest dimension, not the offsets of a block, is the innermost loop: it is
/// where that walks through the linear side in smaller steps, or is much longer.
bool walks_rest_first(const transfer& moved, std::ptrdiff_t offsets) {
  if (moved.rest.empty()) {
    return false;
  }
  const rest_dimension& row = moved.rest.back();
  return std::abs(row.linear_stride) < std::abs(moved.linear_step) || offsets < row.extent / 8;
}

/// Moves what one block of offsets leads to. `move(linear, indexed)` moves one item.
template <class Move>
void move_block(const transfer& moved, std::span<const std::int64_t> offsets, std::byte* linear,
                Move move) {
  const std::size_t ndim = moved.rest.size();
  if (!walks_rest_first(moved, std::ssize(offsets))) {
    for_each_rest(moved, ndim, linear, [&](std::byte* to, std::byte* base) {
      for (const std::int64_t offset : offsets) {
        move(to, base + offset);
        to += moved.linear_step;
      }
    });
    return;
  }
  const rest_dimension& row = moved.rest.back();
  for_each_rest(moved, ndim - 1, linear, [&](std::byte* to, std::byte* base) {
    for (const std::int64_t offset : offsets) {
      for (std::ptrdiff_t i = 0; i < row.extent; ++i) {
        move(to + i * row.linear_stride, base + offset + i * row.indexed_stride);
      }
      to += moved.linear_step;
    }
  });
}

template <class Move>
void move_all(const transfer& moved, std::byte* linear, index_blocks& blocks, Move move) {
  for (auto offsets = blocks.next(); !offsets.empty(); offsets = blocks.next()) {
    move_block(moved, offsets, linear, move);
    linear += std::ssize(offsets) * moved.linear_step;
  }
}

/// The exception of the first of several tasks that fail.
class first_failure {
 public:
  void note(std::ptrdiff_t task) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr || task < task_) {
      failure_ = std::current_exception();
      task_ = task;
    }
  }
  void rethrow() const {
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  ranked_mutex<lock_rank::task_failure> mutex_;
  std::exception_ptr failure_;
  std::ptrdiff_t task_ = 0;
};

/// How many offsets a thread takes at a time: what takes it some 100 us.
std::ptrdiff_t offsets_of_task(std::ptrdiff_t offsets, std::size_t nbytes) {
  constexpr std::ptrdiff_t task_nbytes = std::ptrdiff_t{512} << 10;
  constexpr std::ptrdiff_t most = std::ptrdiff_t{32} << 10;
  const std::ptrdiff_t each = static_cast<std::ptrdiff_t>(nbytes) / offsets;
  return std::clamp<std::ptrdiff_t>(task_nbytes / std::max<std::ptrdiff_t>(each, 1), 1, most);
}

/// To the linear side, on several threads when that is worth it: each element has a place of its
/// own there, unless the step is 0.
template <class Move>
void gather_all(const transfer& moved, index_blocks& blocks, std::size_t nbytes, Move move) {
  const std::ptrdiff_t all = blocks.size();
  const std::ptrdiff_t share = offsets_of_task(all, nbytes);
  if (all <= share || moved.linear_step == 0) {
    return move_all(moved, moved.linear, blocks, move);
  }
  first_failure failure;
  for_each_task((all + share - 1) / share, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = task * share;
    try {
      index_blocks own = blocks.part(first, std::min(share, all - first));
      move_all(moved, moved.linear + first * moved.linear_step, own, move);
    } catch (...) {
      failure.note(task);
    }
  });
  failure.rethrow();
}

}  // namespace

std::vector<std::ptrdiff_t> scales_of(const array_view& indexed, const selection& selected) {
  const auto item = static_cast<std::ptrdiff_t>(indexed.type().itemsize());
  std::vector<std::ptrdiff_t> result;
  for (const axis_index& index : selected.indices()) {
    result.push_back(indexed.strides()[static_cast<std::size_t>(index.dimension)] * item);
  }
  return result;
}

std::optional<transfer> plan_transfer(const array_view& indexed, const selection& selected,
                                      const array_view& linear) {
  const auto item = static_cast<std::ptrdiff_t>(indexed.type().itemsize());
  const std::size_t begin = common_begin(selected);
  const std::size_t n = selected.common_shape().size();
  const auto step = single_step(selected.common_shape(), linear.strides().subspan(begin, n));
  if (!step) {
    return std::nullopt;
  }
  transfer result{linear.data(), indexed.data(), indexed.type().itemsize(), *step * item, {}};
  std::size_t k = 0;
  for (int d = 0; d < indexed.ndim(); ++d) {
    if (is_indexed(selected, d)) {
      continue;
    }
    k += k == begin ? n : 0;
    const auto from = static_cast<std::size_t>(d);
    if (indexed.shape()[from] != 1) {
      result.rest.push_back(
          {indexed.shape()[from], linear.strides()[k] * item, indexed.strides()[from] * item});
    }
    ++k;
  }
  absorb_rows(result);
  return result;
}

void move_to_linear(const transfer& moved, const array_view& indexed, const selection& selected,
                    std::size_t nbytes) {
  index_blocks blocks = blocks_of(selected, indexed);
  with_item_size(moved.item_nbytes, [&](auto size) {
    gather_all(moved, blocks, nbytes,
               [size](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  });
}

void move_to_indexed(const transfer& moved, const array_view& indexed, const selection& selected) {
  index_blocks blocks = blocks_of(selected, indexed);
  with_item_size(moved.item_nbytes, [&](auto size) {
    move_all(moved, moved.linear, blocks,
             [size](const std::byte* from, std::byte* to) { std::memcpy(to, from, size); });
  });
}

}  // namespace usmx::inline v1::detail
