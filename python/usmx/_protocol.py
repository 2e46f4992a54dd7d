"""The protocol by which packages exchange USM memory, as a type."""

from collections.abc import Mapping
from typing import Protocol

__all__ = ["SupportsUsmArrayInterface"]


class SupportsUsmArrayInterface(Protocol):
    """Whatever describes USM memory: arrays and memory objects of usmx, dpctl, dpnp and others.

    For annotations: native extensions that take arrays have it in their stubs.
    """

    @property
    def __sycl_usm_array_interface__(self) -> Mapping[str, object]:
        """What docs/protocol.md says."""
