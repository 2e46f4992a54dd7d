// Where this library, the SYCL runtime and its CPU driver lie, the variables that set the driver
// up, whether the system knows that driver already, and whether the process has loaded more
// libraries since it was asked last. The set-up itself runs when the library is loaded:
// driver_setup.cpp. Private to the library.
#pragma once

#include <filesystem>

namespace usmx::inline v1::detail {

inline constexpr const char* cpu_driver_name = "libintelocl.so";
inline constexpr const char* icd_filenames_variable = "OCL_ICD_FILENAMES";
inline constexpr const char* icd_vendors_variable = "OCL_ICD_VENDORS";
inline constexpr const char* device_selector_variable = "ONEAPI_DEVICE_SELECTOR";
/// Whether Intel's CPU driver makes vectors.
inline constexpr const char* vectorizer_variable = "CL_CONFIG_CPU_VECTORIZER_MODE";

/// This library's directory, with links resolved; empty if it is unknown.
std::filesystem::path own_directory();

/// The directory of the libsycl that this library calls, with links resolved; empty if it is
/// unknown.
std::filesystem::path runtime_directory();

/// How many libraries the loader has ever mapped. As long as the number stays the same, no library
/// was added, though some may be gone.
unsigned long long count_of_loads() noexcept;

/// Whether an .icd file in that directory names a copy of the CPU driver that exists.
bool registers_cpu_driver(const std::filesystem::path& vendors);

}  // namespace usmx::inline v1::detail
