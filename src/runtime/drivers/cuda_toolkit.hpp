// Libraries of CUDA's toolkit, which users install: NVIDIA's run-time compiler and cuBLAS. No SYCL
// here. Private to the library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace usmx::inline v1::detail {

/// One for a major version of CUDA.
struct toolkit_library {
  std::string name;    // "libnvrtc.so.13"
  const char* folder;  // that its Python package has in site-packages
};

/// Its file: of the Python package, else where the loader finds it, which then loads it for the
/// whole of the process.
std::optional<std::filesystem::path> find_file(const toolkit_library&);

}  // namespace usmx::inline v1::detail
