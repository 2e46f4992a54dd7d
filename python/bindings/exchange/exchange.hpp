// Objects of others as arrays, and arrays for others: dictionaries, and the capsules of DLPack and
// Arrow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <sycl/queue.hpp>

#include "objects/array.hpp"
#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/exchange/arrow.hpp"
#include "usmx/exchange/dlpack.hpp"
#include "usmx/layout/dtype.hpp"
#include "usmx/memory/buffer.hpp"

namespace usmx::bindings {

// The dictionaries of __sycl_usm_array_interface__ and __cuda_array_interface__: their keys, and
// the dictionaries that usmx writes.

// The names of the protocol in Python.

inline constexpr const char* interface_text = "__sycl_usm_array_interface__";
inline interned interface_name(interface_text);

/// The keys, in the order in which usmx and dpnp write them.
enum class interface_key { data, shape, strides, typestr, version, syclobj, offset, typedescr };
inline constexpr std::size_t key_count = 8;
inline std::array<interned, key_count> key_names{
    interned("data"),    interned("shape"),   interned("strides"), interned("typestr"),
    interned("version"), interned("syclobj"), interned("offset"),  interned("typedescr")};

inline PyObject* key_name(interface_key k) { return key_names[static_cast<std::size_t>(k)].get(); }

// ---- The names of __cuda_array_interface__ in Python.

inline constexpr const char* cuda_interface_text = "__cuda_array_interface__";
inline interned cuda_interface_name(cuda_interface_text);

struct cuda_keys {
  static inline interned data{"data"};
  static inline interned descr{"descr"};
  static inline interned mask{"mask"};
  static inline interned shape{"shape"};
  static inline interned stream{"stream"};
  static inline interned strides{"strides"};
  static inline interned typestr{"typestr"};
  static inline interned version{"version"};
};

// ---- The dictionary of __sycl_usm_array_interface__ as usmx writes it.

/// The dictionary of an array, whose memory is leased from now on (objects/array.hpp). When
/// this returns, others may read the memory.
nb::object to_dictionary(const array& described);

// ---- The dictionary of __cuda_array_interface__ as usmx writes it.

/// The dictionary of an array on a CUDA device. When this returns, others may read its memory on
/// any stream. Raises Python's AttributeError for other devices.
nb::object to_cuda_dictionary(const array& described);

// ---- The dictionary of NumPy's __array_interface__ as usmx writes it.

/// The dictionary of an array without its address, for which a consumer takes the buffer of the
/// object. Raises Python's AttributeError where there is no buffer, and what a buffer raises: NumPy
/// asks for both, and shows the error of this. Waits as a buffer does.
nb::object to_numpy_dictionary(nb::handle object, const array& described);

// Objects of other packages as arrays: what a producer offers, and the import by what it offers.

// Anything that describes USM memory: usmx's arrays and memory objects, and foreign producers.

/// The elements of a producer that is no USMArray; nullopt for any other object.
std::optional<array> array_of_other_producer(PyObject* object);
/// A view of a producer as a new USMArray; null for any other object.
nb::object view_of_producer(nb::handle object);
/// The producer itself if it is a USMArray, a view of any other producer as a new USMArray; null
/// for any other object.
nb::object array_or_view(nb::handle object);

/// An argument that is a USMArray or another producer, as an array. TypeError (type_error) naming
/// `what` for any other object.
class array_argument {
 public:
  array_argument(const char* what, nb::handle object);
  const py_array& operator*() const noexcept { return *nb::inst_ptr<py_array>(held_); }
  const py_array* operator->() const noexcept { return &**this; }

 protected:
  array_argument(const char* what, nb::handle object, nb::object found);

 private:
  nb::object held_;
};

/// An argument whose elements count, and not where they lie: lists, ranges and numbers are copied
/// to the current queue. TypeError (type_error) naming `what` for other objects of the host.
class elements_argument : public array_argument {
 public:
  elements_argument(const char* what, nb::handle object);
};

/// The bytes that a producer covers; null for any other object.
std::shared_ptr<buffer> memory_of_producer(PyObject* object);

/// from_usm_array_interface and _as_array.
void bind_producers(nb::module_& m);

// The dictionaries of foreign producers: their types are checked, and nothing is trusted. Which
// values are right is decided in usmx/exchange.

/// A checked view of a foreign producer's memory, which keeps the producer alive: by
/// __sycl_usm_array_interface__, or else by __cuda_array_interface__. None if the object has
/// neither. An exception raised by the attribute passes through.
std::optional<array> import_producer(PyObject* producer);

/// CUDA's number of the device on which the producer says by __dlpack_device__ that its memory is.
/// Returns none if it has no such method, or its memory is elsewhere. Asks only where there are
/// such devices: others' imports take no time for it.
std::optional<std::int32_t> cuda_device_of(PyObject* producer);

/// A checked view of a foreign producer's memory on a CUDA device, which keeps the producer alive;
/// none if the object has no such attribute. usmx's work on it comes after the work on the
/// producer's stream. If the dictionary's version cannot name a stream, this waits for the device.
std::optional<array> import_cuda_producer(PyObject* producer);

// Capsules of DLPack: "dltensor_versioned" and, before version 1.0, "dltensor".

/// The device on which DLPack has the array: the host if the memory is the system's. Throws
/// buffer_error if DLPack has no number for the device or no words for the context.
dlpack::device dlpack_device_of(const array&);

/// A capsule of either generation. Its tensor keeps the memory alive without the interpreter. The
/// caller has ensured that the elements are ready to be read on that device.
nb::object to_capsule(const array&, dlpack::device, bool versioned, bool copied);

/// The tensor of a producer. Its deleter runs exactly once: when this object is destroyed, or when
/// the holder of the owner releases it.
class taken_tensor {
 public:
  /// Asks the producer for a capsule and takes what it holds. Throws type_error if the object has
  /// no __dlpack__ or gives no capsule, value_error if that was used before or holds something
  /// else, and buffer_error for another major version.
  static taken_tensor of(PyObject* producer, bool may_copy);
  /// A tensor that was received through the C interface. Throws buffer_error for another major
  /// version.
  template <class Managed>
  explicit taken_tensor(Managed* managed);

  const exchange::received_tensor& received() const noexcept { return received_; }
  detail::release_action owner() && noexcept { return std::move(owner_); }

 private:
  detail::release_action owner_;
  exchange::received_tensor received_;
};

/// The array of a tensor in USM. `producer` is the object that gave it, or null. If the array is on
/// another queue than the producer's, waits for the producer's queue.
array to_array(taken_tensor&&, PyObject* producer);

/// A copy of a tensor in host memory, of kind `device` and on that `device=`. Waits.
array copy_to_usm(const exchange::received_tensor&, nb::handle device);

// Capsules of Arrow: "arrow_schema", "arrow_array", "arrow_device_array", "arrow_array_stream".

/// (schema, array) of host-accessible memory, and of any memory with its place. The caller has
/// ensured that the elements are ready to be read.
nb::object to_arrow_capsules(const array&);
nb::object to_arrow_device_capsules(const array&);

/// The column of a producer, by the first of __arrow_c_array__, __arrow_c_stream__ and
/// __arrow_c_device_array__ that it has. Throws type_error if it has none or gives no capsules, and
/// value_error if these hold something else or were used before.
exchange::column column_of(PyObject* producer);

/// A new array with a copy of column number `k`, in the device's type for it. Waits.
array copy_to_usm(const exchange::column&, std::size_t k, usm_kind kind, const sycl::queue& queue);

}  // namespace usmx::bindings
