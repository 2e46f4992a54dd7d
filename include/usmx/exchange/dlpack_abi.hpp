// The binary interface of DLPack 1.3: what its C header dlpack.h lays out, under names of usmx's
// own, so that programs need not have that header and may include both. Pointers to the types of
// dlpack.h can be cast to pointers to these. https://dmlc.github.io/dlpack describes the fields.
// Functions that make and take tensors are in exchange/dlpack.hpp.
#pragma once

#include <cstdint>

namespace usmx::inline v1::dlpack {

/// A version of DLPack: `DLPackVersion`.
struct version {
  /// Another major version lays out differently what follows the deleter of a managed tensor.
  std::uint32_t major;
  /// A higher minor version adds values, such as new types of devices.
  std::uint32_t minor;
};
/// The version of the tensors that usmx makes.
inline constexpr version current_version{1, 3};

/// A type of device: those values of `DLDeviceType` that usmx exchanges.
enum class device_type : std::int32_t {
  /// The host.
  cpu = 1,
  /// A CUDA device.
  cuda = 2,
  /// CUDA's managed memory, which host and device reach.
  cuda_managed = 13,
  /// A SYCL device.
  oneapi = 14
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
  /// Signed integers.
  signed_,
  /// Unsigned integers.
  unsigned_,
  /// IEEE floating-point numbers.
  floating,
  /// Complex numbers; the bits are those of both parts.
  complex = 5,
  /// Bools of 8 bits.
  boolean
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
