// DLPack: arrays as tensors, and tensors as arrays. A tensor names a device and no queue: whoever
// works on its memory on a queue of their own finishes that work, or announces it (array::record),
// before usmx uses the memory. No Python here: the bindings read and write the capsules.
#pragma once

#include <cstdint>

#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"
#include "usmx/array/array_view.hpp"
#include "usmx/base/api.hpp"

namespace usmx::inline v1::dlpack {

// The binary interface of DLPack 1.3: what its C header dlpack.h lays out, under names of usmx's
// own, so that programs need not have that header and may include both. Pointers to the types of
// dlpack.h can be cast to pointers to these. https://dmlc.github.io/dlpack describes the fields.

/// A version of DLPack: `DLPackVersion`.
struct version {
  /// The major version. Another one lays out differently what follows the deleter of a managed
  /// tensor.
  std::uint32_t major;
  /// A higher minor version adds values, such as new types of devices.
  std::uint32_t minor;
};
/// The version of the tensors that usmx makes.
inline constexpr version current_version{1, 3};

/// A type of device: those values of `DLDeviceType` that usmx exchanges.
enum class device_type : std::int32_t {
  cpu = 1,            ///< The host.
  cuda = 2,           ///< A CUDA device.
  cuda_managed = 13,  ///< CUDA's managed memory, which host and device reach.
  oneapi = 14,        ///< A SYCL device.
};
/// Whether work on such memory is ordered by CUDA's streams.
constexpr bool is_cuda(device_type type) noexcept {
  return type == device_type::cuda || type == device_type::cuda_managed;
}

/// A device: `DLDevice`.
struct device {
  /// The type of the device.
  device_type type;
  /// The number of the device among those of its type.
  std::int32_t id;
  /// Whether both are the same device.
  friend bool operator==(const device&, const device&) = default;
};
/// The host, whose memory is device number 0 of type cpu.
inline constexpr device host{device_type::cpu, 0};

/// A kind of elements: those values of `DLDataTypeCode` that usmx has.
enum class type_kind : std::uint8_t {
  signed_,      ///< Signed integers.
  unsigned_,    ///< Unsigned integers.
  floating,     ///< IEEE floating-point numbers.
  complex = 5,  ///< Complex numbers; the bits are those of both parts.
  boolean,      ///< Bools of 8 bits.
};

/// An element type: `DLDataType`. One element is `lanes` values of `bits` bits.
struct data_type {
  /// The kind of the values.
  type_kind kind;
  /// The bits of one value.
  std::uint8_t bits;
  /// The number of values in an element: 1, but for vector types, which usmx does not take.
  std::uint16_t lanes;
  /// Whether both are the same type.
  friend bool operator==(const data_type&, const data_type&) = default;
};

/// A view of strided elements: `DLTensor`. It owns nothing.
struct tensor {
  /// The address that byte_offset counts from; usmx writes null for no elements.
  void* data;
  /// The device of the memory.
  dlpack::device device;
  /// The number of dimensions.
  std::int32_t ndim;
  /// The element type.
  data_type type;
  /// The extents, one for each dimension. They belong to whoever made the tensor.
  std::int64_t* shape;
  /// The strides in elements, one for each dimension. They belong to whoever made the tensor. Null
  /// for C-contiguous elements, in tensors older than DLPack 1.2.
  std::int64_t* strides;
  /// The number of bytes from `data` to element zero.
  std::uint64_t byte_offset;
};

/// A tensor that owns its memory: `DLManagedTensorVersioned`. Whoever has it calls `deleter(this)`
/// once, on any thread, unless the deleter is null. In Python it is in a capsule
/// "dltensor_versioned".
struct managed_tensor {
  /// The version of DLPack.
  dlpack::version version;
  /// Belongs to whoever made the tensor.
  void* context;
  /// Frees the tensor and lets its memory go; null if nothing is to be done.
  void (*deleter)(managed_tensor*);
  /// flag_readonly and flag_copied.
  std::uint64_t flags;
  /// The elements.
  dlpack::tensor tensor;
};
/// The bit of managed_tensor::flags that says that the elements must not be written.
inline constexpr std::uint64_t flag_readonly = 1;
/// The bit of managed_tensor::flags that says that the tensor is a copy, which nobody else has.
inline constexpr std::uint64_t flag_copied = 2;

/// A tensor that owns its memory, in the form that DLPack had before version 1.0, which cannot say
/// read-only: `DLManagedTensor`. In Python it is in a capsule "dltensor".
struct legacy_managed_tensor {
  /// The elements.
  dlpack::tensor tensor;
  /// Belongs to whoever made the tensor.
  void* context;
  /// Frees the tensor and lets its memory go; null if nothing is to be done.
  void (*deleter)(legacy_managed_tensor*);
};

/// The beginning of an exchange_api: `DLPackExchangeAPIHeader`.
struct exchange_api_header {
  /// The version of DLPack.
  dlpack::version version;
  /// The table of an older version, or null.
  exchange_api_header* previous;
};

/// The functions that a Python class offers to native code as `__dlpack_c_exchange_api__`, in a
/// capsule "dlpack_exchange_api": `DLPackExchangeAPI`. All return 0, or -1 with an error set, which
/// is Python's but for `allocate`. None waits for work.
struct exchange_api {
  /// The version, and the table of an older version.
  exchange_api_header header;
  /// Makes a tensor of new memory for the prototype's device, shape and type. Needs no interpreter:
  /// it reports an error by `set_error(error_context, name of Python's exception, message)`.
  int (*allocate)(tensor* prototype, managed_tensor** made, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  /// Makes a tensor of a Python object, which keeps the memory alive.
  int (*from_object)(void* object, managed_tensor** made);
  /// Makes a Python object of a tensor, which it takes over.
  int (*to_object)(managed_tensor* given, void** object);
  /// Describes a Python object without an owner: valid as long as the object lives unchanged.
  int (*look_into)(void* object, tensor* seen);
  /// Gives the stream on which the producer works on a device.
  int (*current_stream)(device_type, std::int32_t id, void** stream);
};

}  // namespace usmx::inline v1::dlpack

namespace usmx::inline v1::exchange {

// ---- out

/// The device on which others find an array's memory. For memory of a CUDA device it is that
/// device, with CUDA's number; else it is oneAPI's device whose number is its place in
/// get_devices(). Throws buffer_error when the memory is neither of a CUDA device nor of the
/// default context of a root device, since others have no number; value_error for an array without
/// memory.
USMX_API dlpack::device dlpack_device(const array&);

/// Whether an array's memory is on a device; it may be on several: memory of a CUDA device
/// is on oneAPI's device as well, and on CUDA's managed one if its kind is `shared`; memory that
/// the host may touch (host_may_touch) is on dlpack::host. An array without memory is not on
/// dlpack::host; for the other devices this function throws value_error.
USMX_API bool is_on(const array&, dlpack::device);

/// Makes a tensor of an array on a device that its memory is on (see is_on). The tensor keeps the
/// memory alive until its deleter is called, which is up to the caller. Exposes the array. Does not
/// wait for unfinished work: see array::wait. `copied` sets flag_copied: nobody else has the
/// memory. Throws buffer_error for structured elements and for another device, value_error for an
/// array without memory.
[[nodiscard]] USMX_API dlpack::managed_tensor* to_dlpack(const array&, dlpack::device,
                                                         bool copied = false);
/// Makes a tensor in the form that DLPack had before version 1.0, which has no flags. Throws
/// buffer_error also for read-only arrays.
[[nodiscard]] USMX_API dlpack::legacy_managed_tensor* to_legacy_dlpack(const array&,
                                                                       dlpack::device);
/// Describes an array as a tensor that owns nothing: it points into this array object and is valid
/// as long as that. Exposes the array, does not wait, and throws as to_dlpack().
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

  /// Whether the tensor, which usmx has not made, is in memory of a CUDA device.
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
