// usmx/copy/host_data.hpp and the makers of copy/values.hpp whose element type the compiler knows.
#include "usmx/copy/host_data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/resources.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::array;
using usmx::array_of;
using usmx::from_host;
using usmx::strided_view;
using usmx::to_host;
using usmx::to_vector;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;

using host_data_test = support::device_test;

TEST_F(host_data_test, contiguous_ranges_become_arrays_of_one_dimension) {
  const std::vector<float> vector{1, 2, 3};
  for (const usm_kind kind : all_kinds) {
    const auto a = from_host(queue(), vector, kind);
    static_assert(std::is_same_v<decltype(a), const array_of<float, 1>>);
    EXPECT_EQ(to_vector(a), vector) << name(kind);
    EXPECT_EQ(a.kind(), kind);
  }
  EXPECT_EQ(from_host(queue(), vector).kind(), usm_kind::device);
  EXPECT_EQ(to_vector(from_host(queue(), std::span(vector).last(2))), (std::vector<float>{2, 3}));
  EXPECT_EQ(to_vector(from_host(queue(), std::array{1, 2})), (std::vector{1, 2}));
  std::int16_t plain[] = {7, 8};
  EXPECT_EQ(to_vector(from_host(queue(), plain)), (std::vector<std::int16_t>{7, 8}));
  EXPECT_EQ(to_vector(from_host(vector, queue(), usm_kind::host)), vector);
  EXPECT_EQ(from_host(queue(), std::vector<double>()).size(), 0);
}

TEST_F(host_data_test, numbers_in_braces_become_arrays_of_one_or_two_dimensions) {
  EXPECT_EQ(to_vector(from_host(queue(), {1.5, 2.5})), (std::vector{1.5, 2.5}));
  const auto rows = from_host(queue(), {{1, 2, 3}, {4, 5, 6}}, usm_kind::shared);
  static_assert(std::is_same_v<decltype(rows), const array_of<int, 2>>);
  EXPECT_EQ(rows.host_view()(1, 0), 4);
  EXPECT_EQ(to_vector(from_host<float>(queue(), {1, 2})), (std::vector<float>{1, 2}));
}

TEST_F(host_data_test, elements_are_converted_to_a_type_that_is_named) {
  const auto a = from_host<std::int8_t>(queue(), std::vector{1.0, 2.9, -3.2});
  static_assert(std::is_same_v<decltype(a), const array_of<std::int8_t, 1>>);
  EXPECT_EQ(to_vector(a), (std::vector<std::int8_t>{1, 2, -3}));
  std::vector<std::complex<double>> out(3);
  to_host(a, out);
  EXPECT_EQ(out[2], std::complex<double>(-3));
}

TEST_F(host_data_test, contiguous_range_takes_a_shape) {
  const std::vector<int> data{1, 2, 3, 4, 5, 6};
  const auto a = from_host(queue(), data, {2, 3}, usm_kind::shared);
  static_assert(std::is_same_v<decltype(a), const array_of<int, 2>>);
  EXPECT_EQ(a.host_view()(1, 2), 6);
  EXPECT_EQ(from_host<float>(queue(), data, {3, -1}).extent(1), 2);
  expect_error<usmx::value_error>([&] { (void)from_host(queue(), data, {4, 2}); },
                                  {"8 elements", "(4, 2)", "6"});
}

TEST_F(host_data_test, views_keep_their_dimensions_whatever_their_strides) {
  std::array<int, 6> memory{1, 2, 3, 4, 5, 6};
  const strided_view<const int, 2> turned(&memory[5], {3, 2}, {-1, -3});
  const auto a = from_host(queue(), turned);
  static_assert(std::is_same_v<decltype(a), const array_of<int, 2>>);
  EXPECT_EQ(to_vector(a), (std::vector{6, 3, 5, 2, 4, 1}));
  const strided_view<int, 2> destination(&memory[5], {3, 2}, {-1, -3});
  to_host(usmx::full({3}, 9, queue()), destination.slice(usmx::ellipsis, 0));
  EXPECT_EQ(memory, (std::array{1, 2, 3, 9, 9, 9}));
}

TEST_F(host_data_test, view_of_another_shape_is_refused) {
  std::array<int, 6> memory{};
  const auto a = usmx::zeros<int>({3, 2}, queue());
  expect_error<usmx::value_error>(
      [&] { to_host(a, strided_view<int, 2>(memory.data(), {2, 3}, {3, 1})); },
      {"(3, 2)", "(2, 3)"});
  const std::ptrdiff_t huge = std::numeric_limits<std::ptrdiff_t>::max();
  expect_error<usmx::overflow_error>(
      [&] { (void)from_host(queue(), strided_view<int, 1>(memory.data(), {1}, {huge})); },
      {"stride of host data"});
}

