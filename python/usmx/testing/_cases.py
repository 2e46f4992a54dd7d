"""Cases that usmx.testing feeds to a consumer: good producers, and hostile ones."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy

from usmx import _core
from usmx.testing._producer import TYPES
from usmx.testing._rules import Probe

_CODES = sorted(TYPES)
KINDS = ("device", "shared", "host")
TYPESTRS = tuple(f"{'|' if code[1:] == '1' else '<'}{code}" for code in _CODES)
MEMORY = {
    "device": _core.MemoryUSMDevice,
    "shared": _core.MemoryUSMShared,
    "host": _core.MemoryUSMHost,
}
ROOM = 24  # elements in the memory of a good producer


class _ThroughProperty:
    """The attribute is made anew each time; an exception in its place is raised."""

    def __init__(self, interface, owner=None):
        self.interface = interface
        self.owner = owner

    @property
    def __sycl_usm_array_interface__(self):
        if isinstance(self.interface, Exception):
            raise self.interface
        return dict(self.interface)


@dataclass
class Given:
    """A good producer, and what a consumer should make of it."""

    producer: Any
    memory: Any
    elements: numpy.ndarray  # on the host
    address: int  # of element zero
    span: numpy.ndarray  # its bytes, from the lowest to the highest element
    lowest: int  # address of the lowest element


@dataclass(frozen=True)
class Case:
    """A case for a consumer, which `make` feeds it with."""

    name: str
    lies_about_memory: bool = False  # who believes it may crash

    @property
    def expected(self) -> str:
        """The result, or the error, that a consumer should make of it."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Filled(Case):
    """Numbers in memory of which a good producer shows a part; counts are in elements."""

    typestr: str = "<f8"
    shape: tuple[int, ...] = (3, 4)
    strides: tuple[int, ...] | None = None
    offset: int = 0  # of element zero

    def filled(self, memory_of: Callable[[numpy.ndarray], tuple[int, Any]]) -> Given:
        """Allocate, and fill; `memory_of` gives an address and what keeps the memory alive."""
        dtype = numpy.dtype(self.typestr)
        counted = numpy.arange(1, ROOM + 1)
        counted = counted % 2 if dtype.kind == "b" else counted
        host = counted.astype(dtype) * (1 - 2j if dtype.kind == "c" else dtype.type(1))
        start, memory = memory_of(host)
        bytestrides = self.strides and [stride * dtype.itemsize for stride in self.strides]
        elements = numpy.ndarray(self.shape, dtype, host, self.offset * dtype.itemsize, bytestrides)
        low, high = numpy.lib.array_utils.byte_bounds(elements)
        first = low - host.ctypes.data
        last = first + (high - low if elements.size else 0)
        return Given(
            None,
            memory,
            elements.copy(),
            start + self.offset * dtype.itemsize,
            host.view("u1")[first:last].copy(),
            start + first,
        )


def usm_of(kind: str, host: numpy.ndarray) -> tuple[int, Any]:
    """A copy of these numbers: its address, and the memory."""
    memory = MEMORY[kind](host.nbytes)
    memory.copy_from_host(host.view("u1"))
    return memory._pointer, memory


@dataclass(frozen=True, kw_only=True)
class Good(Filled):
    """A producer that keeps all rules."""

    kind: str = "shared"
    readonly: bool = False
    change: Callable[[dict, Any], Any] = lambda interface, memory: interface
    through: type = Probe
    twice: bool = False  # to be consumed twice

    @property
    def expected(self) -> str:
        """The result that a consumer should make of it."""
        return "a read-only view" if self.readonly else "a view of the elements"

    def make(self) -> Given:
        """Allocate, fill and describe."""
        given = self.filled(lambda host: usm_of(self.kind, host))
        interface = self.change(_interface(given.memory, self), given.memory)
        given.producer = self.through(interface, given.memory)
        return given


