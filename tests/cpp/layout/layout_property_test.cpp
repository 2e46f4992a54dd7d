// Layouts of every kind, drawn at random, against definitions written down a
// second time in the plainest way: by enumerating elements, or in 128-bit arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/layouts.hpp"
#include "support/seed.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/layout.hpp"

namespace {

using support::highest;
using support::lowest;
using support::numbers;
using support::shape_of;
using usmx::index_item;
using usmx::layout;

__extension__ using int128 = __int128;

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [first, last].
  std::ptrdiff_t between(std::ptrdiff_t first, std::ptrdiff_t last) {
    return std::uniform_int_distribution<std::ptrdiff_t>(first, last)(engine_);
  }
  bool one_in(std::ptrdiff_t n) { return between(1, n) == 1; }

  /// Of any magnitude up to the limits, which it likes to hit.
  std::ptrdiff_t of_any_magnitude() {
    if (one_in(8)) return highest - between(0, 2);
    if (one_in(8)) return lowest + between(0, 2);
    const std::ptrdiff_t power = std::ptrdiff_t{1} << between(0, 62);
    return (one_in(2) ? -1 : 1) * (power + between(-2, 2));
  }

  /// Few dimensions of extents 0 to 5, or many of which few are more than 1.
  numbers shape() {
    if (!one_in(10)) return entries(between(0, 6), [&] { return one_in(12) ? 0 : between(1, 5); });
    numbers many = entries(between(7, 64), [] { return 1; });
    for (int n = 0; n < 8; ++n)
      many[static_cast<std::size_t>(between(0, std::ssize(many) - 1))] = 2;
    return many;
  }

  /// Compact in some order of the dimensions and then disturbed, or anything.
  layout any_layout() {
    const numbers extents = shape();
    const std::ptrdiff_t offset = between(-1000, 1000);
    const numbers strides = one_in(3)
                                ? entries(std::ssize(extents), [&] { return between(-40, 40); })
                                : nearly_compact_strides(extents);
    return layout::strided(extents, strides, offset);
  }

  template <class Draw>
  numbers entries(std::ptrdiff_t count, Draw draw) {
    numbers drawn(static_cast<std::size_t>(count));
    std::generate(drawn.begin(), drawn.end(), draw);
    return drawn;
  }

  std::mt19937_64& engine() { return engine_; }

