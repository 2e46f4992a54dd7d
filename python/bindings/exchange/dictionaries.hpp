// The dictionaries of __sycl_usm_array_interface__ and __cuda_array_interface__: their keys and
// values, and the dictionaries that usmx writes. import.hpp reads those of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/nanobind.hpp"
#include "usmx/array/array.hpp"
#include "usmx/layout/dtype.hpp"

namespace usmx::bindings {

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

// ---- The value of a producer's attribute, which must be a dict or another Mapping.

/// Throws type_error naming the attribute when the value is no Mapping.
void require_mapping(const char* attribute, nb::handle value);

/// The entry of a Mapping; null when missing.
nb::object look_up(PyObject* mapping, PyObject* key);

/// Throws value_error naming the attribute.
[[noreturn]] void throw_missing_key(const char* attribute, PyObject* key);

// ---- Reading and writing the values that dictionaries of both protocols have under the same keys.

struct pointer_and_flag {
  std::uintptr_t pointer;
  bool readonly;
};

/// `data`: type_error or value_error for anything else.
pointer_and_flag read_data(PyObject* data);

/// For a plain type, a description of fields may only repeat `typestr`. Throws value_error, naming
/// its key, if it says anything else.
void require_same_type(const char* key, PyObject* fields, PyObject* typestr);

/// `typestr` and `data`, as both protocols have them.
nb::object typestr_object(dtype type);
nb::object data_object(std::uintptr_t pointer, bool readonly);

// ---- The dictionary of __sycl_usm_array_interface__ as usmx writes it.

/// The dictionary of an array, whose memory is leased from now on (objects/array.hpp). When
/// this returns, others may read the memory.
nb::object to_dictionary(const array& described);

// ---- The dictionary of __cuda_array_interface__ as usmx writes it.

/// The dictionary of an array on a CUDA device. When this returns, others may read its memory on
/// any stream. Raises Python's AttributeError for other devices.
nb::object to_cuda_dictionary(const array& described);

}  // namespace usmx::bindings
