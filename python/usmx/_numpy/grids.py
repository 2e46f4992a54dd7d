"""NumPy's objects that make arrays of an index: `r_`, `c_`, `mgrid`, `ogrid`, `s_`, `index_exp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.creation import beside
from usmx._container.host import numpy
from usmx._container.manipulation import broadcast_arrays, concat, stack
from usmx._container.patterns import arange, linspace
from usmx._core import _as_array, asarray
from usmx._numpy.arguments import is_text

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray


def _range(of: slice) -> USMArray:
    """The numbers that a slice stands for; a step ``5j`` stands for 5 numbers with both ends."""
    start = 0 if of.start is None else of.start
    step = 1 if of.step is None else of.step
    if isinstance(step, complex):
        return linspace(start, of.stop, int(abs(step)))
    return arange(start, of.stop, step)


class Joiner:
    """The object that ``r_[...]`` and ``c_[...]`` index: joins ranges, numbers and arrays."""

    def __init__(self, name: str, axis: int, ndmin: int, trans1d: int) -> None:
        self._name = name
        self._axis, self._ndmin, self._trans1d = axis, ndmin, trans1d

    def __repr__(self) -> str:
        return f"usmx.{self._name}"

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> USMArray:
        """The joined array. Does not wait, unless there are numbers of the host."""
        axis, ndmin, trans1d = self._axis, self._ndmin, self._trans1d
        items = list(key) if isinstance(key, tuple) else [key]
        if items and is_text(items[0]):
            axis, ndmin, trans1d = self._directive(items.pop(0))
        parts = [_range(item) if isinstance(item, slice) else item for item in items]
        views = [_as_array(part) for part in parts]
        first = next((view for view in views if view is not None), None)
        arrays = [view for view in views if view is not None]
        dtype = numpy.result_type(*(_kind_of(part) for part in parts)) if parts else None
        arrays = [
            _with_dimensions(
                (asarray(part) if first is None else beside(first, part)).astype(dtype, copy=False),
                ndmin,
                trans1d,
            )
            for part in parts
        ]
        return concat(arrays, axis=axis)

    def _directive(self, text):
        numbers = str(text).split(",")
        try:
            found = [int(number) for number in numbers]
        except ValueError:
            raise ValueError(
                f"{self._name}: expected up to three integers as 'axis,ndmin,trans1d', found "
                f"{text!r}; usmx has no matrices"
            ) from None
        return (*found, *(self._axis, self._ndmin, self._trans1d)[len(found) :])


def _kind_of(part):
    """The kind that decides about the type: Python's numbers follow the arrays."""
    view = _as_array(part)
    if view is not None:
        return view.dtype
    return part if type(part) in (bool, int, float, complex) else numpy.asarray(part).dtype


def _with_dimensions(x, ndmin, trans1d):
    """The array with at least so many dimensions; its own begin at `trans1d`."""
    more = ndmin - x.ndim
    if more <= 0:
        return x
    start = trans1d if trans1d >= 0 else more + 1 + trans1d
    start = min(start, more)
    return x[(*(None,) * start, ..., *(None,) * (more - start))]


class Grid:
    """The object that ``mgrid[...]`` and ``ogrid[...]`` index: coordinates of a grid's points."""

    def __init__(self, name: str, is_open: bool) -> None:
        self._name = name
        self._is_open = is_open

    def __repr__(self) -> str:
        return f"usmx.{self._name}"

    def __getitem__(self, key: Any) -> Any:
        """The coordinates. Does not wait."""
        if isinstance(key, slice):
            return _range(key)
        ranges = [_range(each) for each in key]
        dtype = numpy.result_type(*(x.dtype for x in ranges)) if ranges else None
        last = len(ranges) - 1
        edges = [
            x.astype(dtype, copy=False)[(*(None,) * k, slice(None), *(None,) * (last - k))]
            for k, x in enumerate(ranges)
        ]
        return tuple(edges) if self._is_open else stack(broadcast_arrays(*edges))


r_ = Joiner("r_", 0, 1, -1)
c_ = Joiner("c_", -1, 2, 0)
mgrid = Grid("mgrid", is_open=False)
ogrid = Grid("ogrid", is_open=True)
