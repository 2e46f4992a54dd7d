// One call of a reduction: what form of its kernels the arrays need, their source and their launch.
// Not installed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "generated_kernels/call.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/reduction_kernel.hpp"

namespace usmx::inline v1::internal {

/// The first kernel makes parts of each result, of elements that are always the same ones for one
/// shape, and the second one puts the parts together, in their order.
class USMX_API reduction_call : public generated_call {
 public:
  /// Takes the arguments of reduction_kernel::call(); outputs may follow the inputs. Throws as
  /// call() does. Makes and changes nothing.
  reduction_call(const reduction_kernel&, std::span<const kernel_argument>, const reduction_axes&,
                 std::optional<dtype> wanted);
  ~reduction_call();

  /// Runs the kernels on a queue, after the events and the work on the arrays. No output is
  /// lacking. Of the options, it takes what is not an argument of the call.
  std::vector<sycl::event> run(const sycl::queue&, const generated_call_options&);

 private:
  struct plan;

  plan make_plan(const sycl::device&) const;
  /// Returns the event of the first kernel, or what the second one comes after without it.
  std::vector<sycl::event> launch_parts(const plan&, const usmx::kernel&, const sycl::queue&,
                                        std::span<const sycl::event> after) const;
  sycl::event launch_end(const plan&, const usmx::kernel&, const sycl::queue&,
                         std::span<const sycl::event> after) const;

  const reduction_kernel::implementation& kernel_;
  std::vector<std::ptrdiff_t> shape_;  // that inputs are broadcast to
  std::vector<char> reduced_;          // for each axis whether it is
  bool are_kept_;
};

}  // namespace usmx::inline v1::internal
