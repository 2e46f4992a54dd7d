// Compiles a program with NVIDIA's run-time compiler (NVRTC), which is loaded for it. Only
// usmx-compile does. No SYCL here.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace usmx::inline v1::detail {

/// The input of NVRTC.
struct nvrtc_program {
  std::string library;  // the file
  int capability;       // of the device: 90 for 9.0
  std::string text;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> files;  // virtual ones: names and texts
};

/// Code for the device: a cubin, which drivers of any minor version take, or PTX if the device is
/// newer than the compiler. Empty if the program cannot be compiled.
struct nvrtc_result {
  std::string code;
  std::string log;
};

/// Throws std::runtime_error if the library cannot be used.
nvrtc_result compile_by_nvrtc(const nvrtc_program&);

}  // namespace usmx::inline v1::detail
