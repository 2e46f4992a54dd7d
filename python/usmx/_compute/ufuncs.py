"""The methods that functions of two operands have, as NumPy's ufuncs: `usmx.add.reduce(a)`.

The table's reductions and scans do it for the functions that have one. Others go on from pair to
pair where their order of work is free, and element by element where it is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.at import apply_at
from usmx._compute.call import compute, output
from usmx._compute.reductions import reduce as reduce_by_row
from usmx._compute.reductions import written_or_wrapped
from usmx._compute.scans import accumulate as accumulate_by_row
from usmx._compute.table import REDUCTIONS
from usmx._container.creation import as_array, as_axis, beside
from usmx._container.manipulation import concat, stack
from usmx._core import moveaxis, reshape

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._compute.table import Row
    from usmx._core import USMArray
    from usmx._typing import Axes, DTypeLike, Operand

REDUCED = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
    "logical_or": "any",
}  # fmt: skip
_IDENTITIES = {
    "add": 0, "multiply": 1, "logical_and": True, "logical_or": False, "logical_xor": False,
    "bitwise_and": -1, "bitwise_or": 0, "bitwise_xor": 0,
}  # fmt: skip
# (a . b) . c is a . (b . c), at least nearly.
ASSOCIATIVE = frozenset((
    *REDUCED, "bitwise_and", "bitwise_or", "bitwise_xor", "hypot", "logaddexp", "logical_xor",
))  # fmt: skip
NAMES = ("reduce", "accumulate", "reduceat", "outer", "at")


class Methods:
    """The methods of one function."""

    def __init__(self, row: Row) -> None:
        self._row = row

    def reduce(
        self,
        array: Operand,
        axis: Axes | None = 0,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> USMArray:
        """Put the elements along axes together by the function. Does not wait.

        Only those that the table has a reduction for take several axes, `initial` and `where`.
        """
        row, x = self._row, as_array("array", array)
        if row.name in REDUCED:
            more: dict[str, Any] = {"dtype": dtype, "out": out, "initial": initial, "where": where}
            return reduce_by_row(REDUCTIONS[REDUCED[row.name]], x, axis, keepdims, **more)
        if initial is not None or where is not True:
            raise TypeError(f"{row.name}.reduce takes no initial= and no where=")
        k, x = self._single_axis(axis, x)
        made = self._put_together(self._in_type(moveaxis(x, k, 0), dtype))
        made = made[(*(slice(None),) * k, None)] if keepdims else made
        return written_or_wrapped(row.name, out, made)

    def accumulate(
        self,
        array: Operand,
        axis: SupportsIndex = 0,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Put the elements so far together by the function, along an axis. Does not wait."""
        row, x = self._row, as_array("array", array)
        if row.name in ("add", "multiply"):
            return accumulate_by_row(REDUCED[row.name], x, as_axis(axis, x.ndim), dtype, out)
        k, x = self._single_axis(axis, x)
        made = self._so_far(self._in_type(moveaxis(x, k, 0), dtype))
        return written_or_wrapped(row.name, out, moveaxis(made, 0, k))

    def reduceat(
        self,
        array: Operand,
        indices: Any,
        axis: SupportsIndex = 0,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Put the elements from each index to the next one together. Waits to read the indices.

        Where the next index is not greater, the result is the one element.
        """
        x = as_array("array", array)
        k = as_axis(axis, x.ndim)
        moved = moveaxis(x, k, 0)
        starts = [int(i) for i in beside(x, indices).tolist()]
        length = moved.shape[0]
        for start in starts:
            if not 0 <= start < length:
                raise IndexError(f"index {start} is out of bounds for an axis of length {length}")
        parts = [
            self.reduce(moved[start : max(start + 1, end)], 0, dtype)
            for start, end in zip(starts, [*starts[1:], length], strict=True)
        ]
        made = stack(parts) if parts else moved[:0]
        return written_or_wrapped(self._row.name, out, moveaxis(made, 0, k))

    def outer(
        self,
        A: Operand,
        B: Operand,
        /,
        out: USMArray | None = None,
        *,
        dtype: DTypeLike | None = None,
    ) -> USMArray:
        """Call the function for each element with each of another array. Does not wait."""
        first = as_array("A", A)
        second = beside(first, B)
        first, second = (self._in_type(x, dtype) for x in (first, second))
        shape = (*first.shape, *(1,) * second.ndim)
        return compute(self._row, (reshape(first, shape), second), out)  # type: ignore[no-any-return]

    def at(self, a: USMArray, indices: Any, b: Operand | None = None, /) -> None:
        """Call the function in place, for elements and values. Waits.

        An index that is there twice counts twice.
        """
        values = () if b is None else (b,)
        if isinstance(b, list):
            values = (beside(a, b),)
        apply_at(self._row, output(f"{self._row.name}.at", a), indices, *values)

    def _in_type(self, x, dtype):
        if self._row.is_logical:
            return x != 0
        return x if dtype is None else x.astype(dtype, copy=False)

    def _single_axis(self, axis, x):
        """The axis and the array; without an axis that of all elements."""
        if axis is None:
            if x.ndim > 1 and self._row.name not in ASSOCIATIVE:
                raise ValueError(f"{self._row.name} is reduced along one axis, found None")
            return 0, reshape(x, -1)
        if isinstance(axis, tuple):
            if len(axis) != 1:
                raise ValueError(f"{self._row.name} is reduced along one axis, found {axis}")
            (axis,) = axis
        return as_axis(axis, x.ndim), x

    def _put_together(self, x):
        """The elements of the first axis as one."""
        if x.shape[0] == 0:
            return self._nothing(x)
        if self._row.name in ASSOCIATIVE:
            while x.shape[0] > 1:
                pairs = compute(self._row, (x[:-1:2], x[1::2]))
                rest = x[-1:] if x.shape[0] % 2 else x[:0]
                x = concat([pairs, rest.astype(pairs.dtype)]) if rest.shape[0] else pairs
            return x[0]
        made = x[0]
        for k in range(1, x.shape[0]):
            made = compute(self._row, (made, x[k]))
        return made

    def _nothing(self, x):
        identity = _IDENTITIES.get(self._row.name)
        if identity is None:
            raise ValueError(f"{self._row.name}.reduce of no elements has no value")
        return (
            x.sum(0).astype(x.dtype) * 0 + identity if x.dtype.kind != "b" else x.any(0) | identity
        )

    def _so_far(self, x):
        """The results of the first axis up to each element."""
        if self._row.name in ASSOCIATIVE:
            step = 1
            while step < x.shape[0]:
                joined = compute(self._row, (x[:-step], x[step:]))
                x = concat([x[:step].astype(joined.dtype), joined])
                step *= 2
            return x
        parts = [x[k] for k in range(x.shape[0])]
        for k in range(1, len(parts)):
            parts[k] = compute(self._row, (parts[k - 1], parts[k]))
        return stack(parts) if parts else x


def give_methods(function: Any, row: Row) -> None:
    """Give a function of a row what NumPy's ufuncs have beside the call."""
    function.nin = len(row.operands)
    function.nout = 1
    function.nargs = function.nin + 1
    function.identity = _IDENTITIES.get(row.name)
    methods = Methods(row)
    for name in NAMES if function.nin == 2 else ("at",):
        setattr(function, name, getattr(methods, name))
