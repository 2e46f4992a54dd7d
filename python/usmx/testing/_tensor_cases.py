"""Cases that usmx.testing feeds to a consumer of DLPack: good tensors, and bad ones."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from usmx._core import zeros
from usmx.testing._cases import (
    KINDS,
    ROOM,
    TYPESTRS,
    Filled,
    Given,
    Hostile,
    Marker,
    usm_of,
)
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


@dataclass(frozen=True, kw_only=True)
class GoodTensor(Filled):
    """A tensor that keeps all rules, in host memory or in USM."""

    kind: str = "host memory"
    byte_offset: int = 0  # how much of the offset is in the field of this name
    without_strides: bool = False
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def expected(self) -> str:
        """The result that a consumer should make of it."""
        return "the elements, and the tensor's deleter called once"

    def make(self) -> Given:
        """Allocate, fill and describe."""
        is_host = self.kind == "host memory"
        given = self.filled(
            lambda host: (host.ctypes.data, host) if is_host else usm_of(self.kind, host)
        )
        dtype, strides = given.elements.dtype, self.strides
        if strides is None:
            strides = tuple(s // dtype.itemsize for s in numpy.empty(self.shape, dtype).strides)
        given.producer = Stranger(
            given.address - self.byte_offset if given.elements.size else None,
            self.shape,
            None if self.without_strides else strides,
            CODES[dtype.kind],
            8 * dtype.itemsize,
            device=Device(CPU, 0) if is_host else Device(*zeros(1).__dlpack_device__()),
            byte_offset=self.byte_offset,
            **self.changes,
        )
        return given


def _good(kind: str) -> list[GoodTensor]:
    def good(name, **what):
        return GoodTensor(name, **({"kind": kind} | what))

    return [
        *(good(f"type {typestr}", typestr=typestr) for typestr in TYPESTRS),
        good("C order"),
        good("Fortran order", strides=(1, 3)),
        good("strided rows and columns", shape=(2, 3), strides=(12, 2), offset=1),
        good("negative strides", strides=(-4, -1), offset=11),
        good("zero strides", strides=(0, 1)),
        good("no strides, as before version 1.2", without_strides=True, changes={"minor": 1}),
        good("byte_offset", offset=5, byte_offset=40),
        good("0-d", shape=(), offset=2),
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
    return lambda: _Answering(answer, GoodTensor("", kind=kind).make().producer.__dlpack_device__())


def _used(kind: str) -> Callable[[], Any]:
    def make():
        stranger = GoodTensor("", kind=kind).make().producer
        Taken(stranger.capsule).let_go()
        return _Answering(stranger.capsule, stranger.__dlpack_device__())

    return make


def _broken(name: str, kind: str, change: Callable[[Any], Any], lies: bool = False) -> Hostile:
    """Good in all but what is changed."""

    def make():
        given = GoodTensor("", kind=kind).make()
        change(given.producer.managed)
        given.producer.memory = given.memory
        return given.producer

    return Hostile(name, lies, make, _ANY)


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
        Hostile("no __dlpack__", errors=_ANY),
        Hostile("__dlpack__ raises", False, _answering(kind, Marker("mine")), (Marker,)),
        Hostile("no capsule", False, _answering(kind, 5), _ANY),
        Hostile("used capsule", True, _used(kind), _ANY),
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
        *(GoodTensor(f"{kind} memory", kind=kind) for kind in KINDS),
        *_good("shared"),
        *_hostile("shared"),
        *_lies_of_usm(),
    ]
)
