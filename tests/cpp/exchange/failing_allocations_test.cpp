// An import with each of its allocations failing once.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/pending_work.hpp"
#include "memory/registry.hpp"
#include "support/device_test.hpp"
#include "support/failing_allocations.hpp"
#include "usmx/array/array.hpp"
#include "usmx/exchange/arrow.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/exchange/usm_array_interface.hpp"
#include "usmx/memory/buffer.hpp"

namespace {

class failing_import_test : public support::device_test {};

TEST_F(failing_import_test, import_that_fails_leaves_nothing_behind_and_succeeds_then) {
  const std::vector<std::ptrdiff_t> shape{64};
  const usmx::array floats = usmx::empty(shape, usmx::type_code::float32, queue());
  usmx::exchange::usm_array_interface description;
  description.data = reinterpret_cast<std::uintptr_t>(floats.data());
  description.typestr = "<f4";
  description.shape = shape;
  const auto imported = [&] {
    return usmx::exchange::to_buffer(usmx::exchange::check(description, queue()), {});
  };
  const std::size_t blocks = usmx::registry::size();
  support::with_every_allocation([&](int number) {
    support::fails(number, imported);
    usmx::synchronize();
    ASSERT_EQ(usmx::registry::size(), blocks);
    ASSERT_FALSE(usmx::detail::has_pending_work());
    ASSERT_EQ(imported()->data(), floats.data());
  });
}

TEST_F(failing_import_test, dlpack_that_fails_leaves_nothing_behind_and_succeeds_then) {
  const std::vector<std::ptrdiff_t> shape{64};
  const usmx::array floats = usmx::empty(shape, usmx::type_code::float32, queue());
  const auto place = usmx::exchange::dlpack_device(floats);
  const auto back = [&] {
    return usmx::exchange::from_dlpack(usmx::exchange::to_dlpack(floats, place));
  };
  const long owners = floats.owner().use_count();
  support::with_every_allocation([&](int number) {
    support::fails(number, back);
    usmx::synchronize();
    ASSERT_EQ(floats.owner().use_count(), owners);
    ASSERT_EQ(back().data(), floats.data());
  });
}

TEST_F(failing_import_test, column_that_fails_leaves_nothing_behind_and_succeeds_then) {
  const std::vector<std::ptrdiff_t> shape{64};
  const usmx::array floats =
      usmx::empty(shape, usmx::type_code::float32, queue(), usmx::usm_kind::shared);
  const auto back = [&] {
    auto schema = usmx::exchange::to_arrow_schema(floats.type());
    auto values = usmx::exchange::to_arrow_device(floats);
    const auto column = usmx::exchange::receive(*schema, *values);
    return usmx::exchange::host_views(column, queue()).front().data();
  };
  const long owners = floats.owner().use_count();
  support::with_every_allocation([&](int number) {
    support::fails(number, back);
    ASSERT_EQ(floats.owner().use_count(), owners);
    ASSERT_EQ(back(), floats.data());
  });
}

}  // namespace
