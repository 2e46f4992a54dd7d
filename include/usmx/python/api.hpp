// The table through which extension modules reach usmx's Python objects: one capsule, one struct,
// versioned. Extensions share no nanobind or pybind11 internals with usmx. The casters for a
// binding library are in the header of its name.
#pragma once

#include <Python.h>

#include <cstdint>
#include <exception>
#include <optional>

#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"

namespace usmx::python {

/// Moves when the table or a type that passes through it changes.
inline constexpr std::uint32_t api_version = 5;
inline constexpr const char* api_capsule_name = "usmx._core._api";

/// All functions need the interpreter lock, throw nothing, and report failure by -1 or null with a
/// Python error set. Those named as_... return 1 with the result set, and 0, with no error, for an
/// object that is nothing of the kind: it may fit another overload. Each asks the object once.
struct api_table {
  std::uint32_t version;

  /// A view of a usmx array or memory, or of any object with __sycl_usm_array_interface__: checked,
  /// its memory ready to be read; it keeps the producer alive.
  int (*as_array)(PyObject* object, std::optional<array>* result) noexcept;
  /// A new usmx.USMArray that shares the array's memory.
  PyObject* (*from_array)(const array& value) noexcept;

  /// The queue of a SyclQueue of usmx or dpctl, of a capsule "SyclQueueRef", or of an object whose
  /// _get_capsule() returns one.
  int (*as_queue)(PyObject* object, std::optional<sycl::queue>* result) noexcept;
  /// A new usmx.SyclQueue.
  PyObject* (*from_queue)(const sycl::queue& queue) noexcept;

  /// The event of a SyclEvent of usmx or dpctl, of a capsule "SyclEventRef", or of an object whose
  /// _get_capsule() returns one.
  int (*as_event)(PyObject* object, std::optional<sycl::event>* result) noexcept;
  /// A new usmx.SyclEvent.
  PyObject* (*from_event)(const sycl::event& event) noexcept;

  /// Sets the Python error that an exception of usmx or SYCL stands for and returns 1; else 0.
  int (*set_error)(const std::exception_ptr& exception) noexcept;
};

namespace detail {

inline const api_table*& api_slot() noexcept {
  static const api_table* table = nullptr;
  return table;
}

}  // namespace detail

/// Imports the Python package and its table. Call it first thing in an extension's module
/// initialisation. Returns false with a Python error set when usmx is missing or too different.
inline bool try_import_usmx() noexcept {
  auto* table = static_cast<const api_table*>(PyCapsule_Import(api_capsule_name, 0));
  if (table == nullptr) {
    return false;
  }
  if (table->version != api_version) {
    PyErr_Format(PyExc_ImportError,
                 "this extension was built for version %u of usmx's native interface, found "
                 "version %u: build it again",
                 api_version, table->version);
    return false;
  }
  detail::api_slot() = table;
  return true;
}

/// The table; import_usmx has been called.
inline const api_table& api() noexcept { return *detail::api_slot(); }

}  // namespace usmx::python
