// usmx/array/array_of.hpp: arrays of a type and a number of dimensions that the compiler knows.
#include "usmx/array/array_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ranges>
#include <type_traits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/in.hpp"
#include "usmx/array/submit.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::array_of;
using usmx::empty;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;
using matrix = array_of<double, 2>;

extents extents_of(const array& a) { return {a.shape().begin(), a.shape().end()}; }

class array_of_test : public support::device_test {
 protected:
  /// 0 1 2 / 3 4 5
  static matrix six() {
    matrix a({2, 3}, queue(), usm_kind::shared);
    const auto all = a.reshaped({6});
    const auto elements = all.host_view();
    std::iota(elements.begin(), elements.end(), 0.0);
    return a;
  }
};

static_assert(sizeof(matrix) == sizeof(array));
static_assert(std::is_nothrow_move_constructible_v<matrix>);
static_assert(std::is_convertible_v<matrix, array> && !std::is_convertible_v<array, matrix>);
static_assert(std::is_convertible_v<matrix, array_of<const double, 2>>);
static_assert(!std::is_convertible_v<array_of<const double, 2>, matrix>);
static_assert(matrix::rank() == 2);

TEST_F(array_of_test, shape_says_the_number_of_dimensions) {
  const auto braces = empty<double>({2, 3}, queue());
  static_assert(std::is_same_v<decltype(braces), const matrix>);
  EXPECT_EQ(extents_of(braces), (extents{2, 3}));
  EXPECT_EQ(braces.type(), usmx::float64);
  EXPECT_EQ(braces.kind(), usm_kind::device);
  const auto number = empty<std::int8_t>(5u, queue(), usm_kind::host);
  static_assert(std::is_same_v<decltype(number), const array_of<std::int8_t, 1>>);
  EXPECT_EQ(number.size(), 5);
  EXPECT_EQ(number.kind(), usm_kind::host);
  const auto fixed = empty<float>(std::array{2u, 3u, 4u}, queue());
  static_assert(decltype(fixed)::rank() == 3);
  EXPECT_EQ(extents_of(fixed), (extents{2, 3, 4}));
  EXPECT_EQ(extents_of(empty<float>(std::array<int, 0>{}, queue())), extents());
}

TEST_F(array_of_test, extents_in_braces_may_be_of_any_integer_types) {
  const std::size_t rows = 2;
  const std::int16_t columns = 3;
  EXPECT_EQ(extents_of(empty<float>({rows, columns, 4}, queue())), (extents{2, 3, 4}));
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  expect_error<usmx::overflow_error>([&] { empty<float>({huge}, queue()); }, {"extent"});
  expect_error<usmx::value_error>([&] { empty<float>({-1}, queue()); }, {"-1"});
}

TEST_F(array_of_test, shape_of_any_length_needs_the_number_of_dimensions) {
  const matrix a({2, 3}, queue());
  EXPECT_EQ(extents_of(empty<float, 2>(a.shape(), queue())), (extents{2, 3}));
  EXPECT_EQ(extents_of(matrix(std::vector{4, 5}, queue())), (extents{4, 5}));
  expect_error<usmx::value_error>([&] { empty<float, 3>(a.shape(), queue()); },
                                  {"3 dimensions", "2 extents"});
}

TEST_F(array_of_test, array_of_another_type_or_number_of_dimensions_is_refused) {
  const array a = empty({2, 3}, usmx::float64, queue());
  EXPECT_EQ(matrix(a).owner(), a.owner());
  expect_error<usmx::type_error>([&] { array_of<float, 2>{a}; }, {"float32", "float64"});
  expect_error<usmx::value_error>([&] { array_of<double, 1>{a}; }, {"1 dimensions", "(2, 3)"});
  expect_error<usmx::read_only_error>([&] { matrix{a.as_readonly()}; });
  EXPECT_NO_THROW((array_of<const double, 2>{a.as_readonly()}));
  expect_error<usmx::type_error>([&] { array_of<float, 1>{array()}; });
}

