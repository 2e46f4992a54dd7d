"""The calls of usmx's mathematics that ordinary programs make, one for each kernel that they need.

The package's build compiles the kernels of these calls (tools/package_kernels.py). What is not
here is compiled when it is first called. So a list that lacks something is no error, and one that
has too much makes the package larger and its build longer. So there are two lists: SETS.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import usmx
from usmx import _core
from usmx._compute import reductions
from usmx._compute.best import LONG_ROW
from usmx._compute.call import launch
from usmx._compute.reductions import reduce, spread_of
from usmx._compute.table import REDUCTIONS, ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Call = Callable[[], usmx.USMArray]
    Make = Callable[[tuple[int, ...], str], usmx.USMArray]

# The host computes little work by itself: here all of it is kernels'.
reductions._ON_HOST.update(dict.fromkeys(REDUCTIONS, lambda *_: None))
for _name in ("_accumulate", "_sort", "_vecdot"):
    setattr(_core, _name, partial(getattr(_core, _name), only="kernel"))
_matmul = _core._matmul


def _without_loops(x1: usmx.USMArray, x2: usmx.USMArray) -> Any:
    found = _matmul(x1, x2, "vendor")
    return _matmul(x1, x2, "kernel") if found is None else found


_core._matmul = _without_loops

_unique = _core._unique


def _found_by_kernels(*arguments: Any, **how: Any) -> Any:
    before = usmx.host_access("strict")
    try:
        return _unique(*arguments, **how)
    finally:
        usmx.host_access(before)


_core._unique = _found_by_kernels

REALS = ("float32", "float64")
ARITHMETIC = ("add", "subtract", "multiply", "divide")
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
COMMON_UNARY = ("abs", "negative", "square", "sqrt", "exp", "log", "sin", "cos", "tanh")
OF_INTEGERS = (
    *ARITHMETIC, *COMPARISONS, "floor_divide", "remainder", "pow", "maximum", "minimum",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
)  # fmt: skip
OF_BOOLEANS = (
    "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
    "equal", "not_equal",
)  # fmt: skip
ROWS_OF = COLUMNS_OF = 64


class Arrays:
    """Arrays of a type in the layouts that programs have, and a number of that kind."""

    def __init__(self, dtype: str, make: Make) -> None:
        self.number: Any = {"b": True, "f": 1.5, "c": 1 + 2j}.get(usmx.dtype(dtype).kind, 2)
        self.whole = make((ROWS_OF, COLUMNS_OF), dtype)
        # Of whose results each has several parts, along all axes and along the first one.
        self.large = make((8 * ROWS_OF, COLUMNS_OF), dtype)
        self.row = make((COLUMNS_OF,), dtype)
        self.column = make((ROWS_OF, 1), dtype)
        self.single = make((), dtype)
        self.part = self.whole[:, 1:]  # rows, of which each is adjacent
        self.every_other = make((2 * ROWS_OF,), dtype)[::2]
        self.field = make((ROWS_OF, 3), dtype)[:, 0]
        self.turned = self.whole.mT
        self.cube = make((8, 8, 8), dtype)
        self.long = make((LONG_ROW,), dtype)


def _pairs(of: Arrays, level: int) -> Iterator[tuple[Any, Any]]:
    """Operands of a function of two: at level 1 the most common ones only."""
    yield of.whole, of.whole
    yield of.whole, of.number
    if level > 1:
        yield of.whole, of.row
        yield of.number, of.whole
        yield of.whole, of.column
        yield of.whole, of.single
        yield of.field, of.number
        yield of.every_other, of.number
    if level > 2:
        yield of.row, of.field
        yield of.field, of.row
        yield of.column, of.whole
        yield of.single, of.whole
        yield of.field, of.field
        yield of.every_other, of.every_other
        yield of.whole, of.turned
        yield of.cube, of.cube[:, :1]


def _elementwise(arrays: Callable[[str], Arrays]) -> Iterator[Call]:
    def call(name, *operands):
        return partial(launch, ROWS[name], operands)

    unary = [name for name, row in ROWS.items() if len(row.operands) == 1]
    binary = [name for name, row in ROWS.items() if len(row.operands) == 2]
    for dtype in REALS:
        of = arrays(dtype)
        for name in unary:
            if "f" in ROWS[name].expressions:
                yield call(name, of.whole)
                yield call(name, of.part)
                yield call(name, of.field)
        for name in COMMON_UNARY:
            yield call(name, of.every_other)
        for name in binary:
            if "f" in ROWS[name].expressions:
                level = 3 if name in ARITHMETIC or name in COMPARISONS else 1
                for pair in _pairs(of, level):
                    yield call(name, *pair)
        for name in ("pow", "maximum", "minimum", "floor_divide", "remainder", "atan2", "hypot"):
            for pair in (*_pairs(of, 2), (of.field, of.field)):
                yield call(name, *pair)
        yield call("clip", of.whole, of.number, of.number)
        yield from _choices(call, arrays("bool").whole, of)
    yield from _of_other_types(call, arrays)


def _choices(call: Callable[..., Call], condition: Any, of: Arrays) -> Iterator[Call]:
    for first in (of.whole, of.number):
        yield call("where", condition, first, of.whole)
    yield call("where", condition, of.whole, of.number)
    yield call("where", condition, of.number, of.number)


def _of_other_types(call: Callable[..., Call], arrays: Callable[[str], Arrays]) -> Iterator[Call]:
    integers, booleans = arrays("int64"), arrays("bool")
    for name in OF_INTEGERS:
        level = 2 if name in ARITHMETIC or name in COMPARISONS else 1
        for pair in _pairs(integers, level):
            yield call(name, *pair)
        yield call(name, integers.field, integers.field)
    for name in ("abs", "negative", "square", "sign", "sqrt", "bitwise_invert", "logical_not"):
        yield call(name, integers.whole)
        yield call(name, integers.part)
    yield call("clip", integers.whole, 0, 1)
    yield from _choices(call, booleans.whole, integers)
    for name in ARITHMETIC:  # integers beside real numbers
        yield call(name, integers.whole, 0.5)
        yield call(name, 0.5, integers.whole)
        for dtype in REALS:
            real = arrays(dtype)
            yield call(name, integers.whole, real.whole)
            yield call(name, real.whole, integers.whole)
    for name in OF_BOOLEANS:
        yield call(name, booleans.whole, booleans.whole)
    for name in ("logical_not", "bitwise_invert"):
        yield call(name, booleans.whole)
    for dtype in REALS:
        yield call("multiply", booleans.whole, arrays(dtype).whole)
        yield call("multiply", arrays(dtype).whole, booleans.whole)
    for dtype in ("int32", "uint8"):
        of = arrays(dtype)
        for name in (*ARITHMETIC, *COMPARISONS, "floor_divide", "remainder"):
            for pair in _pairs(of, 1):
                yield call(name, *pair)
        yield call("bitwise_and", of.whole, of.number)
    for dtype in ("complex64", "complex128"):
        of = arrays(dtype)
        for name in ARITHMETIC:
            for pair in _pairs(of, 1):
                yield call(name, *pair)
        for name in ("abs", "conj", "negative", "square", "exp"):
            yield call(name, of.whole)


def _reduction(name: str, x: usmx.USMArray, axis: Any, make: Make) -> Iterator[Call]:
    row = REDUCTIONS[name]
    if row.types != "real":
        yield partial(reduce, row, x, axis)
        return
    reduced = range(x.ndim) if axis is None else [axis % x.ndim]
    shape = tuple(1 if k in reduced else extent for k, extent in enumerate(x.shape))
    mean = make(shape, "complex128" if x.dtype.kind == "c" else "float64")
    yield partial(reduce, row, x, axis, spread=(mean, 1.0))
    yield partial(spread_of, row, x, axis, 1.0, False)  # which begins with the mean


def _reductions(arrays: Callable[[str], Arrays], make: Make) -> Iterator[Call]:
    def call(name, x, axis):
        return _reduction(name, x, axis, make)

    for dtype in (*REALS, "int64", "bool"):
        of = arrays(dtype)
        names = REDUCTIONS
        if dtype == "bool":
            names = ("sum", "mean", "any", "all", "count_nonzero")
        for name in names:
            for x, axis in (
                (of.large, None), (of.large, 0), (of.large[:, 1:], None),
                (of.whole, None), (of.whole, 0), (of.part, None),
                (of.cube[:, :, :3], -1),
            ):  # fmt: skip
                yield from call(name, x, axis)
    for dtype in REALS:
        of = arrays(dtype)
        for name in ("sum", "mean", "max", "min"):
            yield from call(name, of.field, None)
            yield from call(name, of.cube, (1, 2))
            yield from call(name, of.cube, 1)
    for dtype in ("int32", "uint8", "complex64", "complex128"):
        of = arrays(dtype)
        for name in ("sum", "mean"):
            yield from call(name, of.large, None)
            yield from call(name, of.large, 0)
    for dtype in (*REALS, "int64"):
        for name in ("argmax", "argmin"):
            yield partial(getattr(usmx, name), arrays(dtype).long)


def _algorithms(arrays: Callable[[str], Arrays]) -> Iterator[Call]:
    for dtype in (*REALS, "int64"):
        of = arrays(dtype)
        yield partial(usmx.cumulative_sum, of.long)
        for row in (of.long, of.row):
            yield partial(usmx.sort, row)
            yield partial(usmx.sort, row, descending=True)
        yield partial(usmx.argsort, of.long)
        yield partial(usmx.unique_values, of.long)
        yield partial(usmx.diff, of.long)
        yield partial(usmx.searchsorted, of.long, of.long)
        yield partial(usmx.searchsorted, of.long, of.long, side="right")
        yield partial(usmx.isin, of.long, of.long)
        yield partial(usmx.matmul, of.whole, of.whole)
        yield partial(usmx.vecdot, of.long, of.long)
    for dtype in REALS:
        rng = usmx.random.default_rng(1)
        yield partial(usmx.cumulative_prod, arrays(dtype).long)
        yield partial(rng.random, LONG_ROW, dtype=dtype)
        yield partial(rng.normal, size=LONG_ROW, dtype=dtype)
    yield partial(usmx.cumulative_sum, arrays("bool").long)
    yield partial(usmx.random.default_rng(1).integers, 0, 10, size=LONG_ROW)


def _arrays(make: Make) -> Callable[[str], Arrays]:
    return cache(partial(Arrays, make=make))


def _core_elementwise(arrays: Callable[[str], Arrays]) -> Iterator[Call]:
    def call(name, *operands):
        return partial(launch, ROWS[name], operands)

    booleans = arrays("bool")
    for dtype in REALS:
        of = arrays(dtype)
        for name in COMMON_UNARY:
            yield call(name, of.whole)
        yield call("abs", of.part)
        for name in ARITHMETIC:
            for pair in (*_pairs(of, 2), (of.row, of.field), (of.single, of.single)):
                yield call(name, *pair)
        for name in (*COMPARISONS, "pow", "maximum", "minimum"):
            for pair in _pairs(of, 1):
                yield call(name, *pair)
        for name in ("atan2", "hypot"):
            yield call(name, of.field, of.field)
        yield call("equal", of.whole, of.turned)
        yield call("clip", of.whole, of.number, of.number)
        yield call("where", booleans.whole, of.whole, of.number)
    integers = arrays("int64")
    for name in (*ARITHMETIC, *COMPARISONS, "floor_divide", "remainder"):
        for pair in _pairs(integers, 1):
            yield call(name, *pair)
    for name in OF_BOOLEANS:
        yield call(name, booleans.whole, booleans.whole)
    yield call("logical_not", booleans.whole)
    for name in COMPARISONS:
        yield call(name, arrays("uint8").whole, arrays("uint8").number)


def _core_reductions(make: Make) -> Iterator[Call]:
    arrays = _arrays(make)
    names = {"bool": ("sum", "any", "all", "count_nonzero"), "int64": ("sum", "mean", "max", "min")}
    for dtype in (*REALS, "int64", "bool"):
        of = arrays(dtype)
        for name in names.get(dtype, ("sum", "mean", "max", "min", "std", "var")):
            yield from _reduction(name, of.large, None, make)
            yield from _reduction(name, of.whole, None, make)
            if dtype in REALS:
                yield from _reduction(name, of.large, 0, make)
    for dtype in REALS:
        yield from _reduction("sum", arrays(dtype).cube[:, :, :3], -1, make)
        yield partial(usmx.argmax, arrays(dtype).long)


def _core_algorithms(arrays: Callable[[str], Arrays]) -> Iterator[Call]:
    for dtype in REALS:
        of = arrays(dtype)
        yield partial(usmx.cumulative_sum, of.long)
        yield partial(usmx.sort, of.long)
        yield partial(usmx.matmul, of.whole, of.whole)
        rng = usmx.random.default_rng(1)
        yield partial(rng.random, LONG_ROW, dtype=dtype)
        yield partial(rng.normal, size=LONG_ROW, dtype=dtype)


def full_calls(make: Make) -> Iterator[Call]:
    """Each call. `make` gives the arrays, of a shape and a type."""
    arrays = _arrays(make)
    yield from _elementwise(arrays)
    yield from _reductions(arrays, make)
    yield from _algorithms(arrays)


def core_calls(make: Make) -> Iterator[Call]:
    """Those of them with which most programs begin, whose kernels take a tenth of the time."""
    arrays = _arrays(make)
    yield from _core_elementwise(arrays)
    yield from _core_reductions(make)
    yield from _core_algorithms(arrays)


# For each set its calls, and those of them that need more than one kernel, of which the later ones
# follow the first.
SETS = {
    "core": (core_calls, lambda make: _core_algorithms(_arrays(make))),
    "full": (full_calls, lambda make: _algorithms(_arrays(make))),
}
