#include "memory/observer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/messages.hpp"
#include "base/process.hpp"
#include "memory/reclaim.hpp"
#include "usmx/base/error.hpp"
#include "usmx/memory/resources.hpp"
#include "usmx/runtime/devices.hpp"

namespace usmx::inline v1 {

std::atomic<const memory_observer*> detail::current_memory_observer = detail::environment_log();

void detail::tell_memory_observer(const memory_event& event) noexcept {
  const memory_observer* observer = current_memory_observer.load(std::memory_order_acquire);
  if (observer != nullptr && observer->function != nullptr) {
    require_no_lock("the memory observer is called");
    observer->function(observer->context, event);
  }
}

const memory_observer* set_memory_observer(const memory_observer* observer) noexcept {
  return detail::current_memory_observer.exchange(observer, std::memory_order_acq_rel);
}

}  // namespace usmx::inline v1

namespace usmx::inline v1::detail {
namespace {

/// The value of a variable of the environment; null if it is empty or not set.
const char* variable(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

const char* wanted_path() noexcept { return variable("USMX_MEMORY_LOG"); }

/// The path with the number of the process in place of each %p.
std::string with_process_number(std::string path) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

/// Opens the log, which is never destroyed: memory may be released after main. Null if the file
/// cannot be written.
memory_log* open_log() noexcept {
  try {
    return new memory_log(with_process_number(wanted_path()));
  } catch (const value_error& failed) {
    warn(failed.what());
  } catch (const std::exception&) {
    warn("no memory for the log that USMX_MEMORY_LOG asks for");
  }
  return nullptr;
}

void write(void*, const memory_event& event) noexcept {
  static memory_log* const log = open_log();
  if (log != nullptr) {
    log->write(event);
  }
}

constexpr memory_observer writing_observer{&write, nullptr};

}  // namespace

const memory_observer* environment_log() noexcept {
  return wanted_path() == nullptr ? nullptr : &writing_observer;
}

bool leak_report_is_wanted() {
  static const bool wanted = variable("USMX_LEAK_REPORT") != nullptr;
  return wanted;
}

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

/// The text for the event's device; empty if the device is not known yet and there is no memory to
/// note it.
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
    // If that fails, the line has everything except the device.
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

namespace {

/// The list of all tracking resources. Memory keeps its resource, so one that has gone has no
/// blocks to report.
using tracked_resources =
    living_objects<tracking_resource, ranked_mutex<lock_rank::tracked_resources>>;

void report() noexcept {
  if (is_forked_child()) {
    return;
  }
  try {
    release_all();  // memory that only waits for its work is no leak
  } catch (...) {
    // The work has failed, and the memory is released nevertheless.
  }
  try {
    std::size_t count = 0;
    for (const auto& resource : immortal<tracked_resources>().all()) {
      for (const tracked_block& block : resource->live_blocks()) {
        ++count;
        std::fprintf(stderr, "usmx: %zu bytes of %s memory are alive at exit: %s\n", block.nbytes,
                     name(resource->kind()).data(), block.call_site.c_str());
      }
    }
    std::fprintf(stderr, "usmx: blocks that are alive at exit: %zu\n", count);
  } catch (const std::bad_alloc&) {
    // Without memory for the report, there is none.
  }
}

}  // namespace

any_resource reported(any_resource resource) {
  if (!leak_report_is_wanted()) {
    return resource;
  }
  [[maybe_unused]] static const int registered = std::atexit(report);
  auto tracking = std::make_shared<tracking_resource>(std::move(resource), &current_call_site);
  immortal<tracked_resources>().add(tracking);
  return tracking;
}

}  // namespace usmx::inline v1::detail
