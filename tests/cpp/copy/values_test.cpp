// usmx/copy/values.hpp: single values and vectors beside arrays.
#include "usmx/copy/values.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/in.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/for_each.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::empty;
using usmx::fill;
using usmx::to_vector;
using usmx::usm_kind;

class values_test : public support::device_test {
 protected:
  /// 0, 1, 2, ... in C order.
  array counted(const usmx::shape_argument& shape, usmx::dtype type = usmx::float64) const {
    array doubles = empty(shape, usmx::float64, queue(), usm_kind::shared);
    double next = 0;
    usmx::for_each([&](double& x) { x = next++; }, usmx::in<double>(doubles));
    return usmx::astype(doubles, type);
  }
};

TEST_F(values_test, fill_converts_a_value_to_the_elements_type) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    const array a = empty({2, 3}, usmx::float32, queue(), kind);
    fill(a, 7.0);
    EXPECT_EQ(to_vector<float>(a), std::vector<float>(6, 7.0F));
    fill(a, std::int64_t{-2});
    EXPECT_EQ(to_vector<int>(a), std::vector<int>(6, -2));
  }
}

TEST_F(values_test, fill_async_converts_a_value_to_the_elements_type) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    const array a = empty({2, 3}, usmx::float32, queue(), kind);
    usmx::fill_async(a, 7.5);
    EXPECT_EQ(to_vector<float>(a), std::vector<float>(6, 7.5F));
    usmx::fill_async(a, std::int64_t{-2}).wait();
    EXPECT_EQ(to_vector<int>(a), std::vector<int>(6, -2));
  }
}

TEST_F(values_test, fill_async_refuses_what_fill_refuses) {
  const usmx::dtype pair =
      usmx::dtype::structured({{"x", usmx::int32, {}, 0}, {"y", usmx::int32, {}, 4}}, 8);
  expect_error<usmx::value_error>([&] { usmx::fill_async(empty({2}, pair, queue()), 1); },
                                  {"fill_async: a number cannot be"});
  expect_error<usmx::read_only_error>(
      [&] { usmx::fill_async(empty({2}, usmx::int8, queue()).as_readonly(), 1); });
  expect_error<usmx::value_error>([] { usmx::fill_async(array(), 1); }, {"without memory"});
}

TEST_F(values_test, fill_reaches_only_the_elements_of_a_slice) {
  const array a = usmx::zeros({2, 3}, usmx::int32, queue());
  fill(a.slice(usmx::range(), 1), 5);
  EXPECT_EQ(to_vector<int>(a), (std::vector{0, 5, 0, 0, 5, 0}));
}

TEST_F(values_test, fill_refuses_a_read_only_array) {
  const array a = usmx::zeros({3}, usmx::int32, queue()).as_readonly();
  EXPECT_THROW(fill(a, 1), usmx::read_only_error);
}

TEST_F(values_test, fill_refuses_structured_elements) {
  const usmx::dtype pair =
      usmx::dtype::structured({{"x", usmx::int32, {}, 0}, {"y", usmx::int32, {}, 4}}, 8);
  EXPECT_THROW(fill(empty({2}, pair, queue()), 1), usmx::value_error);
}

TEST_F(values_test, fill_has_room_for_the_largest_elements) {
  const array a = empty({2}, usmx::complex128, queue());
  fill(a, std::complex<double>(1, -2));
  EXPECT_EQ(to_vector<std::complex<double>>(a), std::vector(2, std::complex<double>(1, -2)));
}

TEST_F(values_test, to_vector_has_the_elements_in_c_order) {
  const array a = counted({2, 3});
  const array transposed = a.with_layout(usmx::transposed(a.layout()));
  EXPECT_EQ(to_vector<double>(transposed), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(to_vector<std::int8_t>(a.slice(1)), (std::vector<std::int8_t>{3, 4, 5}));
  EXPECT_TRUE(to_vector<float>(a.slice(usmx::range(0, 0))).empty());
}

TEST_F(values_test, astype_keeps_queue_kind_and_order_in_memory) {
  const array a = counted({2, 3});
  const array transposed = a.with_layout(usmx::transposed(a.layout()));
  const array result = usmx::astype(transposed, usmx::int16);
  EXPECT_EQ(result.type(), usmx::int16);
  EXPECT_EQ(result.kind(), usm_kind::shared);
  EXPECT_EQ(result.queue(), queue());
  EXPECT_TRUE(result.layout().is_f_contiguous());
  EXPECT_EQ(to_vector<int>(result), (std::vector{0, 3, 1, 4, 2, 5}));
}

TEST_F(values_test, item_is_the_value_of_an_array_of_one_element) {
  for (const usmx::usm_kind kind : support::all_kinds) {
    const array x = usmx::empty({1, 1}, usmx::float32, queue(), kind);
    usmx::fill(x, 2.5);
    EXPECT_EQ(x.item<double>(), 2.5);
    EXPECT_EQ(x.item<int>(), 2);
    EXPECT_TRUE(x.item<bool>());
  }
  EXPECT_EQ(usmx::full({1}, 2.5F, queue()).item(), 2.5F);
  EXPECT_EQ(usmx::empty({2}, usmx::int32, queue()).slice(0).ndim(), 0);
  expect_error<usmx::value_error>([&] { usmx::zeros({2, 2}, usmx::int8, queue()).item<int>(); },
                                  {"item() needs an array of size 1, found shape (2, 2)"});
  expect_error<usmx::value_error>([&] { array().item<int>(); }, {"found shape (0,)"});
}

}  // namespace
