// Commands for elements that are selected in device memory, each after the one before it. Private
// to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/array_internal.hpp"
#include "copy/kernel_launch.hpp"
#include "copy/plan.hpp"
#include "kernels/device/selection.hpp"
#include "kernels/store.hpp"
#include "runtime/queue_lock.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"

namespace usmx::inline v1::detail {

/// Whether kernels on that queue may use the view: memory of its context, on its device.
bool reached_by_kernels(const array_view&, const sycl::queue&);

/// The chain owns the memory that its commands use, and waits for them before it frees it.
class kernel_chain {
 public:
  /// None where there are no such kernels for the queue's device.
  static std::optional<kernel_chain> on(const sycl::queue&);
  kernel_chain(kernel_chain&& other) noexcept;
  kernel_chain& operator=(kernel_chain&&) = delete;
  ~kernel_chain();

  /// Device memory for numbers that are not set.
  template <class T>
  T* numbers(std::int64_t count) {
    return reinterpret_cast<T*>(memory(count, dtype::of<T>()));
  }
  /// The same, set to 0.
  std::uint32_t* zeros(std::int64_t count);

  bool reaches(const array_view& view) const { return reached_by_kernels(view, queue_); }
  /// The view where kernels reach it, which may be a copy.
  array_view reached(const array_view&);

  /// A copy in C order, converted to a type.
  array_view compact(const array_view&, dtype);

  /// Runs a kernel over `count` elements in a row, at least one. `arguments(per_group)` gives a
  /// tuple of its arguments.
  template <class Arguments>
  void run(kernel_id kernel, std::int64_t count, const Arguments& arguments) {
    const row_launch launch = launch_over(count, kernels_->shape());
    const device_kernel& found = *kernels_->find(kernel);
    last_ = {submit_to(queue_, [&](sycl::queue& to) {
      return to.submit([&](sycl::handler& handler) {
        std::apply(
            [&](const auto&... argument) {
              found.enqueue(handler, last_, launch.range, argument...);
            },
            arguments(launch.per_group));
      });
    })};
  }
  /// As places_by_kernel. False, with nothing enqueued, where that gives none.
  bool add_places(const copy_plan&, const kernels::place_rule&, std::uint32_t* outside);

  /// The number at an address of device memory, after all commands. Waits for them.
  template <class T>
  T read(const T* number) {
    T result{};
    copy_to_host(&result, number, sizeof result);
    return result;
  }
  /// Waits for all commands.
  void wait();

 private:
  kernel_chain(device_kernels& kernels, const sycl::queue& queue)
      : kernels_(&kernels), queue_(queue) {}
  std::byte* memory(std::int64_t count, dtype type);
  void copy_to_host(void* to, const void* from, std::size_t nbytes);

  device_kernels* kernels_;
  sycl::queue queue_;
  std::vector<array> memory_;
  std::vector<sycl::event> last_;
};

}  // namespace usmx::inline v1::detail
