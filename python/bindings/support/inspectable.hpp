// Functions and methods that can be inspected, pickled and shown by help(). nanobind's own tell
// their signature only to its stub generator, and their types take no further attributes. So the
// public ones become builtin functions and method descriptors, with a text signature, that call
// them (docs/decisions.md, 69).
#pragma once

#include <string>
#include <string_view>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Answers, as a fast path, the most common call of a public function of the module, with one
/// positional argument, before nanobind looks up the defaults of all others. Saves 5 to 30 ns, a
/// tenth of `empty(shape)`.
using one_argument_answer = nb::object (*)(nb::handle argument);
void answer_one_argument(const char* function, one_argument_answer answer);

/// _make_inspectable, which the package calls when it is imported. The stub generator imports the
/// native module alone, and finds nanobind's functions with their types.
void bind_inspectable(nb::module_& m);

// The error of a function whose arguments fit none of its signatures.

/// The signatures of a function of nanobind's for a message: without `self` and results, without
/// the modules of types, and under `name`.
std::string signatures_text(nb::handle function, std::string_view name, bool is_method);

/// Replaces Python's error by a sentence, if it is nanobind's about such arguments: the signatures,
/// and the call as it was. `arguments` have no `self`.
void explain_refused_arguments(std::string_view nanobinds_name, std::string_view name,
                               std::string_view signatures, PyObject* const* arguments,
                               Py_ssize_t count, PyObject* keywords) noexcept;

// The class of the objects that replace usmx's objects where pickle cannot make them.

/// Raises the error of an object that could not be unpickled, if `object` stands for one: for code
/// that asks arguments for their type alone.
void raise_if_stand_in(nb::handle object);

/// _Refusing, whose buffer raises what a subclass says, and _is_forked_child(). The package adds
/// the rest (python/usmx/_stand_ins.py): the error, operations, attributes, and what pickle needs.
void bind_refusing(nb::module_& m);

}  // namespace usmx::bindings
