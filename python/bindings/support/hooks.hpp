// The Python functions that C++ calls: all of them, and nowhere else does C++ name a Python module
// of usmx. The package gives them when it is imported (usmx/_container/hooks.py). This header has
// also the modules of other packages that C++ imports.
#pragma once

#include <string_view>
#include <utility>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// A function. Makes itself known to set_hooks by its name.
class hook {
 public:
  explicit hook(const char* name) noexcept : name_(name), next_(std::exchange(first_, this)) {}
  hook(const hook&) = delete;
  hook& operator=(const hook&) = delete;

  template <class... Arguments>
  nb::object operator()(Arguments&&... arguments) const {
    return call_python(function(), std::forward<Arguments>(arguments)...);
  }

 private:
  friend void set_hooks(const nb::kwargs& functions);
  friend void clear_hooks() noexcept;

  /// The function. Throws RuntimeError when usmx._core was imported without the package, or is gone
  /// again.
  nb::handle function() const;

  static inline hook* first_ = nullptr;
  const char* name_;
  hook* next_;
  PyObject* function_ = nullptr;  // owned
};

namespace hooks {

// The work that is left to Python. Each function works on objects of the host by NumPy or by the
// standard library. C++ would only call Python functions for this work.

/// Describes an object that was found in place of the expected one. It uses reprlib, which bounds
/// length and depth.
inline hook short_repr("short_repr");

// Conversions by NumPy: they make arrays of any object of the host, nested lists and producers
// among them.
inline hook array_of_host_object("array_of_host_object");  // asarray(obj, ...)
inline hook host_index("host_index");                      // a[key]
inline hook host_value("host_value");                      // a[key] = value

// Classes that are written in Python.
inline hook common_queue_of_arguments("common_queue_of_arguments");  // ExecutionPlacementError
inline hook common_queue_of_key("common_queue_of_key");              // ExecutionPlacementError
inline hook compile_arguments("compile_arguments");  // of Kernel: Python's mappings as lists
inline hook compile_error("compile_error");          // makes a CompileError
inline hook compile_progress("compile_progress");    // on a terminal, by sys
inline hook compile_warnings("compile_warnings");    // by the module warnings
inline hook identity_text("identity_text");          // numbers of any class as texts of C++
inline hook wait_at_exit("wait_at_exit");            // by atexit

}  // namespace hooks

/// Fills the table. Throws a TypeError that names a hook without a function, a function without a
/// hook, or an object that cannot be called; the table is unchanged then.
void set_hooks(const nb::kwargs& functions);

/// _set_hooks. The table is emptied with the module: functions hold the modules that they are from,
/// and those hold this one, a circle that the collector does not see.
void bind_hooks(nb::module_& m);

// Docstrings of public names, longer than a line or two: data of the package
// (usmx/_docstrings/), which the module reads while it is loaded.

/// Reads the docstrings. The package has them beside the module `m`, whatever name both were
/// imported by.
void load_docstrings(nb::module_& m);

/// The docstring of a public name, such as "USMArray.copy", as long as the module is being loaded.
/// Throws Python's KeyError if there is none.
const char* docstring(const char* name);
/// The docstring of a public function of the module, or of a method of a class.
const char* docstring_of(nb::handle owner, std::string_view name);

// Late imports of other packages' modules, mostly NumPy's, which usmx does without as long as it
// can.

/// An attribute of another package's module: imported on first use, then held for ever.
class lazy_import {
 public:
  lazy_import(const char* module, const char* name) noexcept : module_(module), name_(name) {}
  lazy_import(const lazy_import&) = delete;
  lazy_import& operator=(const lazy_import&) = delete;

  nb::handle get() {
    return held_.get([&] {
      const nb::object module = run_python([&] { return nb::module_::import_(module_); });
      return run_python([&] { return nb::object(module.attr(name_)); });
    });
  }
  template <class... Arguments>
  nb::object operator()(Arguments&&... arguments) {
    return call_python(get(), std::forward<Arguments>(arguments)...);
  }

 private:
  const char* module_;
  const char* name_;
  kept_object held_;
};

}  // namespace usmx::bindings
