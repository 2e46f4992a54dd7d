// Libraries of CUDA's toolkit, which users install: NVIDIA's run-time compiler and cuBLAS. No SYCL
// here. Private to the library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace usmx::inline v1::detail {

/// A major version of CUDA, the oldest devices that it has code for, and the folders that the
/// Python packages of its libraries have in site-packages.
struct toolkit_version {
  int major;
  int oldest_capability;
  const char* nvrtc_folder;
  const char* cublas_folder;
};
/// The newest comes first.
inline constexpr toolkit_version toolkit_versions[] = {
    {13, 75, "nvidia/cu13/lib", "nvidia/cu13/lib"},
    {12, 50, "nvidia/cuda_nvrtc/lib", "nvidia/cublas/lib"}};

/// The file of a library, such as "libnvrtc.so.13": of the Python package, else where the loader
/// finds it, which then loads it for the whole of the process.
std::optional<std::filesystem::path> find_file(const std::string& name, const char* folder);

}  // namespace usmx::inline v1::detail
