// The folders of this library, the SYCL runtime and its CPU driver, the variables that set the
// drivers up, whether the system knows the CPU driver already, and whether the process has loaded
// more libraries since it was asked last. The set-up itself runs when the library is loaded:
// driver_setup.cpp. Private to the library.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace usmx::inline v1::detail {

inline constexpr const char* cpu_driver_name = "libintelocl.so";
inline constexpr const char* icd_filenames_variable = "OCL_ICD_FILENAMES";
inline constexpr const char* icd_vendors_variable = "OCL_ICD_VENDORS";
inline constexpr const char* device_selector_variable = "ONEAPI_DEVICE_SELECTOR";
/// The variable that says whether Intel's CPU driver makes vectors.
inline constexpr const char* vectorizer_variable = "CL_CONFIG_CPU_VECTORIZER_MODE";

/// The directory of this library, with links resolved; empty if it is unknown.
std::filesystem::path own_directory();

/// The directory of the libsycl that this library calls, with links resolved; empty if it is
/// unknown.
std::filesystem::path runtime_directory();

/// The folders of Python packages: beside this library's own package, and of the environment that
/// the SYCL runtime is in, as `pip install` puts it.
std::vector<std::filesystem::path> package_folders();

/// The runtime's part for CUDA, which a package of its own has (packaging/cuda), and the variable
/// that names folders of such parts to the runtime.
inline constexpr const char* cuda_adapter_name = "libur_adapter_cuda.so.0";
inline constexpr const char* cuda_adapter_package = "usmx_cuda";
inline constexpr const char* adapters_variable = "UR_ADAPTERS_SEARCH_PATH";

/// The variable's value for a folder; none if the variable cannot express the folder's name.
std::optional<std::string> as_search_path(const std::filesystem::path& folder);

/// The number of libraries that the loader has ever mapped. As long as the number stays the same,
/// no library was added, though some may be gone.
unsigned long long count_of_loads() noexcept;

/// Whether an .icd file in that directory names a copy of the CPU driver that exists.
bool registers_cpu_driver(const std::filesystem::path& vendors);

}  // namespace usmx::inline v1::detail
