// Commands for elements that are selected in device memory, each after the one before it. Private
// to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
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

/// Collects kernels, and runs them where somebody waits: those of CUDA's driver as one command.
/// Owns the memory that they use, and waits for them before it frees it.
class kernel_chain {
 public:
  /// None where there are no such kernels for the queue's device, or no memory of the host's that
  /// they reach.
  static std::optional<kernel_chain> on(const sycl::queue&);
  kernel_chain(kernel_chain&& other) noexcept;
  kernel_chain& operator=(kernel_chain&&) = delete;
  ~kernel_chain();

  kernel_shape shape() const noexcept { return kernels_->shape(); }

  /// Device memory for numbers that are not set.
  template <class T>
  T* numbers(std::int64_t count) {
    return reinterpret_cast<T*>(memory(count, dtype::of<T>(), usm_kind::device));
  }
  /// The same, set to 0.
  std::uint32_t* zeros(std::int64_t count);
  /// A number that kernels set, not yet set, and the host reads after wait().
  template <class T>
  T* told() {
    return reinterpret_cast<T*>(memory(1, dtype::of<T>(), usm_kind::host));
  }

  bool reaches(const array_view& view) const { return reached_by_kernels(view, queue_); }
  /// The view where kernels reach it, which may be a copy. Waits.
  array_view reached(const array_view&);

  /// A copy in C order, converted to a type. Waits.
  array_view compact(const array_view&, dtype);

  /// Adds a kernel over `count` elements in a row, at least one. `arguments(per_group)` gives a
  /// tuple of its arguments. A lane takes `per_lane` of them.
  template <class Arguments>
  void run(kernel_id kernel, std::int64_t count, const Arguments& arguments,
           std::int64_t per_lane = 1) {
    const row_launch launch = launch_over(count, shape(), per_lane);
    runs_.push_back(std::apply(
        [&](const auto&... argument) {
          return kernels_->find(kernel)->run(launch.range, argument...);
        },
        arguments(launch.per_group)));
  }
  /// As places_by_kernel. False, with nothing added, where that gives none.
  bool add_places(const copy_plan&, const kernels::place_rule&, std::uint32_t* outside);

  /// Runs all that was added, and waits for it.
  void wait();

 private:
  kernel_chain(std::shared_ptr<device_kernels> kernels, const sycl::queue& queue)
      : kernels_(std::move(kernels)), queue_(queue) {}
  std::byte* memory(std::int64_t count, dtype type, usm_kind kind);
  void submit();

  std::shared_ptr<device_kernels> kernels_;
  sycl::queue queue_;
  std::vector<array> memory_;
  std::vector<kernel_run> runs_;
  std::vector<sycl::event> last_;
};

}  // namespace usmx::inline v1::detail
