// Compiles a program with the SYCL runtime's own compiler, or with NVIDIA's for CUDA devices. That
// can end its process, and keeps hundreds of megabytes in it, so it runs in a child: usmx-compile,
// whose main function is in compile_main.cpp. program_store.hpp keeps the results. Private to the
// library.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <sycl/device.hpp>

#include "kernels/compile/child.hpp"
#include "kernels/compile/nvrtc.hpp"
#include "kernels/compile/program.hpp"

namespace usmx::inline v1::detail {

/// The target of the SYCL runtime's compiler: a root device.
struct runtime_target {
  sycl::device device;  // a root device
};
/// The target of NVIDIA's compiler: CUDA devices of a compute capability, 90 for 9.0.
struct cuda_target {
  nvrtc_library compiler;
  int capability;
};
using compile_target = std::variant<runtime_target, cuda_target>;

struct compiled_program {
  /// Takes both texts out of a message.
  static compiled_program from(message_reader& message) {
    std::string executable(message.text());
    return {std::move(executable), std::string(message.text())};
  }

  /// An executable SYCLBIN for the device, a module of SPIR-V, or code for CUDA's driver; empty if
  /// the source cannot be compiled.
  std::string executable;
  std::string log;
};

/// The compiler for a device. Throws compile_error if it is not installed.
compile_target target_for(const sycl::device&);

/// The identity of everything that the code depends on besides the device and the SYCL runtime;
/// empty if that is nothing.
std::string identity_of(const compile_target&);

/// Compiles for a target in a child, waits for it, and lets a signal interrupt the wait.
/// Throws compile_error if the source cannot be compiled, and if the child ended early: it crashed,
/// or took more than the limits.
compiled_program compile(const program&, const compile_target&, const child_progress&,
                         const compile_limits& = {});

/// The text that users see if the compiler succeeds and the device's driver fails, with the
/// driver's own text.
std::string driver_failure_text(std::string_view said);

}  // namespace usmx::inline v1::detail
