// src/runtime/drivers/cuda.hpp: what the driver's answers mean. No such device is needed: the
// functions of the driver are replaced by ones that answer from a table.
#include "runtime/drivers/cuda.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

using usmx::allocation_info;
using usmx::usm_kind;
namespace cuda = usmx::detail::cuda;
using cuda::memory_type;
using cuda::pointer_attribute;
using cuda::result;

constexpr result invalid_value = 1;      // CUDA_ERROR_INVALID_VALUE
constexpr result invalid_context = 201;  // CUDA_ERROR_INVALID_CONTEXT
constexpr result not_found = 500;        // CUDA_ERROR_NOT_FOUND

/// What the stand-in for the driver knows.
struct {
  std::byte block[64];
  bool knows_the_pointer;
  bool managed;
  memory_type type;
  result push_result;
  bool has_address_range;
  bool has_range_attributes;
  CUcontext current;
} driver;

CUdeviceptr base() { return reinterpret_cast<std::uintptr_t>(driver.block); }

template <class Value>
result answer(void* to, Value value) {
  std::memcpy(to, &value, sizeof value);
  return cuda::success;
}

result get_attribute(void* value, pointer_attribute attribute, CUdeviceptr) {
  if (driver.current == nullptr) {
    return invalid_context;
  }
  if (!driver.knows_the_pointer) {
    return invalid_value;
  }
  switch (attribute) {
    case pointer_attribute::memory_type:
      return answer(value, driver.type);
    case pointer_attribute::is_managed:
      return answer(value, driver.managed);  // one byte
    case pointer_attribute::range_start:
      return driver.has_range_attributes ? answer(value, base()) : invalid_value;
    case pointer_attribute::range_nbytes:
      return driver.has_range_attributes ? answer(value, sizeof driver.block) : invalid_value;
  }
  return invalid_value;
}

result get_range(CUdeviceptr* first, std::size_t* nbytes, CUdeviceptr) {
  if (driver.current == nullptr) {
    return invalid_context;
  }
  if (!driver.has_address_range) {
    return not_found;
  }
  *first = base();
  *nbytes = sizeof driver.block;
  return cuda::success;
}

result push(CUcontext context) {
  if (driver.push_result == cuda::success) {
    driver.current = context;
  }
  return driver.push_result;
}

result pop(CUcontext* popped) {
  *popped = driver.current;
  driver.current = nullptr;
  return cuda::success;
}

class usm_cuda_test : public testing::Test {
 protected:
  void SetUp() override {
    driver.knows_the_pointer = true;
    driver.managed = false;
    driver.type = memory_type::device;
    driver.push_result = cuda::success;
    driver.has_address_range = true;
    driver.has_range_attributes = true;
    driver.current = nullptr;
  }

  static allocation_info query() {
    return cuda::query({get_attribute, get_range, nullptr, nullptr, push, pop},
                       reinterpret_cast<CUcontext>(&driver), driver.block + 10);
  }
  static void expect_extent() {
    const allocation_info found = query();
    EXPECT_TRUE(found.extent_known);
    EXPECT_EQ(found.base, driver.block);
    EXPECT_EQ(found.nbytes, sizeof driver.block);
  }
};

TEST_F(usm_cuda_test, kind_is_the_drivers_memory_type) {
  EXPECT_EQ(query().kind, usm_kind::device);
  driver.type = memory_type::host;
  EXPECT_EQ(query().kind, usm_kind::host);
}

TEST_F(usm_cuda_test, managed_memory_is_shared_wherever_it_is) {
  driver.managed = true;
  for (const memory_type where : {memory_type::device, memory_type::host}) {
    driver.type = where;
    EXPECT_EQ(query().kind, usm_kind::shared);
  }
}

TEST_F(usm_cuda_test, memory_of_another_type_is_unknown) {
  driver.type = memory_type{3};  // CU_MEMORYTYPE_ARRAY
  EXPECT_EQ(query().kind, usm_kind::unknown);
  EXPECT_FALSE(query().extent_known);
}

TEST_F(usm_cuda_test, pointer_that_the_driver_does_not_know_is_unknown) {
  driver.knows_the_pointer = false;
  EXPECT_EQ(query().kind, usm_kind::unknown);
  EXPECT_FALSE(query().extent_known);
}

TEST_F(usm_cuda_test, extent_is_the_drivers_address_range) {
  driver.has_range_attributes = false;
  expect_extent();
}

TEST_F(usm_cuda_test, extent_comes_from_attributes_where_the_range_cannot_be_had) {
  driver.has_address_range = false;
  expect_extent();
}

TEST_F(usm_cuda_test, extent_that_cannot_be_had_is_unknown) {
  driver.has_address_range = false;
  driver.has_range_attributes = false;
  EXPECT_EQ(query().kind, usm_kind::device);
  EXPECT_FALSE(query().extent_known);
}

TEST_F(usm_cuda_test, threads_current_context_is_left_as_it_was) {
  query();
  EXPECT_EQ(driver.current, nullptr);
}

TEST_F(usm_cuda_test, context_that_cannot_be_entered_means_unknown) {
  driver.push_result = invalid_context;
  EXPECT_EQ(query().kind, usm_kind::unknown);
}

TEST(usm_cuda, functions_are_there_exactly_where_the_driver_is_loaded) {
  const bool loaded = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  EXPECT_EQ(cuda::find_functions().has_value(), loaded);
}

}  // namespace
