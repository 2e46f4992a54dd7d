// What the Python classes of SYCL objects have in common.
#pragma once

#include <nanobind/operators.h>

#include <functional>
#include <string>

#include "support/nanobind.hpp"
#include "support/type_name.hpp"

namespace usmx::bindings {

[[noreturn]] inline void throw_not_accepted(const char* what, const char* accepted,
                                            nb::handle found) {
  throw type_error(detail::message(what, " takes ", accepted, ", found ", type_name(found.ptr())));
}

/// Equality and hash as SYCL has them.
template <class T>
void bind_value_semantics(nb::class_<T>& cls) {
  cls.def(
         "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator())
      .def(
          "__ne__", [](const T& a, const T& b) { return a != b; }, nb::is_operator())
      .def("__hash__", [](const T& a) { return std::hash<T>{}(a); });
}

}  // namespace usmx::bindings
