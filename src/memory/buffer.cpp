#include "usmx/memory/buffer.hpp"

#include <algorithm>

#include <sycl/exception.hpp>

#include "base/process_state.hpp"
#include "memory/deferred_release.hpp"
#include "runtime/completion.hpp"
#include "runtime/context_state.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx {
namespace {

/// Hands a block of usmx's own back to the runtime.
struct return_to_runtime {
  sycl::queue queue;
  usm_kind kind;

  void operator()(void* block) const noexcept {
    usm_resource(queue, kind).deallocate(static_cast<std::byte*>(block));
  }
};

}  // namespace

buffer::buffer(std::byte* data, std::size_t nbytes, usm_kind kind, sycl::queue queue,
               detail::release_action release, traits known) noexcept
    : data_(data),
      nbytes_(nbytes),
      kind_(kind),
      traits_(known),
      queue_(std::move(queue)),
      release_(std::move(release)) {
  note_user_thread();
}

buffer buffer::allocate(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                        std::size_t alignment) {
  const detail::runtime_call call;
  detail::release_finished();
  std::byte* block = usm_resource(queue, kind).allocate(nbytes, alignment);
  auto release = detail::release_action::of(block, return_to_runtime{queue, kind});
  const bool queue_is_ours = detail::state_of(queue.get_context())->is_cached(queue);
  return buffer(block, nbytes, kind, queue, std::move(release),
                {.readonly = false, .queue_is_ours = queue_is_ours, .owns = true});
}

buffer buffer::adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                     detail::release_action release) {
  if (nbytes == 0) {
    throw value_error("number of bytes to adopt must be positive, found 0");
  }
  const usm_kind kind = check_access(pointer, nbytes, queue.get_context());
  check_device(pointer, kind, queue);
  buffer adopted(static_cast<std::byte*>(pointer), nbytes, kind, queue, std::move(release),
                 {.readonly = false, .queue_is_ours = false, .owns = true});
  adopted.expose();
  return adopted;
}

std::shared_ptr<buffer> buffer::adopt_checked(void* pointer, std::size_t nbytes, usm_kind kind,
                                              sycl::queue queue, detail::release_action release,
                                              bool readonly) {
  auto result = std::make_shared<buffer>(
      static_cast<std::byte*>(pointer), nbytes, kind, std::move(queue), std::move(release),
      traits{.readonly = readonly, .queue_is_ours = false, .owns = false});
  result->expose();
  return result;
}

buffer buffer::on_queue(std::shared_ptr<buffer> whole, const sycl::queue& queue) {
  if (queue.get_context() != whole->queue_.get_context()) {
    throw value_error("a queue for existing memory must be of the memory's context, found another");
  }
  const buffer& bytes = *whole;
  buffer result(bytes.data_, bytes.nbytes_, bytes.kind_, queue, detail::holding(std::move(whole)),
                {.readonly = bytes.readonly(), .queue_is_ours = false, .owns = true});
  result.expose();
  return result;
}

buffer buffer::part_of(std::shared_ptr<buffer> whole, std::byte* first, std::size_t nbytes,
                       bool readonly, detail::release_action release) noexcept {
  buffer part(first, nbytes, whole->kind_, whole->queue_, std::move(release),
              {.readonly = readonly, .queue_is_ours = whole->traits_.queue_is_ours, .owns = false});
  part.whole_ = whole->whole_ ? whole->whole_ : std::move(whole);
  return part;
}

buffer::buffer(buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      nbytes_(std::exchange(other.nbytes_, 0)),
      kind_(other.kind_),
      traits_(other.traits_),
      exposed_(other.exposed_.load()),
      recorded_(other.recorded_.exchange(false)),
      queue_(other.queue_),
      release_(std::move(other.release_)),
      whole_(std::move(other.whole_)),
      events_(std::move(other.events_)) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  if (this != &other) {
    let_go();
    data_ = std::exchange(other.data_, nullptr);
    nbytes_ = std::exchange(other.nbytes_, 0);
    kind_ = other.kind_;
    traits_ = other.traits_;
    exposed_ = other.exposed_.load();
    recorded_ = other.recorded_.exchange(false);
    queue_ = other.queue_;
    release_ = std::move(other.release_);
    whole_ = std::move(other.whole_);
    events_ = std::move(other.events_);
  }
  return *this;
}

buffer::~buffer() { let_go(); }

void buffer::let_go() noexcept {
  if (!release_) {
    return;
  }
  if (detail::is_forked_child()) {
    release_.forget();
    return;
  }
  const bool busy = traits_.owns && may_have_others_work();
  const bool user_thread = is_user_thread();
  if (user_thread && !recorded_ && !busy) {
    const detail::release_action now = std::move(release_);
    return;
  }
  detail::deferred_release block{std::move(events_), {}, std::move(release_)};
  if (busy) {
    block.queues.push_back(queue_);
  }
  detail::release_later(std::move(block));
  recorded_ = false;
  if (user_thread) {
    detail::release_finished();
  }
}

void buffer::record(sycl::event event) {
  const detail::runtime_call call;
  buffer& whole = root();
  const std::lock_guard lock(whole.events_mutex_);
  std::erase_if(whole.events_, detail::is_complete);
  whole.events_.push_back(std::move(event));
  whole.recorded_.store(true, std::memory_order_release);
}

std::vector<sycl::event> buffer::recorded_events() {
  buffer& whole = root();
  const std::lock_guard lock(whole.events_mutex_);
  return whole.events_;
}

void buffer::wait_for_events() {
  sycl::event::wait(recorded_events());
  // Only now, and only what is done: another thread that waits must find what it has to wait for.
  const std::lock_guard lock(events_mutex_);
  std::erase_if(events_, detail::is_complete);
  recorded_.store(!events_.empty(), std::memory_order_release);
}

bool buffer::may_have_others_work() const noexcept {
  return exposed_.load(std::memory_order_relaxed) &&
         (!traits_.queue_is_ours || cached_queues_exposed());
}

void buffer::wait() {
  buffer& whole = root();
  if (!whole.may_be_busy()) {
    return;
  }
  const detail::runtime_call call;
  if (whole.recorded_.load(std::memory_order_acquire)) {
    whole.wait_for_events();
  }
  if (whole.may_have_others_work() && !detail::is_known_empty(queue_)) {
    wait_for_queue(queue_);
  }
}

}  // namespace usmx
