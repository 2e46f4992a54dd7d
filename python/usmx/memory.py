"""USM memory objects: bytes of one kind, owned or viewed, with dpctl's names."""

from usmx._core import (
    MemoryUSMDevice,
    MemoryUSMHost,
    MemoryUSMShared,
    USMAllocationError,
    as_usm_memory,
    from_pointer,
    get_usm_type,
)

__all__ = [
    "MemoryUSMDevice",
    "MemoryUSMHost",
    "MemoryUSMShared",
    "USMAllocationError",
    "as_usm_memory",
    "from_pointer",
    "get_usm_type",
]
