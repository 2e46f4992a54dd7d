// What the life of the process and its threads asks of every call: none works in a forked child,
// none begins once the process ends, and memory is not handed back on threads of the runtime's own.
// Private to the library; the part that others need is declared in usmx/base/process.hpp.
#pragma once

namespace usmx::detail {

/// To be called before the runtime is used: children forked from then on are unusable. Throws
/// fork_error in such a child.
void note_runtime_in_use();
bool is_forked_child() noexcept;

/// Marks a call into the runtime that takes a while: the end of the process waits for it. After
/// that has begun, threads other than the one that ends the process stop here for good.
class runtime_call {
 public:
  /// Throws fork_error in a forked child.
  runtime_call();
  runtime_call(const runtime_call&) = delete;
  runtime_call& operator=(const runtime_call&) = delete;
  ~runtime_call();
};

/// Lets no other thread begin a runtime_call and waits, for a few seconds at most, until none is
/// under way.
void begin_exit() noexcept;

}  // namespace usmx::detail
