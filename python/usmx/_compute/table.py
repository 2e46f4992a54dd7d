"""The element-wise functions, one row each. All that usmx knows of them is in their rows.

Kernels, promotion, signatures, documents, NumPy's protocol and the tests read the rows.

An expression is C++ of the kernel language, with the names of ``device_functions.hpp``. `a`, `b`
and `c` are the operands, converted to the type `C` in which the function computes; `x1` and `x2`
are those of functions of two operands as they are. float16 computes in float. Each expression is
for classes of types: b bool, i signed and u unsigned integers, f real and c complex floating-point
numbers. A function is not defined for a class that its row leaves out.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """An element-wise function."""

    name: str
    operands: tuple[str, ...]
    """Their names."""
    summary: str
    expressions: dict[str, str]
    """By class."""
    result: str
    """'same': the common type of the operands. 'float': the same, but that integers become the
    default floating-point type. 'real': the same, but that of complex numbers it is the type of
    their parts. 'bool'."""
    example: tuple[str, str]
    """Arguments, and what the call with them prints."""
    note: str = ""
    """On special cases."""
    errors: tuple[float, float] = (0, 0)
    """At most, in units in the last place, for real and for complex numbers; 0: as NumPy's.
    tools/measure_accuracy.py measures them; on CPUs they hold for every vector unit."""
    numpy: str = ""
    """NumPy's function, if it has another name."""
    in_half: bool = False
    """Whether float16 computes in float16."""
    compares: bool = False
    """Whether integers are compared as they are, and Python integers may be outside of the type."""
    is_logical: bool = False
    """Whether only the truth of operands counts, so that numbers may be outside of the type."""
    conditions: int = 0
    """How many operands in front decide, and take no part in promotion."""


ROWS: dict[str, Row] = {}
_NAMES = {1: ("x",), 2: ("x1", "x2")}
_OPTIONS = ("in_half", "compares", "is_logical", "conditions")


def _by_class(**expressions):
    return {one: text for classes, text in expressions.items() for one in classes}


def _row(name, operands, summary, result, example, /, errors=(0, 0), note="", numpy="", **more):
    options = {key: more.pop(key) for key in _OPTIONS if key in more}
    names = _NAMES.get(operands) or tuple(operands.split())
    ROWS[name] = Row(
        name,
        names,
        summary,
        _by_class(**more),
        result,
        example,
        note,
        errors,
        numpy or name,
        **options,
    )


# fmt: off

# ---- arithmetic

_row("add", 2, "the sum", "same", ("[1, 2], [3, 4]", "[4 6]"),
     b="a || b", iu="wrapping_add(a, b)", fc="a + b")
_row("subtract", 2, "the difference", "same", ("[3, 4], [1, 2]", "[2 2]"),
     iu="wrapping_subtract(a, b)", fc="a - b")
_row("multiply", 2, "the product", "same", ("[1, 2], [3, 4]", "[3 8]"),
     (0, 2), b="a && b", iu="wrapping_multiply(a, b)", fc="a * b",
     note="Products of complex numbers may be NaN where their parts overflow.")
_row("divide", 2, "the quotient", "float", ("[1, 2], [4, 4]", "[0.25 0.5 ]"), fc="a / b")
_row("floor_divide", 2, "the quotient, rounded down", "same", ("[-7, 7], 2", "[-4  3]"),
     iu="integer_floor_divide(a, b)", f="real_floor_divide(a, b)",
     note="Integers divided by 0 are 0. With an infinity it is floor(x1 / x2), as the array API "
     "says, where NumPy has NaN.")
_row("remainder", 2, "the rest of the division, with the sign of the divisor", "same",
     ("[-7, 7], 3", "[2 1]"), iu="integer_remainder(a, b)", f="real_remainder(a, b)",
     note="Integers divided by 0 leave 0.")
_row("pow", 2, "the first operand to the power of the second", "same", ("[2, 3], 2", "[4 9]"),
     (2, 32), iu="integer_power(a, b)", fc="pow(a, b)", numpy="power",
     note="Of integers with a negative exponent it is the whole part: 0, 1 or -1. Large exponents "
     "of complex numbers cost digits. Where complex numbers are infinite or overflow, parts may be "
     "NaN, and are only where NumPy's are.")
_row("negative", 1, "the number with the other sign", "same", ("[1, -2]", "[-1  2]"),
     iu="wrapping_negative(a)", fc="-a")
_row("positive", 1, "the number itself, in new memory", "same", ("[1, -2]", "[ 1 -2]"), iufc="a")
_row("abs", 1, "the magnitude", "real", ("[1, -2]", "[1 2]"), (0, 2), numpy="absolute",
     bu="a", i="a < 0 ? wrapping_negative(a) : a", f="fabs(a)", c="abs(a)")
