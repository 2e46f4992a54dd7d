"""USM memory: objects of bytes with dpctl's names, and where memory comes from."""

import contextlib
from collections.abc import Iterator

from usmx._core import (
    FailingResource,
    FunctionResource,
    LimitingResource,
    LoggingResource,
    MemoryPool,
    MemoryResource,
    MemoryUSMDevice,
    MemoryUSMHost,
    MemoryUSMShared,
    PlainResource,
    PoolResource,
    StatisticsResource,
    TrackingResource,
    USMAllocationError,
    as_usm_memory,
    empty_cache,
    from_pointer,
    get_memory_pool,
    get_memory_resource,
    get_usm_type,
    mem_get_info,
    set_memory_resource,
)

__all__ = [
    "FailingResource",
    "FunctionResource",
    "LimitingResource",
    "LoggingResource",
    "MemoryPool",
    "MemoryResource",
    "MemoryUSMDevice",
    "MemoryUSMHost",
    "MemoryUSMShared",
    "PlainResource",
    "PoolResource",
    "StatisticsResource",
    "TrackingResource",
    "USMAllocationError",
    "as_usm_memory",
    "empty_cache",
    "from_pointer",
    "get_memory_pool",
    "get_memory_resource",
    "get_usm_type",
    "mem_get_info",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_memory_resource",
    "using_memory_resource",
]


def memory_stats(kind: str = "device", device: object = None) -> dict[str, int]:
    """Bytes that the pool of that kind on `device` has in use, in all and free, and the peaks."""
    return get_memory_pool(kind, device).statistics()


def reset_peak_memory_stats(kind: str = "device", device: object = None) -> None:
    """Count the peaks of that pool from here on."""
    get_memory_pool(kind, device).reset_peak()


@contextlib.contextmanager
def using_memory_resource(
    resource: MemoryResource, device: object = None
) -> Iterator[MemoryResource]:
    """Let new memory of the resource's kind on `device` come from it within a `with` block.

    That holds for all threads. Memory of the block may outlive it: it goes back to the resource.
    """
    before = set_memory_resource(resource, device)
    try:
        yield resource
    finally:
        set_memory_resource(before, device)
