#include "copy/select/mask_scan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "copy/arguments.hpp"
#include "copy/copy_internal.hpp"
#include "copy/element_dispatch.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr std::int64_t word_bits = 64;

/// The bits of an element that tell it from zero: floating point numbers have two zeros.
std::uint64_t relevant_bits(dtype type) {
  switch (type.code()) {
    case type_code::float16:
      return 0x7fff;
    case type_code::float32:
      return 0x7fffffff;
    case type_code::complex64:
      return 0x7fffffff7fffffff;
    case type_code::float64:
    case type_code::complex128:
      return 0x7fffffffffffffff;
    default:
      return ~std::uint64_t{0};
  }
}

bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

/// Elements at equal distances, of a size that kernels have: the distance in bytes. None for
/// others.
std::optional<std::ptrdiff_t> equal_distance(const array_view& view) {
  const std::size_t item = view.type().itemsize();
  if (!std::has_single_bit(item) || item > 16) {
    return std::nullopt;
  }
  const auto nbytes = static_cast<std::ptrdiff_t>(item);
  const std::ptrdiff_t step = view.ndim() == 1 ? view.strides()[0] * nbytes : nbytes;
  const bool is_equal = view.ndim() == 1 || view.layout().is_c_contiguous();
  return is_equal && is_aligned(view.data(), std::min<std::size_t>(item, 8)) ? std::optional(step)
                                                                             : std::nullopt;
}

}  // namespace

std::optional<mask_scan> mask_scan::of(const array_view& mask) {
  return mask.size() == 0 || touched_by_host(mask) ? std::nullopt : by_kernels(mask);
}

std::optional<mask_scan> mask_scan::by_kernels(const array_view& mask) {
  if (!reached_by_kernels(mask, mask.queue())) {
    return std::nullopt;
  }
  std::optional<kernel_chain> chain = kernel_chain::on(mask.queue());
  return chain ? std::optional(mask_scan(*std::move(chain), mask)) : std::nullopt;
}

/// Kernels look at elements that lie one after the other. Those of bytes read eight at a time.
void mask_scan::make_compact() {
  if (elements_ != nullptr) {
    return;
  }
  const array_view& compact = mask_.layout().is_c_contiguous() && is_aligned(mask_.data(), 8)
                                  ? mask_
                                  : chain_.compact(mask_, mask_.type());
  elements_ = compact.data();
  relevant_ = relevant_bits(mask_.type());
}

void mask_scan::scan() {
  if (words_.count != 0) {
    return;
  }
  make_compact();
  const std::int64_t size = mask_.size();
  words_.count = ceiling_of(size, word_bits);
  const bool by_groups = chain_.shape() == kernel_shape::tiled;
  kernels::scan_levels& levels = words_.before;
  levels.chunk = by_groups ? kernels::group_scan_chunk : kernels::scan_chunk;
  std::int64_t all = 0;
  std::int64_t count = ceiling_of(words_.count, by_groups ? kernels::selection_lanes : 1);
  do {
    levels.begin[levels.count++] = all;
    all += count;
    count = ceiling_of(count, levels.chunk);
  } while (count > 1);
  auto* const words = chain_.numbers<std::uint64_t>(words_.count);
  auto* const told = chain_.told<std::int64_t>();
  words_.words = words;
  told_ = told;
  levels.numbers = chain_.numbers<std::int64_t>(all);
  chain_.run(flags_kernel(mask_.type().itemsize()), words_.count, [&](std::int64_t per_group) {
    return std::tuple(elements_, size, relevant_, words, levels.numbers, words_.count, per_group);
  });
  for (std::int64_t k = 0; k < levels.count; ++k) {
    std::int64_t* const numbers = levels.numbers + levels.begin[k];
    const bool is_last = k + 1 == levels.count;
    const std::int64_t end = is_last ? all : levels.begin[k + 1];
    const std::int64_t length = end - levels.begin[k];
    const std::int64_t chunks = ceiling_of(length, levels.chunk);
    // A group that adds up a chunk is launched as if its lanes took a number each.
    const std::int64_t launched = chunks * (by_groups ? kernels::selection_lanes : 1);
    chain_.run(select_kernel("usmx_scan"), launched, [&](std::int64_t per_group) {
      return std::tuple(numbers, length, is_last ? told : numbers + length, chunks,
                        by_groups ? per_group / kernels::selection_lanes : per_group);
    });
  }
}

std::ptrdiff_t mask_scan::count() {
  if (!count_) {
    scan();
    chain_.wait();
    count_ = *told_;
  }
  return *count_;
}

void mask_scan::write(std::span<const array_view> coordinates) {
  if (coordinates.empty() || coordinates[0].size() == 0) {
    return;
  }
  scan();
  std::int64_t divisor = 1;
  for (std::size_t k = coordinates.size(); k-- > 0;) {
    const array_view& list = coordinates[k];
    const std::int64_t extent = mask_.shape()[k];
    const kernels::coordinate_rule rule{
        divisor, extent, list.strides()[0] * static_cast<std::ptrdiff_t>(list.type().itemsize()),
        list.size()};
    chain_.run(select_kernel("usmx_coordinates"), words_.count, [&](std::int64_t per_group) {
      return std::tuple(words_, per_group, reinterpret_cast<std::int64_t*>(list.data()), rule);
    });
    divisor *= extent;
  }
  chain_.wait();
}

bool mask_scan::move(kernel_id (*kernel)(std::size_t), const array_view& indexed,
                     const array_view& linear) {
  const auto indexed_step = equal_distance(indexed);
  const auto linear_step = linear.ndim() == 1 ? equal_distance(linear) : std::nullopt;
  if (!indexed_step || !linear_step || !chain_.reaches(indexed) || !chain_.reaches(linear)) {
    return false;
  }
  scan();
  const kernels::masked_walk walk{linear.size(), *linear_step, *indexed_step};
  chain_.run(kernel(linear.type().itemsize()), words_.count, [&](std::int64_t per_group) {
    return std::tuple(linear.data(), indexed.data(), words_, per_group, walk);
  });
  chain_.wait();
  return true;
}

bool mask_scan::gather(const array_view& source, const array_view& destination) {
  return move(compress_kernel, source, destination);
}

bool mask_scan::scatter(const array_view& values, const array_view& destination) {
  return chain_.reaches(destination) && move(expand_kernel, destination, chain_.reached(values));
}

bool mask_scan::fill(const std::byte* element, const array_view& destination) {
  const auto step = equal_distance(destination);
  if (!step || mask_.type() != type_code::bool_ || !chain_.reaches(destination)) {
    return false;
  }
  make_compact();
  const std::int64_t size = mask_.size();
  constexpr std::int64_t set_by_lane = 8;
  with_item_type(destination.type().itemsize(), [&]<class Item>(std::type_identity<Item>) {
    Item item;
    std::memcpy(&item, element, sizeof item);
    chain_.run(
        fill_true_kernel(sizeof item), size,
        [&](std::int64_t per_group) {
          return std::tuple(item, destination.data(), elements_, size, per_group,
                            static_cast<std::int64_t>(*step));
        },
        set_by_lane);
  });
  chain_.wait();
  return true;
}

}  // namespace usmx::inline v1::detail
