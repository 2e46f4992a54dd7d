"""USM memory: objects of bytes with dpctl's names, and where memory comes from."""

from __future__ import annotations

import typing as _t

from usmx import _functions, _scopes, _text
from usmx._core import (
    FailingResource as FailingResource,
    FunctionResource as FunctionResource,
    LimitingResource as LimitingResource,
    LoggingResource as LoggingResource,
    MemoryPool as MemoryPool,
    MemoryResource as MemoryResource,
    MemoryUSMDevice as MemoryUSMDevice,
    MemoryUSMHost as MemoryUSMHost,
    MemoryUSMShared as MemoryUSMShared,
    PlainResource as PlainResource,
    PoolResource as PoolResource,
    StatisticsResource as StatisticsResource,
    TrackingResource as TrackingResource,
    USMAllocationError as USMAllocationError,
    as_usm_memory as as_usm_memory,
    empty_cache as empty_cache,
    from_pointer as from_pointer,
    get_memory_pool as get_memory_pool,
    get_memory_resource as get_memory_resource,
    get_pending_limit as get_pending_limit,
    get_usm_type as get_usm_type,
    mem_get_info as mem_get_info,
    set_memory_resource as set_memory_resource,
    set_pending_limit as set_pending_limit,
    _resource_scope,
)

if _t.TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any


class _OfResources:
    """Methods of the native classes of resources that are written in Python."""

    def __repr__(self: Any) -> str:
        return f"<usmx.memory.{type(self).__name__} of kind {self.kind!r}>"


class _OfPools:
    """Methods of the native classes of pools."""

    def __repr__(self: Any) -> str:
        used, free = _text.size_text(self.used_bytes()), _text.size_text(self.free_bytes())
        return (
            f"<usmx.memory.{type(self).__name__} of kind {self.kind!r}, {used} used, {free} free>"
        )


_functions.attach(_OfResources, MemoryResource)
_functions.attach(_OfPools, MemoryPool)


def memory_stats(kind: str = "device", device: object = None) -> dict[str, int]:
    """Return the bytes of usmx's pool: in use, in total and free, now and at their peaks.

    With ``USMX_POOL=off`` in the environment all are 0. Other pools have a method ``statistics()``.

    Args:
        kind: 'device', 'shared' or 'host'.
        device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default
            device.

    Returns:
        A dictionary of bytes by name, such as ``'used_bytes.current'`` and ``'used_bytes.peak'``.

    Raises:
        ValueError: `kind` is no kind, or `set_memory_resource` has set another resource for new
            memory.

    Example:
        >>> stats = usmx.memory.memory_stats()
        >>> stats['used_bytes.current'] <= stats['used_bytes.peak']
        True
    """
    return get_memory_pool(kind, device).statistics()


def reset_peak_memory_stats(kind: str = "device", device: object = None) -> None:
    """Forget the peaks of usmx's pool, and count them from here on.

    Args:
        kind: 'device', 'shared' or 'host'.
        device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default
            device.

    Raises:
        ValueError: `kind` is no kind, or `set_memory_resource` has set another resource for new
            memory.

    Example:
        >>> usmx.memory.reset_peak_memory_stats()
    """
    get_memory_pool(kind, device).reset_peak()


def using_memory_resource(
    resource: MemoryResource, device: object = None
) -> AbstractContextManager[MemoryResource]:
    """Take new memory of a resource's kind from that resource within a ``with`` block.

    This holds for the running thread or asynchronous task, as `usmx.using_queue` does;
    `set_memory_resource` holds for all. Blocks may end in any order. Memory that was made in the
    block may outlive it: it goes back to the resource.

    Args:
        resource: a resource.
        device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default
            device.

    Returns:
        A context manager, whose ``as`` gives `resource`.

    Raises:
        ValueError: the resource is, or stands on, a pool of another context or device.

    Example:
        >>> counting = usmx.memory.StatisticsResource(usmx.memory.PlainResource('shared'))
        >>> with usmx.memory.using_memory_resource(counting):
        ...     a = usmx.zeros(3, usm_type='shared')
        >>> counting.counts()['blocks.current']
        1
    """
    return _scopes.block_of(_resource_scope(resource, device), resource)


if not _t.TYPE_CHECKING:
    # Whatever is defined above, or imported under its own name, `name as name`, is public.
    __all__ = sorted(name for name in globals() if name[0].isalpha() and name != "annotations")

    def __dir__():
        return [*__all__, *(name for name in globals() if name.startswith("__"))]