_row("square", 1, "the square", "same", ("[2, 3]", "[4 9]"), (0, 2),
     iu="wrapping_multiply(a, a)", fc="a * a")
_row("reciprocal", 1, "1 divided by the number", "float", ("[2, 4]", "[0.5  0.25]"), f="1 / a",
     c="complex_reciprocal(a)", note="Integers are converted, which NumPy does not do.")
# Intel's compiler for the CPU makes 1.0 of the -1 of `a > 0 ? 1 : a < 0 ? -1 : 0`, and 0 of that of
# `(a > 0) - (a < 0)` where `a` is the negation of the least number.
_row("sign", 1, "-1, 0 or 1; of a complex number z / abs(z)", "same", ("[-5, 0, 5]", "[-1  0  1]"),
     (0, 2), i="(a != 0) - 2 * (a < 0)", u="a > 0 ? 1 : 0", f="real_sign(a)", c="complex_sign(a)")
_row("conj", 1, "the conjugate", "same", ("[1, 2]", "[1 2]"), iuf="a", c="conj(a)",
     numpy="conjugate")

# ---- bits and logic

for _name, _operator, _of in (
    ("and", "&", "[12, 10], 6"), ("or", "|", "[12, 10], 1"), ("xor", "^", "[12, 10], 6"),
):
    _row(f"bitwise_{_name}", 2, f"{_name} of each two bits", "same",
         (_of, {"&": "[4 2]", "|": "[13 11]", "^": "[10 12]"}[_operator]),
         b=f"a {_operator} b", iu=f"C(a {_operator} b)")
_row("bitwise_invert", 1, "all bits inverted; of bool, the other value", "same",
     ("[0, 5]", "[-1 -6]"), b="!a", iu="C(~a)", numpy="invert")
_row("bitwise_left_shift", 2, "the bits, moved up", "same", ("[1, 2], 3", "[ 8 16]"),
     iu="shifted_left(a, b)", numpy="left_shift",
     note="No bits are left of a shift by as many as there are, or by a negative count.")
_row("bitwise_right_shift", 2, "the bits, moved down", "same", ("[16, -16], 3", "[ 2 -2]"),
     iu="shifted_right(a, b)", numpy="right_shift",
     note="Only the sign is left of a shift by as many bits as there are, or by a negative count.")
for _name, _operator, _shows in (
    ("and", "&&", "[False False]"), ("or", "||", "[ True False]"), ("xor", "!=", "[ True False]"),
):
    _row(f"logical_{_name}", 2, f"{_name} of each two truth values", "bool",
         ("[1, 0], [0, 0]", _shows),
         biuf=f"(a != 0) {_operator} (b != 0)", c=f"(a != C(0)) {_operator} (b != C(0))",
         is_logical=True)
_row("logical_not", 1, "whether it is zero", "bool", ("[0, 2]", "[ True False]"),
     biuf="a == 0", c="a == C(0)")

# ---- comparisons

_NOTE = "Integers of any types are compared exactly."
_row("equal", 2, "whether both are equal", "bool", ("[1, 2], 2", "[False  True]"),
     bfc="a == b", iu="is_same(x1, x2)", note=_NOTE, compares=True)
_row("not_equal", 2, "whether they differ", "bool", ("[1, 2], 2", "[ True False]"),
     bfc="a != b", iu="!is_same(x1, x2)", note=_NOTE, compares=True)
_row("less", 2, "whether the first one is less", "bool", ("[1, 2], 2", "[ True False]"),
     bf="a < b", iu="is_less(x1, x2)", c="is_less(a, b)", note=_NOTE, compares=True)
_row("greater", 2, "whether the first one is greater", "bool", ("[1, 2], 1", "[False  True]"),
     bf="a > b", iu="is_less(x2, x1)", c="is_less(b, a)", note=_NOTE, compares=True)
_row("less_equal", 2, "whether the first one is less or equal", "bool",
     ("[1, 2], 1", "[ True False]"), bf="a <= b", iu="!is_less(x2, x1)",
     c="is_less(a, b) || a == b", note=_NOTE, compares=True)
_row("greater_equal", 2, "whether the first one is greater or equal", "bool",
     ("[1, 2], 2", "[False  True]"), bf="a >= b", iu="!is_less(x1, x2)",
     c="is_less(b, a) || a == b", note=_NOTE, compares=True)
_row("maximum", 2, "the greater one; NaN, if one of them is", "same", ("[1, 5], 3", "[3 5]"),
     biu="a < b ? b : a", f="real_maximum(a, b)", c="complex_maximum(a, b)",
     note="Zeros of both signs are equal: the first one is the result.")
_row("minimum", 2, "the smaller one; NaN, if one of them is", "same", ("[1, 5], 3", "[1 3]"),
     biu="b < a ? b : a", f="real_minimum(a, b)", c="complex_minimum(a, b)",
     note="Zeros of both signs are equal: the first one is the result.")
