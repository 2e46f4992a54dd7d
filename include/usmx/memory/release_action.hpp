// What lets memory go: a function that runs once, from any thread, when its last user is gone. No
// SYCL here. Next: buffer.hpp.
#pragma once

#include <type_traits>
#include <utility>

#include "usmx/base/api.hpp"

namespace usmx::inline v1 {

namespace detail {

/// Stands for whatever keeps foreign memory alive. Only who made the release action knows what it
/// is: for usmx's Python module an object of Python.
struct foreign_owner;

/// What must happen once, from any thread, when the last user of some memory is gone. An action may
/// let go of other memory, whose action runs within it; but not deeper than a thread's stack bears:
/// beyond some depth they run one after the other, when the outermost one is done and before it
/// returns.
class USMX_API release_action {
 public:
  using function = void (*)(void* state) noexcept;

  release_action() noexcept = default;
  /// `owner` lives until the action has run.
  release_action(function action, void* state, foreign_owner* owner = nullptr) noexcept
      : run_(action), state_(state), owner_(owner) {}
  release_action(release_action&& other) noexcept
      : run_(std::exchange(other.run_, nullptr)), state_(other.state_), owner_(other.owner_) {}
  release_action& operator=(release_action&& other) noexcept {
    std::swap(run_, other.run_);
    std::swap(state_, other.state_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~release_action() {
    if (run_ != nullptr) {
      run(run_, state_);
    }
  }

  /// Wraps `deleter(pointer)`. If this throws, the deleter has run.
  template <class Deleter>
  static release_action of(void* pointer, Deleter&& deleter);

  /// It will never be done.
  void forget() noexcept { run_ = nullptr; }
  /// Whether there is anything to be done.
  explicit operator bool() const noexcept { return run_ != nullptr; }
  /// Null when the maker named none, as for memory of usmx's own.
  foreign_owner* owner() const noexcept { return owner_; }

 private:
  static void run(function action, void* state) noexcept;

  function run_ = nullptr;
  void* state_ = nullptr;
  foreign_owner* owner_ = nullptr;
};

}  // namespace detail

// By reference: a copy made before the try block could throw with nobody to run the deleter.
template <class Deleter>
detail::release_action detail::release_action::of(void* pointer, Deleter&& deleter) {
  struct holder {
    void* pointer;
    std::decay_t<Deleter> deleter;
  };
  holder* state = nullptr;
  try {
    state = new holder{pointer, std::forward<Deleter>(deleter)};
  } catch (...) {
    deleter(pointer);
    throw;
  }
  return {[](void* raw) noexcept {
            auto* owned = static_cast<holder*>(raw);
            owned->deleter(owned->pointer);
            delete owned;
          },
          state};
}

}  // namespace usmx::inline v1
