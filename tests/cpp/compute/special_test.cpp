#include "usmx/compute/special.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"
#include "usmx/copy/host_data.hpp"
#include "usmx/copy/values.hpp"

namespace {

using support::expect_error;
using usmx::array;
namespace special = usmx::special;

class special_test : public support::device_test {
 protected:
  template <class T>
  static array of(const std::vector<T>& values) {
    return usmx::from_host(queue(), values);
  }
};

TEST_F(special_test, values_are_those_of_the_standard_library) {
  const array x = of<double>({0.25, 3});
  const std::vector<double> found = usmx::to_vector<double>(special::erf(x));
  EXPECT_NEAR(found[0], std::erf(0.25), 1e-15);
  EXPECT_NEAR(found[1], std::erf(3.0), 1e-15);
  EXPECT_NEAR(special::gammaln(x.slice(1)).item<double>(), std::log(2.0), 1e-15);
  EXPECT_EQ(special::xlogy(0.0, x).slice(0).item<double>(), 0);
}

TEST_F(special_test, types_follow_those_of_other_functions) {
  const array x = of<float>({0.5F});
  EXPECT_EQ(special::erf(x).type(), usmx::float32);
  EXPECT_EQ(special::beta(x, 2).type(), usmx::float32);
  EXPECT_EQ(special::erf(of<std::int8_t>({1})).type(), usmx::float64);
  EXPECT_EQ(special::xlogy(x, of<double>({2})).type(), usmx::float64);
  const array out = usmx::empty({1}, usmx::float64, queue());
  special::erf(x, {.outputs = {out}});
  EXPECT_EQ(out.item<double>(), double{special::erf(x).item<float>()});
}

TEST_F(special_test, other_operands_are_errors) {
  const array x = of<double>({1, 2});
  expect_error<usmx::value_error>([&] { (void)special::call("sin", {x}); },
                                  {"usmx has no special function 'sin'"});
  expect_error<usmx::type_error>([&] { (void)special::call("erf", {x, x}); },
                                 {"special.erf: expected 1 operands", "found 2"});
  expect_error<usmx::type_error>([&] { (void)special::erf(0.5); }, {"expected an array"});
  expect_error<usmx::type_error>([&] { (void)special::erf(of<std::complex<double>>({{1, 2}})); },
                                 {"special.erf is defined for real numbers, found complex128"});
  expect_error<usmx::value_error>([&] { (void)special::beta(x, of<double>({1, 2, 3})); },
                                  {"broadcast"});
}

}  // namespace
