// Resources, which usmx gets memory from: the concept, and any resource as a value. The resources
// themselves are in resources.hpp. current_resource.hpp says which one serves new buffers, and
// buffer.hpp has the owner of a block.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/base/error.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

class pool_resource;

/// A class that allocates and frees blocks of one kind of memory. Any thread may call it. The queue
/// of each call says for which context and device.
///
/// `allocate(nbytes, alignment, queue)` returns a block. It throws value_error unless `nbytes` > 0
/// and the alignment, in bytes, is 0 (the resource's choice) or a power of two. It throws
/// allocation_error when there is no memory, and when `nbytes` does not fit ptrdiff_t.
///
/// A resource may also have `try_allocate(nbytes, alignment, queue)`, which never waits, calls
/// nothing of the SYCL runtime, and does not throw. It returns a block as allocate() does, or null,
/// which means: ask allocate().
///
/// `deallocate(block, nbytes, alignment, queue)` takes a block back, with the size and the
/// alignment that it was allocated with and a queue of the same context and device. No work uses
/// the block any more.
///
/// `kind()` returns the kind of memory.
///
/// A resource may call another one, but must never wait for Python's interpreter lock. One on top
/// of another may have `upstream()`, which returns a reference to the other as an any_resource:
/// then usmx checks what lies below, too.
template <class R>
concept memory_resource =
    requires(R& resource, std::byte* block, std::size_t n, const sycl::queue& queue) {
      { resource.allocate(n, n, queue) } -> std::same_as<std::byte*>;
      { resource.deallocate(block, n, n, queue) } noexcept;
      { std::as_const(resource).kind() } noexcept -> std::same_as<usm_kind>;
    };

/// A value that holds any resource. Copies share the resource. All memory of a resource keeps such
/// a copy, so the resource lives as long as its memory. One that was moved from holds nothing: it
/// has no memory to give, its kind is unknown, and whatever needs a resource refuses it.
class any_resource {
 public:
  /// Shares a resource. Throws value_error when `resource` is null.
  template <memory_resource R>
    requires(!std::same_as<R, any_resource>)
  any_resource(std::shared_ptr<R> resource)
      : resource_(detail::required(std::move(resource), "any_resource", "a memory resource")),
        functions_(&functions_of<R>) {}
  any_resource(const any_resource&) = default;
  any_resource(any_resource&& other) noexcept
      : resource_(std::move(other.resource_)),
        functions_(std::exchange(other.functions_, &functions_of_none)) {}
  any_resource& operator=(any_resource other) noexcept {
    resource_.swap(other.resource_);
    std::swap(functions_, other.functions_);
    return *this;
  }

  /// Calls the resource's allocate(): a new block of at least `nbytes` bytes. Throws value_error
  /// when `nbytes` is 0, the alignment is neither 0 nor a power of two, or the resource was moved
  /// from, and allocation_error when there is no memory.
  [[nodiscard]] std::byte* allocate(std::size_t nbytes, std::size_t alignment,
                                    const sycl::queue& queue) const {
    return functions_->allocate(resource_.get(), nbytes, alignment, queue);
  }
  /// Calls the resource's try_allocate(): a new block, or null when allocate() must be asked. Never
  /// waits, and calls nothing of the SYCL runtime. Null for a resource that has no try_allocate().
  [[nodiscard]] std::byte* try_allocate(std::size_t nbytes, std::size_t alignment,
                                        const sycl::queue& queue) const noexcept {
    return functions_->try_allocate == nullptr
               ? nullptr
               : functions_->try_allocate(resource_.get(), nbytes, alignment, queue);
  }
  /// Calls the resource's deallocate(): gives a block back, with the size and the alignment that it
  /// was allocated with. No work may use the block any more.
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept {
    functions_->deallocate(resource_.get(), block, nbytes, alignment, queue);
  }
  /// The kind of memory.
  usm_kind kind() const noexcept { return functions_->kind(resource_.get()); }
  /// Whether the resource is a pool_resource.
  bool is_pool() const noexcept { return functions_->is_pool; }
  /// Names the resource: the same for all copies of this value.
  const void* identity() const noexcept { return resource_.get(); }

  /// The resource below this one; null for a resource without upstream().
  const any_resource* upstream() const noexcept { return functions_->upstream(resource_.get()); }
  /// Throws value_error, which names both, when this resource or one below it is a pool of another
  /// context or device than the queue's, and for one that was moved from.
  void require_place(const sycl::queue& queue) const {
    for (const any_resource* each = this; each != nullptr; each = each->upstream()) {
      each->functions_->require_place(each->resource_.get(), queue);
    }
  }

  /// Whether two values hold one resource.
  friend bool operator==(const any_resource& a, const any_resource& b) noexcept {
    return a.resource_ == b.resource_;
  }

