"""Arguments of the functions of this room: checked, and in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.call import compute
from usmx._compute.promotion import default_float
from usmx._compute.table import ROWS
from usmx._container.creation import as_axis, beside
from usmx._container.host import numpy
from usmx._core import _as_array, asarray, moveaxis, reshape

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import NumpyType


def array_of(obj: Any) -> USMArray:
    """The array of a producer, or a new one of what is on the host."""
    view = _as_array(obj)
    return asarray(obj) if view is None else view


def arrays_of(*objects: Any) -> list[USMArray]:
    """The arrays of all; what is on the host is copied to where the first array is."""
    views = [_as_array(each) for each in objects]
    first = next((view for view in views if view is not None), None)
    if first is None:
        return [asarray(each) for each in objects]
    return [
        beside(first, each) if view is None else view
        for each, view in zip(objects, views, strict=True)
    ]


def float_type(x: USMArray) -> NumpyType:
    """The type of the array, or the default floating-point type for integers."""
    return default_float(x._own_queue.sycl_device) if x.dtype.kind in "biu" else x.dtype


def floating(x: USMArray) -> USMArray:
    """The array, with integers and bools converted to floating-point numbers."""
    return x.astype(float_type(x), copy=False)


def where(condition: Any, x: Any, y: Any) -> Any:
    """`usmx.where` of three operands, of which type checkers know that it is one array."""
    return compute(ROWS["where"], (condition, x, y))


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that an argument names: all for None."""
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple(as_axis(each, ndim) for each in given)
    if len(set(found)) != len(found):
        raise ValueError(f"an axis is named twice: {axis}")
    return found


def rows_of(x: USMArray, axis: Any) -> tuple[USMArray, tuple[int, ...]]:
    """The elements with these axes joined to one, which is last; and the axes."""
    axes = axes_of(axis, x.ndim)
    if len(axes) == 1:
        return moveaxis(x, axes[0], -1), axes
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    moved = x.transpose((*rest, *axes))
    shape = tuple(x.shape[k] for k in rest)
    length = 1
    for k in axes:
        length *= x.shape[k]
    return reshape(moved, (*shape, length)), axes


def with_axes_kept(made: USMArray, ndim: int, axes: tuple[int, ...], lead: int = 0) -> USMArray:
    """A result without `axes`, of which each gets the length 1; `lead` axes of it come before."""
    shape = list(made.shape[lead:])
    for axis in sorted(axes):
        shape.insert(axis, 1)
    return reshape(made, (*made.shape[:lead], *shape))


def is_text(obj: object) -> bool:
    """Whether it is a string, of Python or of NumPy."""
    return isinstance(obj, (str, numpy.str_))
