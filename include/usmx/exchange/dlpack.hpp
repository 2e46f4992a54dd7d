// DLPack: arrays as tensors, and tensors as arrays. A tensor names a device and no queue: whoever
// works on its memory on a queue of their own finishes that work, or announces it (array::record),
// before usmx uses the memory. No Python here: the bindings read and write the capsules. The
// structs are in exchange/dlpack_abi.hpp.
#pragma once

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/dlpack_abi.hpp"

namespace usmx::inline v1::exchange {

// ---- out

/// The device on which others find an array's memory. For memory of a CUDA device it is that
/// device, with CUDA's number; else it is oneAPI's device whose number is its place in
/// get_devices(). Throws buffer_error when the memory is neither of a CUDA device nor of the
/// default context of a root device, since others have no number; value_error for an array without
/// memory.
USMX_API dlpack::device dlpack_device(const array&);

/// Whether an array's memory is on a device; it may be on several: memory of a CUDA device
/// is on oneAPI's device as well, and on CUDA's managed one if its kind is `shared`; memory of kind
/// `shared` or `host` is on dlpack::host. An array without memory is not on dlpack::host; for the
/// other devices this function throws value_error.
USMX_API bool is_on(const array&, dlpack::device);

/// Makes a tensor of an array on a device that its memory is on (see is_on). The tensor keeps the
/// memory alive until its deleter is called, which is up to the caller. Exposes the array. Does not
/// wait for unfinished work: see array::wait. `copied` sets flag_copied: nobody else has the
/// memory. Throws buffer_error for structured elements and for another device, value_error for an
/// array without memory.
[[nodiscard]] USMX_API dlpack::managed_tensor* to_dlpack(const array&, dlpack::device,
                                                         bool copied = false);
/// Makes a tensor in the form that DLPack had before version 1.0, which keeps the memory alive
/// until its deleter is called. Exposes the array. Does not wait for unfinished work: see
/// array::wait. Throws buffer_error for structured elements, for a device that its memory is not
/// on, and for read-only arrays, which that form has no flag for; value_error for an array without
/// memory.
[[nodiscard]] USMX_API dlpack::legacy_managed_tensor* to_legacy_dlpack(const array&,
                                                                       dlpack::device);
/// Describes an array as a tensor that owns nothing: it points into this array object and is valid
/// as long as that. Exposes the array. Does not wait for unfinished work: see array::wait. Throws
/// buffer_error for structured elements and for a device that its memory is not on, value_error for
/// an array without memory.
USMX_API dlpack::tensor view_as_dlpack(const array&, dlpack::device);

/// Makes a tensor of new memory, whose elements are not set, for a prototype's shape, type and
/// device; its other fields do not count. The memory is of kind `host` on dlpack::host, `shared` on
/// CUDA's managed device, else `device`. Throws value_error for a shape that no array can have or a
/// device number that does not exist, buffer_error for devices and elements that usmx does not
/// have, overflow_error when the number of bytes does not fit ptrdiff_t, allocation_error when
/// there is no such memory.
[[nodiscard]] USMX_API dlpack::managed_tensor* allocate_dlpack(const dlpack::tensor& prototype);

// ---- in

/// Makes an array of a tensor's memory, which is USM or comes from a tensor that usmx has made. It
/// takes the tensor over: the deleter runs exactly once, when the memory is no longer used, also
/// when this function throws. usmx checks the tensor as it checks a dictionary of the USM array
/// interface (see `check`). What usmx does with memory of a CUDA device comes after the work that
/// is on CUDA's legacy default stream now. Throws buffer_error for another major version of DLPack
/// and for devices and elements that usmx does not have, value_error or overflow_error for a tensor
/// that fails a check or is null.
[[nodiscard]] USMX_API array from_dlpack(dlpack::managed_tensor*);

/// The contents of a tensor of either form, valid as long as the tensor.
struct received_tensor {
  /// The tensor itself.
  const dlpack::tensor& values;
  /// Whether the elements must not be written.
  bool readonly = false;
  /// Whether the tensor is a copy, whose memory nobody else has.
  bool copied = false;
  /// The array that the tensor was made of, if usmx has made the tensor; else null.
  const array* source = nullptr;

  /// Whether it is memory of a CUDA device, in a tensor that usmx has not made.
  bool is_on_cuda() const noexcept {
    return source == nullptr && dlpack::is_cuda(values.device.type);
  }
  /// Whether the memory can be USM, so that from_dlpack and to_array can take it. If not, it is
  /// ordinary host memory: see host_view.
  bool is_usm() const noexcept {
    return source != nullptr || values.device.type != dlpack::device_type::cpu;
  }
};
/// Reads what a tensor says; the caller keeps the tensor. Throws buffer_error for another major
/// version of DLPack, of which nothing but the deleter can be used.
USMX_API received_tensor receive(const dlpack::managed_tensor&);
/// Reads what a tensor in the form of DLPack before 1.0 says; the caller keeps the tensor.
USMX_API received_tensor receive(const dlpack::legacy_managed_tensor&);

/// Makes an array of a tensor's memory, like from_dlpack, where more is known. `owner` runs when
/// the memory is no longer used, also when this function throws: it lets the tensor go. `queue` is
/// the queue on which the producer works, or null. The array is on that queue if the queue belongs
/// to the tensor's device and its default context. Throws buffer_error for devices and elements
/// that usmx does not have, value_error or overflow_error for a tensor that fails a check.
[[nodiscard]] USMX_API array to_array(const received_tensor&, const sycl::queue* queue,
                                      detail::release_action owner);

/// Makes a view of a tensor in ordinary host memory, at any alignment, to copy from. The view is
/// valid as long as the tensor. `queue` becomes the view's queue. Whether the memory exists cannot
/// be checked. Throws buffer_error for other devices and for elements that usmx does not have,
/// value_error or overflow_error for values that no array can have.
USMX_API array_view host_view(const received_tensor&, const sycl::queue& queue);

}  // namespace usmx::inline v1::exchange
