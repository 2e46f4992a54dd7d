// What a function says to arguments that fit none of its signatures.
#pragma once

#include <string>
#include <string_view>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The signatures of a function of nanobind's for a message: without `self` and results, without
/// the modules of types, and under `name`.
std::string signatures_text(nb::handle function, std::string_view name, bool is_method);

/// If Python's error is nanobind's about such arguments, replaces it by a sentence: the signatures,
/// and the call as it was. `arguments` have no `self`.
void explain_refused_arguments(std::string_view nanobinds_name, std::string_view name,
                               std::string_view signatures, PyObject* const* arguments,
                               Py_ssize_t count, PyObject* keywords) noexcept;

}  // namespace usmx::bindings
