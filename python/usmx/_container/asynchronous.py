"""Copies and fills that are started and not waited for."""

from __future__ import annotations

import atexit
from functools import cache
from os import getpid
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import numpy, require_plain
from usmx._container.types import can_cast
from usmx._core import _as_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usmx._core import SyclEvent
    from usmx._typing import ArrayLike, Casting, Producer


def copy_async(
    dst: Producer | ArrayLike, src: Producer | ArrayLike, /, *, casting: Casting = "same_kind"
) -> SyclEvent:
    """Start to copy elements into an existing array, and do not wait.

    The elements are converted and broadcast as ``dst[...] = src`` does. The copy comes after the
    work that ``wait()`` of both arrays would wait for. Whatever usmx does later with a USMArray
    that took part, or with its views, comes after the copy. If you use another producer or
    host memory again, wait for the event. All memory is kept alive until the copy is complete.

    The function does not wait if the device can do the copy: between arrays of one context, and
    between an array and host memory that is compact in the same order and has the same element
    type. Other host memory is read before this function returns. Everything else is complete on
    return, and so are copies that take the host less time than starting a command.

    Args:
        dst: a USMArray or any other producer of ``__sycl_usm_array_interface__``, a NumPy array, or
            a writable buffer.
        src: what can be broadcast to the shape of `dst`. One of the two must be a producer.
        casting: which conversions are allowed, in NumPy's words: 'no', 'equiv', 'safe', 'same_kind'
            or 'unsafe'.

    Returns:
        A SyclEvent that is complete when the copy is.

    Raises:
        TypeError: neither is a producer, or `casting` does not allow the conversion.
        ValueError: `src` cannot be broadcast to the shape of `dst`, or `dst` is read-only.

    Example:
        >>> a = usmx.empty(3, dtype='f4')
        >>> event = usmx.copy_async(a, usmx.arange(3, dtype='f4'))
        >>> print(a)  # waits for the copy
        [0. 1. 2.]
    """
    to, values = _as_array(dst), _as_array(src)
    if to is None:
        if values is None:
            raise TypeError(
                "dst or src must be an object with __sycl_usm_array_interface__, "
                f"found {type(dst).__name__} and {type(src).__name__}"
            )
        host = _buffer("dst", dst)
        _require_cast(values.dtype, host.dtype, casting)
        _require_shape(values, host)
        return _core._copy_to_host_async(_core.broadcast_to(values, host.shape), host)
    if values is not None:
        _require_cast(values.dtype, to.dtype, casting)
        _require_shape(values, to)
        return _core._copy_async(values, to)
    host = require_plain(numpy.asarray(src), src)
    _require_cast(host.dtype, to.dtype, casting)
    _require_shape(host, to)
    return _core._copy_from_host_async(to, numpy.broadcast_to(host, to.shape))


def fill_async(dst: Producer, value: object, /) -> SyclEvent:
    """Start to set every element of an array to one number, and do not wait.

    The fill comes after the work that ``dst.wait()`` would wait for. Whatever usmx does later with
    `dst`, or with its views, comes after the fill. The memory is kept alive until the fill is
    complete. A fill that takes the host less time than starting a command is complete on return.

    Args:
        dst: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        value: a number or an array without dimensions, which is converted as in an assignment.

    Returns:
        A SyclEvent that is complete when the fill is.

    Raises:
        OverflowError: a Python integer does not fit the element type.
        ValueError: `dst` is read-only.
        TypeError: `dst` is no producer, or `value` is no number.

    Example:
        >>> a = usmx.empty(3, dtype='i4')
        >>> usmx.fill_async(a, 7).wait()
        >>> print(a)
        [7 7 7]
    """
    return _core._fill_async(as_view("dst", dst), value)


def pending_events(
    reads: Producer | Sequence[Producer] = (), writes: Producer | Sequence[Producer] = ()
) -> list[SyclEvent]:
    """Find the unfinished work that new work of yours must come after.

    New work that reads elements comes after the work that writes them. New work that writes
    elements comes after the work that reads or writes them. Submit yours with these events as its
    dependencies, and announce it by ``record_read`` and ``record_write`` of the arrays.

    Where others may work on the memory through an out-of-order queue, as dpctl's and dpnp's are,
    the function waits for that queue. It does not wait for usmx's own work, nor for work that was
    recorded.

    Args:
        reads: an array or several that the new work reads: a USMArray or any other producer of
            ``__sycl_usm_array_interface__``.
        writes: an array or several that the new work writes.

    Returns:
        A list of SyclEvents, without those that are complete.

    Raises:
        TypeError: an argument has something that is no producer.
        ValueError: one of `writes` is read-only.

    Example:
        >>> usmx.pending_events(reads=usmx.zeros(3))
        []
    """
    return _core._pending_events(_views("reads", reads), _views("writes", writes))


@cache
def wait_at_exit() -> None:
    """Wait for work of libraries before the exit handlers of C, of which their own come first."""
    own = getpid()  # a forked child has nothing to wait for
    atexit.register(lambda: _core.synchronize() if getpid() == own else None)


def _views(name, arrays):
    """The arrays of an argument that is one or several."""
    one = _as_array(arrays)
    return [as_view(name, each) for each in arrays] if one is None else [one]


def _buffer(name, obj):
    """A NumPy array on the memory of `obj`, never a copy."""
    if isinstance(obj, numpy.ndarray):
        return obj
    try:
        return numpy.asarray(memoryview(obj))
    except TypeError as error:
        raise TypeError(
            f"{name} must be an object with __sycl_usm_array_interface__, a NumPy array or a "
            f"buffer, found {type(obj).__name__}"
        ) from error


def _require_cast(found, wanted, casting):
    if found != wanted and not can_cast(found, wanted, casting=casting):
        raise TypeError(
            f"elements of type {found} cannot be cast to {wanted} with casting={casting!r}"
        )


def _require_shape(src, dst):
    """Check that the elements of `src` can be repeated to the shape of `dst`, by NumPy's rules."""
    if src.shape == dst.shape:
        return
    before = len(dst.shape) - len(src.shape)
    if before < 0 or any(
        extent not in (1, wanted)
        for extent, wanted in zip(src.shape, dst.shape[before:], strict=True)
    ):
        raise ValueError(
            f"copy_async: src must have the shape of dst, {dst.shape}, or one that can be "
            f"broadcast to it, found {src.shape}"
        )
