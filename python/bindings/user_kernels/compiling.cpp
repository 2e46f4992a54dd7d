#include "user_kernels/compiling.hpp"

#include <exception>

#include "support/hooks.hpp"

namespace usmx::bindings {
namespace {

/// The compiler's messages as Python's tuples (file, line, column, severity, text).
nb::list to_tuples(const std::vector<diagnostic>& all) {
  constexpr const char* names[] = {"note", "warning", "error"};
  nb::list tuples;
  for (const diagnostic& each : all) {
    tuples.append(nb::make_tuple(each.file, each.line, each.column,
                                 names[static_cast<std::size_t>(each.severity)], each.text));
  }
  return tuples;
}

}  // namespace

progress_line::~progress_line() {
  if (!is_shown_) {
    return;
  }
  const nb::error_scope kept;
  try {
    tell(std::chrono::seconds(0));
  } catch (nb::python_error& failed) {
    failed.discard_as_unraisable("usmx.Kernel");
  } catch (const std::exception&) {
    // No memory, or the package is gone: the line stays.
  }
}

void progress_line::show(std::chrono::seconds passed) {
  const nb::gil_scoped_acquire locked;
  is_shown_ = true;
  tell(passed);
}

void progress_line::tell(std::chrono::seconds passed) const {
  hooks::compile_progress(nb::cast(names_), passed.count());
}

void raise_compile_error(const compile_error& failed) {
  const nb::object error =
      hooks::compile_error(nb::str(failed.what()), to_tuples(failed.diagnostics()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  nb::raise_python_error();
}

void warn_of(const std::vector<diagnostic>& said) { hooks::compile_warnings(to_tuples(said)); }

}  // namespace usmx::bindings
