#include "usmx/copy/select/gather.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "base/process_state.hpp"
#include "copy/select/gather_paths.hpp"
#include "copy/select/index_blocks.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/copy.hpp"
#include "usmx/memory/usm.hpp"

namespace usmx {
namespace {

using extents = std::span<const std::ptrdiff_t>;

/// One dimension along which no array selects; strides in bytes.
struct rest_dimension {
  std::ptrdiff_t extent;
  std::ptrdiff_t linear_stride;
  std::ptrdiff_t indexed_stride;
};

/// Items to be moved between the side that the integers lead to and the one that is walked through
/// in order, whichever is the source.
struct transfer {
  std::byte* linear;
  std::byte* indexed;
  std::size_t item_nbytes;
  /// Bytes on the linear side from one set of integers to the next.
  std::ptrdiff_t linear_step;
  /// The innermost last.
  std::vector<rest_dimension> rest;
};

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

/// None where the linear side's dimensions of the common shape are no single run.
std::optional<transfer> plan(const array_view& indexed, const selection& selected,
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

std::vector<std::ptrdiff_t> scales(const array_view& indexed, const selection& selected) {
  const auto item = static_cast<std::ptrdiff_t>(indexed.type().itemsize());
  std::vector<std::ptrdiff_t> result;
  for (const axis_index& index : selected.indices()) {
    result.push_back(indexed.strides()[static_cast<std::size_t>(index.dimension)] * item);
  }
  return result;
}

/// Calls `body(linear, indexed)`, byte addresses, once for each index of the outermost `outer`
/// dimensions of the rest.
template <class Body>
void for_each_rest(const transfer& moved, std::size_t outer, std::byte* linear, Body body) {
  std::array<std::ptrdiff_t, max_ndim> at{};
  std::byte* indexed = moved.indexed;
  for (;;) {
    body(linear, indexed);
    std::size_t k = outer;
    for (; k > 0; --k) {
      const rest_dimension& d = moved.rest[k - 1];
      linear += d.linear_stride;
      indexed += d.indexed_stride;
      if (++at[k - 1] < d.extent) {
        break;
      }
      linear -= d.linear_stride * d.extent;
      indexed -= d.indexed_stride * d.extent;
      at[k - 1] = 0;
    }
    if (k == 0) {
      return;
    }
  }
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
void move_all(const transfer& moved, std::byte* linear, detail::index_blocks& blocks, Move move) {
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
  std::mutex mutex_;
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
void gather_all(const transfer& moved, detail::index_blocks& blocks, std::size_t nbytes,
                Move move) {
  const std::ptrdiff_t all = blocks.size();
  const std::ptrdiff_t share = offsets_of_task(all, nbytes);
  if (all <= share || moved.linear_step == 0) {
    return move_all(moved, moved.linear, blocks, move);
  }
  first_failure failure;
  detail::for_each_task((all + share - 1) / share, [&](std::ptrdiff_t task) {
    const std::ptrdiff_t first = task * share;
    try {
      detail::index_blocks own = blocks.part(first, std::min(share, all - first));
      move_all(moved, moved.linear + first * moved.linear_step, own, move);
    } catch (...) {
      failure.note(task);
    }
  });
  failure.rethrow();
}

/// Calls `body` with the number of bytes of an item: as a constant where that makes a memcpy one
/// instruction.
template <class Body>
void with_item_size(std::size_t nbytes, Body body) {
  switch (nbytes) {
    case 1:
      return body(std::integral_constant<std::size_t, 1>());
    case 2:
      return body(std::integral_constant<std::size_t, 2>());
    case 4:
      return body(std::integral_constant<std::size_t, 4>());
    case 8:
      return body(std::integral_constant<std::size_t, 8>());
    case 16:
      return body(std::integral_constant<std::size_t, 16>());
    default:
      return body(nbytes);
  }
}

bool touched_by_host(const array_view& view) { return host_may_touch(view.kind(), view.device()); }

/// Compact ordinary memory of an array's shape and type.
class staging {
 public:
  explicit staging(const array_view& like)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(like.nbytes())),
        view_(bytes_.get(), like.type(), layout::c_order(like.shape()), usm_kind::unknown,
              like.queue(), false) {}
  const array_view& view() const noexcept { return view_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  array_view view_;
};

array_view with_layout(const array_view& view, layout where) {
  return {view.origin(), view.type(), std::move(where), view.kind(), view.queue(), view.readonly()};
}

/// What the basic items of a selection leave of an array.
array_view basic_part(const array_view& whole, const selection& selected) {
  return with_layout(whole, selected.basic());
}

void require_type(const array_view& found, const array_view& expected) {
  if (found.type() != expected.type()) {
    throw value_error(detail::message("elements to be moved must be of type ", expected.type(),
                                      ", found ", found.type()));
  }
}

void require_writable(const array_view& destination) {
  if (destination.readonly()) {
    throw read_only_error("assignment destination is read-only");
  }
}

void require_shape(const array_view& destination, const selection& selected) {
  if (!std::ranges::equal(destination.shape(), selected.shape())) {
    throw value_error(detail::message("destination must have the shape of what is selected, ",
                                      tuple_text(selected.shape()), ", found ",
                                      tuple_text(destination.shape())));
  }
}

bool may_overlap(const array_view& a, const array_view& b) {
  const auto begin = [](const array_view& view) {
    const auto item = static_cast<std::ptrdiff_t>(view.type().itemsize());
    return view.origin() + view.layout().extent()->first * item;
  };
  const auto end = [](const array_view& view) {
    const auto item = static_cast<std::ptrdiff_t>(view.type().itemsize());
    return view.origin() + (view.layout().extent()->last + 1) * item;
  };
  return begin(a) < end(b) && begin(b) < end(a);
}

}  // namespace

void detail::gather_on_host(const array_view& source, const selection& selected,
                            const array_view& destination) {
  const std::optional<transfer> moved = plan(source, selected, destination);
  if (!moved) {
    const staging result(destination);
    gather_on_host(source, selected, result.view());
    return copy(result.view(), destination);
  }
  index_blocks blocks(selected.common_shape(), selected.indices(), scales(source, selected));
  with_item_size(moved->item_nbytes, [&](auto nbytes) {
    gather_all(*moved, blocks, destination.nbytes(),
               [nbytes](std::byte* linear, const std::byte* indexed) {
                 std::memcpy(linear, indexed, nbytes);
               });
  });
}

void detail::scatter_on_host(const array_view& values, const selection& selected,
                             const array_view& destination) {
  const std::optional<transfer> moved = plan(destination, selected, values);
  if (!moved) {
    const staging compact(values);
    copy(values, compact.view());
    return scatter_on_host(compact.view(), selected, destination);
  }
  index_blocks blocks(selected.common_shape(), selected.indices(), scales(destination, selected));
  with_item_size(moved->item_nbytes, [&](auto nbytes) {
    move_all(*moved, moved->linear, blocks, [nbytes](const std::byte* linear, std::byte* indexed) {
      std::memcpy(indexed, linear, nbytes);
    });
  });
}

void detail::gather_staged(const array_view& source, const selection& selected,
                           const array_view& destination) {
  const staging fetched(source);
  copy(source, fetched.view());
  const staging result(destination);
  gather_on_host(fetched.view(), selected, result.view());
  copy(result.view(), destination);
}

void detail::scatter_staged(const array_view& values, const selection& selected,
                            const array_view& destination) {
  const staging compact(values);
  copy(values, compact.view());
  const staging changed(destination);
  copy(destination, changed.view());
  scatter_on_host(compact.view(), selected, changed.view());
  copy(changed.view(), destination);
}

void gather(const array_view& source, const selection& selected, const array_view& destination) {
  require_type(destination, source);
  require_writable(destination);
  require_shape(destination, selected);
  if (destination.size() == 0) {
    return selected.check();
  }
  const detail::runtime_call call;
  const array_view part = basic_part(source, selected);
  if (touched_by_host(part) && touched_by_host(destination)) {
    detail::gather_on_host(part, selected, destination);
  } else {
    detail::gather_staged(part, selected, destination);
  }
}

void scatter(const array_view& values, selection selected, const array_view& destination) {
  require_writable(destination);
  require_type(values, destination);
  const layout spread = broadcast_assigned(values.layout(), selected.shape());
  selected.check();
  if (spread.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  const array_view part = basic_part(destination, selected);
  selected.keep_from(part);
  if (may_overlap(values, part)) {
    const staging kept(values);
    copy(values, kept.view());
    return scatter(kept.view(), std::move(selected), destination);
  }
  const array_view source = with_layout(values, spread);
  if (touched_by_host(source) && touched_by_host(part)) {
    detail::scatter_on_host(source, selected, part);
  } else {
    detail::scatter_staged(source, selected, part);
  }
}

}  // namespace usmx
