// The binary interface of DLPack 1.3: what its C header lays out, under names of usmx's own, so
// that neither usmx nor its users need that header and both may include it beside this one. Who has
// pointers to the header's types casts them. Fields mean what https://dmlc.github.io/dlpack says.
// Next: dlpack.hpp.
#pragma once

#include <cstdint>

namespace usmx::inline v1::dlpack {

/// Another `major` is another layout of all that follows a managed tensor's deleter.
struct version {
  std::uint32_t major;
  std::uint32_t minor;
};
inline constexpr version current_version{1, 3};

/// Of the kinds of devices only those that usmx exchanges; others have other numbers.
enum class device_type : std::int32_t { cpu = 1, cuda = 2, cuda_managed = 13, oneapi = 14 };
/// Whose streams are CUDA's.
constexpr bool is_cuda(device_type type) noexcept {
  return type == device_type::cuda || type == device_type::cuda_managed;
}

struct device {
  device_type type;
  std::int32_t id;
  friend bool operator==(const device&, const device&) = default;
};
/// Ordinary host memory.
inline constexpr device host{device_type::cpu, 0};

/// Of the kinds of elements only those that usmx has; others have other numbers.
enum class type_kind : std::uint8_t { signed_, unsigned_, floating, complex = 5, boolean };

/// One element is `lanes` numbers of `bits` bits.
struct data_type {
  type_kind kind;
  std::uint8_t bits;
  std::uint16_t lanes;
  friend bool operator==(const data_type&, const data_type&) = default;
};

/// Strided elements; shape and strides count elements and belong to whoever made this.
struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t ndim;
  data_type type;
  std::int64_t* shape;
  /// Null, in tensors older than 1.2: C-contiguous.
  std::int64_t* strides;
  /// From `data` to element zero.
  std::uint64_t byte_offset;
};

/// A tensor that is handed over: who has it calls `deleter(this)` once, on any thread, unless that
/// is null. In capsules "dltensor_versioned".
struct managed_tensor {
  dlpack::version version;
  void* context;
  void (*deleter)(managed_tensor*);
  std::uint64_t flags;
  dlpack::tensor tensor;
};
/// Of managed_tensor::flags.
inline constexpr std::uint64_t flag_readonly = 1;
inline constexpr std::uint64_t flag_copied = 2;

/// The same before version 1.0, without words for read-only memory. In capsules "dltensor".
struct legacy_managed_tensor {
  dlpack::tensor tensor;
  void* context;
  void (*deleter)(legacy_managed_tensor*);
};

struct exchange_api_header {
  dlpack::version version;
  /// The table of an older version, or null.
  exchange_api_header* previous;
};

/// What a Python class offers as `__dlpack_c_exchange_api__`, in a capsule "dlpack_exchange_api".
/// All functions give 0, or -1 with an error set: Python's, but for `allocate`. None waits for
/// work.
struct exchange_api {
  exchange_api_header header;
  /// New memory for the prototype's device, shape and type. Needs no interpreter:
  /// `set_error(error_context, name of Python's exception, message)`.
  int (*allocate)(tensor* prototype, managed_tensor** made, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*from_object)(void* object, managed_tensor** made);
  /// Takes the tensor over.
  int (*to_object)(managed_tensor* given, void** object);
  /// As long as the object lives and is not changed; the tensor is not to be let go.
  int (*look_into)(void* object, tensor* seen);
  int (*current_stream)(device_type, std::int32_t id, void** stream);
};

}  // namespace usmx::inline v1::dlpack