 private:
  numbers nearly_compact_strides(const numbers& extents) {
    std::vector<std::size_t> order(extents.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (one_in(4)) std::reverse(order.begin(), order.end());
    if (one_in(4)) std::shuffle(order.begin(), order.end(), engine_);
    numbers strides(extents.size());
    std::ptrdiff_t stride = one_in(4) ? between(-3, 3) : 1;
    for (const std::size_t axis : order) {
      strides[axis] = extents[axis] == 1 && one_in(2) ? between(-9, 9) : stride;
      if (one_in(20)) strides[axis] *= between(-1, 2);
      stride *= std::max<std::ptrdiff_t>(extents[axis], 1);
    }
    return strides;
  }

  std::mt19937_64 engine_;
};

/// The offsets that `axes` lead to, one list of distances per axis, the last axis fastest.
numbers cartesian_sums(std::ptrdiff_t offset, const std::vector<numbers>& axes) {
  numbers sums{offset};
  for (const numbers& distances : axes) {
    numbers next;
    for (const std::ptrdiff_t sum : sums) {
      for (const std::ptrdiff_t distance : distances) next.push_back(sum + distance);
    }
    sums = std::move(next);
  }
  return sums;
}

numbers distances_along(const layout& source, std::size_t axis) {
  numbers distances;
  for (std::ptrdiff_t i = 0; i < source.shape()[axis]; ++i) {
    distances.push_back(i * source.strides()[axis]);
  }
  return distances;
}

/// The offsets of all elements in C order.
numbers offsets_of(const layout& source) {
  std::vector<numbers> axes;
  for (std::size_t k = 0; k < source.shape().size(); ++k)
    axes.push_back(distances_along(source, k));
  return cartesian_sums(source.offset(), axes);
}

/// Whether each offset is its predecessor's successor.
bool is_consecutive(const numbers& offsets) {
  return std::adjacent_find(offsets.begin(), offsets.end(),
                            [](auto a, auto b) { return b != a + 1; }) == offsets.end();
}

TEST(layout_properties, size_and_span_are_those_of_the_enumerated_offsets) {
  random_source random(support::seed(1));
  for (int round = 0; round < 5000; ++round) {
    const layout source = random.any_layout();
    const numbers offsets = offsets_of(source);
    ASSERT_EQ(source.size(), std::ssize(offsets)) << source;
    const auto span = source.span();
    ASSERT_EQ(span.has_value(), !offsets.empty()) << source;
    if (!span) continue;
    const auto [first, last] = std::minmax_element(offsets.begin(), offsets.end());
    ASSERT_EQ(span->first, *first) << source;
    ASSERT_EQ(span->last, *last) << source;
  }
}

TEST(layout_properties, contiguous_means_that_offsets_follow_each_other) {
  random_source random(support::seed(2));
  int c_contiguous = 0;
  int f_contiguous = 0;
  for (int round = 0; round < 10000; ++round) {
    const layout source = random.any_layout();
    ASSERT_EQ(source.is_c_contiguous(), is_consecutive(offsets_of(source))) << source;
    ASSERT_EQ(source.is_f_contiguous(), is_consecutive(offsets_of(usmx::transposed(source))))
        << source;
    c_contiguous += source.is_c_contiguous() && source.size() > 1;
    f_contiguous += source.is_f_contiguous() && source.size() > 1;
  }
  EXPECT_GT(c_contiguous, 1000);
  EXPECT_GT(f_contiguous, 200);
}

TEST(layout_properties, compact_layouts_are_contiguous) {
  random_source random(support::seed(3));
  for (int round = 0; round < 2000; ++round) {
    const numbers shape = random.shape();
    EXPECT_TRUE(layout::c_order(shape, 7).is_c_contiguous());
    EXPECT_TRUE(layout::f_order(shape, -7).is_f_contiguous());
    ASSERT_TRUE(is_consecutive(offsets_of(layout::c_order(shape, 7))));
    const numbers reversed(shape.rbegin(), shape.rend());
    ASSERT_EQ(layout::f_order(shape), usmx::transposed(layout::c_order(reversed)));
  }
}

TEST(layout_properties, copies_and_moves_keep_the_value) {
  random_source random(support::seed(4));
  layout target;
  for (int round = 0; round < 5000; ++round) {
    const layout source = random.any_layout();
    layout copy = source;
    ASSERT_EQ(copy, source);
    if (random.one_in(2)) {
      target = copy;
    } else {
      target = std::move(copy);
    }
    ASSERT_EQ(target, source);
    ASSERT_EQ(target.size(), source.size());
  }
}

// Subscripts.

/// The indices that range(*slice(start, stop, step).indices(n)) runs through, as Python's
/// documentation words it.
numbers python_slice(const index_item& slice, std::ptrdiff_t n) {
  const auto bound = [&](std::ptrdiff_t value, int128 otherwise) -> int128 {
    if (value == index_item::none) return otherwise;
    const int128 from_front = value < 0 ? int128{value} + n : int128{value};
    if (slice.step > 0) return std::clamp<int128>(from_front, 0, n);
    return std::clamp<int128>(from_front, -1, n - 1);
  };
  const int128 start = bound(slice.start, slice.step > 0 ? 0 : n - 1);
  const int128 stop = bound(slice.stop, slice.step > 0 ? n : -1);
  numbers indices;
  for (int128 i = start; slice.step > 0 ? i < stop : i > stop; i += slice.step) {
    indices.push_back(static_cast<std::ptrdiff_t>(i));
  }
  return indices;
}

index_item random_slice(random_source& random, std::ptrdiff_t n) {
  const auto bound = [&] {
    if (random.one_in(4)) return index_item::none;
    if (random.one_in(8)) return random.one_in(2) ? highest : lowest + 1;
    return random.between(-n - 2, n + 2);
  };
  std::ptrdiff_t step = random.one_in(8) ? random.of_any_magnitude() : random.between(-3, 3);
  if (step == 0 || random.one_in(3)) step = 1;
  const std::ptrdiff_t start = bound();
  return index_item::slice(start, bound(), step);
}

/// An index, and what it must lead to.
struct subscript_case {
  std::vector<index_item> items;
  numbers shape;
  numbers offsets;
};

subscript_case random_subscript(random_source& random, const layout& source) {
  subscript_case drawn;
  std::vector<numbers> axes;
  const auto add_newaxes = [&] {
    while (random.one_in(6)) {
      drawn.items.push_back(index_item::newaxis());
      drawn.shape.push_back(1);
    }
  };
  const std::ptrdiff_t ndim = source.ndim();
  // The axes [skipped, resumed) stand behind an ellipsis, or behind nothing at the end.
  const std::ptrdiff_t skipped = random.one_in(2) ? ndim : random.between(0, ndim);
  const std::ptrdiff_t resumed = random.one_in(2) ? ndim : random.between(skipped, ndim);
  const bool has_ellipsis = resumed < ndim || random.one_in(2);
  for (std::ptrdiff_t k = 0; k <= ndim; ++k) {
    if (k <= skipped || (has_ellipsis && k >= resumed)) add_newaxes();
    if (k == skipped && has_ellipsis) drawn.items.push_back(index_item::ellipsis());
    if (k == ndim) break;
    const auto axis = static_cast<std::size_t>(k);
    const std::ptrdiff_t n = source.shape()[axis];
    numbers indices(static_cast<std::size_t>(n));
    std::iota(indices.begin(), indices.end(), 0);
    const bool is_skipped = k >= skipped && k < resumed;
    const bool is_integer = !is_skipped && n > 0 && random.one_in(3);
    if (is_integer) {
      const std::ptrdiff_t index = random.between(-n, n - 1);
      drawn.items.push_back(index_item::integer(index));
      indices = {index < 0 ? index + n : index};
    } else if (!is_skipped) {
      drawn.items.push_back(random_slice(random, n));
      indices = python_slice(drawn.items.back(), n);
    }
    if (!is_integer) drawn.shape.push_back(std::ssize(indices));
    for (std::ptrdiff_t& index : indices) index *= source.strides()[axis];
    axes.push_back(std::move(indices));
  }
  drawn.offsets = cartesian_sums(source.offset(), axes);
  return drawn;
}

TEST(subscript_properties, addresses_what_python_would) {
  random_source random(support::seed(5));
  for (int round = 0; round < 20000; ++round) {
    const layout source = random.any_layout();
    const subscript_case expected = random_subscript(random, source);
    if (expected.shape.size() > usmx::max_ndim) continue;
    const layout result = usmx::subscript(source, expected.items);
    ASSERT_EQ(shape_of(result), expected.shape) << source << " -> " << result;
    ASSERT_EQ(offsets_of(result), expected.offsets) << source << " -> " << result;
    ASSERT_EQ(result, layout::strided(result.shape(), result.strides(), result.offset()));
  }
}

TEST(subscript_properties, slices_have_the_length_that_python_gives_at_any_magnitude) {
  random_source random(support::seed(6));
  for (int round = 0; round < 20000; ++round) {
    const std::ptrdiff_t n =
        random.one_in(2) ? random.between(0, 9) : highest - random.between(0, 2);
    // Long axes get long steps only: the plain definition counts one by one.
    const std::ptrdiff_t step = n < 10
                                    ? random.of_any_magnitude()
                                    : highest / random.between(1, 50) * (random.one_in(2) ? 1 : -1);
    const index_item slice = index_item::slice(random.of_any_magnitude(), random.of_any_magnitude(),
                                               step == 0 ? -1 : step);
    const layout result = usmx::subscript(layout::c_order(numbers{n}), std::vector{slice});
    const numbers expected = python_slice(slice, n);
    ASSERT_EQ(result.size(), std::ssize(expected))
        << slice.start << ":" << slice.stop << ":" << step;
    if (expected.empty()) continue;
    ASSERT_EQ(result.offset(), expected.front());
    if (expected.size() == 1) continue;
    ASSERT_EQ(result.strides()[0], expected[1] - expected[0]);
  }
}

TEST(subscript_properties, what_is_cut_out_of_a_wide_layout_is_a_valid_layout) {
  random_source random(support::seed(7));
  int tried = 0;
  while (tried < 5000) {
    const numbers shape =
        random.entries(random.between(1, 4), [&] { return random.between(1, 4); });
    const numbers strides =
        random.entries(std::ssize(shape), [&] { return random.of_any_magnitude(); });
    std::optional<layout> source;
    try {
      source = layout::strided(shape, strides, random.of_any_magnitude());
    } catch (const usmx::overflow_error&) {
      continue;
    }
    ++tried;
    std::vector<index_item> items;
    for (const std::ptrdiff_t n : shape) items.push_back(random_slice(random, n));
    const layout result = usmx::subscript(*source, items);
    ASSERT_NO_THROW(layout::strided(result.shape(), result.strides(), result.offset()))
        << *source << " -> " << result;
    if (!result.span()) continue;
    ASSERT_LE(source->span()->first, result.span()->first);
    ASSERT_GE(source->span()->last, result.span()->last);
  }
}

// Permutation, broadcasting, reshaping.

TEST(permuted_properties, undone_by_the_inverse_permutation) {
  random_source random(support::seed(8));
  for (int round = 0; round < 2000; ++round) {
    const layout source = random.any_layout();
    std::vector<int> axes(source.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random.engine());
    std::vector<int> inverse(axes.size());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      inverse[static_cast<std::size_t>(axes[k])] = static_cast<int>(k);
    }
    const layout result = usmx::permuted(source, axes);
    ASSERT_EQ(usmx::permuted(result, inverse), source);
    ASSERT_EQ(result.span(), source.span());
    ASSERT_EQ(result.size(), source.size());
  }
}

