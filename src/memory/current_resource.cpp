#include "memory/current_resource.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/environment.hpp"
#include "base/messages.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "memory/observer.hpp"
#include "memory/pool.hpp"
#include "memory/reclaim.hpp"
#include "runtime/queues.hpp"
#include "usmx/base/process.hpp"
#include "usmx/memory/current_resource.hpp"
#include "usmx/memory/resources.hpp"

namespace usmx::inline v1 {
namespace {

std::atomic<internal::scoped_resource_function> resource_in_scope = nullptr;

}  // namespace

void internal::set_scoped_resource_function(scoped_resource_function function) noexcept {
  resource_in_scope.store(function, std::memory_order_release);
}

struct using_resource::scope {
  sycl::queue queue;
  any_resource resource;
  const scope* before;

  bool fits(const sycl::queue& other, usm_kind kind) const {
    return resource.kind() == kind && queue.get_device() == other.get_device() &&
           queue.get_context() == other.get_context();
  }
};

namespace {

/// The number of using_resource objects of all threads: if there are none, no thread looks for its
/// own.
std::atomic<std::size_t> live_scopes = 0;
thread_local const using_resource::scope* scope_of_thread = nullptr;

/// The resource of the innermost using_resource of the thread that fits; null if there is none.
const any_resource* resource_of_thread(const sycl::queue& queue, usm_kind kind) {
  if (live_scopes.load(std::memory_order_relaxed) == 0) {
    return nullptr;
  }
  const using_resource::scope* at = scope_of_thread;
  while (at != nullptr && !at->fits(queue, kind)) {
    at = at->before;
  }
  return at == nullptr ? nullptr : &at->resource;
}

}  // namespace

using_resource::using_resource(const sycl::queue& queue, any_resource resource) {
  const detail::runtime_call call;
  resource.require_place(queue);
  if (resource.kind() == usm_kind::unknown) {
    throw value_error("using_resource: expected a resource of a kind of USM, found kind unknown");
  }
  scope_.reset(new scope{queue, std::move(resource), scope_of_thread});
  scope_of_thread = scope_.get();
  live_scopes.fetch_add(1, std::memory_order_relaxed);
}

using_resource::~using_resource() {
  live_scopes.fetch_sub(1, std::memory_order_relaxed);
  scope_of_thread = scope_->before;
}

namespace {

/// The kind that is set for the process; `unknown` if none is.
std::atomic<usm_kind> kind_of_process = usm_kind::unknown;

usm_kind kind_of_environment() {
  static const usm_kind kind = [] {
    const char* const text = std::getenv("USMX_DEFAULT_USM_TYPE");
    const auto asked = text == nullptr ? std::optional(usm_kind::device) : parse_usm_kind(text);
    if (!asked) {
      detail::warn(detail::message("USMX_DEFAULT_USM_TYPE must be 'device', 'shared' or 'host', ",
                                   "found '", text, "': new arrays are of kind 'device'"));
    }
    return asked.value_or(usm_kind::device);
  }();
  return kind;
}

}  // namespace

usm_kind internal::default_kind() {
  const usm_kind chosen = kind_of_process.load(std::memory_order_relaxed);
  return chosen == usm_kind::unknown ? kind_of_environment() : chosen;
}

std::optional<usm_kind> internal::set_default_kind(std::optional<usm_kind> kind) noexcept {
  const usm_kind before = kind_of_process.exchange(kind.value_or(usm_kind::unknown));
  return before == usm_kind::unknown ? std::nullopt : std::optional(before);
}

std::optional<any_resource> internal::scoped_resource(const sycl::queue& queue, usm_kind kind) {
  if (const any_resource* chosen = resource_of_thread(queue, kind)) {
    return *chosen;
  }
  if (!scopes_live()) {
    return std::nullopt;
  }
  const auto ask = resource_in_scope.load(std::memory_order_acquire);
  return ask == nullptr ? std::nullopt : ask(queue, kind);
}

namespace {

bool pools_are_on() {
  static const bool on = [] {
    const char* value = std::getenv("USMX_POOL");
    return value == nullptr || std::string_view(value) != "off";
  }();
  return on;
}

/// The limit of new pools. A limit of 0 in the environment is none, as in CuPy.
std::optional<std::size_t> first_limit() {
  static const auto limit = detail::size_in("USMX_POOL_LIMIT", "pools have no limit");
  return limit == 0 ? std::nullopt : limit;
}

std::atomic<std::size_t>& pending_limit_now() {
  static std::atomic<std::size_t> limit =
      detail::size_in("USMX_PENDING_LIMIT", "256 MiB may wait for their work")
          .value_or(std::size_t{256} << 20);
  return limit;
}

std::optional<std::size_t> kept_nbytes() {
  static const auto kept = detail::size_in(
      "USMX_POOL_KEEP", "each pool keeps free blocks of up to a sixteenth of the memory");
  return kept;
}

std::shared_ptr<pool_resource> new_pool(const sycl::queue& queue, usm_kind kind) {
  auto pool =
      std::make_shared<pool_resource>(std::make_shared<usm_resource>(kind), queue, kept_nbytes());
  pool->set_limit(first_limit());
  return pool;
}

/// The list that default_pools() reads.
using all_pools =
    detail::living_objects<pool_resource, detail::ranked_mutex<detail::lock_rank::pool_list>>;

struct device_resources {
  device_resources(const sycl::queue& queue, usm_kind of, device_resources* following)
      : device(queue.get_device()),
        kind(of),
        pool(new_pool(queue, of)),
        first(detail::reported(pools_are_on() ? any_resource(pool)
                                              : any_resource(std::make_shared<usm_resource>(of)))),
        current(first),
        next(following) {
    detail::immortal<all_pools>().add(pool);
  }

