"""Cases that usmx.testing feeds to a consumer of DLPack: good tensors, and bad ones."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from usmx._core import zeros
from usmx.testing._cases import KINDS, MEMORY, ROOM, TYPESTRS, Hostile, Marker, numbers
from usmx.testing._tensors import (
    COPIED,
    CPU,
    CUDA,
    KINDS_OF_TYPES,
    ONEAPI,
    READ_ONLY,
    DataType,
    Device,
    LegacyManaged,
    Stranger,
    Taken,
)

CODES = {kind: code for code, kind in KINDS_OF_TYPES.items()}
_ANY = (Exception,)


@dataclass
class Lent:
    """A tensor, and what a consumer should make of it."""

    producer: Any
    elements: numpy.ndarray
    memory: Any
    address: int  # of element zero


@dataclass(frozen=True)
class GoodTensor:
    """A tensor that keeps all rules, in host memory or in USM."""

    name: str
    kind: str = "host memory"
    typestr: str = "<f8"
    shape: tuple[int, ...] = (3, 4)
    strides: tuple[int, ...] | None = None
    first: int = 0  # element zero, counted from the start of the memory
    byte_offset: int = 0  # how much of that is in the field of this name
    without_strides: bool = False
    changes: dict[str, Any] = field(default_factory=dict)
    lies_about_memory: bool = False

    @property
    def expected(self) -> str:
        """The result that a consumer should make of it."""
        return "the elements, and the tensor's deleter called once"

    def make(self) -> Lent:
        """Allocate, fill and describe."""
        dtype = numpy.dtype(self.typestr)
        host = numbers(dtype)
        start, memory, device = _placed(self.kind, host)
        shape, itemsize = self.shape, dtype.itemsize
        strides = self.strides
        if strides is None:
            strides = tuple(s // itemsize for s in numpy.empty(shape, dtype).strides)
        bytestrides = [stride * itemsize for stride in strides]
        elements = numpy.ndarray(shape, dtype, host, self.first * itemsize, bytestrides).copy()
        address = start + self.first * itemsize
        stranger = Stranger(
            address - self.byte_offset if elements.size else None,
            shape,
            None if self.without_strides else strides,
            CODES[dtype.kind],
            8 * itemsize,
            device=device,
            byte_offset=self.byte_offset,
            **self.changes,
        )
        return Lent(stranger, elements, memory, address)


def _placed(kind: str, host: numpy.ndarray) -> tuple[int, Any, Device]:
    """The place of these numbers: address, owner, and DLPack's device."""
    if kind == "host memory":
        return host.ctypes.data, host, Device(CPU, 0)
    memory = MEMORY[kind](host.nbytes)
    memory.copy_from_host(host.view("u1"))
    return memory._pointer, memory, Device(*_own_device())


def _own_device() -> tuple[int, int]:
    """The number of usmx's default device."""
    return zeros(1).__dlpack_device__()


def _good(kind: str) -> list[GoodTensor]:
    def good(name, **what):
        return GoodTensor(name, **({"kind": kind} | what))

    return [
        *(good(f"type {typestr}", typestr=typestr) for typestr in TYPESTRS),
        good("C order"),
        good("Fortran order", strides=(1, 3)),
        good("strided rows and columns", shape=(2, 3), strides=(12, 2), first=1),
        good("negative strides", strides=(-4, -1), first=11),
        good("zero strides", strides=(0, 1)),
        good("no strides, as before version 1.2", without_strides=True, changes={"minor": 1}),
        good("byte_offset", first=5, byte_offset=40),
        good("0-d", shape=(), first=2),
        good("no elements", shape=(0, 4)),
        good("read-only", changes={"flags": READ_ONLY}),
        good("copied", changes={"flags": COPIED}),
        good("a later minor version", changes={"minor": 99}),
        good("before version 1.0", changes={"structure": LegacyManaged}),
    ]


class _Answering:
    """Its __dlpack__ gives what it is told to, or raises it."""

    def __init__(self, answer, device):
        self.answer, self.device = answer, device

    def __dlpack__(self, **_):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def __dlpack_device__(self):
        return self.device


def _answering(kind: str, answer: Any) -> Callable[[], Any]:
    return lambda: _Answering(answer, GoodTensor("", kind).make().producer.__dlpack_device__())


def _used(kind: str) -> Callable[[], Any]:
    def make():
        stranger = GoodTensor("", kind).make().producer
        Taken(stranger.capsule).let_go()
        return _Answering(stranger.capsule, stranger.__dlpack_device__())

    return make


def _broken(name: str, kind: str, change: Callable[[Any], Any], lies: bool = False) -> Hostile:
    """Good in all but what is changed."""

    def make():
        lent = GoodTensor("", kind).make()
        change(lent.producer.managed)
        lent.producer.memory = lent.memory
        return lent.producer

    return Hostile(name, make, _ANY, lies_about_memory=lies)


def _with(**values: Any) -> Callable[[Any], None]:
    """Change fields of the tensor, or of what manages it."""

    def change(managed):
        for name, value in values.items():
            setattr(managed.tensor if hasattr(managed.tensor, name) else managed, name, value)

    return change


def _extents(*extents: int) -> Callable[[Any], None]:
    def change(managed):
        for axis, extent in enumerate(extents):
            managed.tensor.shape[axis] = extent

    return change


def _hostile(kind: str) -> list[Hostile]:
    return [
        Hostile("no __dlpack__", object, _ANY),
        Hostile("__dlpack__ raises", _answering(kind, Marker("mine")), (Marker,)),
        Hostile("no capsule", _answering(kind, 5), _ANY),
        Hostile("used capsule", _used(kind), _ANY, lies_about_memory=True),
        _broken("version 2", kind, _with(major=2)),
        _broken("type: two lanes", kind, _with(dtype=DataType(2, 32, 2))),
        _broken("type: unknown code", kind, _with(dtype=DataType(200, 64, 1))),
        _broken("type: integers of 128 bits", kind, _with(dtype=DataType(0, 128, 1))),
        _broken("device: CUDA", kind, _with(device=Device(CUDA, 0))),
        _broken("ndim: -1", kind, _with(ndim=-1), lies=True),
        _broken("ndim: 1000", kind, _with(ndim=1000), lies=True),
    ]


def _lies_of_usm() -> list[Hostile]:
    def lie(name, change):
        return _broken(name, "shared", change, lies=True)

    return [
        lie("device: none of that number", _with(device=Device(ONEAPI, 99))),
        lie("shape: negative", _extents(-3)),
        lie("shape: bytes wrap", _extents(2**62, 4)),
        lie("data: a null pointer", _with(data=None)),
        lie("data: garbage", _with(data=4096)),
        lie("bounds: past the end", _extents(7)),
        lie("bounds: past the end by byte_offset", _with(byte_offset=8 * ROOM)),
        lie("alignment", _with(byte_offset=4)),
    ]


def _named(cases: list) -> dict[str, Any]:
    return {case.name: case for case in cases}


HOST_CASES = _named([*_good("host memory"), *_hostile("host memory")])
USM_CASES = _named(
    [
        *(GoodTensor(f"{kind} memory", kind) for kind in KINDS),
        *_good("shared"),
        *_hostile("shared"),
        *_lies_of_usm(),
    ]
)