TEST(broadcast_properties, elements_repeat_as_the_shape_says) {
  random_source random(support::seed(9));
  for (int round = 0; round < 5000; ++round) {
    const layout source = random.any_layout();
    if (source.ndim() > 6) continue;
    numbers target = random.entries(random.between(0, 2), [&] { return random.between(0, 3); });
    std::vector<numbers> axes;
    for (const std::ptrdiff_t n : target) axes.emplace_back(static_cast<std::size_t>(n), 0);
    for (std::size_t k = 0; k < source.shape().size(); ++k) {
      const bool stretches = source.shape()[k] == 1 && random.one_in(2);
      target.push_back(stretches ? random.between(0, 4) : source.shape()[k]);
      axes.push_back(stretches ? numbers(static_cast<std::size_t>(target.back()), 0)
                               : distances_along(source, k));
    }
    const layout result = usmx::broadcast(source, target);
    ASSERT_EQ(shape_of(result), target);
    ASSERT_EQ(offsets_of(result), cartesian_sums(source.offset(), axes)) << source;
  }
}

/// The layout of `shape` that addresses `offsets` in C order; none if strides cannot. Its strides
/// follow from the first step along each dimension, so that there is only one candidate.
std::optional<layout> layout_of_offsets(const numbers& offsets, const numbers& shape) {
  numbers strides(shape.size());
  std::size_t step = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (shape[k] > 1) strides[k] = offsets[step] - offsets[0];
    step *= static_cast<std::size_t>(shape[k]);
  }
  const layout candidate = layout::strided(shape, strides, offsets[0]);
  return offsets_of(candidate) == offsets ? std::optional(candidate) : std::nullopt;
}

