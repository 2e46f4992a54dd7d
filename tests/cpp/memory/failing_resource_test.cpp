// usmx/memory/resources.hpp.
#include "usmx/memory/resources.hpp"

#include <gtest/gtest.h>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::allocation_error;
using usmx::usm_kind;

class failing_resource_test : public support::device_test {};

TEST_F(failing_resource_test, allocation_fails_where_the_function_says_so) {
  usmx::failing_resource resource(std::make_shared<usmx::usm_resource>(usm_kind::host),
                                  [](std::size_t nbytes) { return nbytes == 77; });
  support::expect_error<allocation_error>([&] { resource.allocate(77, 0, queue()); },
                                          {"77 bytes", "on purpose"});
  std::byte* block = resource.allocate(78, 0, queue());
  EXPECT_NE(block, nullptr);
  resource.deallocate(block, 78, 0, queue());
}

TEST_F(failing_resource_test, function_that_is_none_is_refused) {
  support::expect_error<usmx::value_error>(
      [] { usmx::failing_resource(std::make_shared<usmx::usm_resource>(usm_kind::host), nullptr); },
      {"failing_resource", "found null"});
}

}  // namespace
