#include "support/hooks.hpp"

#include <cstring>
#include <string>

#include "support/declare.hpp"

namespace usmx::bindings {

nb::handle hook::function() const {
  if (function_ == nullptr) {
    PyErr_Format(PyExc_RuntimeError,
                 "usmx._core needs the Python function '%s': import the package usmx", name_);
    nb::raise_python_error();
  }
  return function_;
}

void set_hooks(const nb::kwargs& functions) {
  nb::dict unknown;
  unknown.update(functions);
  for (const hook* h = hook::first_; h != nullptr; h = h->next_) {
    if (!functions.contains(h->name_)) {
      throw type_error(
          detail::message("_set_hooks: expected a function '", h->name_, "', found none"));
    }
    if (const nb::handle given = functions[h->name_]; PyCallable_Check(given.ptr()) == 0) {
      throw type_error(detail::message("_set_hooks: '", h->name_, "' must be callable, found ",
                                       type_name(given.ptr())));
    }
    nb::del(unknown[h->name_]);
  }
  if (unknown.size() != 0) {
    const auto [name, function] = *unknown.begin();
    throw type_error(
        detail::message("_set_hooks: expected none but the functions that C++ calls, "
                        "found '",
                        nb::cast<std::string>(name), "'"));
  }
  for (hook* h = hook::first_; h != nullptr; h = h->next_) {
    Py_XSETREF(h->function_, nb::object(functions[h->name_]).release().ptr());
  }
}

void clear_hooks() noexcept {
  for (hook* h = hook::first_; h != nullptr; h = h->next_) {
    Py_CLEAR(h->function_);
  }
}

namespace {

// The reference is set once, while the module is loaded.
nb::handle docstrings;  // owned

}  // namespace

void load_docstrings(nb::module_& m) {
  std::string name = nb::cast<std::string>(m.attr("__name__"));
  name.replace(name.size() - std::strlen("_core"), name.npos, "_docstrings");
  docstrings = nb::object(nb::module_::import_(name.c_str()).attr("DOCSTRINGS")).release();
}

const char* docstring(const char* name) { return nb::cast<const char*>(docstrings[name]); }

const char* docstring_of(nb::handle owner, std::string_view name) {
  std::string key;
  if (nb::isinstance<nb::type_object>(owner)) {
    key = nb::cast<std::string>(owner.attr("__name__")) + '.';
  }
  key += name;
  return docstring(key.c_str());
}

void bind_hooks(nb::module_& m) {
  m.attr("_hooks") = nb::capsule(m.ptr(), [](void*) noexcept { clear_hooks(); });
  declare<"def _set_hooks(**functions: object) -> None">(
      m, &set_hooks, "Set the Python functions that C++ calls: all of them, and no others.");
}

}  // namespace usmx::bindings
