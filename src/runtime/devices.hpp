// Devices inside the library: the list of root devices, and the numbers of CUDA devices. Private to
// the library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/backend_types.hpp>
#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/queue.hpp>

#include "usmx/runtime/usm_kind.hpp"

namespace usmx::inline v1::detail {

/// A type of device and its name in filter selectors. The names of back ends are in their table.
struct named_device_type {
  sycl::info::device_type value;
  std::string_view name;
};

inline constexpr std::array device_types{
    named_device_type{sycl::info::device_type::cpu, "cpu"},
    named_device_type{sycl::info::device_type::gpu, "gpu"},
    named_device_type{sycl::info::device_type::accelerator, "accelerator"}};

/// A root device and the properties that filters ask about, so that selecting needs no runtime
/// call.
struct root_device {
  sycl::device device;
  sycl::backend backend;
  sycl::info::device_type type;
  /// The index among the root devices of the same back end and type.
  std::size_t index;
  int default_score;

  /// The filter string, such as "opencl:cpu:0".
  std::string filter() const;
};

/// Asks the runtime for its root devices. Throws sycl::exception if the runtime refuses, for
/// example because ONEAPI_DEVICE_SELECTOR is malformed.
std::vector<root_device> query_root_devices();

/// The root devices, for which the runtime is asked only once: it fixes its list at the first
/// query. If the runtime refuses, there is no device, as in dpctl, and diagnose_missing_device()
/// repeats the refusal.
const std::vector<root_device>& root_devices();

/// The entry of a root device in root_devices(); null for a sub-device.
const root_device* find_root(const sycl::device&);

/// The device that a sub-device is part of; none for a root device.
std::optional<sycl::device> parent_of(const sycl::device&);

/// Whether the predicate holds for a device or for one that it is part of.
template <class Predicate>
bool is_within(const sycl::device& device, const Predicate& predicate) {
  std::optional<sycl::device> candidate = device;
  while (candidate && !predicate(*candidate)) {
    candidate = parent_of(*candidate);
  }
  return candidate.has_value();
}

std::size_t count_cuda_devices();

/// The first CUDA device; null if there is none.
const sycl::device* first_cuda_device();

/// The CUDA device with that number; null if the SYCL runtime has none.
const sycl::device* find_cuda_device(std::int32_t number);

/// CUDA's number of a device; nothing for a device of another back end.
std::optional<std::int32_t> cuda_number(const sycl::device&);

/// The text of an error about memory of a device that is not there: it names the device, if that is
/// known, and the devices that there are.
std::string describe_missing_cuda_device(std::optional<std::int32_t> number);

// The memory that kernels of a device may use: the one rule, for every kernel of usmx's and every
// kernel that it launches for others.

/// Memory of a context, and the device that it belongs to. Memory of kind `host` belongs to none.
struct owned_memory {
  const void* first;
  usm_kind kind;
  const sycl::device& owner;
};

/// Whether kernels on the device may read and write memory of one of its contexts. A kernel that
/// gets other memory may end all work of the process on its device: on CUDA that is an illegal
/// access. The first question about two devices asks the back end, and lets kernels of the one use
/// the other's memory from then on; what a program has said by enable_peer_access() and
/// disable_peer_access() stands.
bool is_in_reach(const sycl::device&, const sycl::context&, const owned_memory&);

/// Whether kernels on a queue may read and write memory on which usmx works through another queue:
/// memory of another context is out of reach, too.
bool is_in_reach(const sycl::queue&, const void* first, usm_kind kind,
                 const sycl::queue& of_memory);

/// These do as the public functions, for devices that may be peers. To enable what usmx has enabled
/// is no error, although it is one for the runtime.
void enable_peer_access(const sycl::device&, const sycl::device& peer);
void disable_peer_access(const sycl::device&, const sycl::device& peer);

}  // namespace usmx::inline v1::detail
