#include "module/module.hpp"

#include <string>
#include <utility>
#include <vector>

#include "internals.hpp"
#include "support/call_site.hpp"
#include "support/interpreter_lock.hpp"

namespace usmx::bindings {
namespace {

/// Whoever writes there holds the interpreter lock; without one, this lock.
nb::ft_mutex seen_mutex;
std::vector<std::string>& seen() {
  static auto* places = new std::vector<std::string>;
  return *places;
}

void note_wait() noexcept {
  if (Py_IsInitialized() == 0 || !has_interpreter_lock()) {
    return;
  }
  try {
    std::string place = python_call_site();
    const nb::ft_lock_guard lock(seen_mutex);
    seen().push_back(std::move(place));
  } catch (const std::exception&) {
    // No memory to say so.
  }
}

}  // namespace

void bind_watched_waits(nb::module_& m) {
  m.def(
      "_watch_waits", [] { internal::tell_of_waits(&note_wait); },
      "From now on, note every wait of a thread that holds the interpreter lock. For tests.");
  m.def(
      "_waits_with_lock",
      [] {
        const nb::ft_lock_guard lock(seen_mutex);
        return std::exchange(seen(), {});
      },
      "The lines of Python in which such waits were noted since the last call.");
}

}  // namespace usmx::bindings
