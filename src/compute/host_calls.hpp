// Calls of the functions for each element by loops of the host, of operands of any layout and of
// several types. Not installed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compute/elementwise.hpp"
#include "compute/functions.hpp"
#include "compute/table.hpp"
#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// The loops for a call of these types; null where the host has none that gives what a kernel does.
USMX_API const host_loops* host_loops_for(const host_function&, const function_row&,
                                          const elementwise_types&) noexcept;

/// One call. It refers to its operands.
class USMX_API host_call {
 public:
  /// The operands are arrays of the inputs' types, of which there is one at least, and numbers that
  /// these types have. Throws value_error for shapes that cannot be broadcast together.
  host_call(const host_loops&, const function_row&, const elementwise_types&,
            std::span<const kernel_argument> operands);

  /// The layout of a new array for the result, which the kernel's would have.
  const layout& output_layout() const noexcept { return output_layout_; }
  dtype output_type() const noexcept { return types_.result; }

  /// Whether the result may be written to this array element by element: it is of the result's type
  /// and shape, and each operand is elsewhere or lies as the array does.
  bool may_write(const array& out) const;

  /// Computes. The memory of all arrays is idle, and the host reaches it.
  void run(const array& out) const;

 private:
  const host_loops& loops_;
  const elementwise_types& types_;
  std::span<const kernel_argument> operands_;
  int conditions_;
  std::vector<std::ptrdiff_t> shape_;
  layout output_layout_;
};

}  // namespace usmx::inline v1::internal
