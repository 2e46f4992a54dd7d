// CUDA's devices among those that the SYCL runtime has, by the numbers that CUDA's driver gives
// them in this process. Private to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sycl/device.hpp>

namespace usmx::inline v1::detail {

/// Null if there is none.
const sycl::device* first_cuda_device();

/// Null if the SYCL runtime has none with that number.
const sycl::device* find_cuda_device(std::int32_t number);

/// None for other devices.
std::optional<std::int32_t> cuda_number(const sycl::device&);

/// The text of an error about memory of a device that is not there: which device, if that is known,
/// and which devices there are.
std::string describe_missing_cuda_device(std::optional<std::int32_t> number);

}  // namespace usmx::inline v1::detail