/// A shape of `size` elements, ones among them.
numbers random_shape_of_size(random_source& random, std::ptrdiff_t size) {
  numbers shape;
  while (size > 1 || random.one_in(3)) {
    std::ptrdiff_t factor = random.between(1, std::min<std::ptrdiff_t>(size, 6));
    while (size % factor != 0) ++factor;
    shape.push_back(factor);
    size /= factor;
  }
  std::shuffle(shape.begin(), shape.end(), random.engine());
  return shape;
}

TEST(reshaped_properties, is_a_view_exactly_when_strides_can_express_it) {
  random_source random(support::seed(10));
  int views = 0;
  int copies = 0;
  for (int round = 0; round < 20000; ++round) {
    const layout source = random.any_layout();
    if (source.size() == 0) continue;
    const numbers shape = random_shape_of_size(random, source.size());
    if (shape.size() > usmx::max_ndim) continue;
    const numbers offsets = offsets_of(source);
    const std::optional<layout> result = usmx::reshaped(source, shape);
    ASSERT_EQ(result.has_value(), layout_of_offsets(offsets, shape).has_value())
        << source << " to " << usmx::tuple_text(shape);
    ++(result ? views : copies);
    if (!result) continue;
    ASSERT_EQ(shape_of(*result), shape);
    ASSERT_EQ(offsets_of(*result), offsets) << source << " to " << *result;
  }
  EXPECT_GT(views, 2000);
  EXPECT_GT(copies, 2000);
}

