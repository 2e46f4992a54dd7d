"""Write what follows from the tables of usmx's functions.

write_mathematics.py [--check]

Those are the types of the functions for type checkers, the reductions' rows for C++, the functions
of its programs, and tables of docs/reference/mathematics.md. The tables are src/compute/table.inc,
and that of the reductions in python/usmx/_compute/table.py. --check writes nothing, and fails where
a file is not as it would be written.

Needs the installed package.
"""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

from generated import ROOT, functions, put, settle, table
from usmx._compute.table import REDUCTIONS, ROWS

TOOL = "tools/write_mathematics.py"
PAGE = ROOT / "docs/reference/mathematics.md"
MADE_OF_ROWS = ("elementwise", "reductions")
HEAD = f'''"""Written by {TOOL}."""

from typing import Any, SupportsIndex

from usmx._compute.table import Reduction, Row
from usmx._core import ReductionKernel, SyclDevice, USMArray
from usmx._typing import ArrayLike, Axes, Casting, DTypeLike, NumpyType, Operand, Producer

'''
# A function with the methods of NumPy's ufuncs.
UFUNC = "@_ufunc\n"
UFUNCS = """\
from collections.abc import Callable
from typing import Generic, ParamSpec

from usmx._compute.ufuncs import Methods

_P = ParamSpec("_P")

class _Ufunc(Methods, Generic[_P]):
    __name__: str
    nin: int
    nout: int
    nargs: int
    identity: int | None
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> USMArray: ...

def _ufunc(function: Callable[_P, USMArray]) -> _Ufunc[_P]: ...

"""
CLASSES = {"b": "bool", "iu": "integers", "f": "real", "c": "complex"}


