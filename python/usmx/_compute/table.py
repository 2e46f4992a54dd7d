"""The functions, one row each. All that usmx knows of them is in their rows.

The rows of the element-wise functions are the library's (``src/compute/table.inc``).
"""

from __future__ import annotations

from typing import NamedTuple

from usmx._core import _function_rows


class Row(NamedTuple):
    """An element-wise function."""

    name: str
    operands: tuple[str, ...]
    """Their names."""
    summary: str
    expressions: dict[str, str]
    """By class."""
    result: str
    """The rule for the type of the result: 'same', 'float', 'real' or 'bool'."""
    example: tuple[str, str]
    """Arguments, and what the call with them prints."""
    note: str
    """On special cases."""
    errors: tuple[float, float]
    """At most, in units in the last place, for real and for complex numbers; 0: as NumPy's."""
    numpy: str
    """NumPy's function."""
    in_half: bool
    """Whether float16 computes in float16."""
    compares: bool
    """Whether integers are compared as they are, and Python integers may be outside of the type."""
    is_logical: bool
    """Whether only the truth of operands counts, so that numbers may be outside of the type."""
    conditions: int
    """How many operands in front decide, and take no part in promotion."""


ROWS = {row["name"]: Row(**row) for row in _function_rows()}


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


def _by_class(**expressions):
    return {one: text for classes, text in expressions.items() for one in classes}


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
              "a.index", None, "index", ("axis=0", "[1 1]"), "greatest"),
    Reduction("argmin", "Find the index of the smallest element", "smallest{x, i}", _FIRST,
              "a.index", None, "index", ("axis=0", "[0 0]"), "smallest"),
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
