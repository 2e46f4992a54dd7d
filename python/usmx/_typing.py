"""Types of arguments, for annotations: type checkers import this, programs do not."""

import os
from collections.abc import Callable, Sequence
from typing import IO, Any, Literal, Protocol, SupportsIndex, TypeAlias

import numpy
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import DTypeLike as DTypeLike
from numpy.typing import NDArray

from usmx._core import Device, SyclDevice, SyclQueue
from usmx._protocol import SupportsUsmArrayInterface

Producer = SupportsUsmArrayInterface
UsmType = Literal["device", "shared", "host"]
HostAccess = Literal["reached", "strict"]
OrderCF = Literal["C", "F"]
OrderCFA = Literal["C", "F", "A"]
OrderCFAK = Literal["C", "F", "A", "K"]
Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
Norm = Literal["backward", "ortho", "forward"]
IndexMode = Literal["raise", "wrap", "clip"]
GridIndexing = Literal["xy", "ij"]
QueueProperty = Literal["default", "in_order", "enable_profiling"]
FloatMode = Literal["fixed", "unique", "maxprec", "maxprec_equal"]
SignMode = Literal["-", "+", " "]
DtypeKind = Literal[
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
]

NumpyArray = NDArray[Any]
NumpyType = numpy.dtype[Any]
DtypeObject = NumpyType | type[numpy.generic]
File: TypeAlias = str | os.PathLike[str] | IO[bytes]
Progress: TypeAlias = Callable[[int, int], object]
Shape = SupportsIndex | Sequence[SupportsIndex]
Axes = SupportsIndex | Sequence[SupportsIndex]
Number = complex | numpy.number[Any] | numpy.bool
Operand = Producer | Number | list[Any] | tuple[Any, ...]


class DLPackProducer(Protocol):
    """Any object that exports its memory by DLPack."""

    def __dlpack__(self) -> object:
        """A capsule."""


class _ArrowArray(Protocol):
    """A column in one chunk."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]: ...


class _ArrowDeviceArray(Protocol):
    """A column in one chunk, with the device that it is on."""

    def __arrow_c_device_array__(self, requested_schema: Any = None) -> tuple[object, object]: ...


class _ArrowStream(Protocol):
    """A column in several chunks."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...


ArrowColumn: TypeAlias = _ArrowArray | _ArrowStream | _ArrowDeviceArray


class _SyclObject(Protocol):
    """dpctl's queues, for one."""

    def _get_capsule(self) -> object: ...


# Said to be aliases: the stub of _core imports from here, and mypy resolves the circle only then.
QueueLike: TypeAlias = SyclQueue | _SyclObject
DeviceLike: TypeAlias = str | SyclDevice | SyclQueue | Device | _SyclObject