def stub_of(module):
    """The text of the stub of a module whose functions are made of rows."""
    functions = [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    lines = [
        f"{UFUNC if hasattr(each, 'nin') else ''}def {each.__name__}{signature_of(each)}: ...\n"
        for each in functions
    ]
    head = HEAD + (UFUNCS if any(hasattr(each, "nin") for each in functions) else "")
    return "".join((head, f"__all__ = {module.__all__}\n\n", *lines))


class Words(str):
    """An annotation, which is shown as it is in the source."""

    __repr__ = str.__str__


def signature_of(function):
    """As in the source: the annotations are texts."""
    found = inspect.signature(function)
    parameters = [
        each.replace(annotation=Words(each.annotation)) for each in found.parameters.values()
    ]
    result = Words(found.return_annotation)
    return str(found.replace(parameters=parameters, return_annotation=result))


CPP_CLASSES = {
    "b": "booleans", "i": "signed_integers", "u": "unsigned_integers", "f": "reals",
    "c": "complexes",
}  # fmt: skip

REDUCTION_LIST = ROOT / "src/compute/reduction_rows.inc"
CPP_HEADER = ROOT / "include/usmx/compute/functions.hpp"
CPP_AXES = "the axes are {.axes = 1, .are_kept = true}, or just 1, and then come {.OPTION}"
CPP_NAMES = {"any": "any_of", "all": "all_of"}  # usmx::any is a number of elements
CPP_NUMBERS = {"count_nonzero"}  # of all elements: a number, by another header
# C has functions of numbers by these names, to which an array seems to convert.
CPP_OF_NUMBERS = frozenset((
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil",
    "copysign", "cos", "cosh", "exp", "exp2", "expm1", "floor", "hypot", "isfinite",
    "isinf", "isnan", "log", "log10", "log1p", "log2", "nextafter", "pow", "remainder",
    "round", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
))  # fmt: skip


def reduction_list():
    """All expressions of the reductions, as macros of C++."""
    lines = [f"// Written by {TOOL}.\n// clang-format off\n"]
    for row in REDUCTIONS.values():
        macro = "USMX_DEVIATION" if row.types == "real" else "USMX_REDUCTION"
        for letter, types in CPP_CLASSES.items():
            kind = "i" if (letter, row.types) == ("b", "sum") else letter
            joined = row.joined.get(kind, row.joined.get(""))
            if joined is None or (row.types in ("float", "real") and letter not in "fc"):
                continue
            expressions = (row.value, joined, row.result, row.identity or "")
            texts = (*(f"({each})" for each in expressions), row.joins.removeprefix("A"))
            lines.append(f"{macro}({row.name}, {types}, {row.types}, {', '.join(texts)})\n")
    return "".join(lines)


def cpp_header():
    """The functions for programs in C++."""
    parts = [CPP_HEAD]
    for row in ROWS.values():
        names = row.operands
        parameters = ", ".join(f"const kernel_argument& {name}" for name in names)
        parts.append(
            f"/// Computes for each element: {row.summary}.\n"
            f"inline array {row.name}({parameters}, const generated_call_options& how = {{}}) {{\n"
            f'  return compute("{row.name}", {{{", ".join(names)}}}, how);\n}}\n'
        )
        if row.name in CPP_OF_NUMBERS:
            parts.append(cpp_of_arrays(row))
    parts.append("\n// ---- reductions\n\n")
    for row in REDUCTIONS.values():
        parts.append(cpp_reduction(row))
    parts.append("\n}  // namespace usmx::inline v1\n")
    return formatted("".join(parts))


def cpp_of_arrays(row):
    """The function for what is known to be an array, which is preferred to C's for numbers."""
    names = row.operands
    classes = ", ".join(f"class X{k}" for k in range(len(names)))
    parameters = ", ".join(f"const X{k}& {name}" for k, name in enumerate(names))
    needs = "operands<X0, X1>" if len(names) == 2 else "operands<X0, X0>"
    return (
        f"/// @cond\ntemplate <{classes}>\n  requires detail::{needs}\n"
        f"array {row.name}({parameters}, const generated_call_options& how = {{}}) {{\n"
        f'  return compute("{row.name}", {{{", ".join(names)}}}, how);\n}}\n/// @endcond\n'
    )


def cpp_reduction(row):
    """A reduction with its axes by name, as a list, and by the names of other libraries."""
    first, _, rest = row.summary.partition(" ")
    verb = {"Multiply": "Multiplies", "Say": "Says"}.get(first, first + "s")
    name = CPP_NAMES.get(row.name, row.name)
    options = "deviation_options" if row.types == "real" else "generated_call_options"
    how = f"const {options}& how"
    all_axes = "" if row.name in CPP_NUMBERS else " = {}"
    option = "correction = 1" if row.types == "real" else "type = usmx::float32"
    axes = CPP_AXES.replace("OPTION", option)
    call = f'{{\n  return reduce("{row.name}", x, axes, how);\n}}\n'
    first = f"array {name}(const array& x, const reduction_axes& axes{all_axes}, {how} = {{}})"
    if row.types == "real":  # by the library, as it takes two kernels
        first = f"USMX_API {first};\n"
        call = f"{{\n  return {name}(x, reduction_axes{{.axes = axes}}, how);\n}}\n"
    else:
        first = f"inline {first} {call}"
    return (
        f"/// {verb} {rest}, along axes.\n{first}"
        f"/// {verb} {rest}, along these axes: `{name}(x, 1)` or `{name}(x, {{0, 1}})`.\n"
        f"inline array {name}(const array& x, const axes_argument& axes, {how} = {{}}) {call}"
        "/// @cond\n"
        "template <class Nothing = void>\n"
        f"array {name}(const array& x, const detail::reduction_spellings&, "
        f"const {options}& = {{}}) {{\n"
        f'  static_assert(detail::never<Nothing>, "{axes}");\n'
        "  return x;\n}\n"
        "template <class... T>\n"
        f"detail::anything {name}(detail::any_argument, detail::any_argument = {{}}, "
        "detail::any_argument = {}) {\n"
        f'  static_assert(detail::never<T...>, "{axes}");\n'
        "  return {};\n}\n"
        "/// @endcond\n"
    )


def formatted(text):
    """As clang-format has it."""
    program = [str(Path(sys.executable).with_name("clang-format")), "--assume-filename", CPP_HEADER]
    return subprocess.run(program, input=text, capture_output=True, text=True, check=True).stdout


CPP_HEAD = f"""\
// Functions of arrays, on the device that they are on: those of Python's usmx, from the same table.
// Nothing waits, but for memory that others may work on, and for the compiler at the first call for
// an element type. Written by {TOOL}.
//
//   usmx::array z = usmx::sqrt(usmx::add(x, usmx::mean(x, 0)));
//
// Next: operators.hpp, with which the sum is `x + usmx::mean(x, 0)`.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "usmx/array/array.hpp"
#include "usmx/base/api.hpp"
#include "usmx/base/spellings.hpp"
#include "usmx/generated_kernels/generated_kernels.hpp"
#include "usmx/user_kernels/kernel.hpp"

namespace usmx::inline v1 {{

namespace detail {{

template <class X>
concept operand = std::derived_from<X, array> || std::is_arithmetic_v<X> ||
                  std::same_as<X, std::complex<float>> || std::same_as<X, std::complex<double>>;
template <class X1, class X2>
concept operands = some_array<X1, X2> && operand<X1> && operand<X2>;

}}  // namespace detail

/// Calls the element-wise function of that name. An operand is an array of any layout or a number,
/// and one is an array; arrays are broadcast together. Their types are promoted as in NumPy: a
/// number takes the type of the arrays, if that is of its kind, and functions of real numbers
/// convert integers to the default floating-point type. The result is new, or the output of the
/// options, whose type may be any to which the result's can be cast without a change of kind.
/// Throws as elementwise_kernel::call() does; type_error for types that the function is not defined
/// for, for an output of a lower kind, and without an array; value_error for an integer that the
/// type lacks, unless it is compared, and for another name.
USMX_API array compute(std::string_view name, std::span<const kernel_argument> operands,
                       const generated_call_options& how = {{}});
/// Calls the element-wise function of that name with the operands in braces.
inline array compute(std::string_view name, std::initializer_list<kernel_argument> operands,
                     const generated_call_options& how = {{}}) {{
  return compute(name, std::span(operands.begin(), operands.size()), how);
}}
/// Calls the reduction of that name. Throws as reduction_kernel::call() and compute() do.
USMX_API array reduce(std::string_view name, const array& x, const reduction_axes& axes = {{}},
                      const generated_call_options& how = {{}});
/// Calls the reduction of that name along these axes: `reduce("sum", x, 1)`.
inline array reduce(std::string_view name, const array& x, const axes_argument& axes,
                    const generated_call_options& how = {{}}) {{
  return reduce(name, x, reduction_axes{{.axes = axes}}, how);
}}

/// The options of var() and std().
struct deviation_options {{
  /// A number that is taken from the number of elements before that divides the sum of the squares:
  /// 1 for a sample of a larger whole.
  double correction = 0;
  /// @cond
  [[no_unique_address]] detail::not_ddof ddof = {{}};
  /// @endcond
  /// The options of all reductions. The result is as wide as an output, but never narrower.
  generated_call_options call = {{}};
}};

// ---- for each element

"""


def classes_of(row):
    """The kinds of types that a function takes, in words."""
    takes = set(row.expressions)
    takes |= set("biu") if row.result == "float" else set()
    named = [name for classes, name in CLASSES.items() if takes & set(classes)]
    return "all" if len(named) == len(CLASSES) else ", ".join(named)


def elementwise_table():
    """What the functions compute, of which types, and how exactly."""
    rows = []
    for row in ROWS.values():
        real, complex_ = (f"{bound:g}" if bound else "" for bound in row.errors)
        called = f"`{row.name}({', '.join(row.operands)})`"
        rows.append([called, row.summary, classes_of(row), real, complex_])
    return table(["function", "of each element", "types", "real", "complex"], rows)


def files():
    """All files, and what they should be."""
    wanted = {}
    for name in MADE_OF_ROWS:
        module = importlib.import_module(f"usmx._compute.{name}")
        wanted[ROOT / f"python/usmx/_compute/{name}.pyi"] = stub_of(module)
    page = PAGE.read_text(encoding="utf-8")
    page = put(page, "element-wise functions", elementwise_table(), TOOL)
    page = put(page, "signatures of element-wise functions", functions(ROWS), TOOL)
    page = put(page, "signatures of reductions", functions(REDUCTIONS), TOOL)
    wanted[PAGE] = page
    wanted[REDUCTION_LIST] = reduction_list()
    wanted[CPP_HEADER] = cpp_header()
    return wanted


def main():
    return settle(files(), TOOL, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
