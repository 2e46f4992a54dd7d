// A file of memory events: docs/memory.md has the format. Each line is written by one call of the
// system, so that none is lost however the process ends, and threads' lines do not mix.
// Thread-safe. Private to the library.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sycl/device.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/memory/memory_observer.hpp"

namespace usmx::inline v1::detail {

class memory_log {
 public:
  /// Empties the file. Throws value_error if the file cannot be opened, or is another log's.
  explicit memory_log(std::string path);
  memory_log(const memory_log&) = delete;
  memory_log& operator=(const memory_log&) = delete;
  ~memory_log();

  /// Allocates nothing for the event of a free. If the file takes no more, it warns once, and the
  /// log ends.
  void write(const memory_event&) noexcept;

 private:
  /// The text in the file, cut if it is too long.
  using device_text = std::array<char, 64>;

  device_text text_of(const memory_event&) noexcept;
  void append(const char* text, std::size_t length) noexcept;
  void warn_of_the_end(int error) noexcept;

  const std::string path_;
  const int file_;
  /// From the events' clock to the time of day.
  const std::chrono::nanoseconds to_unix_time_;
  std::atomic<bool> has_ended_ = false;
  ranked_mutex<lock_rank::memory_log> mutex_;  // guards what follows
  std::vector<std::pair<sycl::device, device_text>> devices_;
};

}  // namespace usmx::inline v1::detail
