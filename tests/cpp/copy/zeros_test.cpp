// usmx/copy/values.hpp: new arrays whose elements are all zero.
#include "usmx/copy/values.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::all_kinds;
using support::expect_error;
using usmx::array;
using usmx::type_code;
using usmx::usm_kind;
using extents = std::vector<std::ptrdiff_t>;
using zeros_test = support::device_test;

TEST_F(zeros_test, zeros_are_zero_in_every_kind_of_memory) {
  for (const usm_kind kind : all_kinds) {
    for (int round = 0; round < 3; ++round) {  // memory that was used before, too
      const array a = usmx::zeros(extents{7, 11}, type_code::float64, queue(), kind);
      const auto bytes = support::download(a.data(), a.nbytes(), queue());
      EXPECT_EQ(bytes, std::vector<std::byte>(a.nbytes())) << name(kind);
      support::upload(std::vector(a.nbytes(), std::byte{0xff}), a.data(), queue());
    }
  }
}

TEST_F(zeros_test, zeros_are_device_memory_unless_asked_otherwise) {
  EXPECT_EQ(usmx::zeros(extents{3}, type_code::int8, queue()).kind(), usm_kind::device);
}

TEST_F(zeros_test, zeros_without_elements_own_one) {
  for (const usm_kind kind : all_kinds) {
    for (const extents& shape : {extents{0}, extents{4, 0, 3}}) {
      const array a = usmx::zeros(shape, type_code::float64, queue(), kind);
      EXPECT_EQ(a.size(), 0);
      EXPECT_EQ(a.owner()->nbytes(), 8U);
      EXPECT_EQ(a.kind(), kind);
    }
  }
}

TEST_F(zeros_test, zeros_whose_bytes_overflow_are_an_error) {
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 60;
  for (const extents& shape : {extents{huge}, extents{huge, 16}}) {
    expect_error<usmx::overflow_error>([&] { usmx::zeros(shape, type_code::float64, queue()); });
  }
}

}  // namespace
