// Running a kernel that was generated for a loop over the elements of arrays: what form of it the
// arrays need, and its launch. The generator is in python/usmx/_elementwise.py. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/base/api.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1::internal {

/// The most parameters of a kernel that is generated.
inline constexpr std::size_t max_generated_parameters = 23;

/// One call of an element-wise kernel. It refers to what it is made of.
///
/// The parameters are inputs, of the forms `value` and `const_pointer`, and outputs, of the form
/// `pointer`. An input is a number or an array, an output is an array of `shape`. An array has the
/// parameter's type and any layout; inputs are broadcast to `shape`. An output that overlaps
/// another argument, other than element by element, is computed in new memory first.
class USMX_API elementwise_call {
 public:
  /// Throws value_error for an array that cannot be broadcast, that is not aligned or that is
  /// read-only and written. `shape` has elements.
  elementwise_call(const kernel_signature&, std::span<const kernel_argument>,
                   std::span<const std::ptrdiff_t> shape, bool uses_index);
  elementwise_call(const elementwise_call&) = delete;
  elementwise_call& operator=(const elementwise_call&) = delete;
  ~elementwise_call();

  /// What the kernel has to be generated for, such as "rows 2 0 aas"
  /// (user_kernels/operand_loop.hpp).
  const std::string& form() const noexcept;

  /// Runs the kernel that was generated for the form and compiled for the queue's device, after
  /// `after` and the work on the arrays. Throws value_error or type_error for a number that does
  /// not fit its parameter, or an array of another context.
  sycl::event launch(const kernel& generated, const sycl::queue& queue,
                     std::span<const sycl::event> after) const;

  struct implementation;

 private:
  std::unique_ptr<implementation> parts_;
};

}  // namespace usmx::inline v1::internal
