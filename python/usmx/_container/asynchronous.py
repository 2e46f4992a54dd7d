"""Copies and fills that are started and not waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import _numpy, require_plain
from usmx._container.types import can_cast
from usmx._core import _as_array

if TYPE_CHECKING:
    from usmx._core import SyclEvent
    from usmx._typing import ArrayLike, Casting, Producer


def copy_async(
    dst: Producer | ArrayLike, src: Producer | ArrayLike, /, *, casting: Casting = "same_kind"
) -> SyclEvent:
    """Start to copy elements into an existing array, converted and repeated as by `numpy.copyto`.

    Returns an event that is complete when the copy is. The copy comes after the work that
    ``wait()`` of both arrays would wait for. What usmx does with a USMArray that took part, or with
    its views, comes after the copy. Others, and who uses another producer or host memory, wait for
    the event. All memory is kept until then.

    Nothing is waited for where the device can do the copy: between arrays of one context, and
    between an array and host memory that is compact in the same order and has the same element
    type. Other host memory is read before this returns. Everything else, and what takes the host
    less time than to start it, is complete on return.

    Args:
        dst: a USMArray or any producer of ``__sycl_usm_array_interface__``, or a NumPy array or
            writable buffer.
        src: what can be repeated to the shape of `dst`; one of the two is a producer.
        casting: what may be converted: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Raises:
        TypeError: neither is a producer, or `casting` does not allow the conversion.
        ValueError: `src` cannot be repeated to the shape of `dst`, or `dst` is read-only.
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
        return _core._copy_to_host_async(_core._broadcast(values, host.shape), host)
    if values is not None:
        _require_cast(values.dtype, to.dtype, casting)
        return _core._copy_async(values, to)
    host = require_plain(_numpy().asarray(src), src)
    _require_cast(host.dtype, to.dtype, casting)
    return _core._copy_from_host_async(to, _numpy().broadcast_to(host, to.shape))


def fill_async(dst: Producer, value: object, /) -> SyclEvent:
    """Start to set every element to one number; what it returns and waits for: `copy_async`.

    Args:
        dst: a USMArray or any producer of ``__sycl_usm_array_interface__``.
        value: a number or an array of no dimensions, converted as in an assignment.

    Raises:
        OverflowError: a Python integer does not fit the element type.
        ValueError: `dst` is read-only.
        TypeError: `dst` is no producer, or `value` no number.
    """
    return _core._fill_async(as_view("dst", dst), value)


def _buffer(name, obj):
    """A NumPy array on the memory of `obj`, never a copy."""
    numpy = _numpy()
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
