// usmx/layout/layout.hpp: NumPy's orders 'C', 'F', 'A' and 'K' of layouts.
#include "usmx/layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

using usmx::compact;
using usmx::compact_like;
using usmx::element_order;
using usmx::index_item;
using usmx::is_contiguous_in;
using usmx::layout;
using usmx::resolved;
using usmx::with_axes_as_in_memory;
using numbers = std::vector<std::ptrdiff_t>;

const numbers shape{2, 3, 4};
const layout c = layout::c_order(shape, 5);
const layout f = layout::f_order(shape, 5);
/// The middle axis varies slowest.
const layout turned = layout::strided(shape, numbers{4, 8, 1}, 5);
const layout gaps = layout::strided(shape, numbers{24, 8, 2}, 5);

TEST(element_order, any_is_f_where_a_layout_is_contiguous_that_way_alone) {
  EXPECT_EQ(resolved(element_order::any, f), element_order::f);
  EXPECT_EQ(resolved(element_order::any, c), element_order::c);
  EXPECT_EQ(resolved(element_order::any, gaps), element_order::c);
}

TEST(element_order, any_is_c_where_a_layout_is_contiguous_both_ways) {
  EXPECT_EQ(resolved(element_order::any, layout::f_order(numbers{4})), element_order::c);
  EXPECT_EQ(resolved(element_order::any, layout()), element_order::c);
}

TEST(element_order, other_orders_do_not_depend_on_the_layout) {
  for (const element_order order : {element_order::c, element_order::f, element_order::keep}) {
    for (const layout& source : {c, f, gaps}) {
      EXPECT_EQ(resolved(order, source), order);
    }
  }
}

TEST(element_order, contiguity_is_asked_for_in_the_named_order) {
  EXPECT_TRUE(is_contiguous_in(c, element_order::c));
  EXPECT_FALSE(is_contiguous_in(f, element_order::c));
  EXPECT_TRUE(is_contiguous_in(f, element_order::f));
  EXPECT_FALSE(is_contiguous_in(c, element_order::f));
}

TEST(element_order, any_is_contiguous_in_either_order) {
  EXPECT_TRUE(is_contiguous_in(c, element_order::any));
  EXPECT_TRUE(is_contiguous_in(f, element_order::any));
  EXPECT_FALSE(is_contiguous_in(turned, element_order::any));
}

TEST(element_order, keep_asks_for_nothing) {
  EXPECT_TRUE(is_contiguous_in(gaps, element_order::keep));
}

TEST(element_order, compact_layout_starts_at_its_offset) {
  EXPECT_EQ(compact(shape, element_order::c, 5), c);
  EXPECT_EQ(compact(shape, element_order::f, 5), f);
}

TEST(element_order, compact_like_takes_its_order_from_the_source_where_asked) {
  const layout c0 = layout::c_order(shape);
  const layout f0 = layout::f_order(shape);
  EXPECT_EQ(compact_like(f, element_order::c), c0);
  EXPECT_EQ(compact_like(c, element_order::f), f0);
  EXPECT_EQ(compact_like(f, element_order::any), f0);
  EXPECT_EQ(compact_like(gaps, element_order::any), c0);
  EXPECT_EQ(compact_like(turned, element_order::any), c0);
  EXPECT_EQ(compact_like(turned, element_order::keep), turned.with_offset(0));
  EXPECT_EQ(compact_like(gaps, element_order::keep), c0);
}

TEST(element_order, compact_like_of_another_shape_keeps_the_order_of_as_many_axes) {
  const numbers other{5, 1, 7};
  EXPECT_EQ(compact_like(f, element_order::keep, other), layout::f_order(other));
  EXPECT_EQ(compact_like(f, element_order::any, other), layout::f_order(other));
  EXPECT_EQ(compact_like(f, element_order::c, other), layout::c_order(other));
  EXPECT_EQ(compact_like(turned, element_order::any, other), layout::c_order(other));
  EXPECT_EQ(compact_like(turned, element_order::keep, other),
            layout::strided(other, numbers{7, 35, 1}, 0));
}

