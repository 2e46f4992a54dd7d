// The ways in which programs observe memory: the observer (usmx/memory/memory_observer.hpp), the
// log in a file and the leak report at the end, which the environment can ask for. docs/memory.md
// has the log's format. Private to the library.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sycl/device.hpp>

#include "base/ranked_mutex.hpp"
#include "usmx/memory/memory_observer.hpp"
#include "usmx/memory/memory_resource.hpp"

namespace usmx::inline v1::detail {

extern std::atomic<const memory_observer*> current_memory_observer;

/// Whether anything observes memory. Callers ask before they make an event, so that memory that
/// nobody observes costs only this.
inline bool memory_is_observed() noexcept {
  return current_memory_observer.load(std::memory_order_relaxed) != nullptr;
}

/// Tells the observer of an event. The caller holds no lock of the library.
void tell_memory_observer(const memory_event&) noexcept;

/// The log of all memory, in the file that USMX_MEMORY_LOG names; null if it names none. The file
/// is made at the first event, so programs that use no memory leave none.
const memory_observer* environment_log() noexcept;

/// Whether USMX_LEAK_REPORT, set and not empty, asks for a list of the blocks that are alive when
/// the process ends.
bool leak_report_is_wanted();

/// A file of memory events. Each line is written by one call of the system, so that none is lost
/// however the process ends, and threads' lines do not mix. Thread-safe.
class memory_log {
 public:
  /// Empties the file. Throws value_error if the file cannot be opened, or is another log's.
  explicit memory_log(std::string path);
  memory_log(const memory_log&) = delete;
  memory_log& operator=(const memory_log&) = delete;
  ~memory_log();

  /// Writes a line, without an allocation for the event of a free. If the file takes no more, the
  /// log warns once and ends.
  void write(const memory_event&) noexcept;

 private:
  /// The text in the file, cut if it is too long.
  using device_text = std::array<char, 64>;

  device_text text_of(const memory_event&) noexcept;
  void append(const char* text, std::size_t length) noexcept;
  void warn_of_the_end(int error) noexcept;

  const std::string path_;
  const int file_;
  /// The offset from the events' clock to the time of day.
  const std::chrono::nanoseconds to_unix_time_;
  std::atomic<bool> has_ended_ = false;
  ranked_mutex<lock_rank::memory_log> mutex_;  // guards what follows
  std::vector<std::pair<sycl::device, device_text>> devices_;
};

/// A list of the objects that live, each once. Thread-safe.
template <class T, class Mutex>
class living_objects {
 public:
  void add(const std::shared_ptr<T>& object) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const auto& each) { return each.expired(); });
    all_.push_back(object);
  }
  std::vector<std::shared_ptr<T>> all() {
    std::vector<std::shared_ptr<T>> living;  // may be the last owner: so not under the lock
    const std::lock_guard lock(mutex_);
    for (const std::weak_ptr<T>& each : all_) {
      if (auto object = each.lock()) {
        living.push_back(std::move(object));
      }
    }
    return living;
  }

 private:
  Mutex mutex_;
  std::vector<std::weak_ptr<T>> all_;
};

/// Returns a resource on top of `resource` that notes live blocks, if a leak report is wanted; else
/// `resource` itself.
any_resource reported(any_resource resource);

}  // namespace usmx::inline v1::detail
