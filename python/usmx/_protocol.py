"""The protocol by which packages exchange USM memory, as a type."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

__all__ = ["SupportsUsmArrayInterface"]


@runtime_checkable
class SupportsUsmArrayInterface(Protocol):
    """The type of every producer: arrays and memory objects of usmx, dpctl, dpnp and others.

    It is for annotations and `isinstance`, which looks whether the attribute is there and checks no
    value. The stubs of native extensions that take arrays have it.

    Example:
        >>> def size(x: usmx.SupportsUsmArrayInterface) -> int:
        ...     return usmx.asarray(x).size
        >>> size(usmx.zeros((2, 3)))
        6
    """

    @property
    def __sycl_usm_array_interface__(self) -> Mapping[str, object]:
        """The dictionary that docs/protocol.md describes."""