_row("isnan", 1, "whether it is NaN", "bool", ("[1, float('nan')]", "[False  True]"),
     biu="false", fc="isnan(a)")
_row("isinf", 1, "whether it is infinite", "bool", ("[1, float('inf')]", "[False  True]"),
     biu="false", fc="isinf(a)")
_row("isfinite", 1, "whether it is a finite number", "bool", ("[1, float('inf')]", "[ True False]"),
     biu="true", fc="isfinite(a)")
_row("signbit", 1, "whether the sign bit is set", "bool", ("[0.0, -0.0]", "[False  True]"),
     f="signbit(a)")

# ---- rounding

_row("floor", 1, "rounded down", "same", ("[1.5, -1.5]", "[ 1. -2.]"), biu="a", f="floor(a)")
_row("ceil", 1, "rounded up", "same", ("[1.5, -1.5]", "[ 2. -1.]"), biu="a", f="ceil(a)")
_row("trunc", 1, "rounded towards 0", "same", ("[1.5, -1.5]", "[ 1. -1.]"), biu="a", f="trunc(a)")
_row("round", 1, "rounded to the nearest integer, halves to the even one", "same",
     ("[1.5, 2.5]", "[2. 2.]"), iu="a", f="rint(a)", c="C(rint(a.real()), rint(a.imag()))",
     numpy="rint")

# ---- roots, exponentials, angles

_row("sqrt", 1, "the root", "float", ("[1, 4]", "[1. 2.]"), (0, 2), fc="root(a)")
_row("cbrt", 1, "the cube root", "float", ("[1, 8]", "[1. 2.]"), (0.51, 0), f="cbrt(a)",
     note="Of cubes it is exact.")
_row("exp", 1, "e to the power of the number", "float", ("[0, -float('inf')]", "[1. 0.]"), (1, 4),
     fc="exp(a)")
_row("exp2", 1, "2 to the power of the number", "float", ("[0, 3]", "[1. 8.]"), (1, 0),
     f="exp2(a)")
_row("expm1", 1, "exp(x) - 1, exact near 0 too", "float", ("[0, 1e-12]", "[0.e+00 1.e-12]"), (2, 8),
     f="expm1(a)", c="complex_expm1(a)")
_row("log", 1, "the natural logarithm", "float", ("[1, 0]", "[  0. -inf]"), (1, 5), fc="log(a)")
_row("log2", 1, "the logarithm to base 2", "float", ("[1, 8]", "[0. 3.]"), (1, 4), f="log2(a)",
     c="complex_log2(a)")
_row("log10", 1, "the logarithm to base 10", "float", ("[1, 100]", "[0. 2.]"), (1, 5),
     fc="log10(a)")
_row("log1p", 1, "log(1 + x), exact near 0 too", "float", ("[0, 1e-12]", "[0.e+00 1.e-12]"), (1, 5),
     f="log1p(a)", c="complex_log1p(a)")
for _name, _text, _example, _bounds in (
    ("sin", "the sine", ("[0]", "[0.]"), (4, 6)), ("cos", "the cosine", ("[0]", "[1.]"), (4, 6)),
    ("tan", "the tangent", ("[0]", "[0.]"), (4, 6)),
    ("sinh", "the hyperbolic sine", ("[0]", "[0.]"), (3, 6)),
    ("cosh", "the hyperbolic cosine", ("[0]", "[1.]"), (3, 6)),
    ("tanh", "the hyperbolic tangent", ("[0]", "[0.]"), (2, 6)),
):
    _row(_name, 1, _text, "float", _example, _bounds, fc=f"{_name}(a)")
for _name, _example, _bounds in (
    ("asin", ("[0]", "[0.]"), (3, 5)), ("acos", ("[1]", "[0.]"), (3, 5)),
    ("atan", ("[0]", "[0.]"), (3, 5)), ("asinh", ("[0]", "[0.]"), (3, 5)),
    ("acosh", ("[1]", "[0.]"), (3, 5)), ("atanh", ("[0]", "[0.]"), (3, 5)),
):
    _row(_name, 1, f"the inverse of {_name[1:]}", "float", _example, _bounds, f=f"{_name}(a)",
         c=f"complex_{_name}(a)", numpy="arc" + _name[1:])
_row("atan2", 2, "the angle of the point (x2, x1)", "float", ("[0], [1]", "[0.]"), (4, 0),
     f="atan2(a, b)", numpy="arctan2")
_row("hypot", 2, "the root of the sum of the squares", "float", ("[3], [4]", "[5.]"), (2, 0),
     f="hypot(a, b)")
_row("logaddexp", 2, "log(exp(x1) + exp(x2))", "float", ("[0], [-float('inf')]", "[0.]"), (4, 0),
     f="log_of_sum_of_exponentials(a, b)",
     note="Near 0 the unit of the error is that of the greater operand.")
