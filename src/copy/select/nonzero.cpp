#include "copy/select/index_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/process.hpp"
#include "copy/convert.hpp"
#include "copy/copy.hpp"
#include "copy/staging.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::detail {
namespace {

constexpr std::int64_t word_bits = 64;

/// The bits that are not all 0 in an element that is not zero: floating-point types have two zeros.
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

/// The distance in bytes between elements of a size that kernels have; none if the distances differ
/// or the size is another one.
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

/// The distance in bytes between elements of any size; none if the distances differ.
std::optional<std::ptrdiff_t> host_distance(const array_view& view) {
  const auto nbytes = static_cast<std::ptrdiff_t>(view.type().itemsize());
  if (view.ndim() == 1) {
    return view.strides()[0] * nbytes;
  }
  return view.layout().is_c_contiguous() ? std::optional(nbytes) : std::nullopt;
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

std::optional<mask_scan> mask_scan::by_host(const array_view& mask) {
  const bool is_walked = mask.type() == type_code::bool_ && mask.size() != 0 &&
                         mask.layout().is_c_contiguous() && touched_by_host(mask);
  return is_walked ? std::optional(mask_scan(std::nullopt, mask)) : std::nullopt;
}

/// Copies the mask, unless it is compact already: kernels look at elements that lie one after the
/// other, and read those of one byte eight at a time.
void mask_scan::make_compact() {
  if (elements_ != nullptr) {
    return;
  }
  const array_view& compact = mask_.layout().is_c_contiguous() && is_aligned(mask_.data(), 8)
                                  ? mask_
                                  : chain_->compact(mask_, mask_.type());
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
  const bool by_groups = chain_->shape() == kernel_shape::tiled;
  kernels::scan_levels& levels = words_.before;
  levels.chunk = by_groups ? kernels::group_scan_chunk : kernels::scan_chunk;
  std::int64_t all = 0;
  std::int64_t count = ceiling_of(words_.count, by_groups ? kernels::selection_lanes : 1);
  do {
    levels.begin[levels.count++] = all;
    all += count;
    count = ceiling_of(count, levels.chunk);
  } while (count > 1);
  auto* const words = chain_->numbers<std::uint64_t>(words_.count);
  auto* const told = chain_->told<std::int64_t>();
  words_.words = words;
  told_ = told;
  levels.numbers = chain_->numbers<std::int64_t>(all);
  chain_->run(flags_kernel(mask_.type().itemsize()), words_.count, [&](std::int64_t per_group) {
    return std::tuple(elements_, size, relevant_, words, levels.numbers, words_.count, per_group);
  });
  for (std::int64_t k = 0; k < levels.count; ++k) {
    std::int64_t* const numbers = levels.numbers + levels.begin[k];
    const bool is_last = k + 1 == levels.count;
    const std::int64_t end = is_last ? all : levels.begin[k + 1];
    const std::int64_t length = end - levels.begin[k];
    const std::int64_t chunks = ceiling_of(length, levels.chunk);
    // The launch of a group that adds up a chunk is that of lanes which take one number each.
    const std::int64_t launched = chunks * (by_groups ? kernels::selection_lanes : 1);
    chain_->run(select_kernel("usmx_scan"), launched, [&](std::int64_t per_group) {
      return std::tuple(numbers, length, is_last ? told : numbers + length, chunks,
                        by_groups ? per_group / kernels::selection_lanes : per_group);
    });
  }
}

std::ptrdiff_t mask_scan::count() {
  if (!count_ && is_on_host()) {
    count_ = count_flags(mask_.data(), mask_.size());
  }
  if (!count_) {
    scan();
    chain_->wait();
    count_ = *told_;
  }
  return *count_;
}

void mask_scan::write(std::span<const array_view> coordinates) {
  if (coordinates.empty() || coordinates[0].size() == 0) {
    return;
  }
  if (is_on_host()) {
    return nonzero(mask_, coordinates);
  }
  scan();
  std::int64_t divisor = 1;
  for (std::size_t k = coordinates.size(); k-- > 0;) {
    const array_view& list = coordinates[k];
    const std::int64_t extent = mask_.shape()[k];
    const kernels::coordinate_rule rule{
        divisor, extent, list.strides()[0] * static_cast<std::ptrdiff_t>(list.type().itemsize()),
        list.size()};
    chain_->run(select_kernel("usmx_coordinates"), words_.count, [&](std::int64_t per_group) {
      return std::tuple(words_, per_group, reinterpret_cast<std::int64_t*>(list.data()), rule);
    });
    divisor *= extent;
  }
  chain_->wait();
}

bool mask_scan::move(kernel_id (*kernel)(std::size_t), const array_view& indexed,
                     const array_view& linear) {
  const auto indexed_step = equal_distance(indexed);
  const auto linear_step = linear.ndim() == 1 ? equal_distance(linear) : std::nullopt;
  if (!indexed_step || !linear_step || !chain_->reaches(indexed) || !chain_->reaches(linear)) {
    return false;
  }
  scan();
  const kernels::masked_walk walk{linear.size(), *linear_step, *indexed_step};
  chain_->run(kernel(linear.type().itemsize()), words_.count, [&](std::int64_t per_group) {
    return std::tuple(linear.data(), indexed.data(), words_, per_group, walk);
  });
  chain_->wait();
  return true;
}

std::optional<masked_move> mask_scan::host_move(const array_view& indexed,
                                                const array_view& linear) const {
  const auto indexed_step = host_distance(indexed);
  if (!indexed_step || linear.ndim() != 1 || !touched_by_host(indexed) ||
      !touched_by_host(linear)) {
    return std::nullopt;
  }
  return masked_move{
      mask_.data(),  mask_.size(),           indexed.data(), *indexed_step,
      linear.data(), *host_distance(linear), linear.size(),  linear.type().itemsize()};
}

bool mask_scan::gather(const array_view& source, const array_view& destination) {
  if (is_on_host()) {
    const std::optional<masked_move> move = host_move(source, destination);
    const bool is_compact = destination.layout().is_c_contiguous();
    if (move && is_compact) {
      compress_on_host(*move);
    }
    return move && is_compact;
  }
  return move(compress_kernel, source, destination);
}

bool mask_scan::scatter(const array_view& values, const array_view& destination) {
  if (is_on_host()) {
    const std::optional<masked_move> move = host_move(destination, values);
    const bool are_apart = move && move->indexed_step != 0;  // else only one of them is the last
    if (are_apart) {
      expand_on_host(*move);
    }
    return are_apart;
  }
  return chain_->reaches(destination) && move(expand_kernel, destination, chain_->reached(values));
}

bool mask_scan::fill(const std::byte* element, const array_view& destination) {
  const auto step = equal_distance(destination);
  if (is_on_host() || !step || mask_.type() != type_code::bool_ || !chain_->reaches(destination)) {
    return false;
  }
  make_compact();
  const std::int64_t size = mask_.size();
  constexpr std::int64_t set_by_lane = 8;
  with_item_type(destination.type().itemsize(), [&]<class Item>(std::type_identity<Item>) {
    Item item;
    std::memcpy(&item, element, sizeof item);
    chain_->run(
        fill_true_kernel(sizeof item), size,
        [&](std::int64_t per_group) {
          return std::tuple(item, destination.data(), elements_, size, per_group,
                            static_cast<std::int64_t>(*step));
        },
        set_by_lane);
  });
  chain_->wait();
  return true;
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

/// The number of elements that are looked at together; their positions fit a small cache.
constexpr std::ptrdiff_t block_size = 1024;

using kernels::is_nonzero;

void require_plain(dtype type) {
  if (type.is_structured()) {
    throw type_error(
        detail::message("elements to be compared with zero must have a plain type, found ", type));
  }
}

/// Calls `body(first element, index)` for each row along the last dimension, in C order, with the
/// index of the row's first element. The shape has elements and at least one dimension.
template <class Body>
void for_each_row_of(const array_view& view, const Body& body) {
  const auto item = static_cast<std::ptrdiff_t>(view.type().itemsize());
  const auto outer = static_cast<std::size_t>(view.ndim() - 1);
  const std::byte* row = view.data();
  detail::for_each_index(
      outer, [&](std::size_t k) { return view.shape()[k]; },
      [&](std::size_t k, std::ptrdiff_t steps) { row += view.strides()[k] * item * steps; },
      [&](std::span<const std::ptrdiff_t> index) { body(row, index); });
}

constexpr std::ptrdiff_t bytes_of_word = sizeof(std::uint64_t);

std::uint64_t word_at(const std::byte* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

template <class T>
std::ptrdiff_t count_row(const std::byte* row, std::ptrdiff_t stride, std::ptrdiff_t n) noexcept {
  std::ptrdiff_t count = 0;
  if (sizeof(T) == 1 && stride == 1) {
    return detail::count_flags(row, n);
  }
  if (stride == sizeof(T)) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += is_nonzero(detail::element_at<T>(row + i * static_cast<std::ptrdiff_t>(sizeof(T))));
    }
  } else {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      count += is_nonzero(detail::element_at<T>(row + i * stride));
    }
  }
  return count;
}

/// Writes the positions in a row at which elements are not zero; returns how many there are.
template <class T>
std::ptrdiff_t find_in_block(const std::byte* row, std::ptrdiff_t stride, std::ptrdiff_t first,
                             std::ptrdiff_t n, std::int64_t* positions) noexcept {
  std::ptrdiff_t found = 0;
  const auto look_at = [&](std::ptrdiff_t i) {  // without a branch that is hard to predict
    positions[found] = i;
    found += is_nonzero(detail::element_at<T>(row + i * stride));
  };
  std::ptrdiff_t i = first;
  const std::ptrdiff_t end = first + n;
  if (sizeof(T) == 1 && stride == 1) {
    for (; i + bytes_of_word <= end; i += bytes_of_word) {
      if (word_at(row + i) == 0) {
        continue;  // as nearly all are of a mask that holds for few elements
      }
      for (std::ptrdiff_t k = 0; k < bytes_of_word; ++k) {
        look_at(i + k);
      }
    }
  }
  for (; i < end; ++i) {
    look_at(i);
  }
  return found;
}

/// The elements of `view`, or of a copy in `fetched`, in memory that the host may touch, with at
/// least one dimension.
array_view tested_on_host(const array_view& view, std::optional<internal::staging>& fetched) {
  const array_view& reached = detail::touched_by_host(view)
                                  ? view
                                  : fetched.emplace(internal::staging::fetched(view)).view();
  return view.ndim() == 0 ? reached.with_layout_unchecked(
                                *reshaped(reached.layout(), std::array{std::ptrdiff_t{1}}))
                          : reached;
}

/// An int64 array that the host fills from its start.
struct coordinate_list {
  std::int64_t* data;
  std::ptrdiff_t stride;

