// usmx/exchange/c_arrays.hpp: each exception has its number and keeps its text.
#include "usmx/exchange/c_arrays.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include <unified-runtime/ur_api.h>
#include <sycl/exception.hpp>

#include "usmx/base/error.hpp"

namespace {

using usmx::exchange::is_own;

template <class Exception>
void expect_code(const Exception& thrown, usmx_error code) {
  const std::exception_ptr exception = std::make_exception_ptr(thrown);
  const auto found = usmx::exchange::to_c_error(exception);
  EXPECT_EQ(found.code, code);
  EXPECT_EQ(found.text, std::string(thrown.what()));
}

TEST(c_error_test, every_exception_of_usmx_has_its_own_number) {
  expect_code(usmx::value_error("mine"), USMX_VALUE_ERROR);
  expect_code(usmx::type_error("mine"), USMX_TYPE_ERROR);
  expect_code(usmx::index_error("mine"), USMX_INDEX_ERROR);
  expect_code(usmx::axis_error("mine"), USMX_AXIS_ERROR);
  expect_code(usmx::overflow_error("mine"), USMX_OVERFLOW_ERROR);
  expect_code(usmx::read_only_error("mine"), USMX_READ_ONLY_ERROR);
  expect_code(usmx::buffer_error("mine"), USMX_BUFFER_ERROR);
  expect_code(usmx::allocation_error("mine"), USMX_ALLOCATION_ERROR);
  expect_code(usmx::device_error("mine"), USMX_DEVICE_ERROR);
  expect_code(usmx::fork_error("mine"), USMX_FORK_ERROR);
  expect_code(usmx::runtime_conflict("mine"), USMX_RUNTIME_CONFLICT);
}

TEST(c_error_test, exceptions_of_sycl_and_of_the_standard_library_have_numbers) {
  expect_code(sycl::exception(sycl::make_error_code(sycl::errc::invalid), "mine"), USMX_SYCL_ERROR);
  expect_code(std::bad_alloc(), USMX_MEMORY_ERROR);
  expect_code(std::logic_error("mine"), USMX_OTHER_ERROR);
}

sycl::exception from_driver(ur_result_t error) {
  return sycl::detail::set_ur_error({sycl::make_error_code(sycl::errc::runtime), "mine"}, error);
}

TEST(c_error_test, a_driver_without_memory_is_an_allocation_error) {
  expect_code(sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "mine"),
              USMX_ALLOCATION_ERROR);
  expect_code(from_driver(UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE), USMX_ALLOCATION_ERROR);
  expect_code(from_driver(UR_RESULT_ERROR_OUT_OF_HOST_MEMORY), USMX_ALLOCATION_ERROR);
  expect_code(from_driver(UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY), USMX_ALLOCATION_ERROR);
  expect_code(from_driver(UR_RESULT_ERROR_OUT_OF_RESOURCES), USMX_SYCL_ERROR);
}

TEST(c_error_test, what_is_no_exception_of_the_standard_library_has_a_text) {
  const std::exception_ptr exception = std::make_exception_ptr(3);
  const auto found = usmx::exchange::to_c_error(exception);
  EXPECT_EQ(found.code, USMX_OTHER_ERROR);
  EXPECT_NE(found.text, std::string());
}

TEST(c_error_test, own_are_those_of_usmx_and_sycl) {
  EXPECT_TRUE(is_own(USMX_VALUE_ERROR));
  EXPECT_TRUE(is_own(USMX_SYCL_ERROR));
  EXPECT_FALSE(is_own(USMX_MEMORY_ERROR));
  EXPECT_FALSE(is_own(USMX_OTHER_ERROR));
}

}  // namespace
