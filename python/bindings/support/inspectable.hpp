// Functions and methods that can be inspected, pickled and shown by help(). nanobind's own say
// their signature to its stub generator alone, and their types cannot be given more attributes; so
// the public ones become what functions in C are in Python: builtin functions and method
// descriptors, with a text signature, that call them.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// Answers the commonest call of a public function of the module, with one positional argument,
/// before nanobind looks up the defaults of all others: 5 to 30 ns, a tenth of `empty(shape)`.
using one_argument_answer = nb::object (*)(nb::handle argument);
void answer_one_argument(const char* function, one_argument_answer answer);

/// _make_inspectable, which the package calls when it is imported. The stub generator imports the
/// native module alone, and finds nanobind's functions with their types.
void bind_inspectable(nb::module_& m);

}  // namespace usmx::bindings
