// USM for the containers of the standard library: an allocator for std::vector and its like, and a
// std::pmr::memory_resource. Their memory is that of buffers (buffer.hpp): it comes from the
// current resource or from a certain one, counts and is logged as all memory of usmx is, and an
// array that adopts a container's elements keeps them alive.
//
//   std::vector<float, usmx::allocator<float>> samples(1000, queue);
//   const auto a = usmx::array::adopt(samples.data(), {1000}, usmx::float32, queue, [](void*) {});
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <optional>

#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/memory/memory_resource.hpp"
#include "usmx/runtime/queues.hpp"
#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1 {

namespace detail {

/// The source of containers' memory. Throws value_error for memory that the host may not touch on
/// every device, since containers write to it.
class USMX_API container_memory {
 public:
  container_memory(const sycl::queue& queue, const placement& where);

  const sycl::queue& queue() const noexcept { return queue_; }
  const placement& where() const noexcept { return where_; }

  /// Throws allocation_error when there is no memory.
  void* allocate(std::size_t nbytes, std::size_t alignment) const;
  /// Frees a block that any container_memory has allocated, whatever it was made of.
  static void deallocate(void* block) noexcept;

 private:
  sycl::queue queue_;
  placement where_;
};

}  // namespace detail

/// An allocator of USM for the containers of the standard library. The host constructs and reads
/// the elements, and so the memory is of kind `shared` or `host`. All allocators free each other's
/// memory, so containers can be swapped and moved, and take the allocator along. As with every
/// container, no work may use elements that it lets go: work that usmx knows, such as copies of an
/// array that adopts them, is waited for or put off the release.
template <class T>
class allocator {
 public:
  /// The type of an element.
  using value_type = T;
  /// Tells the standard library that a container that is assigned takes the other one's allocator.
  using propagate_on_container_copy_assignment = std::true_type;
  /// Tells the standard library that a container that is moved to takes the other one's allocator.
  using propagate_on_container_move_assignment = std::true_type;
  /// Tells the standard library that containers that are swapped swap their allocators.
  using propagate_on_container_swap = std::true_type;
  /// Tells the standard library that each allocator frees what the others have allocated.
  using is_always_equal = std::true_type;

  /// Allocates memory of the queue's context and device, of that kind or from that resource. Throws
  /// value_error for another kind than `shared` and `host`.
  allocator(const sycl::queue& queue, const placement& where = usm_kind::shared)
      : memory_(queue, where) {}
  /// Allocates shared memory of the default queue's context and device.
  allocator() : allocator(default_queue()) {}
  /// Allocates as the allocator of another type does.
  template <class U>
  allocator(const allocator<U>& other) noexcept : memory_(other.memory_) {}

  /// Memory for `count` elements. Throws allocation_error when there is no memory.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
  }
  /// Frees memory that an allocator has allocated. Does not wait.
  void deallocate(T* first, std::size_t) noexcept { memory_.deallocate(first); }

  /// The queue, which names the device and the context.
  const sycl::queue& queue() const noexcept { return memory_.queue(); }
  /// The kind of memory.
  usm_kind kind() const noexcept { return memory_.where().kind(); }

  /// Returns true: each allocator frees what the others have allocated.
  template <class U>
  friend bool operator==(const allocator&, const allocator<U>&) noexcept {
    return true;
  }

 private:
  template <class U>
  friend class allocator;

  detail::container_memory memory_;
};

/// USM for the containers of std::pmr: `std::pmr::vector<float> samples(&resource)`. The resource
/// must live longer than the containers.
class USMX_API pmr_resource final : public std::pmr::memory_resource {
 public:
  /// Allocates memory of the queue's context and device, of that kind or from that resource. Throws
  /// value_error for another kind than `shared` and `host`.
  explicit pmr_resource(const sycl::queue& queue, const placement& where = usm_kind::shared);
  pmr_resource(const pmr_resource&) = delete;
  pmr_resource& operator=(const pmr_resource&) = delete;
  /// Destroys the resource, and does not free the memory of containers.
  ~pmr_resource() override;

  /// The queue, which names the device and the context.
  const sycl::queue& queue() const noexcept { return memory_.queue(); }
  /// The kind of memory.
  usm_kind kind() const noexcept { return memory_.where().kind(); }

 private:
  void* do_allocate(std::size_t nbytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t nbytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  detail::container_memory memory_;
};

}  // namespace usmx::inline v1
