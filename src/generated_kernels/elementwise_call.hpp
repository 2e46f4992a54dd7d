// One call of an element-wise kernel: what form of it the arrays need, its source and its launch.
// Not installed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "generated_kernels/call.hpp"
#include "user_kernels/kernel_code.hpp"
#include "usmx/base/api.hpp"
#include "usmx/generated_kernels/elementwise_kernel.hpp"

namespace usmx::inline v1::internal {

/// An output that overlaps another argument, other than element by element, is computed in new
/// memory first, and so is a raw output that overlaps another argument at all.
class USMX_API elementwise_call : public generated_call {
 public:
  /// Takes the arguments of elementwise_kernel::call(); outputs may follow the inputs. `shape` is
  /// empty where the arguments give it. Throws as call() does. Makes and changes nothing.
  elementwise_call(const elementwise_kernel&, std::span<const kernel_argument>,
                   std::optional<dtype> wanted,
                   const std::optional<std::vector<std::ptrdiff_t>>& shape);
  ~elementwise_call();

  /// Runs the kernel on a queue, after the events and the work on the arrays. No output is lacking.
  /// It uses those options that are not arguments of the call. Returns the events of all work on
  /// the outputs.
  std::vector<sycl::event> run(const sycl::queue&, const generated_call_options&);

 private:
  struct plan;

  void separate_raw_outputs();
  plan make_plan(const sycl::device&) const;
  held_kernels generated_for(const plan&, const sycl::queue&, const generated_call_options&) const;
  std::vector<sycl::event> launch(const plan&, const usmx::kernel&, const sycl::queue&,
                                  std::span<const sycl::event> after) const;

  const elementwise_kernel::implementation& kernel_;
  std::vector<detail::separate_output> separated_;  // raw ones
};

}  // namespace usmx::inline v1::internal
