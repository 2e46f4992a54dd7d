// Release actions: functions that run once, on any thread, when the last user of some memory is
// gone. This header does not need SYCL. Next: buffer.hpp.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"

namespace usmx::inline v1 {

namespace detail {

/// The object that keeps foreign memory alive. Only the maker of the release action knows what it
/// is: for usmx's Python module it is a Python object.
struct foreign_owner;

/// Whether a callable object of this class may be without a function: a pointer, or a class such as
/// std::function. Lambdas never are.
template <class Function>
inline constexpr bool may_be_null =
    std::is_pointer_v<Function> || requires(const Function& of) { of.operator bool(); };

/// A function that runs once, on any thread, when the last user of some memory is gone. An action
/// may release other memory, whose action then runs inside of it. Beyond some depth, so that the
/// stack does not overflow, actions do not nest: they run one after the other when the outermost
/// one is done, before it returns.
class USMX_API release_action {
 public:
  /// The function that runs. It gets the action's `state`.
  using function = void (*)(void* state) noexcept;

  /// Makes an object without an action.
  release_action() noexcept = default;
  /// Calls `action(state)` once. `owner` must live until then.
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

  /// The action's state if `action` is the function that runs; else null.
  void* state_of(function action) const noexcept { return run_ == action ? state_ : nullptr; }

  /// An action that calls `deleter(pointer)`. If this throws, the deleter has run. Throws
  /// value_error for a null function, which cannot run.
  template <class Deleter>
  static release_action of(void* pointer, Deleter&& deleter);

  /// Drops the action: it never runs.
  void forget() noexcept { run_ = nullptr; }
  /// Whether there is an action to run.
  explicit operator bool() const noexcept { return run_ != nullptr; }
  /// The owner that the maker named, or null. Memory that usmx allocated has none.
  foreign_owner* owner() const noexcept { return owner_; }

 private:
  static void run(function action, void* state) noexcept;

  function run_ = nullptr;
  void* state_ = nullptr;
  foreign_owner* owner_ = nullptr;
};

}  // namespace detail

// The parameter is a reference: a copy could throw before the try block, and the deleter would not
// run.
template <class Deleter>
detail::release_action detail::release_action::of(void* pointer, Deleter&& deleter) {
  struct holder {
    void* pointer;
    std::decay_t<Deleter> deleter;
  };
  if constexpr (may_be_null<std::decay_t<Deleter>>) {
    std::ignore = required(deleter, "deleter of memory", "a function");
  }
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
