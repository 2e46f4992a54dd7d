// usmx/copy/text.hpp: the elements of arrays as text.
#include "usmx/copy/text.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <sstream>
#include <string>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/print.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
using usmx::usm_kind;

class text_test : public support::device_test {
 protected:
  array counted(const usmx::shape_argument& shape, usm_kind kind = usm_kind::shared) const {
    const array result = usmx::empty(shape, usmx::int32, queue(), kind);
    std::vector<int> elements(static_cast<std::size_t>(result.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = static_cast<int>(i);
    }
    usmx::copy_from_host(elements, result.reshaped(-1));
    return result;
  }
};

TEST_F(text_test, elements_of_any_kind_of_memory_are_nested_lists) {
  for (const usm_kind kind : {usm_kind::device, usm_kind::shared, usm_kind::host}) {
    EXPECT_EQ(usmx::to_string(counted({2, 3}, kind)), "[[0, 1, 2],\n [3, 4, 5]]");
  }
}

TEST_F(text_test, text_is_what_a_view_prints) {
  for (const std::vector<std::ptrdiff_t>& shape :
       {std::vector<std::ptrdiff_t>{2, 0}, {0, 2}, {1, 1}, {7, 2}, {6, 200}, {200, 6}, {40, 41}}) {
    const array a = counted(shape);
    for (const array& shown : {a, a.transposed()}) {
      std::ostringstream view;
      view << shown.host_as<const int, 2>();
      EXPECT_EQ(usmx::to_string(shown), view.str());
    }
  }
  const array deep = counted({11, 10, 12});
  std::ostringstream view;
  view << deep.host_as<const int, 3>();
  EXPECT_EQ(usmx::to_string(deep), view.str());
  EXPECT_EQ(usmx::to_string(counted(2000)), "[0, 1, 2, ..., 1997, 1998, 1999]");
}

TEST_F(text_test, numbers_of_each_kind_are_printed_by_their_values) {
  using namespace std::complex_literals;
  const auto text = [this](auto elements) {
    return usmx::to_string(usmx::from_host(queue(), std::vector{elements}));
  };
  EXPECT_EQ(text(1.5), "[1.5]");
  EXPECT_EQ(text(0.25F), "[0.25]");
  EXPECT_EQ(text(std::int8_t{-65}), "[-65]");
  EXPECT_EQ(text(~std::uint64_t{0}), "[18446744073709551615]");
  EXPECT_EQ(text(1.5 + 2i), "[(1.5,2)]");
  EXPECT_EQ(text(std::complex<float>(0, 1)), "[(0,1)]");
  const array halves = usmx::astype(counted(3), usmx::float16);
  EXPECT_EQ(usmx::to_string(halves), "[0, 1, 2]");
  EXPECT_EQ(usmx::to_string(usmx::astype(counted(2), usmx::bool_)), "[false, true]");
  EXPECT_EQ(usmx::to_string(counted({2, 2}).slice(1, 1)), "3");
}

TEST_F(text_test, structured_elements_and_arrays_without_memory_are_refused) {
  const usmx::dtype pair =
      usmx::dtype::structured({{"x", usmx::int32, {}, 0}, {"y", usmx::int32, {}, 4}}, 8);
  expect_error<usmx::value_error>(
      [&] { static_cast<void>(usmx::to_string(usmx::empty({2}, pair, queue()))); },
      {"to_string", "numbers"});
  expect_error<usmx::value_error>([] { static_cast<void>(usmx::to_string(array())); }, {"memory"});
}

}  // namespace