  void put(std::ptrdiff_t at, const std::int64_t* values, std::ptrdiff_t n) const noexcept {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      data[(at + i) * stride] = values[i];
    }
  }
  void repeat(std::ptrdiff_t at, std::int64_t value, std::ptrdiff_t n) const noexcept {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      data[(at + i) * stride] = value;
    }
  }
};

void find_nonzero(const array_view& tested, std::span<const coordinate_list> lists,
                  std::ptrdiff_t capacity) {
  const auto item = static_cast<std::ptrdiff_t>(tested.type().itemsize());
  const std::size_t last = lists.size() - 1;
  const std::ptrdiff_t extent = tested.shape()[last];
  const std::ptrdiff_t stride = tested.strides()[last] * item;
  detail::with_element_type(tested.type().code(), [&]<class T>(std::type_identity<T>) {
    std::array<std::int64_t, block_size + 1> positions;
    std::ptrdiff_t filled = 0;
    for_each_row_of(tested, [&](const std::byte* row, const auto& index) {
      for (std::ptrdiff_t first = 0; first < extent; first += block_size) {
        const std::ptrdiff_t n = std::min(block_size, extent - first);
        // Another thread may have changed elements since they were counted.
        const std::ptrdiff_t found =
            std::min(find_in_block<T>(row, stride, first, n, positions.data()), capacity - filled);
        for (std::size_t k = 0; k < last; ++k) {
          lists[k].repeat(filled, index[k], found);
        }
        lists[last].put(filled, positions.data(), found);
        filled += found;
      }
    });
  });
}

