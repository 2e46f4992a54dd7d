// CUDA's devices among those that the SYCL runtime has, by the numbers that CUDA's driver gives
// them in this process. Private to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sycl/device.hpp>

namespace usmx::inline v1::detail {

/// Null where there is none.
const sycl::device* first_cuda_device();

/// Null where the SYCL runtime has none of that number.
const sycl::device* find_cuda_device(std::int32_t number);

/// None for other devices.
std::optional<std::int32_t> cuda_number(const sycl::device&);

/// What to say of memory of a device that is not there: which one, where that is known, and what is
/// there instead.
std::string describe_missing_cuda_device(std::optional<std::int32_t> number);

}  // namespace usmx::inline v1::detail
