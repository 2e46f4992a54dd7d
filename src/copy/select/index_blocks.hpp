// Chains of kernels that use one piece of scratch memory, and blocks of indices for them. Private
// to the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/queue.hpp>

#include "array/array.hpp"
#include "copy/kernels.hpp"
#include "copy/plan.hpp"
#include "copy/select/selection.hpp"
#include "kernels/device/traversal.hpp"
#include "kernels/store.hpp"
#include "runtime/waits.hpp"
#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/copy/select/selection.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1::detail {

bool reached_by_kernels(const array_view&, const sycl::queue&);

/// Collects kernels, and runs them when a caller waits: CUDA's driver gets them as one command.
/// Owns the memory that they use, and waits for them before it frees the memory.
class kernel_chain {
 public:
  /// Returns nothing if there are no such kernels for the queue's device, or no host memory that
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
  /// Device memory for numbers that are set to 0.
  std::uint32_t* zeros(std::int64_t count);
  /// A number that kernels set and the host reads after wait(). It is not set yet.
  template <class T>
  T* told() {
    return reinterpret_cast<T*>(memory(1, dtype::of<T>(), usm_kind::host));
  }

  bool reaches(const array_view& view) const { return reached_by_kernels(view, queue_); }
  /// The view, or a copy of it, in memory that kernels reach. Waits.
  array_view reached(const array_view&);

  /// A copy of the view in C order, converted to a type. Waits.
  array_view compact(const array_view&, dtype);

  /// Adds a kernel over `count` elements in a row, at least one. `arguments(per_group)` gives a
  /// tuple of its arguments. A lane takes `per_lane` elements.
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
  /// Adds the runs of positions_by_kernel(). Returns false, with nothing added, if it gives none.
  bool add_positions(const copy_plan&, const kernels::position_rule&, std::uint32_t* outside);

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

/// The view without the repetitions by strides of 0: these dimensions get extent 1.
array_view each_once(const array_view& repeated);

/// Throws index_error naming index, axis and size unless every integer, in memory that the host may
/// touch, lies inside its axis.
void check_indices(const axis_index&);

/// Walks through arrays of integers of one shape together, in C order.
class index_blocks {
 public:
  /// The most offsets that next() gives at once. With the elements that they lead to, they fit the
  /// fastest cache.
  static constexpr std::ptrdiff_t capacity = 512;

  /// scales[k] are the bytes from one element to the next along the dimension of indices[k]. The
  /// indices must outlive this.
  index_blocks(std::span<const std::ptrdiff_t> shape, std::span<const axis_index> indices,
               std::span<const std::ptrdiff_t> scales);

  std::ptrdiff_t size() const noexcept { return left_; }
  /// A separate walk through `count` elements, beginning at `first`. This walk must not have begun.
  index_blocks part(std::ptrdiff_t first, std::ptrdiff_t count) const;

  /// The offsets of the next elements, each the sum over all indices; empty at the end. Throws as
  /// check_indices. Valid until the next call.
  std::span<const std::int64_t> next();

 private:
  struct source {
    const axis_index* index;
    const std::byte* values;  // where the walk is now
    std::ptrdiff_t scale;
  };

  void add_dimension(std::ptrdiff_t extent, std::size_t d,
                     const std::vector<std::vector<std::ptrdiff_t>>& strides);
  void append_run(std::ptrdiff_t length, std::int64_t* offsets);
  void move_along(std::size_t d, std::ptrdiff_t steps) noexcept;
  std::ptrdiff_t last_stride(std::size_t k) const noexcept;

  std::vector<source> sources_;
  // The dimensions to walk through, the innermost last, and the index where the walk is.
  std::vector<std::ptrdiff_t> extents_;
  std::vector<std::ptrdiff_t> at_;
  // The strides of all sources, in bytes, for each of these dimensions.
  std::vector<std::ptrdiff_t> strides_;
  std::ptrdiff_t left_;
  std::array<std::int64_t, capacity> offsets_;
};

// The true elements of a mask, found and moved without lists of their positions.

/// The number of true elements before each part of a mask in device memory, or a mask that the host
/// walks through. Looks at no element before the first question.
class mask_scan {
 public:
  /// Returns nothing if the mask is empty, the host may touch it, or no kernel can scan it. The
  /// mask is of any plain type, is finished, and does not change. May wait.
  static std::optional<mask_scan> of(const array_view& mask);
  /// Does as `of`, also for memory that the host may touch: for tests. The mask has elements.
  static std::optional<mask_scan> by_kernels(const array_view& mask);
  /// For adjacent bools that the host may touch; nothing for any other mask.
  static std::optional<mask_scan> by_host(const array_view& mask);

  bool is_on_host() const noexcept { return !chain_; }
  const array_view& mask() const noexcept { return mask_; }

  /// The number of true elements. The first call waits.
  std::ptrdiff_t count();
  /// Writes the indices of the true elements, as nonzero() does, into arrays that kernels reach, or
  /// those that the host may touch. Waits.
  void write(std::span<const array_view> coordinates);

  /// Copies the elements at true positions of `source`, which has the mask's shape, to
  /// `destination`, which has one dimension and count() elements of the same type; scatter() copies
  /// back. Both return false, with nothing done, unless the elements lie at equal distances, and
  /// either the mask's kernels reach both sides and they have 1, 2, 4, 8 or 16 bytes, or the host
  /// may touch the mask and both sides. Both wait.
  bool gather(const array_view& source, const array_view& destination);
  bool scatter(const array_view& values, const array_view& destination);
  /// Sets the elements at true positions of `destination` to the bytes at `element`, by kernels.
  /// Waits, and returns false, as gather().
  bool fill(const std::byte* element, const array_view& destination);

 private:
  mask_scan(std::optional<kernel_chain> chain, const array_view& mask)
      : chain_(std::move(chain)), mask_(mask) {}
  void make_compact();
  void scan();
  bool move(kernel_id (*kernel)(std::size_t), const array_view& indexed, const array_view& linear);
  std::optional<masked_move> host_move(const array_view& indexed, const array_view& linear) const;

  std::optional<kernel_chain> chain_;  // none where the host walks through the mask
  array_view mask_;
  const std::byte* elements_ = nullptr;  // compact; null before the first question
  std::uint64_t relevant_ = 0;
  kernels::mask_words words_{};  // of no words before the scan
  const std::int64_t* told_ = nullptr;
  std::optional<std::ptrdiff_t> count_;
};

std::ptrdiff_t count_nonzero(const array_view&);
void nonzero(const array_view&, std::span<const array_view> coordinates);

}  // namespace usmx::inline v1::detail
