"""What arguments may be. For annotations: type checkers import this, programs do not."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, SupportsIndex

import numpy
from numpy.typing import ArrayLike, DTypeLike

from usmx._core import Device, SyclDevice, SyclQueue

__all__ = [
    "ArrayLike",
    "Axes",
    "DTypeLike",
    "DeviceLike",
    "NumpyArray",
    "NumpyType",
    "Producer",
    "QueueLike",
    "Shape",
]

NumpyArray = numpy.ndarray[Any, numpy.dtype[Any]]
NumpyType = numpy.dtype[Any]
Shape = SupportsIndex | Sequence[SupportsIndex]
Axes = SupportsIndex | Sequence[SupportsIndex]


class Producer(Protocol):
    """Whatever describes USM memory: arrays and memory objects of usmx, dpctl, dpnp and others."""

    @property
    def __sycl_usm_array_interface__(self) -> Mapping[str, object]:
        """What docs/protocol.md says."""


class _SyclObject(Protocol):
    """dpctl's queues, for one."""

    def _get_capsule(self) -> object: ...


QueueLike = SyclQueue | _SyclObject
DeviceLike = str | SyclDevice | SyclQueue | Device | _SyclObject
