#include "memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <tuple>

#include <sycl/exception.hpp>

#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/current_resource.hpp"
#include "memory/observer.hpp"
#include "memory/reclaim.hpp"
#include "memory/registry.hpp"
#include "runtime/contexts.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/usm.hpp"
#include "usmx/runtime/queues.hpp"

namespace usmx::inline v1::detail {
namespace {

/// The greatest depth of nested actions. Between two of them are the stack frames of what the
/// action destroys, such as a Python object and the memory object that it holds: some kilobytes.
constexpr int greatest_depth = 16;

/// An action that is put off until the outermost one is done.
struct pending_action {
  release_action::function run;
  void* state;
  pending_action* next;
};

struct run_state {
  int depth = 0;
  pending_action* first = nullptr;
  pending_action* last = nullptr;

  /// Returns false if there is no memory for the list.
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

// The state has no destructor, because other destructors of the thread may release memory later. It
// is one object, since each access to a thread-local variable is a call.
thread_local run_state of_thread;

}  // namespace

// Runs an action, nested if there is no memory to put it off: the stack may still be deep enough.
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
    // An action may have forked: the child leaks the memory.
    if (!is_forked_child()) {
      next.run(next.state);
    }
  }
  --mine.depth;
}

}  // namespace usmx::inline v1::detail

namespace usmx::inline v1 {
namespace {

using detail::owned_block;

/// Tells the observer of a block that the program gets or gives back.
void observe(memory_action action, const owned_block& block) noexcept {
  if (detail::memory_is_observed()) [[unlikely]] {
    detail::tell_memory_observer({action, memory_source::buffer, block.resource.kind(),
                                  block.nbytes, block.first, block.queue});
  }
}

/// Gives a block back to its resource. A pool takes the block before its work is finished, which
/// stays known by address.
void return_block(void* state) noexcept {
  std::unique_ptr<owned_block> block(static_cast<owned_block*>(state));
  registry::remove(block->first, block->nbytes);
  observe(memory_action::free, *block);
  if (block->resource.is_pool() && detail::may_have_pending_work(block->first, block->nbytes)) {
    detail::keep_waiting(std::move(block));
    detail::release_finished(detail::look::only_asks);
  } else {
    block->resource.deallocate(block->first, block->nbytes, block->alignment, block->queue);
  }
}

/// An action that runs `first` and then releases a part, whose own action runs then. The buffer
/// holds no reference to the part itself, because chains of parts would be destroyed recursively.
detail::release_action after(detail::release_action first, std::shared_ptr<buffer> part) {
  struct both {
    std::shared_ptr<buffer> part;
    detail::release_action first;
  };
  detail::foreign_owner* owner = first ? first.owner() : part->foreign_owner();
  auto* state = new both{std::move(part), std::move(first)};
  return {[](void* of) noexcept { delete static_cast<both*>(of); }, state, owner};
}

std::size_t cached_nbytes() {
  std::size_t sum = 0;
  for (const auto& pool : default_pools()) {
    const pool_statistics now = pool->statistics();
    sum += now.total - std::min(now.used, now.total);
  }
  return sum;
}

/// Allocates, or returns null if there is no memory; then `why` is the reason.
std::byte* allocate_or_explain(const any_resource& resource, std::size_t nbytes,
                               std::size_t alignment, const sycl::queue& queue, std::string& why) {
  try {
    return resource.allocate(nbytes, alignment, queue);
  } catch (const allocation_error& failed) {
    why = failed.what();
  }
  return nullptr;
}

/// Waits until dpctl and dpnp let memory go: they keep what their unfinished work uses, and release
/// it when the work is finished.
void wait_for_last_users(const sycl::queue& queue) {
  detail::wait_for_cached_queues();
  internal::wait_interruptibly(queue);
}

/// A way to reclaim memory before an attempt to allocate. The cheapest one comes first.
using way_to_reclaim = void (*)(const sycl::queue&);
constexpr std::array<way_to_reclaim, 4> ways_to_reclaim = {
    [](const sycl::queue&) {},                  // nothing yet
    [](const sycl::queue&) { empty_cache(); },  // what nobody needs
    [](const sycl::queue&) {                    // what waits for its work
      detail::release_all();
      empty_cache();
    },
    [](const sycl::queue& queue) {  // what unfinished work of others keeps
      wait_for_last_users(queue);
      detail::release_all();
      empty_cache();
    }};

std::byte* allocate_block(const any_resource& resource, std::size_t nbytes, std::size_t alignment,
                          const sycl::queue& queue) {
  std::string why;
  for (const way_to_reclaim reclaim : ways_to_reclaim) {
    reclaim(queue);
    std::byte* const block = allocate_or_explain(resource, nbytes, alignment, queue, why);
    if (block != nullptr) {
      return block;
    }
  }
  if (detail::memory_is_observed()) {
    detail::tell_memory_observer(
        {memory_action::failure, memory_source::buffer, resource.kind(), nbytes, nullptr, queue});
  }
  throw allocation_error(detail::message(why, " (usmx has ", registry::nbytes(), " bytes in use, ",
                                         cached_nbytes(), " bytes that its pools keep, ",
                                         detail::deferred_nbytes(),
                                         " bytes that wait for work to finish)"));
}

}  // namespace

struct internal::new_buffer::request {
  std::size_t nbytes;
  usm_kind kind;
  const sycl::queue& queue;
  std::size_t alignment;
  first_use use;
  /// The resource of the memory; null for the current one.
  const any_resource* from = nullptr;
};

/// A block that the registry does not know yet.
struct internal::new_buffer::block {
  std::unique_ptr<owned_block> owned;
  detail::queue_state of_queue;

