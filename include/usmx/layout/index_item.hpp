// Items of a basic index, such as each of the four in NumPy's `a[i, j:k:s, ..., None]`: what they
// are, which C++ values stand for them, and what each selects of an axis. layout.hpp applies them
// to layouts, strided_view.hpp to views of pointers. This header does not need SYCL.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace usmx::inline v1 {

/// An item of a basic index of NumPy, such as each of the four in `a[i, j:k:s, ..., None]`.
struct index_item {
  /// The kinds of items.
  enum class kind {
    integer,   ///< One index of an axis. The result does not have this axis.
    slice,     ///< Every step-th index of an axis between two bounds.
    ellipsis,  ///< As many whole axes as the other items leave.
    newaxis    ///< A new axis of size 1.
  };
  /// Stands for a bound of a slice that is left out. The number itself is not needed as a bound:
  /// none + 1 means the same on every axis. It has no special meaning as a step.
  static constexpr std::ptrdiff_t none = PTRDIFF_MIN;

  /// The kind of this item.
  kind what;
  /// The integer, or the first bound of the slice. A negative one counts from the end.
  std::ptrdiff_t start = none;
  /// The second bound of the slice, which the slice does not include.
  std::ptrdiff_t stop = none;
  /// The step of the slice. subscript() throws value_error if it is 0.
  std::ptrdiff_t step = 1;

  /// The index `i` of an axis. A negative one counts from the end.
  static constexpr index_item integer(std::ptrdiff_t i) noexcept { return {kind::integer, i}; }
  /// The slice `start:stop:step`. Each bound may be `none`.
  static constexpr index_item slice(std::ptrdiff_t start, std::ptrdiff_t stop,
                                    std::ptrdiff_t step) noexcept {
    return {kind::slice, start, stop, step};
  }
  /// The item `...`.
  static constexpr index_item ellipsis() noexcept { return {kind::ellipsis}; }
  /// The item `None`.
  static constexpr index_item newaxis() noexcept { return {kind::newaxis}; }
};

/// The slice `start:stop:step`. `range()` is `:`, the whole axis.
constexpr index_item range(std::ptrdiff_t start = index_item::none,
                           std::ptrdiff_t stop = index_item::none,
                           std::ptrdiff_t step = 1) noexcept {
  return index_item::slice(start, stop, step);
}

namespace detail {

/// An item whose kind the compiler knows, so that it knows the number of dimensions of a slice.
template <index_item::kind Kind>
struct item_of_kind {
  constexpr operator index_item() const noexcept { return {Kind}; }
};

}  // namespace detail

/// The item `...`: as many whole axes as the other items leave.
inline constexpr detail::item_of_kind<index_item::kind::ellipsis> ellipsis{};
/// The item `None`: a new axis of size 1.
inline constexpr detail::item_of_kind<index_item::kind::newaxis> newaxis{};

namespace detail {

template <class T>
concept pair_of_integers = requires(const T& pair) {
  requires std::integral<decltype(pair.first)> && std::integral<decltype(pair.second)>;
};

/// An item of slice(): an integer, range(), `ellipsis`, `newaxis`, or a pair of integers, which
/// std::submdspan takes for a range.
template <class T>
concept index_item_like =
    std::integral<T> || std::convertible_to<const T&, index_item> || pair_of_integers<T>;

template <index_item_like T>
constexpr index_item as_index_item(const T& item) noexcept {
  if constexpr (std::integral<T>) {
    return index_item::integer(static_cast<std::ptrdiff_t>(item));
  } else if constexpr (pair_of_integers<T>) {
    return range(static_cast<std::ptrdiff_t>(item.first), static_cast<std::ptrdiff_t>(item.second));
  } else {
    return item;
  }
}

template <class T>
inline constexpr bool is_newaxis = std::same_as<T, item_of_kind<index_item::kind::newaxis>>;
template <class T>
inline constexpr bool is_ellipsis = std::same_as<T, item_of_kind<index_item::kind::ellipsis>>;

/// How many axes items of these types take. An `index_item` counts as a slice.
template <class... Items>
inline constexpr std::size_t axes_taken =
    (std::size_t{0} + ... + std::size_t{!is_newaxis<Items> && !is_ellipsis<Items>});

/// The result of sliced_rank() for items that slice() does not take.
inline constexpr std::size_t no_rank = std::size_t(-1);

/// The number of dimensions of a slice of N dimensions by items of these types.
template <std::size_t N, class... Items>
consteval std::size_t sliced_rank() noexcept {
  constexpr bool are_items = (index_item_like<Items> && ...);
  constexpr bool fits = axes_taken<Items...> <= N;
  constexpr bool is_clear = (0 + ... + int{is_ellipsis<Items>}) <= 1;
  static_assert(are_items,
                "an item of slice() is an integer, usmx::range(start, stop, step), usmx::ellipsis, "
                "usmx::newaxis or a std::pair of integers");
  static_assert(fits, "slice() has more items than there are dimensions");
  static_assert(is_clear, "slice() takes one usmx::ellipsis");
  if (!are_items || !fits || !is_clear) return no_rank;
  constexpr std::size_t integers = (std::size_t{0} + ... + std::size_t{std::integral<Items>});
  constexpr std::size_t added = (std::size_t{0} + ... + std::size_t{is_newaxis<Items>});
  return N - integers + added;
}

/// The indices of an axis that a slice selects: `length` indices from `start` on, `step` apart.
struct selected_indices {
  std::ptrdiff_t start;
  std::ptrdiff_t length;
  std::ptrdiff_t step;
};

/// `bound` counted from the front and clamped to [smallest, largest], as PySlice_AdjustIndices
/// does for either bound of a slice; `otherwise` for a bound that is left out.
constexpr std::ptrdiff_t clamped_bound(std::ptrdiff_t bound, std::ptrdiff_t extent,
                                       std::ptrdiff_t smallest, std::ptrdiff_t largest,
                                       std::ptrdiff_t otherwise) noexcept {
  if (bound == index_item::none) return otherwise;
  const std::ptrdiff_t from_front = bound < 0 ? bound + extent : bound;
  return from_front < smallest ? smallest : from_front > largest ? largest : from_front;
}

/// The indices that a slice, whose step is not 0, selects of an axis of this extent. Precondition:
/// extent >= 0.
constexpr selected_indices selected(const index_item& slice, std::ptrdiff_t extent) noexcept {
  if (slice.step > 0) {
    const std::ptrdiff_t start = clamped_bound(slice.start, extent, 0, extent, 0);
    const std::ptrdiff_t stop = clamped_bound(slice.stop, extent, 0, extent, extent);
    if (start >= stop) return {start, 0, slice.step};
    const std::ptrdiff_t last = stop - start - 1;
    // Most slices have step 1, and a division takes longer than the rest of this.
    return {start, (slice.step == 1 ? last : last / slice.step) + 1, slice.step};
  }
  const std::ptrdiff_t start = clamped_bound(slice.start, extent, -1, extent - 1, extent - 1);
  const std::ptrdiff_t stop = clamped_bound(slice.stop, extent, -1, extent - 1, -1);
  // The step is limited as in Python: -step must exist.
  const std::ptrdiff_t step = slice.step == PTRDIFF_MIN ? -PTRDIFF_MAX : slice.step;
  if (start <= stop) return {start, 0, step};
  return {start, (start - stop - 1) / -step + 1, step};
}

}  // namespace detail
}  // namespace usmx::inline v1