_row("copysign", 2, "the magnitude of the first one with the sign of the second", "float",
     ("[1, 2], -0.0", "[-1. -2.]"), f="copysign(a, b)")
_row("nextafter", 2, "the number next to the first one on the way to the second", "float",
     ("[1], [0]", "[1.]"), f="nextafter(a, b)", in_half=True)

# ---- of three operands

_row("clip", "x min max", "the number, but at least `min` and at most `max`", "same",
     ("[1, 5, 9], 2, 6", "[2 5 6]"), biu="a < b ? (c < b ? c : b) : c < a ? c : a",
     f="real_minimum(real_maximum(a, b), c)", c="complex_minimum(complex_maximum(a, b), c)")
_row("where", "condition x y", "the element of `x` where the condition holds, else that of `y`",
     "same", ("[True, False], [1, 2], [3, 4]", "[1 4]"),
     biufc="is_nonzero(condition) ? a : b", conditions=1)

# fmt: on


class Reduction(NamedTuple):
    """A function that puts the elements of an array together.

    In its expressions `x` is an element, `X` its type, `A` the type in which elements are put
    together, and `n` the number of elements of a result. Sums are of the type `summed`, which has
    more digits than `A`, in which values are added up in blocks of eight first; deviations are
    those of elements of the type `M` from the mean `m`.
    """

    name: str
    summary: str
    value: str
    """The value of an element."""
    joined: dict[str, str]
    """By class of `X`: of two values `a` and `b` one. '' stands for all classes."""
    result: str
    """The result, from the last value `a`."""
    identity: str | None
    """The value of no elements."""
    types: str
    """The types of the values and of the result. 'same': that of the elements. 'sum': the same, but
    that integers become the default integer of their sign. 'float': the same, but that integers
    become the default floating-point type. 'real': the type of the parts of that. 'bool'. 'index':
    int64."""
    example: tuple[str, str]
    """The arguments after an array of 1, 2, 3 and 4 in two rows, and what the call prints."""
    joins: str = "A"
    """The type of the values, if it is another one."""


_SUM = _by_class(b="a || b", iu="wrapping_add(a, b)", fc="a + b")
_PRODUCT = _by_class(b="a && b", iu="wrapping_multiply(a, b)", fc="a * b")
_MAX = _by_class(f="real_maximum(a, b)", biu="a < b ? b : a", c="complex_maximum(a, b)")
_MIN = _by_class(f="real_minimum(a, b)", biu="b < a ? b : a", c="complex_minimum(a, b)")
_FIRST = _by_class(biufc="is_better(b, a) ? b : a")

# fmt: off
REDUCTIONS = {row.name: row for row in (
    Reduction("sum", "Add up the elements", "A(x)", _SUM, "rounded(a)", "0", "sum",
              ("axis=0", "[4 6]"), "summed"),
    Reduction("prod", "Multiply the elements", "A(x)", _PRODUCT, "a", "1", "sum",
              ("axis=0", "[3 8]")),
    Reduction("max", "Find the greatest element", "x", _MAX, "a", None, "same",
              ("axis=0", "[3 4]")),
    Reduction("min", "Find the smallest element", "x", _MIN, "a", None, "same",
              ("axis=0", "[1 2]")),
    Reduction("argmax", "Find the index of the greatest element", "greatest{x, i}", _FIRST,
              "a.place", None, "index", ("axis=0", "[1 1]"), "greatest"),
    Reduction("argmin", "Find the index of the smallest element", "smallest{x, i}", _FIRST,
              "a.place", None, "index", ("axis=0", "[0 0]"), "smallest"),
    Reduction("mean", "Find the mean of the elements", "A(x)", _SUM, "divided(a, n)", "0",
              "float", ("axis=0", "[2. 3.]"), "summed"),
    Reduction("var", "Find the variance of the elements", "norm(M(x) - m)", _SUM,
              "over(a, n, correction)", "0", "real", ("axis=0", "[1. 1.]"), "summed"),
    Reduction("std", "Find the standard deviation of the elements", "norm(M(x) - m)",
              _SUM, "sqrt(over(a, n, correction))", "0", "real", ("axis=0", "[1. 1.]"), "summed"),
    Reduction("any", "Say whether an element is not zero", "is_nonzero(x)", {"": "a || b"}, "a",
              "false", "bool", ("axis=0", "[ True  True]")),
    Reduction("all", "Say whether all elements are not zero", "is_nonzero(x)", {"": "a && b"}, "a",
              "true", "bool", ("axis=0", "[ True  True]")),
    Reduction("count_nonzero", "Count the elements that are not zero", "A(is_nonzero(x))",
              {"": "a + b"}, "a", "0", "index", ("axis=0", "[2 2]")),
)}
# fmt: on
