// memory/memory_log.hpp: a file of memory events.
#include "memory/observer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/device_test.hpp"
#include "support/errors.hpp"
#include "support/memory_log_lines.hpp"
#include "support/temporary_folder.hpp"
#include "usmx/base/error.hpp"

namespace {

using usmx::memory_action;
using usmx::memory_event;
using usmx::memory_source;
using usmx::usm_kind;
using usmx::detail::memory_log;

class memory_log_test : public support::device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    warnings().clear();
    usmx::set_warning_handler([](const char* text) noexcept { warnings() += text; });
  }
  void TearDown() override { usmx::set_warning_handler(nullptr); }

  static std::string& warnings() {
    static std::string all;
    return all;
  }
};

TEST_F(memory_log_test, full_disk_is_told_once) {
  memory_log log("/dev/full");
  const sycl::queue at = queue();
  for (int round = 0; round < 3; ++round) {
    log.write({memory_action::failure, memory_source::pool, usm_kind::host, 100, nullptr, at});
  }
  EXPECT_EQ(
      warnings(),
      "the memory log '/dev/full' ends here, because it can no longer be written: No space left on "
      "device");
}

TEST_F(memory_log_test, every_value_has_its_name) {
  const support::temporary_folder folder;
  const std::string path = folder.path() / "memory.csv";
  memory_log log(path);
  const sycl::queue at = queue();
  const std::byte byte{};
  for (const auto action : {memory_action::allocate, memory_action::free, memory_action::failure}) {
    for (const auto source :
         {memory_source::buffer, memory_source::pool, memory_source::resource}) {
      log.write({action, source, usm_kind::device, 100, &byte, at});
    }
  }
  const auto lines = support::memory_log_lines(path);
  ASSERT_EQ(lines.size(), 9U);
  for (const std::size_t k : {0, 3, 6}) {
    EXPECT_EQ(lines[k].action(), k == 0 ? "allocate" : k == 3 ? "free" : "failure");
    EXPECT_EQ(lines[k].source(), "buffer");
    EXPECT_EQ(lines[k + 1].source(), "pool");
    EXPECT_EQ(lines[k + 2].source(), "resource");
  }
  EXPECT_EQ(warnings(), "");
}

TEST_F(memory_log_test, device_may_have_several_logs_and_a_file_one) {
  memory_log first("/dev/null");
  memory_log second("/dev/null");
  const support::temporary_folder folder;
  const std::string path = folder.path() / "memory.csv";
  memory_log alone(path);
  support::expect_error<usmx::value_error>([&] { memory_log(std::string(path)); }, {"another log"});
}

}  // namespace
