// Calls of functions that the libraries of vendors compute: what those of linear algebra and of
// Fourier transforms have in common. Not installed.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/layout/layout.hpp"
#include "usmx/runtime/usm_kind.hpp"
#include "vendors/host_work.hpp"
#include "vendors/product.hpp"

namespace usmx::inline v1::internal {

/// How a caller lets a call compute. Programs in C++ take it as it is.
struct vendor_call_way {
  /// Makes the memory of a result, whose first use is in order; null: new_array().
  std::function<array(layout, dtype, const sycl::queue&, usm_kind)> make = {};
  /// Whether little work is done at once: no other thread begins work on the arrays meanwhile.
  bool is_alone = true;
  /// Whether the caller's own way of computing, if it has one, comes first.
  bool asks_caller_first = false;
  /// A function as in compile_options, for the sources that the call compiles.
  std::function<void(std::chrono::seconds)> progress = {};
};

array made_by(const vendor_call_way&, layout, dtype, const array& beside, usm_kind);

/// Does the work at once or starts it. With `wait` returns when it is done.
void run_on_host(const vendor_call_way&, const host_work&, bool wait);

bool is_on_cuda(const array&);

/// float64, or float32 on a device without it.
dtype default_real_type(const array&);

/// The elements in another type, in C order; an array that has it is itself.
array in_type(const vendor_call_way&, const array&, dtype);

/// Throws device_error for an array for which no library computes. `of_device` is that of its
/// device, if there is one, which was not found.
[[noreturn]] void throw_no_library(std::string_view function, const array&,
                                   const vendor_library& of_device);

}  // namespace usmx::inline v1::internal
