// Compiles a program with the SYCL runtime's own compiler. That can end its process, and keeps
// hundreds of megabytes in it, so it runs in a child: usmx-compile, whose main function is in
// compile_main.cpp. Private to the library.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/device.hpp>

#include "user_kernels/program.hpp"

namespace usmx::inline v1::detail {

/// What compiling gave.
struct compiled_program {
  /// An executable SYCLBIN for the device; empty if the source cannot be compiled.
  std::string executable;
  /// What the compiler said.
  std::string log;
};

/// What a compilation may take.
struct compile_limits {
  std::uint64_t memory_nbytes = std::uint64_t{4} << 30;
  std::uint64_t cpu_seconds = 60;
};

/// Compiles for a root device in a child, waits for it, and lets a signal interrupt the wait.
/// Throws compile_error if the source cannot be compiled, and if the child ended early: it crashed,
/// or took more than the limits.
compiled_program compile(const program&, const sycl::device&,
                         const std::function<void(std::chrono::seconds)>& progress,
                         const compile_limits& = {});

/// What users see where the compiler is content and the device's driver is not, with what it said.
std::string driver_failure_text(std::string_view said);

}  // namespace usmx::inline v1::detail
