#include "usmx/memory/release_action.hpp"

#include <new>

#include "base/process_state.hpp"
#include "base/ranked_mutex.hpp"

namespace usmx::inline v1::detail {
namespace {

/// How deep actions may be nested. Between two of them are the stack frames of what the action
/// destroys, such as a Python object and the memory object that it holds: some kilobytes.
constexpr int greatest_depth = 16;

/// An action that is put off until the outermost one is done.
struct pending_action {
  release_action::function run;
  void* state;
  pending_action* next;
};

/// The state of one thread.
struct run_state {
  int depth = 0;
  pending_action* first = nullptr;
  pending_action* last = nullptr;

  /// False if there is no memory for the list.
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

// Without a destructor, because other destructors of the thread may release memory later. One
// object, since each access to a thread-local variable is a call.
thread_local run_state of_thread;

}  // namespace

// If there is no memory to put an action off, it runs nested: the stack may still be deep enough.
void release_action::run(function action, void* state) noexcept {
  require_no_lock("memory is released");
  run_state& mine = of_thread;
  if (mine.depth >= greatest_depth && mine.put_off(action, state)) {
    return;
  }
  ++mine.depth;
  action(state);
  while (mine.depth == 1 && mine.first != nullptr) {
    const pending_action next = mine.take_first();
    // An action may have forked. What the child releases is leaked.
    if (!is_forked_child()) {
      next.run(next.state);
    }
  }
  --mine.depth;
}

}  // namespace usmx::inline v1::detail
