// usmx/runtime/devices.hpp: what devices without half or double precision compute with. The rules
// are functions of what a device has, so that they are seen without such a device.
#include "usmx/runtime/devices.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::type_code;
using usmx::type_support;

constexpr type_support everything{};
constexpr type_support no_fp16{.fp16 = false, .fp64 = true};
constexpr type_support no_fp64{.fp16 = true, .fp64 = false};
constexpr type_support neither{.fp16 = false, .fp64 = false};

TEST(nearest_supported, everything_stays_itself_where_everything_is_supported) {
  for (int code = 0; code < usmx::type_count; ++code) {
    const usmx::dtype type(static_cast<type_code>(code));
    EXPECT_TRUE(usmx::is_supported(type, everything));
    EXPECT_EQ(usmx::nearest_supported(type, everything), type);
  }
}

TEST(nearest_supported, double_precision_becomes_single_without_fp64) {
  for (const type_support has : {no_fp64, neither}) {
    EXPECT_FALSE(usmx::is_supported(type_code::float64, has));
    EXPECT_FALSE(usmx::is_supported(type_code::complex128, has));
    EXPECT_EQ(usmx::nearest_supported(type_code::float64, has), type_code::float32);
    EXPECT_EQ(usmx::nearest_supported(type_code::complex128, has), type_code::complex64);
  }
}

TEST(nearest_supported, half_precision_becomes_single_without_fp16) {
  for (const type_support has : {no_fp16, neither}) {
    EXPECT_FALSE(usmx::is_supported(type_code::float16, has));
    EXPECT_EQ(usmx::nearest_supported(type_code::float16, has), type_code::float32);
  }
  EXPECT_TRUE(usmx::is_supported(type_code::float16, no_fp64));
  EXPECT_TRUE(usmx::is_supported(type_code::float64, no_fp16));
}

TEST(nearest_supported, other_types_are_on_every_device) {
  for (const type_code code : {type_code::bool_, type_code::int8, type_code::uint64,
                               type_code::float32, type_code::complex64}) {
    EXPECT_TRUE(usmx::is_supported(code, neither));
    EXPECT_EQ(usmx::nearest_supported(code, neither), code);
  }
}

using require_supported = support::device_test;

TEST_F(require_supported, throws_exactly_for_what_the_device_lacks) {
  const sycl::device device = usmx::default_device();
  const type_support has = usmx::support_of(device);
  EXPECT_EQ(has.fp64, device.has(sycl::aspect::fp64));
  EXPECT_EQ(has.fp16, device.has(sycl::aspect::fp16));
  for (int code = 0; code < usmx::type_count; ++code) {
    const usmx::dtype type(static_cast<type_code>(code));
    if (usmx::is_supported(type, has)) {
      EXPECT_NO_THROW(usmx::require_supported(type, device));
    } else {
      EXPECT_THROW(usmx::require_supported(type, device), usmx::value_error);
    }
  }
}

}  // namespace
