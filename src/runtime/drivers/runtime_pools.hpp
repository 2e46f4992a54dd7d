// The pools in which the SYCL runtime keeps small allocations: it cuts chunks out of slabs, and a
// driver knows only the slabs. The pools' functions are passed in, so that tests can check the
// meaning of the answers without such pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "usmx/runtime/allocation_info.hpp"

// A handle of UMF, declared as in umf/memory_pool.h.
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

/// The functions of the memory library (UMF) that the SYCL runtime has loaded; none if it has not
/// loaded it, or one of them is missing.
std::optional<functions> find_functions() noexcept;

/// Narrows a driver's answer to the chunk if its bounds are those of a pool's slab, and else
/// returns it unchanged. The pools do not tell whether the chunk is allocated or free.
allocation_info narrowed_to_chunk(const functions&, allocation_info found,
                                  const void* pointer) noexcept;

/// The same with the pools of this process, if there are any.
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
