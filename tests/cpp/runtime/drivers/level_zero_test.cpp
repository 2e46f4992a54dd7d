// src/runtime/drivers/level_zero.hpp: what the driver's answers mean. No such device is needed: the
// functions of the driver are replaced by ones that answer from a table.
#include "runtime/drivers/level_zero.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace {

using usmx::allocation_info;
using usmx::usm_kind;
namespace level_zero = usmx::detail::level_zero;
using level_zero::memory_type;
using level_zero::result;

constexpr result address_not_found = 0x78000017;  // ZE_RESULT_ERROR_ADDRESS_NOT_FOUND
constexpr result device_lost = 0x70000001;        // ZE_RESULT_ERROR_DEVICE_LOST

/// What the stand-in for the driver knows, and what it was asked.
struct {
  std::byte block[64];
  memory_type type;
  result properties_result;
  result range_result;
  std::uint32_t structure_type;
  ze_context_handle_t context;
} driver;

result get_properties(ze_context_handle_t context, const void*,
                      level_zero::allocation_properties* properties, ze_device_handle_t*) {
  driver.context = context;
  driver.structure_type = properties->structure_type;
  properties->type = driver.type;
  return driver.properties_result;
}

result get_range(ze_context_handle_t, const void*, void** base, std::size_t* nbytes) {
  *base = driver.block;
  *nbytes = sizeof driver.block;
  return driver.range_result;
}

class usm_level_zero_test : public testing::Test {
 protected:
  void SetUp() override {
    driver.type = memory_type::device;
    driver.properties_result = level_zero::success;
    driver.range_result = level_zero::success;
  }

  static allocation_info query() {
    return level_zero::query({get_properties, get_range}, context(), driver.block + 10);
  }
  static ze_context_handle_t context() { return reinterpret_cast<ze_context_handle_t>(&driver); }
};

TEST_F(usm_level_zero_test, kind_is_the_drivers_memory_type) {
  for (const auto& [type, kind] : {std::pair{memory_type::device, usm_kind::device},
                                   {memory_type::shared, usm_kind::shared},
                                   {memory_type::host, usm_kind::host},
                                   {memory_type::unknown, usm_kind::unknown}}) {
    driver.type = type;
    EXPECT_EQ(query().kind, kind);
  }
}

TEST_F(usm_level_zero_test, bounds_are_the_drivers_address_range) {
  const allocation_info found = query();
  EXPECT_TRUE(found.bounds_known);
  EXPECT_EQ(found.base, driver.block);
  EXPECT_EQ(found.nbytes, sizeof driver.block);
}

TEST_F(usm_level_zero_test, driver_is_asked_about_the_given_context_in_its_own_structure) {
  query();
  EXPECT_EQ(driver.context, context());
  EXPECT_EQ(driver.structure_type, 0x17U);
}

TEST_F(usm_level_zero_test, memory_of_a_type_that_is_not_known_yet_is_unknown) {
  driver.type = memory_type{4};
  EXPECT_EQ(query().kind, usm_kind::unknown);
}

TEST_F(usm_level_zero_test, memory_of_unknown_type_has_no_bounds) {
  driver.type = memory_type::unknown;
  EXPECT_FALSE(query().bounds_known);
}

TEST_F(usm_level_zero_test, failure_to_tell_the_type_means_unknown) {
  driver.properties_result = device_lost;
  EXPECT_EQ(query().kind, usm_kind::unknown);
}

TEST_F(usm_level_zero_test, failure_to_tell_the_range_leaves_the_bounds_unknown) {
  driver.range_result = address_not_found;
  EXPECT_EQ(query().kind, usm_kind::device);
  EXPECT_FALSE(query().bounds_known);
}

// The size and places of the C structure on 64-bit systems.
static_assert(sizeof(level_zero::allocation_properties) == 40);
static_assert(offsetof(level_zero::allocation_properties, next) == 8);
static_assert(offsetof(level_zero::allocation_properties, type) == 16);
static_assert(offsetof(level_zero::allocation_properties, id) == 24);
static_assert(offsetof(level_zero::allocation_properties, page_size) == 32);

TEST(usm_level_zero, functions_are_there_exactly_where_the_loader_is_loaded) {
  const bool loaded = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  EXPECT_EQ(level_zero::find_functions().has_value(), loaded);
}

}  // namespace