TEST(element_order, compact_like_of_other_axes_is_in_c_order_unless_asked) {
  const numbers other{5, 7};
  EXPECT_EQ(compact_like(turned, element_order::keep, other), layout::c_order(other));
  EXPECT_EQ(compact_like(f, element_order::keep, other), layout::c_order(other));
  EXPECT_EQ(compact_like(f, element_order::any, other), layout::f_order(other));
}

TEST(element_order, axes_as_in_memory_have_the_longest_strides_first) {
  EXPECT_EQ(with_axes_as_in_memory(turned), layout::c_order(numbers{3, 2, 4}, 5));
  EXPECT_EQ(with_axes_as_in_memory(f), layout::c_order(numbers{4, 3, 2}, 5));
  EXPECT_EQ(with_axes_as_in_memory(c), c);
}

TEST(element_order, negative_stride_stays_where_its_length_puts_it) {
  const layout backwards = layout::strided(numbers{2, 3}, numbers{1, -2}, 4);
  EXPECT_EQ(with_axes_as_in_memory(backwards), layout::strided(numbers{3, 2}, numbers{-2, 1}, 4));
}

TEST(element_order, axes_with_strides_of_one_length_stay_in_their_order) {
  for (const numbers& strides : {numbers{1, 1}, numbers{1, -1}, numbers{-1, 1}}) {
    const layout windows = layout::strided(numbers{2, 3}, strides, 4);
    EXPECT_EQ(with_axes_as_in_memory(windows), windows);
  }
}

/// Compact in a random order of the axes, some of them turned around.
class random_layouts {
 public:
  layout next() {
    numbers extents(static_cast<std::size_t>(between(0, 5)));
    std::ranges::generate(extents, [&] { return between(1, 4); });
    std::vector<std::size_t> axes(extents.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::ranges::shuffle(axes, engine_);
    numbers strides(extents.size());
    std::ptrdiff_t stride = between(1, 2);
    std::ptrdiff_t offset = 0;
    for (const std::size_t axis : axes) {
      strides[axis] = between(0, 3) == 0 ? -stride : stride;
      offset += strides[axis] < 0 ? stride * (extents[axis] - 1) : 0;
      stride *= extents[axis];
    }
    return layout::strided(extents, strides, offset);
  }

 private:
  std::ptrdiff_t between(std::ptrdiff_t first, std::ptrdiff_t last) {
    return std::uniform_int_distribution<std::ptrdiff_t>(first, last)(engine_);
  }
  std::mt19937_64 engine_{2024};
};

TEST(element_order, axes_without_a_stride_compare_with_no_other) {
  const layout repeated = layout::strided(numbers{2, 2}, numbers{0, 3}, 0);
  EXPECT_EQ(with_axes_as_in_memory(repeated), repeated);
  const layout between = layout::strided(numbers{2, 3, 4}, numbers{4, 0, 8}, 0);
  EXPECT_EQ(with_axes_as_in_memory(between),
            layout::strided(numbers{3, 4, 2}, numbers{0, 8, 4}, 0));
}

TEST(element_order, axes_as_in_memory_of_any_layout_never_grow_faster_than_the_axis_before) {
  random_layouts layouts;
  for (int n = 0; n < 500; ++n) {
    const layout source = layouts.next();
    const layout sorted = with_axes_as_in_memory(source);
    EXPECT_EQ(sorted.span(), source.span()) << source;
    std::ptrdiff_t before = PTRDIFF_MAX;
    for (std::size_t k = 0; k < sorted.shape().size(); ++k) {
      if (sorted.shape()[k] == 1) continue;  // its stride says nothing
      EXPECT_LE(std::abs(sorted.strides()[k]), before) << source;
      before = std::abs(sorted.strides()[k]);
    }
  }
}

TEST(element_order, what_compact_like_makes_is_contiguous_in_the_order_it_was_asked_for) {
  random_layouts layouts;
  for (int n = 0; n < 500; ++n) {
    const layout source = layouts.next();
    for (const element_order order : {element_order::c, element_order::f, element_order::any}) {
      const layout made = compact_like(source, order);
      EXPECT_TRUE(is_contiguous_in(made, order)) << source;
      EXPECT_TRUE(std::ranges::equal(made.shape(), source.shape())) << source;
    }
  }
}

}  // namespace
