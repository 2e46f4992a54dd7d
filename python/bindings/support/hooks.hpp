// The Python functions that C++ calls: all of them, and nowhere else does C++ name a Python module
// of usmx. The package gives them when it is imported (usmx/_container/hooks.py). What C++ needs of
// other packages: lazy_import.hpp.
#pragma once

#include <utility>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// One function. Makes itself known to set_hooks by its name.
class hook {
 public:
  explicit hook(const char* name) noexcept : name_(name), next_(std::exchange(first_, this)) {}
  hook(const hook&) = delete;
  hook& operator=(const hook&) = delete;

  template <class... Arguments>
  nb::object operator()(Arguments&&... arguments) const {
    return function()(std::forward<Arguments>(arguments)...);
  }

 private:
  friend void set_hooks(const nb::kwargs& functions);
  friend void clear_hooks() noexcept;

  /// RuntimeError when usmx._core was imported without the package, or is gone again.
  nb::handle function() const;

  static inline hook* first_ = nullptr;
  const char* name_;
  hook* next_;
  PyObject* function_ = nullptr;  // owned
};

namespace hooks {

// ---- what is found in place of what was expected
inline hook short_repr("short_repr");

// ---- what arrays and devices look like
inline hook array_repr("array_repr");
inline hook array_str("array_str");
inline hook array_html("array_html");
inline hook device_html("device_html");
inline hook format_array("format_array");

// ---- copies, conversions and other shapes
inline hook array_astype("array_astype");
inline hook asnumpy("asnumpy");
inline hook reshape("reshape");
inline hook to_device("to_device");

// ---- what stands in a[key] and on the right of a[key] = value
inline hook host_index("host_index");
inline hook host_value("host_value");

// ---- copy and pickle
inline hook copy_array("copy_array");
inline hook reduce_array("reduce_array");
inline hook copy_memory("copy_memory");
inline hook reduce_memory("reduce_memory");

// ---- the functions for arrays
inline hook array_namespace("array_namespace");

// ---- NumPy's functions on arrays
inline hook call_numpy_function("call_numpy_function");

}  // namespace hooks

/// Fills the table. TypeError that names a hook which is not among `functions`, a function which is
/// no hook, or what cannot be called; the table is then what it was.
void set_hooks(const nb::kwargs& functions);

/// _set_hooks. The table is emptied with the module: functions hold the modules that they are from,
/// and those hold this one, a circle that the collector does not see.
void bind_hooks(nb::module_& m);

}  // namespace usmx::bindings
