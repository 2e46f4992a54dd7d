// src/runtime/drivers/cuda.hpp: what the driver's answers mean. No such device is needed: the
// functions of the driver are replaced by ones that answer from a table.
#include "runtime/drivers/cuda.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "support/errors.hpp"

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

constexpr CUdevice first_device = 0;
constexpr CUdevice second_device = 1;

/// What the stand-in for the driver knows.
struct {
  std::byte block[64];
  bool knows_the_pointer;
  bool managed;
  memory_type type;
  CUdevice device;
  bool knows_the_range;
  result status;
  bool has_address_range;
  CUcontext current;
  CUcontext before;  // that was current
  bool is_legacy;
  result peer_status;
  std::vector<CUcontext> enabled;  // the current context and its peer
} driver;

template <class Value>
void write(void* to, Value value) {
  std::memcpy(to, &value, sizeof value);
}

/// What it does not know it leaves as it was.
result get_attributes(unsigned count, pointer_attribute* asked, void** values, CUdeviceptr) {
  for (unsigned k = 0; k < count && driver.knows_the_pointer; ++k) {
    switch (asked[k]) {
      case pointer_attribute::memory_type:
        write(values[k], driver.type);
        break;
      case pointer_attribute::is_managed:
        write(values[k], driver.managed);  // one byte
        break;
      case pointer_attribute::device_ordinal:
        write(values[k], driver.device);
        break;
      case pointer_attribute::range_start:
        if (driver.knows_the_range) write(values[k], reinterpret_cast<CUdeviceptr>(driver.block));
        break;
      case pointer_attribute::range_nbytes:
        if (driver.knows_the_range) write(values[k], sizeof driver.block);
        break;
      case pointer_attribute::is_legacy:
        write(values[k], driver.is_legacy);  // one byte
        break;
    }
  }
  return driver.status;
}

/// Narrower than what the attributes say.
result get_range(CUdeviceptr* first, std::size_t* nbytes, CUdeviceptr) {
  if (driver.current == nullptr) {
    return invalid_context;
  }
  if (!driver.has_address_range) {
    return not_found;
  }
  *first = reinterpret_cast<CUdeviceptr>(driver.block) + 8;
  *nbytes = 16;
  return cuda::success;
}

result push(CUcontext context) {
  driver.before = std::exchange(driver.current, context);
  return cuda::success;
}

result pop(CUcontext* popped) {
  *popped = std::exchange(driver.current, std::exchange(driver.before, nullptr));
  return cuda::success;
}

/// Each device's primary context is named after it.
CUcontext context_of(CUdevice device) { return reinterpret_cast<CUcontext>(device + 1L); }

result retain(CUcontext* context, CUdevice device) {
  *context = context_of(device);
  return cuda::success;
}

result release(CUdevice) { return cuda::success; }

result enable_peer(CUcontext peer, unsigned) {
  driver.enabled = {driver.current, peer};
  return driver.peer_status;
}

class usm_cuda_test : public testing::Test {
 protected:
  void SetUp() override {
    driver.knows_the_pointer = true;
    driver.managed = false;
    driver.type = memory_type::device;
    driver.device = first_device;
    driver.knows_the_range = true;
    driver.status = cuda::success;
    driver.has_address_range = true;
    driver.current = nullptr;
    driver.before = nullptr;
    driver.is_legacy = true;
    driver.peer_status = cuda::success;
    driver.enabled.clear();
  }

  static bool follows_peer_access() {
    return cuda::follows_peer_access(functions, driver.block + 10);
  }

  /// For a context of these devices.
  static allocation_info query(std::vector<CUdevice> devices = {first_device}) {
    return cuda::query(functions, {reinterpret_cast<CUcontext>(&driver), devices},
                       driver.block + 10);
  }

  static std::optional<CUdevice> device_number() {
    return cuda::device_number(functions, driver.block + 10);
  }

  static constexpr cuda::functions functions{.get_attributes = get_attributes,
                                             .get_address_range = get_range,
                                             .retain_primary_context = retain,
                                             .release_primary_context = release,
                                             .push_context = push,
                                             .pop_context = pop,
                                             .enable_peer_access = enable_peer};
};

TEST_F(usm_cuda_test, memory_of_pools_and_unknown_memory_do_not_follow_peer_access) {
  EXPECT_TRUE(follows_peer_access());
  driver.is_legacy = false;
  EXPECT_FALSE(follows_peer_access());
  driver.is_legacy = true;
  driver.knows_the_pointer = false;
  EXPECT_FALSE(follows_peer_access());
  driver.knows_the_pointer = true;
  driver.status = invalid_value;
  EXPECT_FALSE(follows_peer_access());
}

