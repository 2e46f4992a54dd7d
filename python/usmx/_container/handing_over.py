"""Handing arrays to dpnp and dpctl, without a copy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from usmx._container.creation import as_view
from usmx._container.manipulation import flip
from usmx.memory import as_usm_memory

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import Producer


def to_dpnp(a: Producer, /) -> Any:
    """The elements of an array as a ``dpnp.ndarray``: a view, which keeps the memory alive.

    Imports dpnp. Read-only arrays stay read-only. dpnp has reversed views but imports none, so it
    gets the axes the other way round and turns them itself.

    Args:
        a: a USMArray or any producer of ``__sycl_usm_array_interface__``.

    Raises:
        ImportError: dpnp is not there.
        TypeError: dpnp has no such element type, as for all structured ones.
    """
    dpnp = _import("dpnp", "to_dpnp")
    view = as_view("a", a)
    if view.dtype.names is not None:
        raise TypeError(
            f"dpnp has no structured types, found {view.dtype}: hand over a field, a[name]"
        )
    reversed_axes = tuple(axis for axis, stride in enumerate(view.strides) if stride < 0)
    taken = dpnp.asarray(dpnp.tensor.asarray(flip(view, axis=reversed_axes)))
    return dpnp.flip(taken, axis=reversed_axes) if reversed_axes else taken


def to_dpctl(a: Producer, /) -> Any:
    """The bytes of an array, from its lowest to its highest, as memory of ``dpctl.memory``.

    Imports dpctl. The memory object keeps the array's memory alive and begins with the array,
    wherever in its allocation that lies: for functions that take memory and know no offset.

    Args:
        a: a USMArray or any producer of ``__sycl_usm_array_interface__``.

    Raises:
        ImportError: dpctl is not there.
        ValueError: the array is read-only, which dpctl's memory cannot be.
    """
    memory = as_usm_memory(as_view("a", a))
    if memory.readonly:
        raise ValueError("dpctl's memory is writable, found a read-only array: hand over a copy")
    return _import("dpctl.memory", "to_dpctl").as_usm_memory(memory)


def _import(name, needed_by):
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"usmx.{needed_by} needs {package} ({error}): pip install {package}"
        ) from error
