#include <system_error>

#include "runtime/drivers/cuda_toolkit.hpp"
#include "user_kernels/compile/nvrtc.hpp"
#include "usmx/base/error.hpp"
#include "usmx/user_kernels/compile.hpp"

namespace usmx::inline v1::detail {
namespace {

/// A major version of CUDA, the oldest devices that it has code for, and the folder of its Python
/// package.
struct version {
  int major;
  int oldest_capability;
  const char* folder;
};
constexpr version versions[] = {{13, 75, "nvidia/cu13/lib"}, {12, 50, "nvidia/cuda_nvrtc/lib"}};

}  // namespace

std::string nvrtc_library::identity() const {
  std::error_code unknown;
  const auto nbytes = std::filesystem::file_size(file, unknown);
  return message(file.filename().native(), ", ", unknown ? 0 : nbytes, " bytes");
}

nvrtc_library find_nvrtc(int driver_major_version, int capability) {
  for (const version& each : versions) {
    if (each.major > driver_major_version || each.oldest_capability > capability) {
      continue;
    }
    if (const auto file = find_file({message("libnvrtc.so.", each.major), each.folder})) {
      return {*file};
    }
  }
  throw compile_error(
      "kernels for CUDA devices are compiled by NVIDIA's compiler NVRTC of CUDA 12 or 13, no newer "
      "than the device's driver, and none was found: `pip install usmx[cuda]` installs it",
      {});
}

}  // namespace usmx::inline v1::detail
