"""The operators and methods of arrays that compute: NumPy's, attached to the native class.

Operands are arrays, numbers and lists of these, as of the functions. Anything else is left to the
other operand: `a == None` is False, as Python has it for objects that do not know each other. With
an array of NumPy's on the left, NumPy calls `__array_ufunc__`, which gives the same.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from usmx._compute import elementwise, products, scans, sorting
from usmx._compute.call import BY_UFUNC, CALLS, compute, general, is_operand
from usmx._compute.products import matmul
from usmx._compute.reductions import function_of, reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.asynchronous import copy_async
from usmx._container.numpy_names import diagonal
from usmx._core import USMArray, _require_made, _take_operators, reshape
from usmx._functions import attach

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, SupportsIndex

    from usmx._compute.table import Row
    from usmx._typing import DTypeLike, Operand, Producer

# ---- operators

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
    call = CALLS[row.name]

    def method(self, /):
        found = call(self)
        return general(row, (self,)) if found is None else found

    _attach(name, method)


def _attach_binary(name, row: Row, *, has_other_forms: bool):
    call = CALLS[row.name]

    def forward(self, other, /):
        found = call(self, other)
        if found is not None:
            return found
        return general(row, (self, other)) if is_operand(other) else NotImplemented

    def reflected(self, other, /):
        found = call(other, self)
        if found is not None:
            return found
        return general(row, (other, self)) if is_operand(other) else NotImplemented

    def in_place(self, other, /):
        found = call(self, other, self)
        if found is not None:
            return found
        return general(row, (self, other), self) if is_operand(other) else NotImplemented

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
    _require_made(self)
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
_take_operators()  # for arrays and numbers, which are most operands
# Those that are made of rows.
OPERATORS = [
    *(f"__{name}__" for name in (*_UNARY, *_COMPARISONS, *_BINARY, "divmod", "rdivmod")),
    *(f"__{form}{name}__" for name in _BINARY for form in "ri"),
]


# ---- methods


class OfArrays:
    """Methods of USMArray, attached to the native class."""

    def cumsum(
        self: Any,
        axis: SupportsIndex | None = None,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Compute the cumulative sums along an axis: `usmx.cumulative_sum`. Does not wait.

        Without an axis it goes through all elements in C order.
        """
        return _accumulated("sum", self, axis, dtype, out)

    def cumprod(
        self: Any,
        axis: SupportsIndex | None = None,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Compute cumulative products along an axis: `usmx.cumulative_prod`. Does not wait.

        Without an axis it goes through all elements in C order.
        """
        return _accumulated("prod", self, axis, dtype, out)

    def clip(
        self: Any,
        min: Operand | None = None,
        max: Operand | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Limit each element to a range: `usmx.clip`. Does not wait."""
        return elementwise.clip(self, min, max, out=out)

    def conj(self: Any) -> USMArray:
        """Conjugate each element; real arrays are their own conjugates. Does not wait."""
        return self if self.dtype.kind in "biuf" else compute(ROWS["conj"], (self,))

    def conjugate(self: Any, out: USMArray | None = None) -> USMArray:
        """Conjugate each element; real arrays are their own conjugates. Does not wait."""
        if out is None:
            return self.conj()
        return compute(ROWS["conj"], (self,), out)

    def round(self: Any, decimals: SupportsIndex = 0, out: USMArray | None = None) -> USMArray:
        """Round each element to so many decimals: `usmx.round`. Does not wait."""
        return elementwise.round_to(self, decimals, out)

    def sort(
        self: Any,
        axis: SupportsIndex = -1,
        kind: str | None = None,
        *,
        stable: bool | None = None,
    ) -> None:
        """Sort the elements along an axis, in place. `usmx.sort` makes a new array.

        Does not wait.
        """
        copy_async(self, sorting.sort(self, operator.index(axis), kind, stable=stable))

    def argsort(
        self: Any,
        axis: SupportsIndex | None = -1,
        kind: str | None = None,
        *,
        stable: bool | None = None,
    ) -> USMArray:
        """Find the indices that sort along an axis: `usmx.argsort`. Does not wait."""
        return sorting.argsort(self, axis, kind, stable=stable)

    def partition(
        self: Any,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex = -1,
        kind: str | None = None,
    ) -> None:
        """Put elements of an axis at their sorted places, in place: `usmx.partition`.

        Does not wait.
        """
        copy_async(self, sorting.partition(self, kth, operator.index(axis), kind))

    def argpartition(
        self: Any,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex | None = -1,
        kind: str | None = None,
    ) -> USMArray:
        """Find the indices that do what `partition` does: `usmx.argpartition`. Does not wait."""
        return sorting.argpartition(self, kth, axis, kind)

    def searchsorted(
        self: Any,
        v: Operand,
        side: Literal["left", "right"] = "left",
        sorter: Producer | None = None,
    ) -> USMArray:
        """Find where values would be inserted: `usmx.searchsorted`. Does not wait."""
        return sorting.searchsorted(self, v, side=side, sorter=sorter)

    def dot(self: Any, b: Operand, out: USMArray | None = None) -> USMArray:
        """Multiply matrices or vectors; with more than two dimensions as NumPy's `dot`.

        Does not wait.
        """
        return products.dot(self, b, out)

    def trace(
        self: Any,
        offset: SupportsIndex = 0,
        axis1: SupportsIndex = 0,
        axis2: SupportsIndex = 1,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Add up the elements of a diagonal, in the type `dtype` if it is given. Does not wait."""
        on_diagonal = diagonal(self, offset, axis1, axis2)
        return reduce(REDUCTIONS["sum"], on_diagonal, -1, dtype=dtype, out=out)

    def __array_function__(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions on arrays: those that usmx has are usmx's own.

        They give USMArrays, of the kind of memory that the array API's rules say. Others are
        refused for device memory. For the other kinds NumPy computes in the same memory, and gives
        its own arrays; so it does with NumPy arrays among the arguments. Without this method some
        functions would treat the refusal of ``__array__`` as an answer: with device memory
        ``np.array_equal(a, a)`` would be False.
        """
        from usmx._compute.numpy_protocol import call_numpy_function

        return call_numpy_function(self, func, types, args, kwargs)

    def __round__(self: Any, ndigits: SupportsIndex | None = None, /) -> Any:
        """``round(a[0], 2)``, as for NumPy's numbers: an int without `ndigits`. Waits for that one.

        TypeError for arrays with dimensions, for which `round` is.
        """
        _require_made(self)
        if self.ndim:
            raise TypeError(f"round() takes arrays without dimensions, found shape {self.shape}")
        return round(self.item()) if ndigits is None else self.round(ndigits)

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's ufuncs on arrays: those that usmx has compute, on the queue of the arrays.

        NumPy's own arrays among the arguments are copied there, so that ``host + a`` gives what
        ``a + host`` gives.
        """
        _require_made(self)
        if method == "__call__" and not kwargs and ufunc in BY_UFUNC:
            found = BY_UFUNC[ufunc](*inputs, None)
            if found is not None:
                return found
        from usmx._compute.numpy_protocol import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)


def _accumulated(name, x, axis, dtype, out):
    return scans.accumulate(name, x if axis is not None else reshape(x, -1), axis, dtype, out)


def _reduction(row):
    method = function_of(row)
    method.__doc__ = f"{row.summary}, along axes: `usmx.{row.name}`. Does not wait."
    return method


METHODS = vars(OfArrays) | {
    row.name: _reduction(row)
    for row in REDUCTIONS.values()
    if row.name != "count_nonzero"  # of which NumPy makes no method
}
attach(METHODS, USMArray)
USMArray.__array_priority__ = 0.0  # type: ignore[attr-defined]  # which Dask compares, as of every array
