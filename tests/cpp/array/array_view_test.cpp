// usmx/array_view.hpp: what a view says, and the typed windows made of it.
#include "usmx/array/array_view.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::array_view;
using usmx::dtype;
using usmx::layout;
using usmx::read_only_error;
using usmx::type_code;
using usmx::type_error;
using usmx::usm_kind;
using usmx::value_error;
using extents = std::vector<std::ptrdiff_t>;

static_assert(std::is_copy_constructible_v<array_view>);
static_assert(std::is_nothrow_move_constructible_v<array_view>);

class array_view_test : public support::device_test {
 protected:
  array_view_test() { std::iota(numbers_.begin(), numbers_.end(), 0); }

  // On ordinary host memory: 0, 1, 2, ...
  array_view view(layout where, bool readonly = false) {
    return {numbers_.data(),   type_code::int32, std::move(where),
            usm_kind::unknown, queue(),          readonly};
  }
  array_view view(const extents& shape, bool readonly = false) {
    return view(layout::c_order(shape), readonly);
  }

  std::vector<std::int32_t> numbers_ = std::vector<std::int32_t>(64);
};

TEST_F(array_view_test, view_says_what_it_was_made_of) {
  const layout where = layout::strided(extents{2, 3}, extents{8, -2}, 10);
  const array_view v(numbers_.data(), type_code::int32, where, usm_kind::shared, queue(), true);
  EXPECT_EQ(static_cast<void*>(v.origin()), numbers_.data());
  EXPECT_EQ(v.type(), type_code::int32);
  EXPECT_EQ(v.layout(), where);
  EXPECT_EQ(v.ndim(), 2);
  EXPECT_EQ(extents(v.shape().begin(), v.shape().end()), (extents{2, 3}));
  EXPECT_EQ(extents(v.strides().begin(), v.strides().end()), (extents{8, -2}));
  EXPECT_EQ(v.size(), 6);
  EXPECT_EQ(v.kind(), usm_kind::shared);
  EXPECT_EQ(v.queue(), queue());
  EXPECT_EQ(v.context(), context());
  EXPECT_EQ(v.device(), device());
  EXPECT_TRUE(v.readonly());
}

TEST_F(array_view_test, data_is_element_zero) {
  EXPECT_EQ(static_cast<void*>(view(layout::c_order(extents{3}, 7)).data()), numbers_.data() + 7);
  EXPECT_EQ(static_cast<void*>(view(layout::strided(extents{4}, extents{-2}, 6)).data()),
            numbers_.data() + 6);
}

TEST_F(array_view_test, nbytes_counts_elements_and_no_gaps) {
  EXPECT_EQ(view(layout::strided(extents{4, 2}, extents{10, 3})).nbytes(), 32U);
  EXPECT_EQ(view(extents{}).nbytes(), 4U);
  EXPECT_EQ(view(extents{5, 0}).nbytes(), 0U);
}

TEST_F(array_view_test, another_layout_is_all_that_differs) {
  const array_view v(numbers_.data(), type_code::int32, layout::c_order(extents{4}),
                     usm_kind::shared, queue(), true);
  const layout reversed = layout::strided(extents{4}, extents{-1}, 3);
  const array_view found = v.with_layout_unchecked(reversed);
  EXPECT_EQ(found.layout(), reversed);
  EXPECT_EQ(found.origin(), v.origin());
  EXPECT_EQ(found.type(), v.type());
  EXPECT_EQ(found.kind(), v.kind());
  EXPECT_EQ(found.queue(), v.queue());
  EXPECT_TRUE(found.readonly());
  EXPECT_EQ((found.host_as<const std::int32_t, 1>()(0)), 3);
}

TEST_F(array_view_test, typed_view_reads_and_writes_the_elements) {
  const auto typed =
      view(layout::strided(extents{2, 3}, extents{10, -1}, 5)).host_as<std::int32_t, 2>();
  EXPECT_EQ(typed(0, 0), 5);
  EXPECT_EQ(typed(1, 2), 13);
  typed(1, 0) = -1;
  EXPECT_EQ(numbers_[15], -1);
}

TEST_F(array_view_test, typed_view_of_no_dimensions_is_one_element) {
  const auto typed = view(layout::c_order(extents{}, 9)).host_as<const std::int32_t, 0>();
  EXPECT_EQ(typed(), 9);
}

TEST_F(array_view_test, typed_view_has_the_layouts_extents_and_strides) {
  const auto typed = view(layout::strided(extents{2, 1, 3}, extents{4, 0, -1}, 8))
                         .host_as<const std::int32_t, 3>();
  EXPECT_EQ(typed.extents(), (std::array<std::ptrdiff_t, 3>{2, 1, 3}));
  EXPECT_EQ(typed.strides(), (std::array<std::ptrdiff_t, 3>{4, 0, -1}));
  EXPECT_EQ(typed.data(), numbers_.data() + 8);
}

