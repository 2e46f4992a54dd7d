#include "copy/select/index_blocks.hpp"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <type_traits>
#include <variant>

#include <sycl/backend.hpp>
#include <sycl/interop_handle.hpp>

#include "copy/convert.hpp"
#include "copy/copy.hpp"
#include "runtime/devices.hpp"
#include "usmx/base/error.hpp"
#include "usmx/layout/for_each.hpp"

namespace usmx::inline v1::detail {

bool reached_by_kernels(const array_view& view, const sycl::queue& queue) {
  return is_in_reach(queue, view.data(), view.kind(), view.queue());
}

std::optional<kernel_chain> kernel_chain::on(const sycl::queue& queue) {
  std::shared_ptr<device_kernels> kernels = kernels_of(queue);
  // A device that has one kernel of the group has all of them.
  const bool usable = kernels->has_host_memory() && kernels->find(gather_kernel(1)) != nullptr;
  return usable ? std::optional(kernel_chain(std::move(kernels), queue)) : std::nullopt;
}

kernel_chain::kernel_chain(kernel_chain&& other) noexcept
    : kernels_(std::move(other.kernels_)),
      queue_(other.queue_),
      memory_(std::move(other.memory_)),
      runs_(std::move(other.runs_)),
      last_(std::exchange(other.last_, {})) {}

kernel_chain::~kernel_chain() {
  try {
    wait_for_all(last_);
  } catch (...) {
    // A caller that waited was told of the error; here an exception is on its way already.
  }
}

std::byte* kernel_chain::memory(std::int64_t count, dtype type, usm_kind kind) {
  const std::array<std::ptrdiff_t, 1> shape{count};
  return internal::first_element(
      memory_.emplace_back(empty(layout::c_order(shape), type, queue_, kind)));
}

std::uint32_t* kernel_chain::zeros(std::int64_t count) {
  auto* const result = numbers<std::uint32_t>(count);
  constexpr std::int64_t set_by_lane = 16;
  run(
      select_kernel("usmx_zero"), count,
      [&](std::int64_t per_group) { return std::tuple(result, count, per_group); }, set_by_lane);
  return result;
}

array_view kernel_chain::reached(const array_view& view) {
  if (reaches(view)) {
    return view;
  }
  const array_view copy = compact(each_once(view), view.type());
  return copy.with_layout_unchecked(broadcast(copy.layout(), view.shape()));
}

array_view kernel_chain::compact(const array_view& view, dtype type) {
  const array_view copy = internal::private_view(
      memory_.emplace_back(empty(layout::c_order(view.shape()), type, queue_, usm_kind::device)));
  internal::copy_elements(view, copy);
  return copy;
}

bool kernel_chain::add_positions(const copy_plan& plan, const kernels::position_rule& rule,
                                 std::uint32_t* outside) {
  auto runs = positions_by_kernel(plan, rule, outside, *kernels_);
  if (runs) {
    std::ranges::move(*runs, std::back_inserter(runs_));
  }
  return runs.has_value();
}

void kernel_chain::submit() {
  if (runs_.empty()) {
    return;
  }
  // The runs are shared because the runtime copies the command.
  const auto runs = std::make_shared<const std::vector<kernel_run>>(std::exchange(runs_, {}));
  last_.reserve(1);  // a kernel that is submitted must not be lost for want of memory
  const auto submitted = [&](const auto& command) {
    last_ = {submit_to(queue_, [&](sycl::queue& to) { return to.submit(command); })};
  };
  if (!std::holds_alternative<cuda_run>(runs->front())) {
    for (const kernel_run& run : *runs) {
      submitted([&](sycl::handler& handler) {
        handler.depends_on(last_);
        std::get<runtime_run>(run)(handler);
      });
    }
    return;
  }
  submitted([&](sycl::handler& handler) {
    handler.ext_codeplay_enqueue_native_command([runs](sycl::interop_handle interop) {
      const CUstream stream = interop.get_native_queue<sycl::backend::ext_oneapi_cuda>();
      for (const kernel_run& run : *runs) {
        std::get<cuda_run>(run)(stream);
      }
    });
  });
}

void kernel_chain::wait() {
  submit();
  wait_for_all(std::exchange(last_, {}));
}

namespace {

template <class T>
bool is_inside(T value, std::ptrdiff_t extent) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return value < extent && value >= -extent;
  } else {
    return value < static_cast<std::uint64_t>(extent);
  }
}

[[noreturn]] void throw_out_of_bounds(auto value, const axis_index& index) {
  throw index_error(message("index ", +value, " is out of bounds for axis ", index.axis,
                            " with size ", index.extent));
}

/// A run of integers of one array.
struct integer_run {
  const std::byte* first;
  std::ptrdiff_t stride;  // in bytes
  std::ptrdiff_t length;
};

template <class T>
void check_run(const integer_run& run, const axis_index& index) {
  for (std::ptrdiff_t i = 0; i < run.length; ++i) {
    const T value = element_at<T>(run.first + i * run.stride);
    if (!is_inside(value, index.extent)) {
      throw_out_of_bounds(value, index);
    }
  }
}

