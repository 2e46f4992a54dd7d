// The dictionary of __cuda_array_interface__ (version 3) as plain values, both ways, and the order
// of work on CUDA's streams. No Python here: the bindings read and write the dictionary itself.
// What is checked is what usm_array_interface.hpp checks; only the words differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/usm_array_interface.hpp"

namespace usmx::inline v1::exchange {

/// The values of the dictionary, `stream` aside.
struct cuda_array_interface {
  /// Element zero.
  std::uintptr_t data = 0;
  bool readonly = false;
  std::string_view typestr;
  /// `descr`: the fields of a structured type; none for a plain one.
  std::optional<exchange::typedescr> fields;
  std::span<const std::ptrdiff_t> shape;
  /// In bytes. None: C-contiguous.
  std::optional<std::vector<std::ptrdiff_t>> strides;
};

/// Checks it as a dictionary of SYCL's on usmx's queue of the CUDA device that the memory belongs
/// to. Throws value_error where the SYCL runtime has no such device too.
USMX_API checked_import check(const cuda_array_interface&);

/// What an array on a CUDA device says of itself; others know its memory from here on, and
/// unfinished work is not waited for (array::wait). `shape` points into the array. Throws
/// buffer_error for other devices.
USMX_API cuda_array_interface describe_for_cuda(const array&);

/// CUDA's own numbers of streams; others are handles (cudaStream_t).
inline constexpr std::uintptr_t legacy_default_stream = 1;
inline constexpr std::uintptr_t per_thread_default_stream = 2;

/// Whatever usmx does with the elements from now on comes after what is on that stream of their
/// CUDA device now, by an event: nothing is waited for. A handle is used as it is. Throws
/// device_error with the driver's reason.
USMX_API void follow_cuda_stream(const array&, std::uintptr_t stream);
/// For work on streams that nobody names: waits for all of the elements' CUDA device.
USMX_API void wait_for_cuda_streams(const array&);

/// Whether the SYCL runtime has CUDA devices, and their memory can be anybody's array here.
USMX_API bool has_cuda_devices();

}  // namespace usmx::inline v1::exchange
