// Running the two kernels that were generated for a reduction of arrays along some axes. The
// generator is in python/usmx/_reduction.py. Not installed.
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

/// What a reduction goes along.
struct reduction_axes {
  /// The shape that the inputs are broadcast to.
  std::span<const std::ptrdiff_t> shape;
  /// For each axis whether it is reduced.
  std::span<const bool> reduced;
  /// Whether outputs have reduced axes, of one element.
  bool are_kept;
};

/// One call of a reduction. It refers to what it is made of.
///
/// The first kernel makes parts of each result, of elements that are always the same ones for one
/// shape, and the second one puts the parts together, in their order. The parameters are as those
/// of elementwise_call. An output may overlap inputs.
class USMX_API reduction_call {
 public:
  /// Throws value_error for an array that cannot be broadcast, that is not aligned, that is
  /// read-only and written, or has more dimensions than kernels take once they are joined; and for
  /// outputs of another shape. The result has elements. `result` is the type of a part.
  reduction_call(const kernel_signature&, std::span<const kernel_argument>, const reduction_axes&,
                 dtype result);
  reduction_call(const reduction_call&) = delete;
  reduction_call& operator=(const reduction_call&) = delete;
  ~reduction_call();

  /// What the kernels have to be generated for, such as "inner 1 2 64 as": whether work groups
  /// share the elements of one result (inner) or have a result for each work item (outer), the
  /// dimensions of the kept and the reduced axes, how many work items share, and the step of each
  /// input to the next one.
  const std::string& form() const noexcept;

  /// Runs the kernels that were generated for the form and compiled for the queue's device, after
  /// `after` and the work on the arrays. Throws value_error or type_error for a number that does
  /// not fit its parameter, or an array of another context. May wait for memory.
  sycl::event launch(const kernel& make_parts, const kernel& put_together, const sycl::queue& queue,
                     std::span<const sycl::event> after) const;

  struct implementation;

 private:
  std::unique_ptr<implementation> parts_;
};

}  // namespace usmx::inline v1::internal
