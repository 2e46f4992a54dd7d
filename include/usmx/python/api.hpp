// The table through which extension modules reach usmx's Python objects: one capsule, one struct,
// versioned. Extensions share no nanobind or pybind11 internals with usmx. The casters for a
// binding library are in the header of its name.
#pragma once

#include <Python.h>
#include <dlfcn.h>

#include <cstdint>
#include <exception>
#include <optional>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/queue.hpp>

#include "usmx/array/array.hpp"

namespace usmx::python {

/// Moves when the table or a type that passes through it changes.
inline constexpr std::uint32_t api_version = 6;
inline constexpr const char* api_capsule_name = "usmx._core._api";

/// All functions need the interpreter lock, throw nothing, and report failure by -1 or null with a
/// Python error set. Those named as_... return 1 with the result set, and 0, with no error, for an
/// object that is nothing of the kind: it may fit another overload. Each asks the object once;
/// where code of others had to be asked, 2 takes the place of 1: such an answer is worth keeping.
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

  /// The context of a SyclContext of usmx or dpctl, of a capsule "SyclContextRef", or of an object
  /// whose _get_capsule() returns one.
  int (*as_context)(PyObject* object, std::optional<sycl::context>* result) noexcept;
  /// A new usmx.SyclContext.
  PyObject* (*from_context)(const sycl::context& context) noexcept;

  /// The device of a SyclDevice of usmx or dpctl.
  int (*as_device)(PyObject* object, std::optional<sycl::device>* result) noexcept;
  /// A new usmx.SyclDevice.
  PyObject* (*from_device)(const sycl::device& device) noexcept;

  /// Sets the Python error that an exception of usmx or SYCL stands for and returns 1; else 0.
  int (*set_error)(const std::exception_ptr& exception) noexcept;
};

namespace detail {

/// One for each extension, whatever the visibility that it is compiled with.
[[gnu::visibility("hidden")]] inline const api_table*& api_slot() noexcept {
  static const api_table* table = nullptr;
  return table;
}

/// The file of the extension that this header is compiled into.
inline const char* extension_file() noexcept {
  Dl_info found{};
  const void* here = reinterpret_cast<const void*>(&api_slot);
  return dladdr(here, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname
                                                                 : "this extension";
}

inline const api_table* import_api() noexcept {
  PyObject* package = PyImport_ImportModule("usmx");  // whose error says more than the capsule's
  if (package == nullptr) {
    return nullptr;
  }
  Py_DECREF(package);
  auto* table = static_cast<const api_table*>(PyCapsule_Import(api_capsule_name, 0));
  if (table == nullptr) {
    return nullptr;
  }
  if (table->version != api_version) {
    PyErr_Format(PyExc_ImportError,
                 "%s was built for version %u of usmx's native interface, but the usmx that is "
                 "installed has version %u: build the extension again, with that usmx",
                 extension_file(), api_version, table->version);
    return nullptr;
  }
  return table;
}

/// Runs `step` at the first call of an extension.
template <class Step>
[[gnu::visibility("hidden")]] void once_an_extension(Step step) {
  static bool is_done = false;
  if (!is_done) {
    step();
    is_done = true;
  }
}

}  // namespace detail

/// The table. The first call imports the Python package. Null with a Python error set when usmx is
/// missing or too different.
inline const api_table* api() noexcept {
  const api_table*& table = detail::api_slot();
  if (table == nullptr) {
    table = detail::import_api();
  }
  return table;
}

}  // namespace usmx::python
