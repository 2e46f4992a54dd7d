// Reductions by loops of the host: the kernels' own expressions, and the elements put together in
// the kernels' order, so that results have the same bits (docs/decisions.md, 173). Not installed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compute/rows.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"

namespace usmx::inline v1 {

namespace detail {
struct reduction_loops;
}

namespace internal {

/// Arguments of a loop: the loops over the arrays, and numbers that the expressions use.
struct host_reduction_arguments {
  const detail::reduction_loops& loops;
  /// Where the elements are computed in another type than theirs, and results in another than
  /// theirs.
  type_code elements;
  type_code results;
  double correction;
};

/// A reduction of elements of one type.
struct host_reduction {
  using loop = void (*)(const host_reduction_arguments&);

  /// The type that elements have in the loop, and the one that results have there.
  type_code computed;
  type_code made;
  /// The type of the array of results.
  type_code result;
  bool has_index;
  bool has_blocks;
  /// Whether there is vector code for it.
  bool has_vectors;
  loop run = nullptr;
};

/// The loop for elements of a type, on a device with float64. Null where the host has none:
/// "deviation_mean" is the mean from which `var` and `std` deviate.
USMX_API const host_reduction* find_host_reduction(std::string_view name, type_code) noexcept;

/// No call by the host has more elements: with so many, kernels take as long, and the caller goes
/// on meanwhile.
inline constexpr std::ptrdiff_t max_host_reduction = std::ptrdiff_t{4} << 20;

/// The most elements of a call that the processor's vectors do not help.
inline constexpr std::ptrdiff_t max_little_reduction = 16384;

/// One call.
class USMX_API host_reduction_call {
 public:
  /// `mean` is null, or an array that can be broadcast to the shape of `x`. Throws value_error and
  /// axis_error for such axes. Precondition: the loop is for the type of `x`, which has elements.
  host_reduction_call(const host_reduction&, const array& x, const array* mean,
                      const reduction_axes&, double correction);

  /// The layout of the result, in C order.
  const layout& output_layout() const noexcept { return output_layout_; }

  /// Computes, on several threads if that helps. Returns false, and has done nothing, where kernels
  /// are faster, or the device shares out the elements to more work items than a CPU does.
  /// The memory of all arrays is idle, and the host reaches it. `out` is of the result's type and
  /// layout.
  bool run(const array& out) const;

 private:
  const host_reduction& function_;
  const array& x_;
  const array* mean_;
  double correction_;
  std::vector<char> reduced_;
  bool are_kept_;
  layout output_layout_;
};

/// Whether the function needs the mean first.
inline bool deviates(std::string_view name) noexcept { return name == "var" || name == "std"; }

/// Reduces by the host's loops. None, and has done nothing, where kernels have to, or another
/// thread has begun work on the elements meanwhile. `make(layout, type)` makes an array beside `x`,
/// which the host may fill at once, and `run(call, out)` returns what `call.run(out)` does.
template <class Make, class Run>
std::optional<array> reduced_on_host(std::string_view name, const array& x,
                                     const reduction_axes& axes, double correction,
                                     const Make& make, const Run& run) {
  const host_reduction* function = find_host_reduction(name, x.type().code());
  if (function == nullptr || x.size() == 0 || x.size() > max_host_reduction ||
      !is_ready_on_cpu(x)) {
    return std::nullopt;
  }
  const auto reduced = [&](const host_reduction& of, const array* mean,
                           const reduction_axes& along) -> std::optional<array> {
    const host_reduction_call call(of, x, mean, along, correction);
    array out = make(call.output_layout(), of.result);
    if (x.may_be_busy() || !run(call, out)) {
      return std::nullopt;
    }
    return out;
  };
  if (!deviates(name)) {
    return reduced(*function, nullptr, axes);
  }
  const std::optional<array> mean = reduced(*find_host_reduction("deviation_mean", x.type().code()),
                                            nullptr, {.axes = axes.axes, .are_kept = true});
  return mean ? reduced(*function, &*mean, axes) : std::nullopt;
}

}  // namespace internal

}  // namespace usmx::inline v1
