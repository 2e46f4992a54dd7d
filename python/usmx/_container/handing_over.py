"""Passing arrays to dpnp and dpctl, without a copy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from usmx._container.creation import as_view
from usmx._core import _is_system_memory, _lend_to_dpnp, _on_queue, _queue_argument, flip
from usmx.memory import as_usm_memory

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import DeviceLike, Producer, QueueLike


def to_dpnp(
    a: Producer, /, *, sycl_queue: QueueLike | None = None, device: DeviceLike | None = None
) -> Any:
    """Give an array to dpnp, as a ``dpnp.ndarray``, without a copy.

    The result is a view that keeps the memory alive. Read-only arrays stay read-only. dpnp has
    reversed views but cannot import them, so dpnp gets the axes in the other direction and reverses
    them itself. This function imports dpnp.

    A default array is on the queue of dpnp's default arrays, so dpnp can compute with both.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        sycl_queue: a SyclQueue of the array's context, on which dpnp works on the elements. By
            default the array's own.
        device: in place of `sycl_queue`, a device of the array's context, or a queue.

    Returns:
        A dpnp.ndarray of the same elements.

    Raises:
        ImportError: dpnp is not installed.
        ValueError: the queue is of another context, or the memory is ``from_shared_memory``'s.
        TypeError: dpnp has no such element type. It has no structured types.

    Example:
        >>> usmx.to_dpnp(usmx.arange(3)).sum().item()
        3
    """
    dpnp = _import("dpnp", "to_dpnp")
    view = _view_of_usm(a)
    if view.dtype.names is not None:
        raise TypeError(
            f"dpnp has no structured types, found {view.dtype}: pass one field, a[name]"
        )
    if sycl_queue is not None or device is not None:
        view = _on_queue(view, _queue_argument(sycl_queue, device))
    return _dpnp_view(dpnp, view)


def _dpnp_view(dpnp, view):
    lent = _lend_to_dpnp(view)
    if lent is None:
        return _imported_by_dpnp(dpnp, view)
    memory, offset, is_readonly = lent
    taken = dpnp.tensor.usm_ndarray(
        view.shape, dtype=view.dtype, buffer=memory, strides=view.strides, offset=offset
    )
    if is_readonly:
        taken.flags["W"] = False
    return dpnp.ndarray._create_from_usm_ndarray(taken)


def _imported_by_dpnp(dpnp, view):
    """Import by the protocol: dpnp has reversed views but cannot import them."""
    reversed_axes = tuple(axis for axis, stride in enumerate(view.strides) if stride < 0)
    taken = dpnp.asarray(dpnp.tensor.asarray(flip(view, axis=reversed_axes)))
    return dpnp.flip(taken, axis=reversed_axes) if reversed_axes else taken


def to_dpctl(a: Producer, /) -> Any:
    """Give the bytes of an array to dpctl, as memory of ``dpctl.memory``, without a copy.

    The memory object holds the bytes from the lowest element to the highest, and keeps the array's
    memory alive. It begins with the array's lowest byte, wherever in its allocation that is. Use it
    for functions that take memory but no offset. This function imports dpctl.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A MemoryUSMDevice, MemoryUSMShared or MemoryUSMHost of dpctl.

    Raises:
        ImportError: dpctl is not installed.
        ValueError: the array is read-only, which dpctl's memory cannot be, or its memory is that of
            ``from_shared_memory``.

    Example:
        >>> usmx.to_dpctl(usmx.zeros(3)).nbytes
        24
    """
    memory = as_usm_memory(_view_of_usm(a))
    if memory.readonly:
        raise ValueError("dpctl's memory is writable, found a read-only array: pass a copy")
    return _import("dpctl.memory", "to_dpctl").as_usm_memory(memory)


def _view_of_usm(a):
    view = as_view("a", a)
    if _is_system_memory(view):
        raise ValueError(
            "memory of from_shared_memory() is no USM to dpctl: pass a copy, usmx.copy(a)"
        )
    return view


def _import(name, needed_by):
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"usmx.{needed_by} needs {package} ({error}): pip install {package}"
        ) from error
