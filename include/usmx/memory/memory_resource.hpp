// Where usmx's memory comes from: what a resource is, and any resource as a value. The resources
// themselves are in resources/; which one serves new buffers: current_resource.hpp. Who owns a
// block: buffer.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

/// Gives and takes blocks of one kind, from any thread. A queue says for which context and device.
///
/// allocate(nbytes, alignment, queue): nbytes > 0, alignment 0 for the resource's choice or a power
/// of two, else value_error. Throws allocation_error where there is no memory.
///
/// deallocate(block, nbytes, alignment, queue): the same size and alignment, and a queue of the
/// same context and device. Nothing uses the block any more.
///
/// A resource may call another one, but must never wait for the Python interpreter's lock.
template <class R>
concept memory_resource =
    requires(R& resource, std::byte* block, std::size_t n, const sycl::queue& queue) {
      { resource.allocate(n, n, queue) } -> std::same_as<std::byte*>;
      { resource.deallocate(block, n, n, queue) } noexcept;
      { std::as_const(resource).kind() } noexcept -> std::same_as<usm_kind>;
    };

/// Any resource. Copies share it, and whoever has memory of it keeps one.
class any_resource {
 public:
  template <memory_resource R>
    requires(!std::same_as<R, any_resource>)
  any_resource(std::shared_ptr<R> resource) noexcept
      : resource_(std::move(resource)), functions_(&functions_of<R>) {}

  std::byte* allocate(std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) const {
    return functions_->allocate(resource_.get(), nbytes, alignment, queue);
  }
  void deallocate(std::byte* block, std::size_t nbytes, std::size_t alignment,
                  const sycl::queue& queue) const noexcept {
    functions_->deallocate(resource_.get(), block, nbytes, alignment, queue);
  }
  usm_kind kind() const noexcept { return functions_->kind(resource_.get()); }

  /// Whether both are the same one.
  friend bool operator==(const any_resource& a, const any_resource& b) noexcept {
    return a.resource_ == b.resource_;
  }

 private:
  struct function_table {
    std::byte* (*allocate)(void*, std::size_t, std::size_t, const sycl::queue&);
    void (*deallocate)(void*, std::byte*, std::size_t, std::size_t, const sycl::queue&) noexcept;
    usm_kind (*kind)(const void*) noexcept;
  };

  template <class R>
  static constexpr function_table functions_of{
      [](void* resource, std::size_t nbytes, std::size_t alignment, const sycl::queue& queue) {
        return static_cast<R*>(resource)->allocate(nbytes, alignment, queue);
      },
      [](void* resource, std::byte* block, std::size_t nbytes, std::size_t alignment,
         const sycl::queue& queue) noexcept {
        static_cast<R*>(resource)->deallocate(block, nbytes, alignment, queue);
      },
      [](const void* resource) noexcept { return static_cast<const R*>(resource)->kind(); }};

  std::shared_ptr<void> resource_;
  const function_table* functions_;
};

static_assert(memory_resource<any_resource>);

namespace detail {

/// What every resource refuses: no bytes, or an alignment that is no power of two (value_error).
USMX_API void check_request(std::size_t nbytes, std::size_t alignment);
/// For an allocation_error: bytes, kind and device, and why.
USMX_API std::string refusal(std::size_t nbytes, usm_kind kind, const sycl::queue& queue,
                             std::string_view reason);

}  // namespace detail
}  // namespace usmx::inline v1
