// The pools in which the SYCL runtime keeps small allocations: it cuts chunks out of slabs, which
// are what a driver knows. Apart from where the pools' functions come from, so that the answers'
// meaning can be tested without such pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "usmx/runtime/allocation_info.hpp"

// As umf/memory_pool.h declares it.
typedef struct umf_memory_pool_t* umf_memory_pool_handle_t;

namespace usmx::inline v1::detail::runtime_pools {

/// umf_result_t, an enumeration of 32 bits.
using result = std::uint32_t;
inline constexpr result success = 0;  // UMF_RESULT_SUCCESS

/// umfPoolByPtr and umfPoolMallocUsableSize.
struct functions {
  result (*find_pool)(const void* pointer, umf_memory_pool_handle_t*);
  result (*usable_nbytes)(umf_memory_pool_handle_t, const void* pointer, std::size_t* nbytes);
};

/// In the memory library (UMF) that the SYCL runtime has loaded; none where it has not, or lacks
/// one of them.
std::optional<functions> find_functions() noexcept;

/// What a driver has found, with the bounds of the chunk if they were those of a slab of a pool.
/// Otherwise as it was found. Whether the chunk is allocated or free, the pools do not tell.
allocation_info narrowed_to_chunk(const functions&, allocation_info found,
                                  const void* pointer) noexcept;

/// The same by the pools of this process, where there are any.
class loaded_pools {
 public:
  loaded_pools() noexcept : functions_(find_functions()) {}
  allocation_info narrowed(const allocation_info& found, const void* pointer) const noexcept {
    return functions_ ? narrowed_to_chunk(*functions_, found, pointer) : found;
  }

 private:
  std::optional<functions> functions_;
};

}  // namespace usmx::inline v1::detail::runtime_pools