void require_coordinates(const array_view& tested, std::span<const array_view> coordinates) {
  if (coordinates.size() != static_cast<std::size_t>(tested.ndim())) {
    throw value_error(detail::message("coordinates of elements in ", tested.ndim(),
                                      " dimensions need as many arrays, found ",
                                      coordinates.size()));
  }
  for (const array_view& list : coordinates) {
    if (list.type() != type_code::int64 || list.ndim() != 1 ||
        list.size() != coordinates[0].size()) {
      throw value_error(detail::message("an array of coordinates must be of int64 and shape (",
                                        coordinates[0].size(), ",), found ", list.type(), " and ",
                                        tuple_text(list.shape())));
    }
    detail::require_writable(list, "an array of coordinates");
  }
}

/// Finds coordinates for memory that the host cannot write, by way of ordinary memory.
void find_staged(const array_view& tested, std::span<const array_view> coordinates) {
  const std::ptrdiff_t count = coordinates[0].size();
  const std::array shape{std::ssize(coordinates), count};
  const internal::staging found(shape, type_code::int64, tested.queue());
  std::vector<coordinate_list> lists;
  for (std::ptrdiff_t k = 0; k < shape[0]; ++k) {
    lists.push_back({reinterpret_cast<std::int64_t*>(found.view().data()) + k * count, 1});
  }
  find_nonzero(tested, lists, count);
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const auto row = static_cast<std::ptrdiff_t>(k) * count;
    internal::copy_elements(
        found.view().with_layout_unchecked(layout::c_order(coordinates[k].shape(), row)),
        coordinates[k]);
  }
}

}  // namespace

