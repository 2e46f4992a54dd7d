// Looking for a vendor's library, which may come into the process at any time. Private to the
// library.
#pragma once

#include <atomic>
#include <string>

#include "runtime/driver_setup.hpp"

namespace usmx::inline v1::detail {

/// A library that was looked for.
struct library_search {
  void* handle;      ///< null if it cannot be used
  std::string text;  ///< its file, or else why it cannot be used
};

/// Looks for a library until it is found, and keeps that: what is loaded stays loaded. After a
/// failure it looks again only once the process has loaded other libraries, such as those that dpnp
/// or PyTorch bring. Two threads may look at the same time, and find the same.
class optional_library {
 public:
  using search = library_search (*)();

  constexpr explicit optional_library(search find) noexcept : find_(find) {}

  /// Null if the library cannot be used. `fail` is given the reason of each failure.
  template <class Fail>
  void* handle(const Fail& fail) {
    void* known = handle_.load(std::memory_order_acquire);
    if (known == nullptr && count_of_loads() != loads_at_failure_.load(std::memory_order_relaxed)) {
      const library_search found = find_();
      known = found.handle;
      handle_.store(known, std::memory_order_release);
      if (known == nullptr) {
        fail(found.text);
        loads_at_failure_.store(count_of_loads(), std::memory_order_relaxed);
      }
    }
    return known;
  }
  void* handle() {
    return handle([](const std::string&) {});
  }

 private:
  search find_;
  std::atomic<void*> handle_ = nullptr;
  std::atomic<unsigned long long> loads_at_failure_ = 0;
};

/// The file of a library that is loaded.
std::string file_of(void* library);

}  // namespace usmx::inline v1::detail
