// Where usmx's memory comes from: the resource concept, and the resource that asks the SYCL runtime
// for every block. Who owns a block is said in buffer.hpp.
#pragma once

#include <concepts>
#include <cstddef>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx {

/// Gives and takes blocks of one kind, on one queue's device and context.
template <class R>
concept memory_resource = requires(R& resource, std::byte* block, std::size_t n) {
  { resource.allocate(n, n) } -> std::same_as<std::byte*>;
  { resource.deallocate(block) } noexcept;
  { resource.kind() } noexcept -> std::same_as<usm_kind>;
  { resource.queue() } noexcept -> std::same_as<const sycl::queue&>;
};

/// The plain resource: each block is one allocation of the SYCL runtime, entered in the registry.
class USMX_API usm_resource {
 public:
  /// kind must not be unknown (value_error).
  usm_resource(sycl::queue queue, usm_kind kind);

  /// nbytes > 0 (value_error); alignment 0 (the runtime's choice) or a power of two (value_error).
  /// Throws allocation_error with bytes, kind and device when the runtime has no memory.
  std::byte* allocate(std::size_t nbytes, std::size_t alignment = 0);
  /// A block from allocate; nothing may be using it any more.
  void deallocate(std::byte* block) noexcept;

  usm_kind kind() const noexcept { return kind_; }
  const sycl::queue& queue() const noexcept { return queue_; }

 private:
  sycl::queue queue_;
  usm_kind kind_;
};

static_assert(memory_resource<usm_resource>);

}  // namespace usmx
