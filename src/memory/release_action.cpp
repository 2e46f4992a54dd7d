#include "usmx/memory/release_action.hpp"

#include <new>

#include "base/process_state.hpp"

namespace usmx::detail {
namespace {

/// Of actions within actions. Between two of them lie all the frames of what the action ends, such
/// as an object of Python with the memory object that it holds: some kilobytes.
constexpr int greatest_depth = 16;

/// An action that is put off until the outermost one is done.
struct pending_action {
  release_action::function run;
  void* state;
  pending_action* next;
};

// Without destructors: other destructors of the thread may let memory go after any of these.
thread_local int depth = 0;
thread_local pending_action* first_pending = nullptr;
thread_local pending_action* last_pending = nullptr;

/// False without memory for it.
bool put_off(release_action::function action, void* state) noexcept {
  auto* added = new (std::nothrow) pending_action{action, state, nullptr};
  if (added == nullptr) {
    return false;
  }
  (first_pending == nullptr ? first_pending : last_pending->next) = added;
  last_pending = added;
  return true;
}

pending_action take_first() noexcept {
  const pending_action taken = *first_pending;
  delete first_pending;
  first_pending = taken.next;
  return taken;
}

}  // namespace

// Where there is no memory to put an action off, it runs deeper: the stack may still bear it.
void release_action::run(function action, void* state) noexcept {
  if (depth >= greatest_depth && put_off(action, state)) {
    return;
  }
  ++depth;
  action(state);
  while (depth == 1 && first_pending != nullptr) {
    const pending_action next = take_first();
    // An action may have forked: what the child lets go is leaked.
    if (!is_forked_child()) {
      next.run(next.state);
    }
  }
  --depth;
}

}  // namespace usmx::detail