@dataclass(frozen=True)
class Hostile(Case):
    """A producer that breaks one rule: it must be refused with one of these errors."""

    make: Callable[[], Any] = object
    errors: tuple[type[Exception], ...] = (TypeError, ValueError)

    @property
    def expected(self) -> str:
        """The errors that a consumer should raise."""
        if self.errors == (Exception,):
            return "an error"
        return " or ".join(error.__name__.lstrip("_") for error in self.errors)


def _interface(memory, case: Good) -> dict:
    return {
        "version": 1,
        "shape": case.shape,
        "typestr": case.typestr,
        "data": (memory._pointer, case.readonly),
        "strides": case.strides,
        "offset": case.offset,
        "syclobj": memory.sycl_queue,
    }


def _with(**entries):
    """Change a good dictionary; callables get the memory."""

    def change(interface, memory):
        return interface | {key: e(memory) if callable(e) else e for key, e in entries.items()}

    return change


def _without(*keys):
    return lambda interface, memory: {k: v for k, v in interface.items() if k not in keys}


def _queue_capsule(memory):
    return memory.sycl_queue._get_capsule()


def _context_capsule(memory):
    return memory.sycl_context._get_capsule()


def _holder(get):
    """Any object with _get_capsule()."""
    return SimpleNamespace(_get_capsule=get)


GOOD = (
    *(Good(f"{kind} memory", kind=kind) for kind in KINDS),
    *(Good(f"typestr {typestr}", typestr=typestr) for typestr in TYPESTRS),
    Good("typestr =f8", change=_with(typestr="=f8")),
    Good("typestr |f8", change=_with(typestr="|f8")),
    Good("C order, strides given", strides=(4, 1)),
    Good("Fortran order", strides=(1, 3)),
    Good("strided rows and columns", shape=(2, 3), strides=(12, 2), offset=1),
    Good("offset", offset=5),
    Good("offset in device memory", kind="device", offset=5),
    Good("negative strides", strides=(-4, -1), offset=11),
    Good("zero strides", strides=(0, 1)),
    Good("overlapping strides", strides=(1, 1)),
    Good("0-d", shape=(), offset=2),
    Good("no elements", shape=(0, 4)),
    Good("no elements, pointer 0", shape=(0,), change=_with(data=(0, False))),
    Good("read-only", readonly=True),
    Good("read-only device memory", kind="device", readonly=True),
    Good(
        "shape and data are lists", change=_with(shape=[3, 4], data=lambda m: [m._pointer, False])
    ),
    Good("NumPy integers", change=_with(shape=(numpy.int64(3), numpy.uint8(4)))),
    Good("without strides and offset", change=_without("strides", "offset")),
    Good("strides and offset are None", change=_with(strides=None, offset=None)),
    Good("unknown keys", change=_with(stream="text")),
    Good("a Mapping that is no dict", change=lambda interface, memory: MappingProxyType(interface)),
    Good("a property", through=_ThroughProperty),
    Good("syclobj: context", change=_with(syclobj=lambda m: m.sycl_context)),
    Good("syclobj: filter string", change=_with(syclobj=lambda m: m.sycl_device.filter_string)),
    Good("syclobj: queue capsule", change=_with(syclobj=_queue_capsule)),
    Good("syclobj: context capsule", change=_with(syclobj=_context_capsule)),
    Good(
        "syclobj: _get_capsule()",
        change=_with(syclobj=lambda m: _holder(m.sycl_queue._get_capsule)),
    ),
    Good("imported twice, queue capsule", change=_with(syclobj=_queue_capsule), twice=True),
    Good("imported twice, context capsule", change=_with(syclobj=_context_capsule), twice=True),
)


def _broken(name, change, **options):
    """3x4 doubles in shared memory, and one change."""

    def make():
        memory = _core.MemoryUSMShared(96)
        return Probe(change(_interface(memory, Good("")), memory), memory)

    return Hostile(name, make=make, **options)


def _lie(name, change):
    return _broken(name, change, lies_about_memory=True)


def _used_capsule(memory):
    capsule = _queue_capsule(memory)
    _core.SyclQueue(capsule)
    return capsule


def _freed():
    memory = _core.MemoryUSMShared(1 << 20)
    interface = _interface(memory, Good(""))
    del memory
    return Probe(interface)


