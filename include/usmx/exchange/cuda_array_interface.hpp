// The CUDA array interface (version 3): the values of the dictionary __cuda_array_interface__,
// which usmx checks and makes an array of, and which describe an array; and the order of work on
// CUDA's streams. usmx checks what it checks of the USM array interface
// (exchange/usm_array_interface.hpp). No Python here: the bindings read and write the dictionary
// itself.
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

/// The values of the dictionary but for `stream`. Texts and the shape belong to the producer.
struct cuda_array_interface {
  /// The address of element zero: `data[0]` of the dictionary.
  std::uintptr_t data = 0;
  /// Whether the elements must not be written: `data[1]` of the dictionary.
  bool readonly = false;
  /// The element type as NumPy writes it: "<f8".
  std::string_view typestr;
  /// The fields of a structured type, `descr` of the dictionary; none for a plain type.
  std::optional<exchange::typedescr> fields;
  /// The extents, one for each dimension.
  std::span<const std::ptrdiff_t> shape;
  /// The strides in bytes, one for each dimension; none for C-contiguous elements.
  std::optional<std::vector<std::ptrdiff_t>> strides;
};

/// Checks a description as if it were one of the USM array interface, on the cached queue of the
/// CUDA device that the memory belongs to. It never reads through the pointer and does not wait.
/// Throws value_error or overflow_error, which name the key and the values; value_error also when
/// the SYCL runtime does not have the CUDA device.
USMX_API checked_import check(const cuda_array_interface&);

/// Describes an array in memory of a CUDA device. Exposes the array (see `array`). Does not wait
/// for unfinished work: see array::wait. The result points into the array. Throws buffer_error for
/// memory of another device, value_error for an array without memory.
USMX_API cuda_array_interface describe_for_cuda(const array&);

/// CUDA's number of its legacy default stream. Numbers of other streams are handles (cudaStream_t).
inline constexpr std::uintptr_t legacy_default_stream = 1;
/// CUDA's number of the default stream of the calling thread.
inline constexpr std::uintptr_t per_thread_default_stream = 2;

/// Makes whatever usmx does with an array's elements come after the work that is on a stream of
/// their CUDA device now. It records an event and does not wait. A handle is used without a check.
/// Throws device_error with the driver's reason.
USMX_API void follow_cuda_stream(const array&, std::uintptr_t stream);
/// Waits for all work on the CUDA device of an array's elements: for work on streams that nobody
/// names. Throws device_error with the driver's reason.
USMX_API void wait_for_cuda_streams(const array&);

/// Whether the SYCL runtime has CUDA devices, so that memory of CUDA's can become an array.
USMX_API bool has_cuda_devices();

}  // namespace usmx::inline v1::exchange
