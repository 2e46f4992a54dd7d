"""Comparing arrays, on the host: usmx computes nothing on devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.host import _numpy
from usmx._core import _as_array, asnumpy

if TYPE_CHECKING:
    from usmx._typing import ArrayLike, NumpyArray, Producer


def array_equal(
    a1: Producer | ArrayLike, a2: Producer | ArrayLike, equal_nan: bool = False
) -> bool:
    """Say whether two arrays have the same shape and the same elements. Waits.

    The elements are copied to the host and compared there, by the rules of ``numpy.array_equal``.

    Args:
        a1, a2: producers of ``__sycl_usm_array_interface__``, or what NumPy makes an array of.
        equal_nan: whether one NaN equals another.

    Returns:
        A Python bool.

    Example:
        >>> usmx.array_equal(usmx.arange(3), [0, 1, 2])
        True
    """
    return bool(_numpy().array_equal(on_host(a1), on_host(a2), equal_nan=equal_nan))


def on_host(obj: Producer | ArrayLike) -> NumpyArray:
    """The elements as a NumPy array: of a producer a copy, of anything else what NumPy makes."""
    view = _as_array(obj)
    return _numpy().asarray(obj) if view is None else asnumpy(view)