TEST_F(array_of_test, views_have_the_type) {
  const matrix a = six();
  static_assert(std::is_same_v<decltype(a.host_view()), usmx::strided_view<double, 2>>);
  static_assert(std::is_same_v<decltype(a.device_view()), usmx::device_view<double, 2>>);
  static_assert(std::is_same_v<decltype(a.data()), double*>);
  EXPECT_EQ(a.host_view()(1, 2), 5);
  EXPECT_EQ(a.device_view().data(), a.data());
  const array_of<const double, 2> constant = a;
  static_assert(
      std::is_same_v<decltype(constant.host_view()), usmx::strided_view<const double, 2>>);
  EXPECT_EQ(&constant.host_view()(0, 0), a.data());
  expect_error<usmx::value_error>([] { empty<double>({2}, queue()).host_view(); }, {"device"});
}

TEST_F(array_of_test, array_that_becomes_read_only_gives_no_view_to_write) {
  matrix a = six();
  a.make_readonly();
  expect_error<usmx::read_only_error>([&] { a.host_view(); });
  EXPECT_EQ(a.as_readonly().host_view()(0, 1), 1);
}

TEST_F(array_of_test, parts_know_their_number_of_dimensions) {
  const matrix a = six();
  const auto row = a.slice(1);
  static_assert(std::is_same_v<decltype(row), const array_of<double, 1>>);
  EXPECT_EQ(row.host_view()[0], 3);
  EXPECT_EQ(a.slice(-1, -1).host_view()(), 5);
  const auto batch = a.slice(usmx::newaxis, usmx::ellipsis, usmx::range(0, 3, 2));
  static_assert(decltype(batch)::rank() == 3);
  EXPECT_EQ(extents_of(batch), (extents{1, 2, 2}));
  EXPECT_EQ(a.transposed().host_view()(2, 1), 5);
  EXPECT_EQ(a.reshaped({3, -1}).host_view()(2, 0), 4);
  EXPECT_EQ(a.reshaped(6).host_view()[5], 5);
  EXPECT_EQ(a.owner(), a.transposed().owner());
}

TEST_F(array_of_test, item_that_the_compiler_takes_for_a_slice_must_be_one) {
  expect_error<usmx::value_error>([] { six().slice(usmx::index_item::integer(0)); }, {"2 dimens"});
  expect_error<usmx::index_error>([] { six().slice(2); }, {"2"});
}

TEST_F(array_of_test, slices_are_read_in_one_expression) {
  double sum = 0;
  for (const double x : six().slice(1).host_view()) sum += x;
  EXPECT_EQ(sum, 12);
  const matrix a = six();
  EXPECT_EQ(std::ranges::max(a.slice(0).host_view()), 2);
}

TEST_F(array_of_test, is_an_array_wherever_one_is_taken) {
  const matrix a = six();
  const usmx::write<double, 2> to(a);
  EXPECT_EQ(to.data(), a.data());
  usmx::submit(queue(), {a}, {to}, [&](sycl::handler& command) {
    command.memset(to.data(), 0, a.nbytes());
  }).wait();
  EXPECT_EQ(a.host_view()(1, 2), 0);
}

TEST_F(array_of_test, empty_like_has_type_shape_kind_and_order) {
  const array_of<const double, 2> turned = six().transposed();
  const auto made = usmx::empty_like(turned);
  static_assert(std::is_same_v<decltype(made), const matrix>);
  EXPECT_EQ(extents_of(made), (extents{3, 2}));
  EXPECT_TRUE(made.layout().is_f_contiguous());
  EXPECT_EQ(made.kind(), usm_kind::shared);
  EXPECT_NE(made.owner(), turned.owner());
  EXPECT_EQ(usmx::empty_like(array(turned)).type(), usmx::float64);
  expect_error<usmx::value_error>([] { usmx::empty_like(array()); }, {"without memory"});
}

}  // namespace
