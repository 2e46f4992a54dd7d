#include "observing/environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "base/warn.hpp"
#include "observing/memory_log.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1::detail {
namespace {

const char* wanted_path() noexcept {
  const char* path = std::getenv("USMX_MEMORY_LOG");
  return path == nullptr || *path == '\0' ? nullptr : path;
}

/// The path with the number of the process in place of each %p.
std::string with_process_number(std::string path) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

/// Never destroyed: memory may be released after main. Null if the file cannot be written.
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
  static const bool wanted = [] {
    const char* value = std::getenv("USMX_LEAK_REPORT");
    return value != nullptr && *value != '\0';
  }();
  return wanted;
}

}  // namespace usmx::inline v1::detail
