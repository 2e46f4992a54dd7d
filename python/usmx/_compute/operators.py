"""The operators of arrays: attached to the native class.

Operands are arrays, numbers and lists of these, as of the functions. Anything else is left to the
other operand: `a == None` is False, as Python has it for objects that do not know each other. With
an array of NumPy's on the left, NumPy calls `__array_ufunc__`, which gives the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import SMALL, compute, is_operand, launch
from usmx._compute.products import matmul
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._core import USMArray

if TYPE_CHECKING:
    from usmx._compute.table import Row

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "pow",
    "floordiv": "floor_divide", "mod": "remainder", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def _attach(name, function):
    function.__name__ = f"__{name}__"
    function.__qualname__ = f"USMArray.__{name}__"
    setattr(USMArray, function.__name__, function)


def _attach_unary(name, row: Row):
    small = SMALL[row.name]

    def method(self, /):
        found = small(self)
        return launch(row, (self,)) if found is None else found

    _attach(name, method)


def _attach_binary(name, row: Row, *, has_other_forms: bool):
    small = SMALL[row.name]

    def forward(self, other, /):
        found = small(self, other)
        if found is not None:
            return found
        return launch(row, (self, other)) if is_operand(other) else NotImplemented

    def reflected(self, other, /):
        found = small(other, self)
        if found is not None:
            return found
        return launch(row, (other, self)) if is_operand(other) else NotImplemented

    def in_place(self, other, /):
        found = small(self, other, self)
        if found is not None:
            return found
        return launch(row, (self, other), self) if is_operand(other) else NotImplemented

    _attach(name, forward)
    if has_other_forms:
        _attach(f"r{name}", reflected)
        _attach(f"i{name}", in_place)


def _divmod(self, other, /):
    if not is_operand(other):
        return NotImplemented
    return self // other, self % other


def _rdivmod(self, other, /):
    if not is_operand(other):
        return NotImplemented
    return other // self, other % self


def _matmul(self, other, /):
    return matmul(self, other) if is_operand(other) else NotImplemented


def _rmatmul(self, other, /):
    return matmul(other, self) if is_operand(other) else NotImplemented


def _imatmul(self, other, /):
    return matmul(self, other, out=self) if is_operand(other) else NotImplemented


def _contains(self, element, /):
    if self.size == 0 or not is_operand(element):
        return False
    return bool(reduce(REDUCTIONS["any"], compute(ROWS["equal"], (self, element))))


for _name, _row in _UNARY.items():
    _attach_unary(_name, ROWS[_row])
for _name, _row in _BINARY.items():
    _attach_binary(_name, ROWS[_row], has_other_forms=True)
for _name, _row in _COMPARISONS.items():
    _attach_binary(_name, ROWS[_row], has_other_forms=False)
for _name, _function in (
    ("divmod", _divmod), ("rdivmod", _rdivmod), ("matmul", _matmul), ("rmatmul", _rmatmul),
    ("imatmul", _imatmul), ("contains", _contains),
):  # fmt: skip
    _attach(_name, _function)
# Those that are made of rows.
OPERATORS = [
    *(f"__{name}__" for name in (*_UNARY, *_COMPARISONS, *_BINARY, "divmod", "rdivmod")),
    *(f"__{form}{name}__" for name in _BINARY for form in "ri"),
]