std::ptrdiff_t detail::count_nonzero(const array_view& view) {
  require_plain(view.type());
  if (view.size() == 0) {
    return 0;
  }
  const runtime_call call;
  if (auto scanned = mask_scan::of(view)) {
    return scanned->count();
  }
  std::optional<internal::staging> fetched;
  const array_view tested = tested_on_host(view, fetched);
  return with_element_type(view.type().code(), [&]<class T>(std::type_identity<T>) {
    const std::ptrdiff_t extent = tested.shape().back();
    const std::ptrdiff_t stride = tested.strides().back() * static_cast<std::ptrdiff_t>(sizeof(T));
    std::ptrdiff_t count = 0;
    for_each_row_of(tested, [&](const std::byte* row, const auto&) {
      count += count_row<T>(row, stride, extent);
    });
    return count;
  });
}

void detail::nonzero(const array_view& view, std::span<const array_view> coordinates) {
  require_coordinates(view, coordinates);
  if (coordinates.empty() || coordinates[0].size() == 0 || view.size() == 0) {
    return;
  }
  require_plain(view.type());
  const runtime_call call;
  if (std::ranges::all_of(coordinates, [&](const array_view& list) {
        return reached_by_kernels(list, view.queue());
      })) {
    if (auto scanned = mask_scan::of(view)) {
      return scanned->write(coordinates);
    }
  }
  std::optional<internal::staging> fetched;
  const array_view tested = tested_on_host(view, fetched);
  if (!std::ranges::all_of(coordinates, touched_by_host)) {
    return find_staged(tested, coordinates);
  }
  std::vector<coordinate_list> lists;
  for (const array_view& list : coordinates) {
    lists.push_back({reinterpret_cast<std::int64_t*>(list.data()), list.strides()[0]});
  }
  find_nonzero(tested, lists, coordinates[0].size());
}

std::ptrdiff_t count_nonzero(const array& a) {
  const array_view view = internal::private_view(a);
  require_plain(view.type());
  detail::wait_before(a, detail::access::read);
  return detail::count_nonzero(view);
}

namespace {

std::vector<array> new_coordinates(const array& of, std::ptrdiff_t count) {
  const std::array shape{count};
  std::vector<array> made;
  for (int k = 0; k < of.ndim(); ++k) {
    made.push_back(internal::new_array(layout::c_order(shape), type_code::int64,
                                       internal::private_queue(of), of.kind(), 0,
                                       internal::first_use::at_once));
  }
  return made;
}

std::vector<array_view> private_views(std::span<const array> arrays) {
  std::vector<array_view> views;
  for (const array& a : arrays) {
    views.push_back(internal::private_view(a));
  }
  return views;
}

}  // namespace

std::vector<array> nonzero(const array& a) {
  const array_view view = internal::private_view(a);
  require_plain(view.type());
  detail::wait_before(a, detail::access::read);
  const detail::runtime_call call;
  auto scanned = detail::mask_scan::of(view);
  std::vector<array> made =
      new_coordinates(a, scanned ? scanned->count() : detail::count_nonzero(view));
  scanned ? scanned->write(private_views(made)) : detail::nonzero(view, private_views(made));
  return made;
}

void nonzero(const array& a, std::span<const array> coordinates) {
  const array_view view = internal::private_view(a);
  const std::vector<array_view> lists = private_views(coordinates);
  require_coordinates(view, lists);
  detail::wait_before(a, detail::access::read);
  for (const array& list : coordinates) {
    detail::wait_before(list, detail::access::write);
  }
  detail::nonzero(view, lists);
}

}  // namespace usmx::inline v1
