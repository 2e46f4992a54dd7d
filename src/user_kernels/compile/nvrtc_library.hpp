// Where NVIDIA's run-time compiler (NVRTC) is, which users install. No SYCL here. Private to the
// library.
#pragma once

#include <filesystem>
#include <string>

namespace usmx::inline v1::detail {

struct nvrtc_library {
  std::filesystem::path file;

  /// Another one for another version. It is not loaded for this: that takes longer than a kernel
  /// from the disk cache.
  std::string identity() const;
};

/// The newest one whose code a driver of that major version of CUDA takes, for devices of that
/// compute capability (90 for 9.0): of the Python package, else where the loader finds it. Throws
/// compile_error, which says what to install, if there is none.
nvrtc_library find_nvrtc(int driver_major_version, int capability);

}  // namespace usmx::inline v1::detail
