// usmx/exchange/cuda_array_interface.hpp: what is refused on every machine, and arrays on CUDA
// devices where there are any. The order with CUDA's streams: tests/python/test_cuda.py.
#include "usmx/exchange/cuda_array_interface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/error.hpp"

namespace {

using support::expect_error;
using usmx::buffer_error;
using usmx::overflow_error;
using usmx::usm_kind;
using usmx::value_error;
using usmx::exchange::check;
using usmx::exchange::cuda_array_interface;
using usmx::exchange::describe_for_cuda;
using usmx::exchange::has_cuda_devices;

constexpr std::array<std::ptrdiff_t, 2> shape{3, 4};

/// 3 x 4 floats at an address that is nobody's.
cuda_array_interface floats() {
  return {.data = 4096,
          .typestr = "<f4",
          .fields = std::nullopt,
          .shape = shape,
          .strides = std::nullopt};
}

class cuda_array_interface_test : public support::device_test {};

TEST_F(cuda_array_interface_test, strides_that_are_no_whole_elements_are_refused) {
  auto given = floats();
  given.strides = {16, 3};
  expect_error<value_error>([&] { check(given); }, {"'strides'", "4 bytes", "(16, 3)"});
}

TEST_F(cuda_array_interface_test, wrong_number_of_strides_is_refused) {
  auto given = floats();
  given.strides = {4};
  expect_error<value_error>([&] { check(given); }, {"'strides'", "(3, 4)", "found 1"});
}

TEST_F(cuda_array_interface_test, structured_type_without_fields_is_refused) {
  auto given = floats();
  given.typestr = "|V8";
  expect_error<value_error>([&] { check(given); }, {"|V8", "'descr'"});
}

TEST_F(cuda_array_interface_test, null_pointer_to_elements_is_refused) {
  auto given = floats();
  given.data = 0;
  expect_error<value_error>([&] { check(given); }, {"'data'", "null"});
}

TEST_F(cuda_array_interface_test, elements_outside_of_the_address_space_are_refused) {
  auto given = floats();
  given.data = UINTPTR_MAX - 3;
  expect_error<overflow_error>([&] { check(given); }, {"'data'", "address space"});
}

TEST_F(cuda_array_interface_test, memory_that_is_no_cuda_devices_is_refused) {
  // Where there is no such device the message says so; else that the driver does not know it.
  expect_error<value_error>([] { check(floats()); },
                            {has_cuda_devices() ? "does not know" : "no CUDA device here"});
}

TEST_F(cuda_array_interface_test, array_on_another_device_has_no_dictionary_of_cudas) {
  if (device().get_backend() == sycl::backend::ext_oneapi_cuda) {
    GTEST_SKIP() << "the default device is CUDA's";
  }
  const usmx::array a = usmx::empty(shape, usmx::type_code::float32, queue(), usm_kind::device);
  expect_error<buffer_error>([&] { describe_for_cuda(a); }, {"CUDA", usmx::describe(device())});
}

/// Of kind `device` on usmx's queue of a CUDA device, which is the default one.
class cuda_memory_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (device().get_backend() != sycl::backend::ext_oneapi_cuda) {
      GTEST_SKIP() << "the default device is not CUDA's";
    }
  }

  static usmx::array matrix() {
    return usmx::empty(shape, usmx::type_code::float32, queue(), usm_kind::device);
  }
};

TEST_F(cuda_memory_test, description_of_an_array_is_read_back_as_that_array) {
  const usmx::array a = matrix().with_layout(usmx::layout::strided(
      std::array<std::ptrdiff_t, 2>{3, 2}, std::array<std::ptrdiff_t, 2>{-4, 2}, 8));
  const cuda_array_interface described = describe_for_cuda(a);
  EXPECT_EQ(described.data, reinterpret_cast<std::uintptr_t>(a.data()));
  EXPECT_EQ(described.strides, (std::vector<std::ptrdiff_t>{-16, 8}));
  const usmx::array again = to_array(check(described), {});
  EXPECT_EQ(again.data(), a.data());
  EXPECT_EQ(again.kind(), usm_kind::device);
  EXPECT_TRUE(std::ranges::equal(again.strides(), a.strides()));
}

TEST_F(cuda_memory_test, elements_beyond_the_allocation_are_refused) {
  const support::runtime_block block(4096, usm_kind::device, queue());
  constexpr std::array<std::ptrdiff_t, 1> too_many{std::ptrdiff_t{1} << 40};
  auto given = floats();
  given.data = reinterpret_cast<std::uintptr_t>(block.data());
  given.shape = too_many;
  expect_error<value_error>([&] { check(given); }, {"not all inside"});
}

TEST_F(cuda_memory_test, no_elements_need_no_memory) {
  constexpr std::array<std::ptrdiff_t, 1> none{0};
  auto given = floats();
  given.data = 0;
  given.shape = none;
  EXPECT_EQ(check(given).nbytes, 0U);
}

TEST_F(cuda_memory_test, work_on_a_stream_comes_before_what_follows_it) {
  const usmx::array a = matrix();
  for (const std::uintptr_t stream :
       {usmx::exchange::legacy_default_stream, usmx::exchange::per_thread_default_stream}) {
    usmx::exchange::follow_cuda_stream(a, stream);
    EXPECT_TRUE(a.may_be_busy());
    a.wait();
  }
}

}  // namespace