/// Adds scale * (the integer, counted from the start) to each offset. The arithmetic is unsigned,
/// since an integer outside of its axis is multiplied, too, before it is found.
template <class T>
void add_run(const integer_run& run, const axis_index& index, std::ptrdiff_t scale,
             std::int64_t* offsets) {
  bool inside = true;
  for (std::ptrdiff_t i = 0; i < run.length; ++i) {
    const T value = element_at<T>(run.first + i * run.stride);
    inside &= is_inside(value, index.extent);
    auto from_start = static_cast<std::uint64_t>(value);
    if constexpr (std::is_signed_v<T>) {
      from_start += value < 0 ? static_cast<std::uint64_t>(index.extent) : 0;
    }
    offsets[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(offsets[i]) +
                                           from_start * static_cast<std::uint64_t>(scale));
  }
  if (!inside) {
    check_run<T>(run, index);
    // Reached only if another thread has corrected the integers meanwhile.
    throw index_error(message("an index changed while it was used for axis ", index.axis,
                              " with size ", index.extent));
  }
}

/// Byte strides of an array of integers along its dimensions.
std::vector<std::ptrdiff_t> strides_nbytes(const axis_index& index) {
  const auto item = static_cast<std::ptrdiff_t>(index.elements.type().itemsize());
  std::vector<std::ptrdiff_t> result;
  for (const std::ptrdiff_t stride : index.elements.strides()) {
    result.push_back(stride * item);
  }
  return result;
}

}  // namespace

index_blocks::index_blocks(std::span<const std::ptrdiff_t> shape,
                           std::span<const axis_index> indices,
                           std::span<const std::ptrdiff_t> scales)
    : left_(1) {
  for (const std::ptrdiff_t extent : shape) {
    left_ *= extent;
  }
  if (left_ == 0) {
    return;
  }
  std::vector<std::vector<std::ptrdiff_t>> strides;  // of one index each
  for (std::size_t k = 0; k < indices.size(); ++k) {
    sources_.push_back({&indices[k], indices[k].elements.data(), scales[k]});
    strides.push_back(strides_nbytes(indices[k]));
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    add_dimension(shape[d], d, strides);
  }
  at_.assign(extents_.size(), 0);
}

void index_blocks::add_dimension(std::ptrdiff_t extent, std::size_t d,
                                 const std::vector<std::vector<std::ptrdiff_t>>& strides) {
  if (extent == 1) {
    return;
  }
  bool joins = !extents_.empty();
  for (std::size_t k = 0; joins && k < strides.size(); ++k) {
    joins = last_stride(k) == strides[k][d] * extent;
  }
  if (joins) {
    extents_.back() *= extent;
    strides_.resize(strides_.size() - sources_.size());
  } else {
    extents_.push_back(extent);
  }
  for (const auto& of_index : strides) {
    strides_.push_back(of_index[d]);
  }
}

index_blocks index_blocks::part(std::ptrdiff_t first, std::ptrdiff_t count) const {
  index_blocks result = *this;
  place_index(
      result.at_, [&](std::size_t d) { return extents_[d]; },
      [&](std::size_t d, std::ptrdiff_t steps) { result.move_along(d, steps); }, first);
  result.left_ = count;
  return result;
}

std::span<const std::int64_t> index_blocks::next() {
  const std::ptrdiff_t n = std::min(left_, capacity);
  std::ptrdiff_t filled = 0;
  while (filled < n) {
    const std::ptrdiff_t run =
        extents_.empty() ? 1 : std::min(n - filled, extents_.back() - at_.back());
    append_run(run, offsets_.data() + filled);
    filled += run;
    advance_index(
        at_, [this](std::size_t d) { return extents_[d]; },
        [this](std::size_t d, std::ptrdiff_t steps) { move_along(d, steps); }, run);
  }
  left_ -= n;
  return {offsets_.data(), static_cast<std::size_t>(n)};
}

void index_blocks::append_run(std::ptrdiff_t length, std::int64_t* offsets) {
  std::fill_n(offsets, length, 0);
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const source& from = sources_[k];
    const integer_run run{from.values, extents_.empty() ? 0 : last_stride(k), length};
    with_element_type(from.index->elements.type().code(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::integral<T>) {  // a selection holds nothing else
        add_run<T>(run, *from.index, from.scale, offsets);
      }
    });
  }
}

void index_blocks::move_along(std::size_t d, std::ptrdiff_t steps) noexcept {
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    sources_[k].values += strides_[d * sources_.size() + k] * steps;
  }
}

std::ptrdiff_t index_blocks::last_stride(std::size_t k) const noexcept {
  return strides_[strides_.size() - sources_.size() + k];
}

array_view each_once(const array_view& repeated) {
  const std::span<const std::ptrdiff_t> strides = repeated.strides();
  std::vector<std::ptrdiff_t> shape(repeated.shape().begin(), repeated.shape().end());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    shape[d] = strides[d] == 0 ? std::min<std::ptrdiff_t>(shape[d], 1) : shape[d];
  }
  return repeated.with_layout_unchecked(
      layout::strided(shape, strides, repeated.layout().offset()));
}

void check_indices(const axis_index& index) {
  axis_index once = index;
  once.elements = each_once(index.elements);
  constexpr std::ptrdiff_t no_scale = 0;
  index_blocks blocks(once.elements.shape(), {&once, 1}, {&no_scale, 1});
  while (!blocks.next().empty()) {
  }
}

}  // namespace usmx::inline v1::detail
