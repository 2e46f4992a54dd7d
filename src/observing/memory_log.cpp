#include "observing/memory_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/warn.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/selectors.hpp"

namespace usmx::inline v1::detail {
namespace {

using std::chrono::nanoseconds;

constexpr std::string_view header = "time,thread,action,source,kind,nbytes,address,device\n";

/// Several logs may write to one device or pipe.
bool is_regular(int file) {
  struct stat found{};
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

/// Empties the file only if no other log has it, in this process or another.
int open_alone(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    throw value_error(message("cannot write the memory log '", path, "': ", std::strerror(errno)));
  }
  if (!is_regular(file)) {
    return file;
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    throw value_error(message("cannot write the memory log '", path,
                              "': another log is being written there. In USMX_MEMORY_LOG %p "
                              "stands for the process ID"));
  }
  [[maybe_unused]] const int emptied = ::ftruncate(file, 0);
  return file;
}

nanoseconds offset_to_unix_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::steady_clock::now().time_since_epoch();
}

int thread_number() noexcept {
  thread_local const auto number = static_cast<int>(::syscall(SYS_gettid));
  return number;
}

/// How many devices' names are kept; the oldest goes first.
constexpr std::size_t most_devices = 64;

std::string name_of(const sycl::device& device) {
  try {
    return filter_string(device);
  } catch (const value_error&) {  // a sub-device
    return message(backend_name(device.get_backend()), ':', device_type_name(device), ":part");
  }
}

}  // namespace

memory_log::memory_log(std::string path)
    : path_(std::move(path)), file_(open_alone(path_)), to_unix_time_(offset_to_unix_time()) {
  append(header.data(), header.size());
}

memory_log::~memory_log() { ::close(file_); }

void memory_log::write(const memory_event& event) noexcept {
  if (has_ended_.load(std::memory_order_relaxed)) {
    return;
  }
  const long long time = (event.time.time_since_epoch() + to_unix_time_) / nanoseconds(1);
  char address[24] = "";
  if (event.address != nullptr) {
    std::snprintf(address, sizeof address, "%p", static_cast<const void*>(event.address));
  }
  char line[256];
  const int length = std::snprintf(
      line, sizeof line, "%lld.%09lld,%d,%s,%s,%s,%zu,%s,%s\n", time / 1'000'000'000,
      time % 1'000'000'000, thread_number(), name(event.action).data(), name(event.source).data(),
      name(event.kind).data(), event.nbytes, address, text_of(event).data());
  append(line, static_cast<std::size_t>(length));
}

/// Empty if the device is not known yet and there is no memory to note it.
memory_log::device_text memory_log::text_of(const memory_event& event) noexcept {
  device_text text{};
  try {
    const sycl::device device = event.queue.get_device();
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(
        devices_, device, [](const auto& each) -> const auto& { return each.first; });
    if (known != devices_.end()) {
      return known->second;
    }
    if (event.action != memory_action::free) {
      name_of(device).copy(text.data(), text.size() - 1);
      if (devices_.size() == most_devices) {  // sub-devices: each time new ones
        devices_.erase(devices_.begin());
      }
      devices_.emplace_back(device, text);
    }
  } catch (...) {
    // The line has everything except the device.
  }
  return text;
}

void memory_log::append(const char* text, std::size_t length) noexcept {
  while (length > 0) {
    const ssize_t written = ::write(file_, text, length);
    if (written > 0) {
      text += written;
      length -= static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      warn_of_the_end(errno);
      return;
    }
  }
}

void memory_log::warn_of_the_end(int error) noexcept {
  if (has_ended_.exchange(true)) {
    return;
  }
  char reason[128];
  char text[512];
  std::snprintf(text, sizeof text,
                "the memory log '%s' ends here, because it can no longer be written: %s",
                path_.c_str(), ::strerror_r(error, reason, sizeof reason));
  warn(text);
}

}  // namespace usmx::inline v1::detail
