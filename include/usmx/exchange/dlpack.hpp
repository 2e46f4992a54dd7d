// Arrays as tensors of DLPack and back. No Python here: the bindings read and write the capsules.
// A tensor names a device and no queue: whoever works on its memory on a queue of his own finishes
// that work, or announces it (array::record), before usmx is to see it.
#pragma once

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"
#include "usmx/exchange/dlpack_abi.hpp"

namespace usmx::inline v1::exchange {

// ---- out

/// Where others find an array's memory: CUDA's device of the number that CUDA has for it, else
/// oneAPI's of that place in get_devices(). Throws buffer_error unless it is memory of a CUDA
/// device, or of a root device's default context, which alone has a number.
USMX_API dlpack::device dlpack_device(const array&);

/// Whether that is another name of that place: memory of a CUDA device is on oneAPI's as well, and
/// of kind `shared` CUDA's managed memory. Host-accessible memory is on dlpack::host.
USMX_API bool is_on(const array&, dlpack::device);

/// A tensor of an array on a device that it is on, which keeps the memory alive. Others know the
/// memory from here on; unfinished work is not waited for (array::wait). `copied` says that nobody
/// else has it. Throws buffer_error for structured elements.
USMX_API dlpack::managed_tensor* to_dlpack(const array&, dlpack::device, bool copied = false);
/// The same as before version 1.0. Throws buffer_error for read-only arrays too.
USMX_API dlpack::legacy_managed_tensor* to_legacy_dlpack(const array&, dlpack::device);
/// The same without an owner: valid as long as this very array.
USMX_API dlpack::tensor view_as_dlpack(const array&, dlpack::device);

/// New memory of a prototype's shape, type and device, of which other fields do not count: kind
/// `device`, or `host` for dlpack::host. Throws as from_dlpack, and allocation_error.
USMX_API dlpack::managed_tensor* allocate_dlpack(const dlpack::tensor& prototype);

// ---- in

/// The array of a tensor in USM, or of one that usmx has made: a view, which keeps the tensor. Of
/// memory of a CUDA device it comes after what is on CUDA's legacy default stream by now. The
/// tensor is taken over: its deleter runs exactly once, also when this throws. Checked as a
/// dictionary is, with its errors; buffer_error for another major version, and for devices and
/// elements that usmx does not have.
USMX_API array from_dlpack(dlpack::managed_tensor*);

/// What a tensor of either generation says, as long as it lives.
struct received_tensor {
  const dlpack::tensor& values;
  bool readonly = false;
  /// Nobody else has the memory.
  bool copied = false;
  /// What it was made of where usmx has made it, as long as the tensor lives.
  const array* source = nullptr;

  /// Whether somebody else has it on a CUDA device.
  bool is_on_cuda() const noexcept {
    return source == nullptr && dlpack::is_cuda(values.device.type);
  }
  /// Whether the memory is USM, and from_dlpack the way to take it.
  bool is_usm() const noexcept {
    return source != nullptr || values.device.type != dlpack::device_type::cpu;
  }
};
/// Throws buffer_error for another major version, of which nothing but the deleter can be used.
USMX_API received_tensor receive(const dlpack::managed_tensor&);
USMX_API received_tensor receive(const dlpack::legacy_managed_tensor&);

/// from_dlpack with what else is known: `owner` lets the tensor go; `queue` is where the producer
/// works, null where that is unknown. The array is on that queue if it is of the tensor's device
/// and default context.
USMX_API array to_array(const received_tensor&, const sycl::queue* queue,
                        detail::release_action owner);

/// A tensor in ordinary host memory, at any alignment; `queue` is what a view must have one of.
/// Throws as from_dlpack, but whether the memory is there nobody can tell.
USMX_API array_view host_view(const received_tensor&, const sycl::queue& queue);

}  // namespace usmx::inline v1::exchange
