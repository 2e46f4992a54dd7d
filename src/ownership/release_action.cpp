#include "usmx/memory/release_action.hpp"

#include <new>

#include "base/process_state.hpp"
#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {
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

/// Of one thread.
struct run_state {
  int depth = 0;
  pending_action* first = nullptr;
  pending_action* last = nullptr;

  /// False without memory for it.
  bool put_off(release_action::function action, void* state) noexcept {
    auto* added = new (std::nothrow) pending_action{action, state, nullptr};
    if (added == nullptr) {
      return false;
    }
    (first == nullptr ? first : last->next) = added;
    last = added;
    return true;
  }

  pending_action take_first() noexcept {
    const pending_action taken = *first;
    delete first;
    first = taken.next;
    return taken;
  }
};

// Without a destructor: other destructors of the thread may let memory go after it. One object,
// since every look for a variable of the thread's is a call.
thread_local run_state of_thread;

}  // namespace

// Where there is no memory to put an action off, it runs deeper: the stack may still bear it.
void release_action::run(function action, void* state) noexcept {
  require_no_lock("memory is let go");
  run_state& mine = of_thread;
  if (mine.depth >= greatest_depth && mine.put_off(action, state)) {
    return;
  }
  ++mine.depth;
  action(state);
  while (mine.depth == 1 && mine.first != nullptr) {
    const pending_action next = mine.take_first();
    // An action may have forked: what the child lets go is leaked.
    if (!is_forked_child()) {
      next.run(next.state);
    }
  }
  --mine.depth;
}

}  // namespace usmx::inline v1::detail