TEST_F(host_data_test, elements_go_to_memory_that_is_there_in_c_order) {
  const auto a = from_host(queue(), {{1, 2, 3}, {4, 5, 6}});
  std::vector<int> out(6);
  to_host(a.transposed(), out);
  EXPECT_EQ(out, (std::vector{1, 4, 2, 5, 3, 6}));
  std::array<double, 3> row{};
  to_host(a.slice(1), row);
  EXPECT_EQ(row, (std::array{4.0, 5.0, 6.0}));
  to_host(a.slice(0), std::span(out).first(3));
  EXPECT_EQ(out[2], 3);
  int one[1];
  to_host(a.slice(0, 1), one);
  EXPECT_EQ(one[0], 2);
  std::array<int, 6> memory{};
  to_host(a, strided_view<int, 2>(&memory[5], {2, 3}, {-3, -1}));
  EXPECT_EQ(memory, (std::array{6, 5, 4, 3, 2, 1}));
}

TEST_F(host_data_test, range_of_another_size_is_refused) {
  std::vector<int> out(5);
  expect_error<usmx::value_error>([&] { to_host(usmx::zeros<int>({2, 3}, queue()), out); },
                                  {"range of 6 elements", "(2, 3)", "found 5"});
  expect_error<usmx::value_error>([&] { to_host(array(), out); }, {"range of 0 elements"});
}

TEST_F(host_data_test, structured_elements_are_refused) {
  const usmx::dtype pair =
      usmx::dtype::structured({{"x", usmx::int32, {}, 0}, {"y", usmx::int32, {}, 4}}, 8);
  std::vector<int> out(2);
  expect_error<usmx::value_error>([&] { to_host(usmx::empty({2}, pair, queue()), out); });
}

TEST_F(host_data_test, zeros_and_full_know_their_type) {
  const auto zeros = usmx::zeros<float>({2, 2}, queue());
  static_assert(std::is_same_v<decltype(zeros), const array_of<float, 2>>);
  EXPECT_EQ(to_vector(zeros), std::vector<float>(4));
  EXPECT_EQ(usmx::zeros<float>(3, queue(), usm_kind::host).kind(), usm_kind::host);
  EXPECT_EQ((usmx::zeros<int, 2>(zeros.shape(), queue()).size()), 4);
  const auto full = usmx::full({2, 2}, 1.5f, queue());
  static_assert(std::is_same_v<decltype(full), const array_of<float, 2>>);
  EXPECT_EQ(to_vector(full), std::vector<float>(4, 1.5f));
  EXPECT_EQ(to_vector(usmx::full<double>({3}, 7, queue())), std::vector<double>(3, 7));
  EXPECT_EQ(to_vector(usmx::full<double>(3, 7, queue())), std::vector<double>(3, 7));
  EXPECT_EQ(to_vector(usmx::full<int, 2>(zeros.shape(), 2.5, queue())), std::vector<int>(4, 2));
}

TEST_F(host_data_test, clone_has_the_elements_in_memory_of_its_own) {
  const auto a = from_host(queue(), {{1, 2, 3}, {4, 5, 6}}, usm_kind::shared);
  const auto copied = usmx::clone(a.transposed());
  static_assert(std::is_same_v<decltype(copied), const array_of<int, 2>>);
  EXPECT_EQ(to_vector(copied), (std::vector{1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(copied.layout().is_f_contiguous());
  EXPECT_EQ(copied.kind(), usm_kind::shared);
  EXPECT_NE(copied.owner(), a.owner());
  EXPECT_EQ(usmx::clone(a.as_readonly(), usm_kind::host).host_view()(1, 1), 5);
  const auto elsewhere = usmx::clone(a, new_queue());
  EXPECT_EQ(elsewhere.kind(), usm_kind::device);
  EXPECT_NE(elsewhere.queue(), a.queue());
  EXPECT_EQ(usmx::clone(array(a)).type(), usmx::int32);
  expect_error<usmx::value_error>([] { usmx::clone(array()); }, {"without memory"});
}

TEST_F(host_data_test, makers_wait_for_nothing_and_expose_nothing) {
  const auto a = usmx::clone(from_host(queue(), {1, 2}, usm_kind::shared));
  EXPECT_FALSE(a.may_be_busy());
}

TEST_F(host_data_test, arrays_come_from_the_resource_that_is_named) {
  const auto counted = std::make_shared<usmx::statistics_resource>(
      std::make_shared<usmx::usm_resource>(usm_kind::host));
  const usmx::placement place = counted;
  EXPECT_EQ(place.kind(), usm_kind::host);
  EXPECT_EQ(*place.resource(), usmx::any_resource(counted));
  EXPECT_EQ(usmx::placement(usm_kind::host).resource(), nullptr);
  const array a = usmx::empty({2, 3}, usmx::float64, queue(), place);
  const auto b = usmx::empty<double>({2, 3}, queue(), counted);
  const auto c = usmx::zeros<float>(3, queue(), counted);
  const auto d = from_host(queue(), {1.0, 2.0}, counted);
  const auto e = usmx::clone(d, usmx::any_resource(counted));
  EXPECT_EQ(counted->counts().blocks.current, 5U);
  EXPECT_EQ(e.kind(), usm_kind::host);
  EXPECT_EQ(e.host_view()[1], 2);
}

}  // namespace
