// Questions to Level Zero's driver. The functions are passed in, so that tests can check the
// meaning of the answers without such a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "usmx/runtime/usm_kind.hpp"

// The few declarations of Level Zero's ze_api.h (version 1.0, unchanged since) that are needed, as
// its specification has them: https://oneapi-src.github.io/level-zero-spec, "Core, Mem". The SYCL
// headers declare the handles the same way.
typedef struct _ze_context_handle_t* ze_context_handle_t;
typedef struct _ze_device_handle_t* ze_device_handle_t;

namespace usmx::inline v1::detail::level_zero {

/// ze_result_t; enumerations of that header are 32 bits wide.
using result = std::uint32_t;
inline constexpr result success = 0;  // ZE_RESULT_SUCCESS

enum class memory_type : std::uint32_t { unknown = 0, host = 1, device = 2, shared = 3 };

/// ze_memory_allocation_properties_t.
struct allocation_properties {
  std::uint32_t structure_type = 0x17;  // ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
  void* next = nullptr;
  memory_type type = memory_type::unknown;
  std::uint64_t id = 0;
  std::uint64_t page_size = 0;
};

/// zeMemGetAllocProperties and zeMemGetAddressRange.
struct functions {
  result (*get_allocation_properties)(ze_context_handle_t, const void* pointer,
                                      allocation_properties*, ze_device_handle_t* optional);
  result (*get_address_range)(ze_context_handle_t, const void* pointer, void** base,
                              std::size_t* nbytes);
};

/// The functions of the loader that the SYCL runtime has loaded; none if it has not loaded it, or
/// one of them is missing.
std::optional<functions> find_functions() noexcept;

/// Does as usm_driver::query. A pointer that the driver does not know is no error: its type is
/// unknown.
allocation_info query(const functions&, ze_context_handle_t, const void* pointer) noexcept;

}  // namespace usmx::inline v1::detail::level_zero