// Overflow.

/// a * b, or something of the same sign beyond every ptrdiff_t whose sums with a few others stay in
/// 128 bits.
int128 exact_product(int128 a, int128 b) {
  const int128 far = int128{1} << 120;
  return std::clamp(a * b, -far, far);
}

bool fits(int128 value) { return value >= lowest && value <= highest; }

/// Whether a layout of these numbers may exist, by the words of the class comment.
bool is_representable(const numbers& shape, const numbers& strides, std::ptrdiff_t offset) {
  if (std::count(shape.begin(), shape.end(), 0) > 0) return true;
  int128 size = 1;
  int128 first = offset;
  int128 last = offset;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    size = std::min(size * shape[k], int128{highest} + 1);
    const int128 reach = exact_product(shape[k] - 1, strides[k]);
    (reach < 0 ? first : last) += reach;
  }
  return fits(size) && fits(first) && fits(last) && fits(last - first + 1);
}

std::ptrdiff_t any_extent(random_source& random) {
  const std::ptrdiff_t drawn = random.of_any_magnitude();
  return random.one_in(2) ? random.between(0, 4) : drawn < 0 ? -(drawn + 1) : drawn;
}

TEST(overflow_properties, strided_throws_exactly_when_the_exact_result_does_not_fit) {
  random_source random(support::seed(11));
  int accepted = 0;
  int rejected = 0;
  for (int round = 0; round < 50000; ++round) {
    const numbers shape = random.entries(random.between(0, 4), [&] { return any_extent(random); });
    const numbers strides = random.entries(std::ssize(shape), [&] {
      return random.one_in(3) ? random.between(-2, 2) : random.of_any_magnitude();
    });
    const std::ptrdiff_t offset =
        random.one_in(2) ? random.between(-2, 2) : random.of_any_magnitude();
    const bool representable = is_representable(shape, strides, offset);
    bool threw = false;
    try {
      layout::strided(shape, strides, offset);
    } catch (const usmx::overflow_error&) {
      threw = true;
    }
    ASSERT_EQ(threw, !representable)
        << usmx::tuple_text(shape) << " " << usmx::tuple_text(strides) << " " << offset;
    ++(threw ? rejected : accepted);
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(rejected, 5000);
}

TEST(overflow_properties, one_step_over_the_limit_throws) {
  random_source random(support::seed(12));
  for (int round = 0; round < 5000; ++round) {
    const std::ptrdiff_t n = random.between(2, 1000);
    const std::ptrdiff_t stride = (highest - 1) / (n - 1);  // the largest that can be
    EXPECT_NO_THROW(layout::strided(numbers{n}, numbers{stride}));
    EXPECT_THROW(layout::strided(numbers{n}, numbers{stride + 1}), usmx::overflow_error);
    const std::ptrdiff_t room = highest - (n - 1) * stride;
    EXPECT_NO_THROW(layout::strided(numbers{n}, numbers{stride}, room));
    if (room < highest) {
      EXPECT_THROW(layout::strided(numbers{n}, numbers{stride}, room + 1), usmx::overflow_error);
    }
  }
}

TEST(overflow_properties,
     compact_orders_throw_exactly_when_the_size_or_the_last_offset_does_not_fit) {
  random_source random(support::seed(13));
  for (int round = 0; round < 20000; ++round) {
    const numbers shape = random.entries(random.between(0, 5), [&] { return any_extent(random); });
    const std::ptrdiff_t offset = random.of_any_magnitude();
    int128 size = 1;
    for (const std::ptrdiff_t n : shape) size = std::min(size * n, int128{highest} + 1);
    if (std::count(shape.begin(), shape.end(), 0) > 0) size = 0;
    const bool representable = size == 0 || (fits(size) && fits(offset + size - 1));
    for (const bool fortran : {false, true}) {
      const auto make = [&] {
        return fortran ? layout::f_order(shape, offset) : layout::c_order(shape, offset);
      };
      if (representable) {
        ASSERT_TRUE(make().size() == size) << usmx::tuple_text(shape);
      } else {
        ASSERT_THROW(make(), usmx::overflow_error) << usmx::tuple_text(shape) << " " << offset;
      }
    }
  }
}

TEST(overflow_properties, scaled_throws_exactly_when_the_exact_result_does_not_fit) {
  random_source random(support::seed(14));
  for (int round = 0; round < 20000; ++round) {
    const numbers shape =
        random.entries(random.between(0, 3), [&] { return random.between(0, 4); });
    const numbers strides = random.entries(
        std::ssize(shape), [&] { return random.of_any_magnitude() >> random.between(0, 62); });
    const std::ptrdiff_t offset = random.of_any_magnitude() >> random.between(0, 62);
    if (!is_representable(shape, strides, offset)) continue;
    const std::ptrdiff_t factor = random.between(1, 16);
    const layout source = layout::strided(shape, strides, offset);
    const auto span = source.span();
    const bool representable =
        fits(int128{offset} * factor) &&
        (!span || (fits(int128{span->first} * factor) && fits(int128{span->last} * factor) &&
                   fits((int128{span->last} - span->first) * factor + 1)));
    if (representable) {
      ASSERT_EQ(source.scaled(factor).offset(), offset * factor) << source << " * " << factor;
    } else {
      ASSERT_THROW(source.scaled(factor), usmx::overflow_error) << source << " * " << factor;
    }
  }
}

TEST(overflow_properties, checked_arithmetic_throws_exactly_when_the_exact_result_does_not_fit) {
  random_source random(support::seed(15));
  for (int round = 0; round < 50000; ++round) {
    const std::ptrdiff_t a = random.of_any_magnitude();
    const std::ptrdiff_t b = random.one_in(2) ? random.between(-3, 3) : random.of_any_magnitude();
    const auto agrees = [](int128 exact, auto call) {
      try {
        return int128{call()} == exact && fits(exact);
      } catch (const usmx::overflow_error&) {
        return !fits(exact);
      }
    };
    ASSERT_TRUE(agrees(int128{a} + b, [&] { return usmx::checked_add(a, b, "sum"); }));
    ASSERT_TRUE(agrees(int128{a} * b, [&] { return usmx::checked_multiply(a, b, "product"); }));
  }
}

}  // namespace
