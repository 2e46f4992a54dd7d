// The options that element-wise kernels and reductions share, for the source besides its
// expressions and for a call, and the result of a call. Next: elementwise_kernel.hpp and
// reduction_kernel.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/user_kernels/compile.hpp"

namespace usmx::inline v1 {

/// The options of a generated kernel besides its expressions.
struct generation_options {
  /// An identifier, for messages.
  std::string name = "kernel";
  /// C++ that comes before the kernel, such as functions that it uses.
  std::string preamble = {};
  /// Options for the compiler, as compile_options has them.
  std::vector<std::string> options = {};
  /// Whether each index of a raw array is checked. Each call then waits for the kernel, and throws
  /// index_error with the first bad index. Bad indices reach no array.
  bool debug = false;
};

/// The result of submit() of a generated kernel.
struct generated_result {
  /// The outputs, as call() returns them.
  std::vector<array> outputs;
  /// Complete when the outputs are.
  sycl::event done;
};

/// The options of one call of a generated kernel.
struct generated_call_options {
  /// An array for each output, or none for a new one. Empty: all are new.
  std::vector<std::optional<array>> outputs = {};
  /// The type that stands for type variables that no array names.
  std::optional<dtype> type = {};
  /// Where it runs; null for the queue of the arrays, else the default queue.
  const sycl::queue* queue = nullptr;
  /// Events that it comes after, besides the work on the arrays.
  std::vector<sycl::event> after = {};
  /// A function as in compile_options, for the sources that the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
  /// Called under no lock with the compiler's warnings, if the call compiles a source and there are
  /// some. What it throws, the call throws, and runs nothing.
  std::function<void(const std::vector<diagnostic>&)> warned = {};
};

}  // namespace usmx::inline v1
