// A call of a generated kernel from C++: its arguments, its queue and its results. Private to the
// library.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "generated_kernels/generated_call.hpp"
#include "generated_kernels/kernel_family.hpp"
#include "usmx/array/array.hpp"
#include "usmx/generated_kernels/generated_call.hpp"

namespace usmx::inline v1::detail {

/// A call that runs.
struct started_call {
  std::vector<array> outputs;
  std::vector<sycl::event> events;
  sycl::queue queue;

  /// May wait.
  generated_result with_event() &&;
};

class complete_call {
 public:
  /// The arguments are inputs, or inputs and outputs. Throws value_error unless the options have an
  /// output for each of the kernel's, or none, and type_error if both have outputs.
  complete_call(const kernel_family&, std::span<const kernel_argument> arguments,
                const generated_call_options&);

  /// Inputs and outputs.
  std::span<const kernel_argument> all() const noexcept { return all_; }
  /// Where it runs. Throws value_error for arrays on two queues.
  sycl::queue queue() const;
  /// Runs the call of these arguments.
  template <class Call>
  started_call start(Call& call) const {
    const sycl::queue where = queue();
    std::vector<array> outputs = results(call, where);
    return {std::move(outputs), call.run(where, options_), where};
  }

 private:
  /// The outputs, of which those that the call lacks are made.
  std::vector<array> results(internal::generated_call&, const sycl::queue&) const;

  const kernel_family& family_;
  const generated_call_options& options_;
  std::vector<kernel_argument> all_;
};

/// The one output. Throws type_error if there are several.
array only_output(const std::string& kernel, std::vector<array> outputs);

}  // namespace usmx::inline v1::detail
