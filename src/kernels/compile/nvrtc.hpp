// NVIDIA's run-time compiler (NVRTC), which users install: where it is, and compiling a program
// with it, which only usmx-compile and the package's build do. No SYCL here. Private to both.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace usmx::inline v1::detail {

struct nvrtc_library {
  std::filesystem::path file;

  /// The identity of the library, which differs for another version. It is not loaded for this:
  /// that takes longer than a kernel from the disk cache.
  std::string identity() const;
};

/// The newest one whose code a driver of that major version of CUDA takes, for devices of that
/// compute capability (90 for 9.0): of the Python package, else where the loader finds it. Throws
/// compile_error, which says what to install, if there is none.
nvrtc_library find_nvrtc(int driver_major_version, int capability);

struct nvrtc_program {
  std::string library;        // the file
  int capability;             // of the device: 90 for 9.0
  bool is_for_newer = false;  // whether later devices have to take the code, too: PTX
  std::string text;
  std::vector<std::string> options;
  std::vector<std::pair<std::string, std::string>> files;  // virtual ones: names and texts
};

/// Code for the device: a cubin, which drivers of any minor version take, or PTX if the device is
/// newer than the compiler, or may be. Empty if the program cannot be compiled.
struct nvrtc_result {
  std::string code;
  std::string log;
};

/// Throws std::runtime_error if the library cannot be used.
nvrtc_result compile_by_nvrtc(const nvrtc_program&);

}  // namespace usmx::inline v1::detail