TEST_F(array_view_test, integers_go_by_size_and_sign) {
  EXPECT_NO_THROW((view(extents{4}).host_as<const int, 1>()));
  static_assert(sizeof(long long) == 8 && sizeof(long) == 8);
  const array_view longs(numbers_.data(), type_code::int64, layout::c_order(extents{4}),
                         usm_kind::unknown, queue(), false);
  EXPECT_NO_THROW((longs.host_as<long, 1>()));
  EXPECT_NO_THROW((longs.host_as<long long, 1>()));
}

TEST_F(array_view_test, another_element_type_is_a_type_error_naming_both) {
  expect_error<type_error>([&] { view(extents{4}).host_as<float, 1>(); }, {"float32", "int32"});
  expect_error<type_error>([&] { view(extents{4}).host_as<std::uint32_t, 1>(); },
                           {"uint32", "int32"});
  expect_error<type_error>([&] { view(extents{4}).host_as<const std::complex<double>, 1>(); },
                           {"complex128", "int32"});
  expect_error<type_error>([&] { view(extents{4}).contiguous<double>(); }, {"float64", "int32"});
}

TEST_F(array_view_test, another_number_of_dimensions_is_a_value_error_naming_both) {
  expect_error<value_error>([&] { view(extents{2, 3}).host_as<int, 1>(); }, {"1", "2", "(2, 3)"});
  expect_error<value_error>([&] { view(extents{4}).host_as<int, 0>(); }, {"0", "1", "(4,)"});
  expect_error<value_error>([&] { view(extents{}).host_as<int, 1>(); }, {"()"});
}

TEST_F(array_view_test, writing_to_a_read_only_view_is_a_read_only_error) {
  expect_error<read_only_error>([&] { view(extents{4}, true).host_as<int, 1>(); }, {"read-only"});
  expect_error<read_only_error>([&] { view(extents{4}, true).contiguous<int>(); }, {"read-only"});
}

TEST_F(array_view_test, read_only_view_can_be_read) {
  EXPECT_EQ((view(extents{4}, true).host_as<const int, 1>()(3)), 3);
  EXPECT_EQ(view(extents{4}, true).contiguous<const int>()[3], 3);
}

TEST_F(array_view_test, contiguous_gives_a_pointer_to_element_zero) {
  EXPECT_EQ(view(layout::c_order(extents{2, 3}, 5)).contiguous<int>(), numbers_.data() + 5);
}

TEST_F(array_view_test, contiguous_takes_any_number_of_dimensions) {
  EXPECT_EQ(*view(extents{}).contiguous<int>(), 0);
  EXPECT_EQ(view(extents{2, 2, 2, 2}).contiguous<int>()[15], 15);
}

TEST_F(array_view_test, contiguous_does_not_mind_strides_of_unit_dimensions) {
  EXPECT_NO_THROW(view(layout::strided(extents{1, 3}, extents{77, 1})).contiguous<int>());
}

TEST_F(array_view_test, elements_that_are_not_c_contiguous_are_a_value_error_with_the_layout) {
  expect_error<value_error>([&] { view(layout::f_order(extents{2, 3})).contiguous<int>(); },
                            {"C-contiguous", "(2, 3)", "(1, 2)"});
  expect_error<value_error>(
      [&] { view(layout::strided(extents{3}, extents{-1}, 2)).contiguous<const int>(); },
      {"(-1,)"});
}

TEST_F(array_view_test, view_without_elements_is_contiguous_and_never_reads) {
  const array_view empty(nullptr, type_code::float64,
                         layout::strided(extents{0, 3}, extents{-9, 7}), usm_kind::device, queue(),
                         false);
  EXPECT_EQ(empty.contiguous<double>(), nullptr);
  EXPECT_EQ((empty.device_as<double, 2>().size()), 0);
  EXPECT_EQ(empty.nbytes(), 0U);
}

// Layouts without elements may have any offset: nothing may be computed from it.
TEST_F(array_view_test, view_without_elements_can_have_any_offset) {
  for (const std::ptrdiff_t offset : {PTRDIFF_MAX, PTRDIFF_MIN, std::ptrdiff_t{1} << 61}) {
    const array_view empty = view(layout::strided(extents{0}, extents{1}, offset));
    EXPECT_EQ(static_cast<void*>(empty.data()), numbers_.data());
    EXPECT_EQ((empty.device_as<int, 1>().size()), 0);
  }
}

TEST_F(array_view_test, view_that_was_moved_from_is_empty_and_has_its_queue) {
  array_view from = view(extents{4});
  array_view to = std::move(from);
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(from.size(), 0);
  EXPECT_EQ(from.queue(), queue());
  EXPECT_EQ(from.device(), device());
  array_view other = view(extents{2});
  other = std::move(to);
  EXPECT_EQ(other.size(), 4);
  EXPECT_EQ(to.size(), 0);
  EXPECT_EQ(to.context(), context());
  // NOLINTEND(bugprone-use-after-move)
}

}  // namespace