  /// Whether a program holds the pool, has memory of it, or has set its limits or another resource.
  bool is_in_use() const noexcept {
    return !is_first.load(std::memory_order_acquire) || pool.use_count() > own_uses ||
           pool->limit() != first_limit() || pool->keep_limit() != first_keep_limit;
  }

  const sycl::device device;
  const usm_kind kind;
  const std::shared_ptr<pool_resource> pool;
  const any_resource first;
  /// Whether `first` is the current resource. Any other resource is read under the lock.
  std::atomic<bool> is_first = true;
  detail::ranked_mutex<detail::lock_rank::current_resource> mutex;
  any_resource current;
  device_resources* const next;
  const long own_uses = pool.use_count();
  const std::size_t first_keep_limit = pool->keep_limit();
};

/// The resources of all devices and kinds of a context: a list that only grows, and is searched
/// without a lock.
class context_resources final : public detail::context_slot {
 public:
  explicit context_resources(const sycl::context&) {}
  ~context_resources() override {
    device_resources* each = first_.load();
    while (each != nullptr) {
      delete std::exchange(each, each->next);
    }
  }

  bool is_in_use() const noexcept override {
    const device_resources* at = first_.load(std::memory_order_acquire);
    while (at != nullptr && !at->is_in_use()) {
      at = at->next;
    }
    return at != nullptr;
  }

  device_resources& of(const sycl::queue& queue, usm_kind kind) {
    const sycl::device device = queue.get_device();
    if (device_resources* known = find(device, kind)) {
      return *known;
    }
    const std::lock_guard lock(mutex_);
    if (device_resources* known = find(device, kind)) {
      return *known;
    }
    auto* added = new device_resources(queue, kind, first_.load(std::memory_order_relaxed));
    first_.store(added, std::memory_order_release);
    return *added;
  }

  device_resources* find(const sycl::device& device, usm_kind kind) const noexcept {
    device_resources* at = first_.load(std::memory_order_acquire);
    while (at != nullptr && (at->kind != kind || at->device != device)) {
      at = at->next;
    }
    return at;
  }

 private:
  std::atomic<device_resources*> first_ = nullptr;
  detail::ranked_mutex<detail::lock_rank::context_resources> mutex_;
};

void for_all_pools(void (detail::living_pool::*give_back)() noexcept) noexcept {
  try {
    for (const auto& pool : detail::living_pools()) {
      (*pool.*give_back)();
    }
  } catch (const std::bad_alloc&) {
    // If there is no memory for the list of pools, they are trimmed another time.
  }
}

any_resource current_of(device_resources& at) {
  if (at.is_first.load(std::memory_order_acquire)) {
    return at.first;
  }
  const std::lock_guard lock(at.mutex);
  return at.current;
}

/// The resources, held together with the context's state.
std::shared_ptr<device_resources> resources_of(std::shared_ptr<detail::context_state> state,
                                               const sycl::queue& queue, usm_kind kind) {
  auto all = detail::slot_of<context_resources>(std::move(state));
  device_resources& at = all->of(queue, kind);
  return {std::move(all), &at};
}

std::shared_ptr<device_resources> resources_of(const sycl::queue& queue, usm_kind kind) {
  return resources_of(detail::state_of(queue).of_context, queue, kind);
}

}  // namespace

any_resource detail::current_resource(std::shared_ptr<context_state> state,
                                      const sycl::queue& queue, usm_kind kind) {
  return current_of(*resources_of(std::move(state), queue, kind));
}

std::optional<any_resource> detail::known_resource(std::shared_ptr<context_state> state,
                                                   const sycl::queue& queue, usm_kind kind) {
  const auto all = slot_of<context_resources>(std::move(state));
  device_resources* const known = all->find(queue.get_device(), kind);
  return known == nullptr ? std::nullopt : std::optional(current_of(*known));
}

any_resource current_resource(const sycl::queue& queue, usm_kind kind) {
  const detail::runtime_call call;
  if (const any_resource* chosen = resource_of_thread(queue, kind)) {
    return *chosen;
  }
  return current_of(*resources_of(queue, kind));
}

any_resource set_current_resource(const sycl::queue& queue, any_resource resource) {
  const detail::runtime_call call;
  resource.require_place(queue);
  const auto at = resources_of(queue, resource.kind());
  const std::lock_guard lock(at->mutex);
  at->is_first.store(resource == at->first, std::memory_order_release);
  return std::exchange(at->current, std::move(resource));
}

bool uses_default_resource(const sycl::queue& queue, usm_kind kind) {
  const detail::runtime_call call;
  return resources_of(queue, kind)->is_first.load(std::memory_order_acquire);
}

std::shared_ptr<pool_resource> default_pool(const sycl::queue& queue, usm_kind kind) {
  const detail::runtime_call call;
  return resources_of(queue, kind)->pool;
}

std::vector<std::shared_ptr<pool_resource>> default_pools() {
  return detail::immortal<all_pools>().all();
}

void set_pending_limit(std::size_t nbytes) noexcept { pending_limit_now() = nbytes; }

std::size_t pending_limit() noexcept { return pending_limit_now(); }

void empty_cache() noexcept {
  if (detail::is_forked_child()) {
    return;
  }
  detail::release_all_finished();
  for_all_pools(&detail::living_pool::trim);
}

void give_back_surplus() noexcept {
  if (!detail::is_forked_child()) {
    for_all_pools(&detail::living_pool::give_back_surplus);
  }
}

}  // namespace usmx::inline v1
