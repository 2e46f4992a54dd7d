#include "base/process.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"

namespace usmx::inline v1::detail {
namespace {

std::atomic<bool> forked_child = false;

std::atomic<bool> closing = false;
std::atomic<std::thread::id> closing_thread;
std::atomic<int> calls_under_way = 0;

thread_local bool user_thread = false;
thread_local int depth = 0;  // number of runtime_calls that are nested on this thread

thread_state state_functions;  // written once, before they are told of
std::atomic<const thread_state*> kept_state = nullptr;
thread_local int kept_depth = 0;  // number of kept_thread_states that are nested on this thread
thread_local void* state_before = nullptr;

constexpr auto longest_wait_at_exit = std::chrono::seconds(5);

void begin_keeping_state() noexcept {
  if (kept_depth++ == 0) {
    const thread_state* kept = kept_state.load(std::memory_order_acquire);
    state_before = kept == nullptr ? nullptr : kept->now();
  }
}

void end_keeping_state() noexcept {
  if (--kept_depth > 0) {
    return;
  }
  const thread_state* kept = kept_state.load(std::memory_order_acquire);
  if (kept != nullptr && kept->now() != state_before) {
    kept->set(state_before);
  }
}

[[noreturn]] void stop_for_good() noexcept {
  for (;;) {
    pause();
  }
}

}  // namespace

void note_runtime_in_use() {
  require_usable_process();
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked_child.store(true, std::memory_order_relaxed); });
}

bool is_forked_child() noexcept { return forked_child.load(std::memory_order_relaxed); }

void keep_thread_state(const thread_state& state, void* before_call) noexcept {
  if (kept_state.load(std::memory_order_relaxed) == nullptr) {
    state_functions = state;
    kept_state.store(&state_functions, std::memory_order_release);
    state_before = before_call;
  }
}

runtime_call::runtime_call() {
  require_usable_process();
  begin_keeping_state();
  note_user_thread();
  if (depth++ > 0) {
    return;
  }
  ++calls_under_way;
  if (closing && closing_thread.load() != std::this_thread::get_id()) {
    --calls_under_way;
    stop_for_good();
  }
}

runtime_call::~runtime_call() {
  end_keeping_state();
  if (--depth == 0) {
    --calls_under_way;
  }
}

void begin_exit() noexcept {
  closing_thread = std::this_thread::get_id();
  closing = true;
  const int own = depth > 0 ? 1 : 0;
  const auto deadline = std::chrono::steady_clock::now() + longest_wait_at_exit;
  while (calls_under_way > own && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace usmx::inline v1::detail

usmx::internal::kept_thread_state::kept_thread_state() noexcept { detail::begin_keeping_state(); }
usmx::internal::kept_thread_state::~kept_thread_state() { detail::end_keeping_state(); }

void usmx::note_user_thread() noexcept { detail::user_thread = true; }
bool usmx::is_user_thread() noexcept { return detail::user_thread; }

void usmx::require_usable_process() {
  if (detail::is_forked_child()) {
    throw fork_error(
        "usmx cannot be used in this process: it was forked after its parent had used the SYCL "
        "runtime, which does not survive a fork. Start processes by 'spawn' or 'forkserver' "
        "(multiprocessing.set_start_method) or as a subprocess instead");
  }
}
