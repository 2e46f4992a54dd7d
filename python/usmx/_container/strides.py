"""Arrays by other strides, and whether arrays share memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import numpy
from usmx._container.manipulation import integers_of
from usmx._core import USMArray, _as_array

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, Axes, Producer, Shape


def as_strided(
    x: Producer,
    shape: Shape | None = None,
    strides: Sequence[SupportsIndex] | None = None,
    *,
    writeable: bool = True,
) -> USMArray:
    """View the memory of an array by another shape and other strides. Does not wait.

    The first element stays the same. NumPy does not check this, and usmx does: every element must
    lie inside the memory of `x`.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        shape: the shape. By default that of `x`.
        strides: in elements, where NumPy counts bytes. By default those of `x`.
        writeable: False makes the view read-only.

    Returns:
        A view of `x`.

    Raises:
        ValueError: an element would lie outside of the memory, or there are not as many strides as
            axes.

    Example:
        >>> print(usmx.lib.stride_tricks.as_strided(usmx.arange(4), (3, 2), (1, 1)))
        [[0 1]
         [1 2]
         [2 3]]
    """
    view = as_view("x", x)
    extents = view.shape if shape is None else integers_of("shape", shape)
    steps = view.strides if strides is None else integers_of("strides", strides)
    made = USMArray(extents, view.dtype, buffer=view, strides=steps, offset=view.offset)
    return made if writeable else made.readonly()


def sliding_window_view(
    x: Producer,
    window_shape: Shape,
    axis: Axes | None = None,
    *,
    writeable: bool = False,
) -> USMArray:
    """View all parts of an array that a window shows as it slides over it. Does not wait.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        window_shape: the size of the window along each of `axis`: an integer or a tuple.
        axis: along which axes it slides: an integer or a tuple. None means all.
        writeable: whether the view may be written to. One element stands in several places.

    Returns:
        A view of `x`: its axes have a place for each position of the window, and are followed by
        those of the window.

    Raises:
        ValueError: the window is larger than `x`, or there are not as many sizes as axes.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.lib.stride_tricks.sliding_window_view(usmx.arange(4), 3))
        [[0 1 2]
         [1 2 3]]
    """
    view = as_view("x", x)
    window = integers_of("window_shape", window_shape)
    wanted = range(view.ndim) if axis is None else integers_of("axis", axis)
    axes = [_core._normalized_axis(k, view.ndim) for k in wanted]
    if len(window) != len(axes):
        raise ValueError(
            f"window_shape must have a size for each of the axes {axes}, found {window}"
        )
    shape = list(view.shape)
    for k, size in zip(axes, window, strict=True):
        if not 0 <= size <= shape[k]:
            raise ValueError(f"the window {window} does not fit into shape {view.shape}")
        shape[k] -= size - 1
    steps = (*view.strides, *(view.strides[k] for k in axes))
    return as_strided(view, (*shape, *window), steps, writeable=writeable)


def shares_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Say whether two arrays have an element in common. Does not wait.

    Args:
        a, b: arrays: producers of ``__sycl_usm_array_interface__`` or NumPy arrays.
        max_work: how much to try, with the meaning of ``numpy.shares_memory``.

    Returns:
        A Python bool.

    Raises:
        numpy.exceptions.TooHardError: the answer would need more than `max_work`.

    Example:
        >>> a = usmx.arange(4)
        >>> usmx.shares_memory(a[::2], a[1::2]), usmx.shares_memory(a, a[1:])
        (False, True)
    """
    return numpy.shares_memory(_by_addresses(a), _by_addresses(b), max_work)


def may_share_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Say whether two arrays may have an element in common. Does not wait.

    Args:
        a, b: arrays: producers of ``__sycl_usm_array_interface__`` or NumPy arrays.
        max_work: how much to try, with the meaning of ``numpy.may_share_memory``. None compares
            the lowest and the highest addresses alone.

    Returns:
        A Python bool. True does not mean that they do.

    Example:
        >>> a = usmx.arange(4)
        >>> usmx.may_share_memory(a[::2], a[1::2])
        True
    """
    return numpy.may_share_memory(_by_addresses(a), _by_addresses(b), max_work)


class _Addresses:
    """Describes the elements to NumPy, which compares their addresses and reads none of them."""

    def __init__(self, view: USMArray) -> None:
        itemsize = view.itemsize
        self.__array_interface__ = {
            "data": (view._address, False),
            "shape": view.shape,
            "strides": tuple(stride * itemsize for stride in view.strides),
            "typestr": f"|V{itemsize}",
            "version": 3,
        }


def _by_addresses(array: ArrayLike | Producer) -> Any:
    view = _as_array(array)
    return array if view is None else numpy.asarray(_Addresses(view))