  buffer::traits traits() const noexcept {
    return {.readonly = false,
            .queue_is_ours = of_queue.is_cached,
            .owns = true,
            .is_new = true,
            .is_pooled = owned->resource.is_pool()};
  }
  detail::release_action take_release() noexcept { return {&return_block, owned.release()}; }
};

namespace {

using new_block = internal::new_buffer::block;
using request = internal::new_buffer::request;

/// Takes ownership of memory that the resource has given out for the request. Gives it back if
/// there is no host memory for the owner.
std::unique_ptr<owned_block> own(any_resource&& resource, std::byte* first, const request& wanted) {
  try {
    return std::make_unique<owned_block>(std::move(resource), first, wanted.nbytes,
                                         wanted.alignment, wanted.queue);
  } catch (...) {
    resource.deallocate(first, wanted.nbytes, wanted.alignment, wanted.queue);
    throw;
  }
}

/// Finds a free block, or else one that waits for its work, if the request's use allows that.
/// Returns null if there is none. Never waits, and does not call the runtime. Takes the resource if
/// it finds a block.
std::unique_ptr<owned_block> find_block(any_resource&& resource, const request& wanted) {
  if (std::byte* const first =
          resource.try_allocate(wanted.nbytes, wanted.alignment, wanted.queue)) {
    return own(std::move(resource), first, wanted);
  }
  if (wanted.use != internal::first_use::in_order || !resource.is_pool() ||
      !detail::is_possible_request(wanted.nbytes, wanted.alignment)) {
    return nullptr;
  }
  auto known = detail::take_waiting(resource, wanted.nbytes, wanted.alignment, wanted.queue);
  if (known != nullptr) {
    known->nbytes = wanted.nbytes;
    known->alignment = wanted.alignment;
  }
  return known;
}

/// The resource for a request. The first resource of a device and kind is made with a queue of its
/// own. If the driver has no memory for that, it may have some once the pools have freed what they
/// keep.
any_resource resource_for(const request& wanted,
                          const std::shared_ptr<detail::context_state>& state) {
  if (wanted.from != nullptr) {
    wanted.from->require_place(wanted.queue);
    return *wanted.from;
  }
  if (auto scoped = internal::scoped_resource(wanted.queue, wanted.kind)) {
    return *std::move(scoped);
  }
  try {
    return detail::current_resource(state, wanted.queue, wanted.kind);
  } catch (const sycl::exception&) {
    empty_cache();
  }
  return detail::current_resource(state, wanted.queue, wanted.kind);
}

/// Makes a block for a request. May wait.
new_block make_block(const request& wanted) {
  const detail::runtime_call call;
  detail::release_finished();
  detail::queue_state state = detail::state_of(wanted.queue);
  any_resource resource = resource_for(wanted, state.of_context);
  auto block = find_block(std::move(resource), wanted);
  if (block == nullptr) {
    detail::limit_deferred();
    std::byte* const first =
        allocate_block(resource, wanted.nbytes, wanted.alignment, wanted.queue);
    block = own(std::move(resource), first, wanted);
  }
  return {std::move(block), std::move(state)};
}

/// Makes a block for a request. Returns nothing if it would have to wait or to call the runtime.
std::optional<new_block> try_to_make_block(const request& wanted) {
  if (detail::is_forked_child()) {
    return std::nullopt;
  }
  auto state = detail::known_state_of(wanted.queue);
  if (!state) {
    return std::nullopt;
  }
  auto resource = internal::scoped_resource(wanted.queue, wanted.kind);
  if (!resource) {
    resource = detail::known_resource(state->of_context, wanted.queue, wanted.kind);
  }
  auto block = resource ? find_block(*std::move(resource), wanted) : nullptr;
  return block == nullptr ? std::nullopt
                          : std::optional(new_block{std::move(block), *std::move(state)});
}

/// Enters a block in the registry, and tells the observer: from now on the program has it.
void enter(const owned_block& block, usm_kind kind, const detail::queue_state& state,
           std::weak_ptr<buffer> owner) {
  observe(memory_action::allocate, block);
  registry::add({block.first, block.nbytes, kind, state.of_context->context(), std::move(owner)});
}

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
  return allocate(nbytes, queue, kind, alignment);
}

buffer buffer::allocate(std::size_t nbytes, const sycl::queue& queue, const placement& where,
                        std::size_t alignment) {
  const usm_kind kind = where.kind();
  new_block made =
      make_block({nbytes, kind, queue, alignment, internal::first_use::at_once, where.resource()});
  const traits known = made.traits();
  const owned_block& block = *made.owned;  // lives as long as the buffer
  buffer result(block.first, nbytes, kind, queue, made.take_release(), known);
  enter(block, kind, made.of_queue, {});
  return result;
}

std::shared_ptr<buffer> buffer::allocate_shared(std::size_t nbytes, usm_kind kind,
                                                const sycl::queue& queue, std::size_t alignment) {
  return allocate_shared(nbytes, queue, kind, alignment);
}

std::shared_ptr<buffer> buffer::allocate_shared(std::size_t nbytes, const sycl::queue& queue,
                                                const placement& where, std::size_t alignment) {
  return internal::new_buffer::allocate(nbytes, queue, where, alignment,
                                        internal::first_use::at_once);
}

std::shared_ptr<buffer> internal::new_buffer::from_block(block&& made, const request& wanted) {
  const buffer::traits known = made.traits();
  const owned_block& block = *made.owned;  // lives as long as the buffer
  auto result = std::make_shared<buffer>(block.first, wanted.nbytes, wanted.kind, wanted.queue,
                                         made.take_release(), known);
  enter(block, wanted.kind, made.of_queue, result);
  return result;
}

std::shared_ptr<buffer> internal::new_buffer::try_to_allocate(std::size_t nbytes, usm_kind kind,
                                                              const sycl::queue& queue,
                                                              std::size_t alignment,
                                                              first_use use) {
  const request wanted{nbytes, kind, queue, alignment, use};
  auto made = try_to_make_block(wanted);
  return made ? from_block(*std::move(made), wanted) : nullptr;
}

std::shared_ptr<buffer> internal::new_buffer::allocate(std::size_t nbytes, const sycl::queue& queue,
                                                       const placement& where,
                                                       std::size_t alignment, first_use use) {
  const request wanted{nbytes, where.kind(), queue, alignment, use, where.resource()};
  return from_block(make_block(wanted), wanted);
}

buffer buffer::adopt(void* pointer, std::size_t nbytes, const sycl::queue& queue,
                     detail::release_action release) {
  if (nbytes == 0) {
    throw value_error("number of bytes to adopt must be positive, found 0");
  }
  const auto [kind, own] =
      detail::check_access(pointer, nbytes, *detail::state_of(queue.get_context()));
  check_device(pointer, kind, queue);
  if (own) {
    const bool readonly = own->readonly();
    return part_on_queue(own, static_cast<std::byte*>(pointer), nbytes, queue, readonly,
                         std::move(release));
  }
  buffer adopted(static_cast<std::byte*>(pointer), nbytes, kind, queue, std::move(release),
                 {.readonly = false, .queue_is_ours = false, .owns = true});
  adopted.expose();
  return adopted;
}

std::shared_ptr<buffer> buffer::adopt_checked(void* pointer, std::size_t nbytes, usm_kind kind,
                                              sycl::queue queue, detail::release_action release,
                                              bool readonly, bool frees) {
  auto result = std::make_shared<buffer>(
      static_cast<std::byte*>(pointer), nbytes, kind, std::move(queue), std::move(release),
      traits{.readonly = readonly, .queue_is_ours = false, .owns = frees});
  result->expose();
  return result;
}

namespace {

void require_queue_of_context(const buffer& memory, const sycl::queue& queue) {
  if (queue.get_context() != internal::private_queue(memory).get_context()) {
    throw value_error("a queue for existing memory must be of the memory's context, found another");
  }
}

}  // namespace

/// Moves a part that no other code has yet to another queue. The part's lease ends.
void buffer::move_to(const sycl::queue& queue) {
  if (queue_ != queue) {
    end_lease();
    queue_ = queue;
    traits_.queue_is_ours = internal::is_cached_queue(queue);
  }
}

buffer buffer::on_queue(std::shared_ptr<buffer> whole, const sycl::queue& queue) {
  const buffer& all = *detail::required(whole, "buffer::on_queue", "a buffer");
  return part_on_queue(std::move(whole), all.data_, all.nbytes_, queue, all.readonly(), {});
}

buffer internal::buffer_access::part_of_all(std::shared_ptr<buffer> whole) {
  const buffer& all = *whole;
  return buffer::part_of(std::move(whole), all.data_, all.nbytes_, all.readonly(), {});
}

std::shared_ptr<buffer> internal::buffer_access::moved_to_queue(std::shared_ptr<buffer> whole,
                                                                const sycl::queue& wanted) {
  require_queue_of_context(*whole, wanted);
  auto part = std::make_shared<buffer>(part_of_all(std::move(whole)));
  part->move_to(own_queue(wanted));
  return part;
}

buffer buffer::lent_out(std::shared_ptr<buffer> whole) {
  std::ignore = detail::required(whole, "buffer::lent_out", "a buffer");
  buffer lent = internal::buffer_access::part_of_all(std::move(whole));
  lent.begin_lease(lease_kind::queue_and_peers);
  return lent;
}

buffer buffer::part_on_queue(std::shared_ptr<buffer> whole, std::byte* first, std::size_t nbytes,
                             const sycl::queue& wanted, bool readonly,
                             detail::release_action release) {
  require_queue_of_context(*detail::required(whole, "buffer::part_on_queue", "a buffer"), wanted);
  buffer part = part_of(std::move(whole), first, nbytes, readonly, std::move(release));
  part.move_to(internal::own_queue(wanted));
  part.begin_lease(lease_kind::queue);
  return part;
}

buffer buffer::part_of(std::shared_ptr<buffer> whole, std::byte* first, std::size_t nbytes,
                       bool readonly, detail::release_action release) {
  const buffer& outer = *detail::required(whole, "buffer::part_of", "a buffer");
  std::shared_ptr<buffer> memory = outer.whole_ ? outer.whole_ : whole;
  if (outer.whole_ && outer.release_) {
    release = after(std::move(release), std::move(whole));
  }
  buffer part(first, nbytes, memory->kind_, outer.queue_, std::move(release),
              {.readonly = readonly, .queue_is_ours = outer.traits_.queue_is_ours, .owns = false});
  part.whole_ = std::move(memory);
  part.begin_lease(outer.leased_.load());  // the part may live longer
  return part;
}

buffer::buffer(buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      nbytes_(std::exchange(other.nbytes_, 0)),
      kind_(other.kind_),
      traits_(other.traits_),
      exposed_(other.exposed_.load()),
      queue_(other.queue_),
      context_(other.context_.exchange(nullptr)),
      release_(std::move(other.release_)),
      whole_(std::move(other.whole_)),
      leased_(other.leased_.exchange(lease_kind::none)),
      leased_queues_(other.leased_queues_.exchange(leased_queues::none)),
      leases_(std::move(other.leases_)) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  if (this != &other) {
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
  }
  return *this;
}

buffer::~buffer() {
  end_lease();
  let_go();
  delete context_.load(std::memory_order_relaxed);
}

void buffer::let_go() noexcept {
  if (!release_) {
    return;
  }
  if (detail::is_forked_child()) {
    release_.forget();
    return;
  }
  std::vector<sycl::queue> others;
  if (traits_.owns && others_may_work()) {
    try {
      others = others_queues();
    } catch (const std::exception&) {
      release_.forget();  // leaked, since it is not known what to wait for
      return;
    }
  }
  const bool user_thread = is_user_thread();
  if (user_thread && others.empty() &&
      (traits_.is_pooled || !detail::may_have_pending_work(data_, nbytes_))) {
    const detail::release_action now = std::move(release_);
    return;
  }
  detail::release_later({.range = detail::range_of(data_, nbytes_),
                         .memory_ends = traits_.is_new,
                         .queue = queue_,
                         .other_queues = std::move(others),
                         .release = std::move(release_)});
  if (user_thread) {
    detail::release_finished(detail::look::only_asks);
  }
}

namespace {

void record_access(const buffer& memory, detail::byte_range bytes, detail::access made,
                   const sycl::event& event) {
  const detail::runtime_call call;
  if (bytes.nbytes() > 0) {
    detail::add_pending_work(bytes, made, event, {}, internal::private_queue(memory));
    detail::tell_partners(memory, event);
  }
}

}  // namespace

void buffer::record_write(const sycl::event& event) { record_write(event, data_, nbytes_); }

void buffer::record_write(const sycl::event& event, const std::byte* first, std::size_t nbytes) {
  record_access(*this, detail::range_of(first, nbytes), detail::access::write, event);
}

void buffer::record_read(const sycl::event& event) { record_read(event, data_, nbytes_); }

void buffer::record_read(const sycl::event& event, const std::byte* first, std::size_t nbytes) {
  record_access(*this, detail::range_of(first, nbytes), detail::access::read, event);
}

const sycl::context& buffer::context() const {
  const buffer& memory = root();
  const sycl::context* known = memory.context_.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto made = std::make_unique<const sycl::context>(memory.queue_.get_context());
    if (memory.context_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
    }
  }
  return *known;
}

const sycl::queue& buffer::queue() const {
  expose();
  return internal::handed_out(queue_);
}

bool buffer::holds(const void* first, std::size_t nbytes) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  const auto at = reinterpret_cast<std::uintptr_t>(first);
  return at >= begin && at - begin <= nbytes_ && nbytes <= nbytes_ - (at - begin);
}

void buffer::wait() { wait(data_, nbytes_); }

void buffer::wait(const std::byte* first, std::size_t nbytes) {
  if (detail::may_have_pending_work(first, nbytes)) {
    const detail::runtime_call call;
    detail::wait_for_pending_work(detail::range_of(first, nbytes), detail::access::write);
  }
  wait_for_others();
}

}  // namespace usmx::inline v1