 private:
  struct function_table {
    const any_resource* (*upstream)(const void*) noexcept;
    void (*require_place)(const void*, const sycl::queue&);
    std::byte* (*allocate)(void*, std::size_t, std::size_t, const sycl::queue&);
    void (*deallocate)(void*, std::byte*, std::size_t, std::size_t, const sycl::queue&) noexcept;
    usm_kind (*kind)(const void*) noexcept;
    std::byte* (*try_allocate)(void*, std::size_t, std::size_t, const sycl::queue&) noexcept;
    bool is_pool;
  };
  using try_function = std::byte* (*)(void*, std::size_t, std::size_t, const sycl::queue&) noexcept;

  template <class R>
  static constexpr try_function try_function_of() {
    if constexpr (requires(R& resource, const sycl::queue& queue) {
                    { resource.try_allocate(1, 0, queue) } noexcept -> std::same_as<std::byte*>;
                  }) {
      return [](void* resource, std::size_t nbytes, std::size_t alignment,
                const sycl::queue& queue) noexcept {
        return static_cast<R*>(resource)->try_allocate(nbytes, alignment, queue);
      };
    }
    return nullptr;
  }

  template <class R>
  static constexpr function_table functions_of{
      []([[maybe_unused]] const void* resource) noexcept -> const any_resource* {
        if constexpr (requires(const R& of) {
                        { of.upstream() } -> std::same_as<const any_resource&>;
                      }) {
          return &static_cast<const R*>(resource)->upstream();
        } else {
          return nullptr;
        }
      },
      []([[maybe_unused]] const void* resource, [[maybe_unused]] const sycl::queue& queue) {
        if constexpr (requires(const R& of) { of.require_place(queue); }) {
          static_cast<const R*>(resource)->require_place(queue);
        }
      },
      [](void* resource, std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) {
        return static_cast<R*>(resource)->allocate(nbytes, alignment, queue);
      },
      [](void* resource, std::byte* block, std::size_t nbytes, std::size_t alignment,
         const sycl::queue& queue) noexcept {
        static_cast<R*>(resource)->deallocate(block, nbytes, alignment, queue);
      },
      [](const void* resource) noexcept { return static_cast<const R*>(resource)->kind(); },
      try_function_of<R>(),
      std::same_as<R, pool_resource>};

  [[noreturn]] static void refuse_none() {
    throw value_error("memory resource: expected one, found one that was moved from");
  }

  /// The functions of a value that was moved from.
  static constexpr function_table functions_of_none{
      [](const void*) noexcept -> const any_resource* { return nullptr; },
      [](const void*, const sycl::queue&) { refuse_none(); },
      [](void*, std::size_t, std::size_t, const sycl::queue&) -> std::byte* { refuse_none(); },
      [](void*, std::byte*, std::size_t, std::size_t, const sycl::queue&) noexcept {},
      [](const void*) noexcept { return usm_kind::unknown; },
      nullptr,
      false};

  std::shared_ptr<void> resource_;
  const function_table* functions_;
};

static_assert(memory_resource<any_resource>);

/// The memory that a new object gets: of a kind, from the current resource of that kind
/// (current_resource.hpp), or from a certain resource. Functions take it where they take a kind:
/// after the queue.
class placement {
 public:
  /// Memory of that kind, from the current resource.
  placement(usm_kind kind) noexcept : kind_(kind) {}
  /// Memory of that resource.
  placement(any_resource resource) : kind_(resource.kind()), resource_(std::move(resource)) {}
  /// Memory of that resource. Throws value_error when it is null.
  template <memory_resource R>
    requires(!std::same_as<R, any_resource>)
  placement(std::shared_ptr<R> resource) : placement(any_resource(std::move(resource))) {}

  /// The kind of memory.
  usm_kind kind() const noexcept { return kind_; }
  /// The resource; null for the current one.
  const any_resource* resource() const noexcept { return resource_ ? &*resource_ : nullptr; }

 private:
  usm_kind kind_;
  std::optional<any_resource> resource_;
};

/// The number of resources that may lie on top of each other: a call passes through all of them, on
/// threads with small stacks too. A pool asks the resource below it twice before it gives up, so
/// the time of a failure doubles with each pool.
inline constexpr int max_resource_depth = 16;

namespace detail {

/// Returns the resource for use below another one. Throws value_error when there are
/// max_resource_depth resources on top of each other already, and for one that was moved from.
USMX_API any_resource as_upstream(any_resource resource);
/// Whether some resource may be asked for so many bytes with such an alignment.
USMX_API bool is_possible_request(std::size_t nbytes, std::size_t alignment) noexcept;
/// Throws value_error for requests that every resource refuses: no bytes, or an alignment that is
/// neither 0 nor a power of two.
USMX_API void check_request(std::size_t nbytes, std::size_t alignment);
/// The message of an allocation_error: bytes, kind, device and the reason.
USMX_API std::string refusal(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                             std::string_view reason);

}  // namespace detail
}  // namespace usmx::inline v1
