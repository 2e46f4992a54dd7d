"""Copies of arrays: as they are, of another element type, on another device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.types import can_cast, default_types
from usmx._core import Device, SyclQueue

if TYPE_CHECKING:
    from usmx._core import USMArray
    from usmx._typing import Casting, DeviceLike, DTypeLike, OrderCFAK, Producer, QueueLike


def copy(usm_ary: Producer, /, *, order: OrderCFAK = "K") -> USMArray:
    """A new array with the elements of another one, on its queue and of its kind of memory. Waits.

    Args:
        usm_ary: a USMArray or any producer of ``__sycl_usm_array_interface__``.
        order: as in `asarray`.
    """
    return as_view("usm_ary", usm_ary).copy(order)


def astype(
    usm_ary: Producer,
    newdtype: DTypeLike | None,
    /,
    *,
    order: OrderCFAK = "K",
    casting: Casting = "unsafe",
    copy: bool = True,
    device: DeviceLike | None = None,
) -> USMArray:
    """The elements converted to another type. Waits.

    In-range values become what NumPy makes of them. What NaN and floating-point values out of range
    become as integers is not specified.

    Args:
        usm_ary: a USMArray or any producer of ``__sycl_usm_array_interface__``.
        newdtype: element type, as in `empty`; None: the default floating-point type of the device.
        order: as in `asarray`.
        casting: what may be converted: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
        copy: False: no copy where type, device and order are what they should be.
        device: as in `empty`; by default that of the array.

    Raises:
        TypeError: `casting` does not allow the conversion.
        ValueError, USMAllocationError: as in `empty`.
    """
    view = as_view("usm_ary", usm_ary)
    if newdtype is None:
        newdtype = default_types(view._own_queue.sycl_device)["real floating"]
    if casting != "unsafe" and not can_cast(view.dtype, newdtype, casting=casting):
        raise TypeError(
            f"elements of type {view.dtype} cannot be cast to {_core._dtype(newdtype)} "
            f"with casting={casting!r}"
        )
    return _core._as_asked(view, newdtype, None, None, device, order, True if copy else None)


def array_astype(
    array: USMArray,
    dtype: DTypeLike | None,
    order: OrderCFAK = "K",
    casting: Casting = "unsafe",
    copy: bool = True,
    device: DeviceLike | None = None,
) -> USMArray:
    """What ``USMArray.astype`` does: `astype`, called as NumPy's method is."""
    return astype(array, dtype, order=order, casting=casting, copy=copy, device=device)


def to_device(
    array: USMArray, device: DeviceLike, /, *, stream: QueueLike | None = None
) -> USMArray:
    """What ``USMArray.to_device`` does.

    Raises:
        TypeError: `device` names no device, or `stream` is no SyclQueue.
    """
    if stream is not None and not isinstance(stream, SyclQueue):
        raise TypeError(f"stream must be a SyclQueue or None, found {type(stream).__name__}")
    wanted = Device.create_device(device)._own_queue
    found = array._own_queue
    if wanted == found:
        return array
    if wanted.sycl_context == found.sycl_context and wanted.sycl_device == found.sycl_device:
        return _core._on_queue(array, wanted)
    return _core._as_asked(array, None, None, wanted, None, "K", True)
