// Compiles a program for a device, with the SYCL runtime's own compiler. Private to the library.
#pragma once

#include <string>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

#include "user_kernels/program.hpp"

namespace usmx::inline v1::detail {

/// What compiling gave: an executable SYCLBIN for the device, and what the compiler said.
struct compiled_program {
  std::vector<char> executable;
  std::string log;
};

/// Throws compile_error.
compiled_program compile(const program&, const sycl::context&, const sycl::device&);

}  // namespace usmx::inline v1::detail