TEST_F(usm_cuda_test, peer_access_is_enabled_in_the_devices_context_once) {
  constexpr result already_enabled = 704;
  constexpr result unsupported = 217;  // CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
  for (const auto& [status, enabled] :
       {std::pair(cuda::success, true), {already_enabled, true}, {unsupported, false}}) {
    driver.peer_status = status;
    EXPECT_EQ(cuda::enable_peer_access(functions, second_device, first_device), enabled);
    EXPECT_EQ(driver.enabled, (std::vector{context_of(second_device), context_of(first_device)}));
    EXPECT_EQ(driver.current, nullptr) << "the thread's context is as it was";
  }
}

TEST_F(usm_cuda_test, device_is_current_for_a_while_and_the_one_before_is_current_again) {
  driver.current = context_of(first_device);
  {
    const cuda::current_primary_context current(functions, second_device);
    EXPECT_EQ(driver.current, context_of(second_device));
    driver.current = nullptr;  // who is asked meanwhile may choose another one
  }
  EXPECT_EQ(driver.current, context_of(first_device));
}

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
  EXPECT_FALSE(query().bounds_known);
}

TEST_F(usm_cuda_test, pointer_that_the_driver_does_not_know_is_unknown) {
  driver.knows_the_pointer = false;
  EXPECT_EQ(query().kind, usm_kind::unknown);
  EXPECT_FALSE(query().bounds_known);
}

TEST_F(usm_cuda_test, error_of_the_driver_means_unknown) {
  driver.status = invalid_value;
  EXPECT_EQ(query().kind, usm_kind::unknown);
}

TEST_F(usm_cuda_test, memory_of_a_device_outside_of_the_context_is_unknown_there) {
  for (const bool managed : {false, true}) {
    driver.managed = managed;
    driver.device = second_device;
    EXPECT_EQ(query({first_device}).kind, usm_kind::unknown);
    EXPECT_NE(query({second_device}).kind, usm_kind::unknown);
    EXPECT_NE(query({first_device, second_device}).kind, usm_kind::unknown);
  }
}

TEST_F(usm_cuda_test, memory_of_the_host_is_known_in_every_context) {
  driver.type = memory_type::host;
  driver.device = second_device;
  EXPECT_EQ(query({first_device}).kind, usm_kind::host);
}

TEST_F(usm_cuda_test, bounds_are_the_drivers_address_range) {
  const allocation_info found = query();
  EXPECT_TRUE(found.bounds_known);
  EXPECT_EQ(found.base, driver.block + 8);
  EXPECT_EQ(found.nbytes, 16U);
}

TEST_F(usm_cuda_test, threads_current_context_is_left_as_it_was) {
  query();
  EXPECT_EQ(driver.current, nullptr);
}

TEST_F(usm_cuda_test, bounds_come_from_attributes_where_the_range_cannot_be_had) {
  driver.has_address_range = false;
  const allocation_info found = query();
  EXPECT_TRUE(found.bounds_known);
  EXPECT_EQ(found.base, driver.block);
  EXPECT_EQ(found.nbytes, sizeof driver.block);
}

TEST_F(usm_cuda_test, bounds_that_the_driver_does_not_know_are_unknown) {
  driver.knows_the_range = false;
  driver.has_address_range = false;
  EXPECT_EQ(query().kind, usm_kind::device);
  EXPECT_FALSE(query().bounds_known);
}

TEST_F(usm_cuda_test, number_of_a_device_is_that_of_the_memorys) {
  driver.device = second_device;
  EXPECT_EQ(device_number(), second_device);
  driver.type = memory_type::host;
  EXPECT_EQ(device_number(), second_device);
}

TEST_F(usm_cuda_test, memory_that_the_driver_does_not_know_has_no_device) {
  driver.knows_the_pointer = false;
  EXPECT_EQ(device_number(), std::nullopt);
  driver.knows_the_pointer = true;
  driver.status = invalid_value;
  EXPECT_EQ(device_number(), std::nullopt);
}

TEST_F(usm_cuda_test, memory_of_a_device_without_a_number_has_no_device) {
  driver.device = -1;
  EXPECT_EQ(device_number(), std::nullopt);
}

TEST(usm_cuda, functions_that_are_needed_are_an_error_where_there_is_no_driver) {
  if (cuda::find_functions()) {
    EXPECT_NO_THROW(cuda::required_functions());
  } else {
    support::expect_error<usmx::device_error>([] { cuda::required_functions(); }, {"CUDA"});
  }
}

TEST(usm_cuda, what_the_driver_refuses_is_an_error_that_says_what_did_not_work) {
  EXPECT_NO_THROW(cuda::require_success(cuda::success, "nothing"));
  support::expect_error<usmx::device_error>(
      [] { cuda::require_success(invalid_value, "cannot start a kernel"); },
      {"cannot start a kernel: CUDA error 1"});
}

TEST(usm_cuda, functions_are_there_exactly_where_the_driver_is_loaded) {
  const bool loaded = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  EXPECT_EQ(cuda::find_functions().has_value(), loaded);
}

}  // namespace
