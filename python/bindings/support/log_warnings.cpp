#include "support/log_warnings.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "support/nanobind.hpp"
#include "usmx/base/warnings.hpp"

namespace usmx::bindings {
namespace {

/// Given by any thread, with or without the interpreter lock, which must not be waited for there.
class pending_warnings {
 public:
  /// False where there is no room: the main thread may be away for long.
  bool add(const char* text) noexcept {
    constexpr std::size_t most = 1000;
    const std::lock_guard lock(mutex_);
    if (texts_.size() == most) {
      return false;
    }
    try {
      texts_.emplace_back(text);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  std::vector<std::string> take() noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// Never destroyed: warnings may come after main.
pending_warnings& pending() {
  static auto& all = *new pending_warnings;
  return all;
}

/// Called by the interpreter, on its main thread. A handler of the user's that raises is no reason
/// to raise in whatever Python code runs now.
int log_pending(void*) noexcept {
  const std::vector<std::string> texts = pending().take();
  try {
    const nb::object logger = nb::module_::import_("logging").attr("getLogger")("usmx");
    for (const std::string& text : texts) {
      logger.attr("warning")("%s", text.c_str());
    }
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("a warning of usmx");
  } catch (const std::exception&) {
    // A text that is no UTF-8, or no memory: nobody can be told.
  }
  return 0;
}

void hand_over(const char* text) noexcept {
  if (Py_IsInitialized() != 0 && pending().add(text)) {
    Py_AddPendingCall(log_pending, nullptr);  // refused when it is asked for often enough already
  } else {
    std::fprintf(stderr, "usmx: %s\n", text);
  }
}

}  // namespace

void log_warnings() noexcept { set_warning_handler(hand_over); }

}  // namespace usmx::bindings