def _of_the_host(syclobj_of):
    def make():
        host = numpy.zeros(12)
        memory = _core.MemoryUSMShared(96)
        change = _with(data=(host.ctypes.data, False), syclobj=syclobj_of)
        return Probe(change(_interface(memory, Good("")), memory), (memory, host))

    return make


class Marker(ValueError):
    """An error that a producer's property raises: it must pass through."""


HOSTILE = (
    Hostile("no attribute"),
    Hostile("attribute: not a mapping", make=lambda: Probe(5)),
    Hostile("attribute: raises", make=lambda: _ThroughProperty(Marker("mine")), errors=(Marker,)),
    _broken("version: missing", _without("version")),
    _broken("version: 2", _with(version=2)),
    _broken("version: True", _with(version=True)),
    _broken("version: '1'", _with(version="1")),
    _broken("shape: missing", _without("shape")),
    _broken("shape: None", _with(shape=None)),
    _broken("shape: of floats", _with(shape=(3.0, 4.0))),
    _broken("shape: negative", _with(shape=(-3, 4))),
    _broken("typestr: missing", _without("typestr")),
    _broken("typestr: no string", _with(typestr=8)),
    _broken("typestr: foreign byte order", _with(typestr=">f8")),
    _broken("typestr: objects", _with(typestr="|O")),
    _broken("typestr: dates", _with(typestr="<M8[ns]")),
    _broken("typestr: nonsense", _with(typestr="nonsense")),
    _broken("typedescr: another type", _with(typedescr=[("", "<i4")])),
    _broken("data: missing, and no buffer", _without("data")),
    _broken("data: one entry", _with(data=lambda m: (m._pointer,))),
    _broken("data: pointer is text", _with(data=("16", False))),
    _broken("strides: of another length", _with(strides=(1,))),
    _broken("strides: of floats", _with(strides=(4.0, 1.0))),
    _broken("offset: a float", _with(offset=1.0)),
    _broken("syclobj: missing", _without("syclobj")),
    _broken("syclobj: a number", _with(syclobj=5)),
    _broken("syclobj: no filter", _with(syclobj="nonsense")),
    _broken(
        "syclobj: device that is not there",
        _with(syclobj="accelerator:99"),
        errors=(TypeError, ValueError, RuntimeError),
    ),
    _broken("syclobj: _get_capsule() gives 5", _with(syclobj=lambda m: _holder(lambda: 5))),
    _lie("syclobj: used capsule", _with(syclobj=_used_capsule)),
    _lie("data: pointer 0", _with(data=(0, False))),
    _lie("data: negative pointer", _with(data=(-8, False))),
    _lie("data: pointer of 100 bits", _with(data=(2**100, False))),
    _lie("arithmetic: bytes wrap", _with(shape=(2**62, 4))),
    _lie("arithmetic: elements wrap", _with(shape=(2**40, 2**40))),
    _lie("arithmetic: strides wrap", _with(shape=(2,), strides=(2**62,))),
    _lie("arithmetic: offset wraps", _with(offset=2**62)),
    _lie("pointer: garbage", _with(data=(4096, False))),
    _lie(
        "pointer: garbage, in a context",
        _with(data=(4096, False), syclobj=lambda m: m.sycl_context),
    ),
    Hostile("pointer: host memory", True, _of_the_host(lambda m: m.sycl_queue)),
    Hostile("pointer: host memory, in a context", True, _of_the_host(lambda m: m.sycl_context)),
    Hostile("pointer: freed memory", True, _freed),
    _lie("bounds: past the end", _with(shape=(3, 5))),
    _lie("bounds: far past the end", _with(shape=(2**23,))),
    _lie("bounds: past the end by strides", _with(strides=(5, 1))),
    _lie("bounds: past the end by offset", _with(offset=1)),
    _lie("bounds: before the start", _with(strides=(-4, 1))),
    _lie("alignment", _with(shape=(2,), data=lambda m: (m._pointer + 1, False))),
)

CASES = {case.name: case for case in (*GOOD, *HOSTILE)}
