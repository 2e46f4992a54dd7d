// The drivers of back ends: the interface, with the traits that a driver states and the questions
// that it answers; the table of back ends; and the pools in which the SYCL runtime keeps small
// allocations. Private to the library.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <sycl/backend_types.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

#include "base/process.hpp"
#include "usmx/runtime/usm_kind.hpp"

// The differences between back ends, as values: code outside of this folder asks for these, and
// never which back end it is. No SYCL here.

namespace usmx::inline v1::detail {

/// The layout of a kernel's work: one work item in a group, which suits CPUs; many beside each
/// other; or many that share memory, in the kernels that the driver builds from PTX.
enum class kernel_shape { narrow, wide, tiled };

/// The compiler of users' kernels: the SYCL runtime's, or NVIDIA's, which users install.
enum class kernel_compiler { runtime, nvrtc };

/// The traits of a back end, which each driver states. The defaults are those of back ends of which
/// nothing is known.
struct backend_traits {
  /// Whether threads that wait in the driver at the same time may hang (docs/decisions.md, 21).
  bool waits_one_at_a_time = false;
  /// Whether an in-order queue can be asked if it is empty, whatever other threads submit to it
  /// (docs/decisions.md, 18).
  bool in_order_queues_tell_if_empty = true;
  /// Whether the queues that usmx keeps are in order (docs/decisions.md, 169). Those of CPU devices
  /// are not: dpctl's are not, and commands may run beside each other.
  bool keeps_in_order_queues = false;
  /// Whether an in-order queue is a stream of the driver's, on which usmx may start commands
  /// itself: the runtime waits for them as for its own, and makes their event when it is asked for.
  bool in_order_queues_are_streams = false;
  /// Whether the host may touch the memory of CPU devices, whatever its kind.
  bool host_reaches_memory_of_cpus = false;
  /// Whether one memcpy may copy between the memory of several devices of a context
  /// (docs/decisions.md, 83).
  bool memcpy_crosses_devices = true;
  /// Whether oneMKL's SYCL functions compute there, and of these LAPACK's for memory that the host
  /// does not reach.
  bool has_onemkl = false;
  bool has_onemkl_lapack = false;
  /// Whether the runtime can let kernels of one device use another one's memory; with other back
  /// ends it fails in ways of its own if it is asked.
  bool has_peer_access = false;
  /// Whether kernels of every device may use memory of kind `shared`, whichever device it belongs
  /// to.
  bool shared_memory_is_everybodys = false;
  /// The largest alignment to ask the runtime for. The runtime's own pools, which some back ends
  /// have, lose a block of a larger one when it is freed, and free other memory
  /// (docs/platforms.md).
  std::size_t largest_alignment = std::size_t{64} << 10;
  /// The largest distance in bytes between rows that one command copies to or from a device's
  /// memory; 0 if the runtime has no such command, and makes a kernel or the host do it.
  std::ptrdiff_t longest_row_distance = 0;
  /// The size of the items with which a queue fills memory as fast as it can be written; 0 for
  /// none.
  std::size_t fast_fill_itemsize = 0;
  /// The time for which events are polled before a thread sleeps until they are complete: for short
  /// work that is quicker than to wake up threads. Longer work may need the core.
  std::chrono::microseconds asked_before_wait{0};
  /// Whether it costs more to ask if an event is complete than to make a command depend on it.
  bool asking_is_slow = false;
  /// The shape of the kernels for devices that are no CPUs.
  kernel_shape kernels = kernel_shape::wide;
  /// Finds the state that the driver keeps for each thread, and that the runtime changes; none if
  /// the driver is not loaded. The pointer is null if there is no such state.
  std::optional<thread_state> (*find_thread_state)() noexcept = nullptr;
  kernel_compiler compiler = kernel_compiler::runtime;
};

/// Asks one context's back end. Thread-safe.
class usm_driver {
 public:
  virtual ~usm_driver() = default;
  /// Does as usmx::query_allocation, but does not ask the registry.
  virtual allocation_info query(const void* pointer) const = 0;
  /// The kind of the one allocation that all of these bytes lie in, nbytes > 0; unknown if there is
  /// none. If the back end cannot tell bounds, it is the kind of the first byte. A back end that
  /// needs fewer questions for this than for query() asks only those: every import calls this.
  virtual usm_kind kind_around(const void* first, std::size_t nbytes) const;
  /// Does as usmx::pointer_device.
  virtual sycl::device owner(const void* pointer) const = 0;
  /// Whether kernels of a peer may use the memory as soon as the access is enabled. Not every kind
  /// of memory follows the access. Back ends that cannot tell say yes.
  virtual bool follows_peer_access(const void* pointer) const;
  /// Does as the runtime's function for devices that can be peers. It is no error if the access is
  /// enabled already. Returns false if it is refused.
  virtual bool enable_peer_access(const sycl::device&, const sycl::device& peer) const;
};

/// Puts together a driver's answers about `pointer`. Without a base or a size the bounds are
/// unknown. A driver that puts the pointer outside of its allocation contradicts itself: then
/// everything is unknown.
inline allocation_info with_bounds(usm_kind kind, const void* pointer, const void* base,
                                   std::size_t nbytes) noexcept {
  if (base == nullptr || nbytes == 0) {
    return {.kind = kind};
  }
  // Numbers are compared, since pointers into different objects do not compare. In this order
  // nothing wraps.
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto first = reinterpret_cast<std::uintptr_t>(base);
  const bool inside = address >= first && address - first < nbytes;
  return inside ? allocation_info{kind, static_cast<const std::byte*>(base), nbytes, true}
                : allocation_info{};
}

/// The bytes from `first` to the end of its allocation, whose bounds are known.
inline std::size_t available_from(const void* first, const allocation_info& found) noexcept {
  return static_cast<std::size_t>(found.base + found.nbytes - static_cast<const std::byte*>(first));
}

inline usm_kind usm_driver::kind_around(const void* first, std::size_t nbytes) const {
  const allocation_info found = query(first);
  return !found.bounds_known || nbytes <= available_from(first, found) ? found.kind
                                                                       : usm_kind::unknown;
}

inline bool usm_driver::follows_peer_access(const void*) const { return true; }

inline bool usm_driver::enable_peer_access(const sycl::device& device,
                                           const sycl::device& peer) const {
  try {
    sycl::device(device).ext_oneapi_enable_peer_access(peer);
    return true;
  } catch (const sycl::exception&) {
    return false;
  }
}

std::unique_ptr<usm_driver> make_driver(const sycl::context&);

/// Makes a driver for a back end that offers nothing of its own: it has the kind from the SYCL
/// runtime, and bounds are unknown.
std::unique_ptr<usm_driver> make_generic_driver(const sycl::context&);

/// These ask each its driver, through functions looked up at run time; null if the driver does not
/// have them. The context must be of that back end.
std::unique_ptr<usm_driver> make_opencl_driver(const sycl::context&);
std::unique_ptr<usm_driver> make_level_zero_driver(const sycl::context&);
std::unique_ptr<usm_driver> make_cuda_driver(const sycl::context&);

/// The traits of each back end. Each driver's source file defines its own; the first two are for
/// back ends that have no driver here.
inline constexpr backend_traits generic_traits;
inline constexpr backend_traits hip_traits{.has_peer_access = true};
extern const backend_traits opencl_traits;
extern const backend_traits level_zero_traits;
extern const backend_traits cuda_traits;

struct back_end {
  sycl::backend value;
  std::string_view name;
  const backend_traits* traits = &generic_traits;
  std::unique_ptr<usm_driver> (*make_driver)(const sycl::context&) = make_generic_driver;
};

inline constexpr std::array back_ends{
    back_end{sycl::backend::opencl, "opencl", &opencl_traits, make_opencl_driver},
    back_end{sycl::backend::ext_oneapi_level_zero, "level_zero", &level_zero_traits,
             make_level_zero_driver},
    back_end{sycl::backend::ext_oneapi_cuda, "cuda", &cuda_traits, make_cuda_driver},
    back_end{sycl::backend::ext_oneapi_hip, "hip", &hip_traits},
    back_end{sycl::backend::ext_oneapi_native_cpu, "native_cpu"},
    back_end{sycl::backend::ext_oneapi_offload, "offload"}};

/// The traits of a back end, which a queue, a device or an event names.
inline const backend_traits& traits_of(sycl::backend backend) noexcept {
  const auto* const found = std::ranges::find(back_ends, backend, &back_end::value);
  return found == back_ends.end() ? generic_traits : *found->traits;
}

}  // namespace usmx::inline v1::detail

// The pools in which the SYCL runtime keeps small allocations: it cuts chunks out of slabs, and a
// driver knows only the slabs. The pools' functions are passed in, so that tests can check the
// meaning of the answers without such pools.

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

/// The pools of this process, if the memory library is loaded: narrows answers as
/// narrowed_to_chunk().
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
