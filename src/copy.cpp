#include "usmx/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "process_state.hpp"
#include "usmx/error.hpp"
#include "usmx/usm.hpp"

namespace usmx {
namespace {

/// One dimension that source and destination have in common; strides in bytes.
struct shared_dimension {
  std::ptrdiff_t extent;
  std::ptrdiff_t source_stride;
  std::ptrdiff_t destination_stride;
};

/// The copy as nested loops over bytes, the innermost last.
struct loop_nest {
  const std::byte* source;
  std::byte* destination;
  std::size_t itemsize;
  std::vector<shared_dimension> dimensions;

  /// The innermost dimension is a run of adjacent items on both sides (or there is one item).
  bool has_rows() const {
    if (dimensions.empty()) {
      return true;
    }
    const auto item = static_cast<std::ptrdiff_t>(itemsize);
    return dimensions.back().source_stride == item && dimensions.back().destination_stride == item;
  }
  bool is_whole() const { return dimensions.size() <= 1 && has_rows(); }
};

std::size_t row_nbytes(const loop_nest& nest) {
  return nest.dimensions.empty()
             ? nest.itemsize
             : nest.itemsize * static_cast<std::size_t>(nest.dimensions.back().extent);
}

std::vector<shared_dimension> dimensions_of(const array_view& source,
                                            const array_view& destination) {
  const auto item = static_cast<std::ptrdiff_t>(source.type().itemsize());
  std::vector<shared_dimension> result;
  for (int k = 0; k < source.ndim(); ++k) {
    if (source.shape()[k] != 1) {
      result.push_back(
          {source.shape()[k], source.strides()[k] * item, destination.strides()[k] * item});
    }
  }
  return result;
}

/// Walks the destination upwards, its longest stride outermost.
void put_in_order(loop_nest& nest) {
  for (shared_dimension& d : nest.dimensions) {
    if (d.destination_stride < 0) {
      nest.source += d.source_stride * (d.extent - 1);
      nest.destination += d.destination_stride * (d.extent - 1);
      d.source_stride = -d.source_stride;
      d.destination_stride = -d.destination_stride;
    }
  }
  std::ranges::stable_sort(nest.dimensions, std::ranges::greater{},
                           &shared_dimension::destination_stride);
}

/// Joins neighbours that are one run on both sides.
void merge(std::vector<shared_dimension>& dimensions) {
  std::vector<shared_dimension> merged;
  for (const shared_dimension& inner : dimensions) {
    if (!merged.empty()) {
      shared_dimension& outer = merged.back();
      if (outer.source_stride == inner.source_stride * inner.extent &&
          outer.destination_stride == inner.destination_stride * inner.extent) {
        outer = {outer.extent * inner.extent, inner.source_stride, inner.destination_stride};
        continue;
      }
    }
    merged.push_back(inner);
  }
  dimensions = std::move(merged);
}

loop_nest plan(const array_view& source, const array_view& destination) {
  loop_nest nest{source.data(), destination.data(), source.type().itemsize(),
                 dimensions_of(source, destination)};
  put_in_order(nest);
  merge(nest.dimensions);
  return nest;
}

/// Calls `body(source, destination)` once for each index of all dimensions but the innermost.
template <class Body>
void for_each_row(const loop_nest& nest, Body body) {
  const std::size_t outer = nest.dimensions.empty() ? 0 : nest.dimensions.size() - 1;
  std::vector<std::ptrdiff_t> index(outer, 0);
  const std::byte* source = nest.source;
  std::byte* destination = nest.destination;
  for (;;) {
    body(source, destination);
    std::size_t k = outer;
    for (; k > 0; --k) {
      const shared_dimension& d = nest.dimensions[k - 1];
      source += d.source_stride;
      destination += d.destination_stride;
      if (++index[k - 1] < d.extent) {
        break;
      }
      source -= d.source_stride * d.extent;
      destination -= d.destination_stride * d.extent;
      index[k - 1] = 0;
    }
    if (k == 0) {
      return;
    }
  }
}

/// ItemSize: std::size_t, or an integral_constant of it, with which a memcpy is one instruction.
template <class ItemSize>
void copy_strided_row(const std::byte* source, std::byte* destination, const shared_dimension& d,
                      ItemSize itemsize) {
  for (std::ptrdiff_t i = 0; i < d.extent; ++i) {
    std::memcpy(destination, source, itemsize);
    source += d.source_stride;
    destination += d.destination_stride;
  }
}

void run_host_loop(const loop_nest& nest) {
  if (nest.has_rows()) {
    for_each_row(nest, [n = row_nbytes(nest)](const std::byte* source, std::byte* destination) {
      std::memcpy(destination, source, n);
    });
    return;
  }
  const auto copy_items = [&](auto itemsize) {
    for_each_row(nest, [&](const std::byte* source, std::byte* destination) {
      copy_strided_row(source, destination, nest.dimensions.back(), itemsize);
    });
  };
  switch (nest.itemsize) {
    case 1:
      return copy_items(std::integral_constant<std::size_t, 1>());
    case 2:
      return copy_items(std::integral_constant<std::size_t, 2>());
    case 4:
      return copy_items(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy_items(std::integral_constant<std::size_t, 8>());
    case 16:
      return copy_items(std::integral_constant<std::size_t, 16>());
    default:  // structured types
      return copy_items(nest.itemsize);
  }
}

/// A memcpy of the runtime for each row; items that are not adjacent are rows of one item.
void run_queue_rows(loop_nest nest, sycl::queue queue) {
  if (!nest.has_rows()) {
    nest.dimensions.push_back({1, static_cast<std::ptrdiff_t>(nest.itemsize),
                               static_cast<std::ptrdiff_t>(nest.itemsize)});
  }
  for_each_row(nest, [&, n = row_nbytes(nest)](const std::byte* source, std::byte* destination) {
    queue.memcpy(destination, source, n);
  });
  queue.wait();
}

bool host_may_touch_both(const array_view& source, const array_view& destination) {
  return host_may_touch(source.kind(), source.device()) &&
         host_may_touch(destination.kind(), destination.device());
}

/// The queue that can reach both sides. Ordinary host memory is in reach of every queue.
const sycl::queue& queue_for(const array_view& source, const array_view& destination) {
  return destination.kind() == usm_kind::unknown ? source.queue() : destination.queue();
}

bool in_one_context(const array_view& source, const array_view& destination) {
  return source.kind() == usm_kind::unknown || destination.kind() == usm_kind::unknown ||
         source.context() == destination.context();
}

bool may_overlap(const array_view& source, const array_view& destination) {
  const auto bytes = [](const array_view& view) {
    const auto item = static_cast<std::ptrdiff_t>(view.type().itemsize());
    const auto extent = *view.layout().extent();
    return std::pair(reinterpret_cast<std::uintptr_t>(view.memory() + extent.first * item),
                     reinterpret_cast<std::uintptr_t>(view.memory() + (extent.last + 1) * item));
  };
  const auto [source_begin, source_end] = bytes(source);
  const auto [destination_begin, destination_end] = bytes(destination);
  return source_begin < destination_end && destination_begin < source_end;
}

/// Through compact host memory: from there and to there every copy is possible.
void copy_staged(const array_view& source, const array_view& destination) {
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(source.nbytes());
  const array_view middle(staging.get(), source.type(), layout::c_order(source.shape()),
                          usm_kind::unknown, source.queue(), false);
  copy(source, middle);
  copy(middle, destination);
}

void require_copyable(const array_view& source, const array_view& destination) {
  if (!std::ranges::equal(source.shape(), destination.shape())) {
    throw value_error(detail::message("source of a copy must have the destination's shape ",
                                      tuple_text(destination.shape()), ", found ",
                                      tuple_text(source.shape())));
  }
  if (source.type() != destination.type()) {
    throw value_error(detail::message("source of a copy must have the destination's element type ",
                                      destination.type(), ", found ", source.type()));
  }
  if (destination.readonly()) {
    throw read_only_error("destination of a copy is read-only");
  }
}

copy_path choose(const loop_nest& nest, bool host_reaches_both) {
  if (host_reaches_both) {
    return copy_path::host_loop;
  }
  return nest.is_whole() ? copy_path::whole : copy_path::rows;
}

[[noreturn]] void throw_impossible(std::string_view path, const array_view& source,
                                   const array_view& destination) {
  throw value_error(detail::message(
      "copy path '", path, "' cannot copy from ", source.layout(), " in ", name(source.kind()),
      " memory to ", destination.layout(), " in ", name(destination.kind()), " memory"));
}

void run(const loop_nest& nest, copy_path path, const array_view& source,
         const array_view& destination) {
  switch (path) {
    case copy_path::whole:
      if (!nest.is_whole()) {
        throw_impossible("whole", source, destination);
      }
      [[fallthrough]];
    case copy_path::rows:
      return run_queue_rows(nest, queue_for(source, destination));
    default:
      if (!host_may_touch_both(source, destination)) {
        throw_impossible("host_loop", source, destination);
      }
      return run_host_loop(nest);
  }
}

}  // namespace

void copy(const array_view& source, const array_view& destination, copy_path path) {
  require_copyable(source, destination);
  if (source.size() == 0) {
    return;
  }
  const detail::runtime_call call;
  const bool host_reaches_both = host_may_touch_both(source, destination);
  if (may_overlap(source, destination) ||
      (!host_reaches_both && !in_one_context(source, destination))) {
    return copy_staged(source, destination);
  }
  const loop_nest nest = plan(source, destination);
  run(nest, path == copy_path::automatic ? choose(nest, host_reaches_both) : path, source,
      destination);
}

void fill_bytes(void* pointer, int value, std::size_t nbytes, usm_kind kind,
                const sycl::queue& queue) {
  const detail::runtime_call call;
  if (host_may_touch(kind, queue.get_device())) {
    std::memset(pointer, value, nbytes);
  } else {
    sycl::queue(queue).memset(pointer, value, nbytes).wait();
  }
}

}  // namespace usmx
