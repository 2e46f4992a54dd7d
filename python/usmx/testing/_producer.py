"""The rules that a producer of ``__sycl_usm_array_interface__`` can be seen to keep or break.

Facts about memory are asked by probes: small producers that describe one thing (some bytes, or
nothing but the SYCL object), which usmx imports or refuses.
"""

import ctypes
import gc
import operator
from collections.abc import Callable, Mapping

import numpy

from usmx import _core
from usmx._core import asnumpy
from usmx.testing._elements import Elements, Probe, agreed_readonly, bytes_at
from usmx.testing._report import BROKEN, Broken, Finding, NotApplicable, NotTried, Report, Rules

ATTRIBUTE = "__sycl_usm_array_interface__"
_KINDS_AND_SIZES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16"
TYPES = frozenset(_KINDS_AND_SIZES.split())
KEYS = ("version", "shape", "typestr", "typedescr", "data", "strides", "offset")
_READ_AT_MOST = 1 << 26  # bytes that are compared to see whether they still change


_RULES = Rules()
_rule = _RULES.add


class _Subject(Elements):
    """The producer, its dictionary as first read, and what the rules have made of it so far."""

    def __init__(self, producer, start_work):
        super().__init__()
        self.producer = producer
        self.start_work = start_work
        self.findings: dict[str, Finding] = {}
        self.interface: Mapping = {}
        self.again: Mapping = {}
        self.readonly = False
        self.kind = "unknown"

    def read(self) -> Mapping:
        return getattr(self.producer, ATTRIBUTE)

    def require(self, key: str):
        if key not in self.interface:
            raise Broken("missing")
        return self.interface[key]

    def bytes_at(self, address: int, nbytes: int):
        """A view of these bytes, if they are USM of the producer's context."""
        return bytes_at(address, nbytes, self.interface["syclobj"])

    def snapshot(self) -> bytes:
        """The bytes of the elements, read without waiting for the producer's queue."""
        nbytes = min(self.nbytes, _READ_AT_MOST)
        if self.kind in ("shared", "host"):
            return ctypes.string_at(self.first_byte, nbytes)
        view = self.bytes_at(self.first_byte, nbytes)
        unordered = Probe(
            version=1,
            shape=(nbytes,),
            typestr="|u1",
            data=(self.first_byte, True),
            syclobj=_core.SyclQueue(view.sycl_context, view.sycl_device),  # a new one: idle
        )
        return asnumpy(unordered).tobytes()

    def wait(self) -> None:
        """Wait for the producer's own queue, where it can be known."""
        self.bytes_at(self.first_byte, 1).sycl_queue.wait()


def check_producer(obj: object, *, start_work: Callable[[], object] | None = None) -> Report:
    """Judge a producer of the protocol by each rule that can be seen from outside.

    The object is only read. The rules are those of docs/protocol.md. Waits.

    Args:
        obj: any object with ``__sycl_usm_array_interface__``.
        start_work: a callable that enqueues work which writes to the memory of `obj`, and does not
            wait for it. It is called once, before the attribute is read. Without it the rule
            "ready" is not tried.

    Returns:
        A Report with one finding for each rule. Nothing is raised: an object that is no producer
        breaks the rule "attribute".

    Example:
        >>> usmx.testing.check_producer(usmx.zeros((2, 3))).raise_if_broken()
    """
    subject = _Subject(obj, start_work)
    _RULES.judge(subject, subject.findings)
    return Report(f"producer {type(obj).__qualname__}", tuple(subject.findings.values()))


# ---- the dictionary, key by key


@_rule("attribute", "a dict or another Mapping")
def _attribute(subject: _Subject) -> str:
    if subject.start_work is not None:
        subject.start_work()
    interface = subject.read()
    if not isinstance(interface, Mapping):
        raise Broken(type(interface).__name__)
    subject.interface = interface
    subject.again = subject.read()  # now: later rules take the queue out
    return type(interface).__name__


@_rule("version", "the integer 1", "attribute")
def _version(subject: _Subject) -> str:
    version = subject.require("version")
    if isinstance(version, bool) or _integer(version) != 1:
        raise Broken(repr(version))
    return "1"


@_rule("shape", "tuple or list of integers >= 0", "attribute")
def _shape(subject: _Subject) -> str:
    shape = subject.require("shape")
    subject.shape = _integers(shape)
    if any(extent < 0 for extent in subject.shape):
        raise Broken(repr(shape))
    return repr(shape)


@_rule("typestr", "'<f8' and the like: native order, kinds b i u f c", "attribute")
def _typestr(subject: _Subject) -> str:
    typestr = subject.require("typestr")
    if not isinstance(typestr, str):
        raise Broken(repr(typestr))
    if typestr.startswith("|V"):
        dtype = numpy.dtype(_fields(subject.interface))
        if typestr != f"|V{dtype.itemsize}":
            raise Broken(f"{typestr!r} with fields of {dtype.itemsize} bytes")
        subject.itemsize = dtype.itemsize
        return typestr
    if typestr.lstrip("<=|") not in TYPES or len(typestr) > len(typestr.lstrip("<=|")) + 1:
        raise Broken(repr(typestr))
    dtype = numpy.dtype(typestr.lstrip("<=|"))
    subject.itemsize, subject.alignment = dtype.itemsize, dtype.alignment
    return repr(typestr)


@_rule("typedescr", "absent, or agreeing with 'typestr'", "typestr")
def _typedescr(subject: _Subject) -> str:
    typedescr = subject.interface.get("typedescr")
    typestr = subject.interface["typestr"]
    if typedescr is None:
        return "absent"
    if not typestr.startswith("|V") and typedescr != [("", typestr)]:
        raise Broken(f"{typedescr!r} with typestr {typestr!r}")
    return repr(typedescr)


@_rule("data", "(integer pointer, bool read-only)", "attribute")
def _data(subject: _Subject) -> str:
    data = subject.interface.get("data")
    if data is None:
        host = _host_array(subject.producer)
        subject.pointer, subject.readonly = host.ctypes.data, not host.flags.writeable
        return "none: the buffer's"
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise Broken(repr(data))
    subject.pointer = _integer(data[0])
    if not isinstance(data[1], (bool, int, numpy.bool_)):
        raise Broken(repr(data))
    subject.readonly = bool(data[1])
    if not 0 <= subject.pointer < 2**64 or (subject.pointer == 0 and not subject.is_empty):
        raise Broken(repr(data))
    note = ": consumers may not write" if subject.readonly else ""
    return f"({subject.pointer:#x}, {subject.readonly}){note}"


@_rule("strides", "none, or as many integers as 'shape'", "shape")
def _strides(subject: _Subject) -> str:
    strides = subject.interface.get("strides")
    if strides is not None:
        subject.strides = _integers(strides)
        if len(subject.strides) != len(subject.shape):
            found, subject.strides = subject.strides, None
            raise Broken(f"{found}, shape {subject.shape}")
    return repr(strides)


@_rule("offset", "none, or an integer", "attribute")
def _offset(subject: _Subject) -> str:
    offset = subject.interface.get("offset")
    subject.offset = 0 if offset is None else _integer(offset)
    return repr(offset)


@_rule("syclobj", "a queue, a context, a filter string, a capsule, or _get_capsule()", "attribute")
def _syclobj(subject: _Subject) -> str:
    syclobj = subject.require("syclobj")
    _core.from_usm_array_interface(_nothing_on(syclobj))
    return type(syclobj).__name__


@_rule("syclobj again", "it can be asked and imported any number of times", "syclobj")
def _syclobj_again(subject: _Subject) -> str:
    syclobj = subject.interface["syclobj"]
    before = repr(syclobj)
    _core.from_usm_array_interface(_nothing_on(syclobj))
    if type(syclobj).__name__ == "PyCapsule":
        if repr(syclobj) != before:
            raise Broken(f"{before} became {syclobj!r}")
        return "the capsule keeps its name"
    if not hasattr(syclobj, "_get_capsule"):
        return "imported twice"
    _use_up(syclobj._get_capsule())
    _core.from_usm_array_interface(_nothing_on(syclobj))
    return "a new capsule after one was used"


# ---- what it says of the memory

_READABLE = ("shape", "typestr", "data", "strides", "offset")


@_rule("arithmetic", "sizes, strides and addresses fit 64 bits", *_READABLE)
def _arithmetic(subject: _Subject) -> str:
    return f"{subject.counted_nbytes()} bytes"


@_rule("pointer", "USM in the context of 'syclobj'", "data", "arithmetic", "syclobj")
def _pointer(subject: _Subject) -> str:
    if subject.is_empty:
        raise NotApplicable("no elements")
    try:
        subject.kind = subject.bytes_at(subject.pointer, 1).usm_type
    except ValueError:
        # One past the end is a fair start for negative offsets.
        subject.kind = subject.bytes_at(subject.first_byte, 1).usm_type
    return f"{subject.kind} memory at {subject.pointer:#x}"


@_rule("bounds", "every element inside the allocation", "pointer")
def _bounds(subject: _Subject) -> str:
    view = subject.bytes_at(subject.first_byte, subject.nbytes)
    return f"{view.nbytes} bytes from {subject.first_byte:#x}"


@_rule("alignment", "element zero aligned for its type", "arithmetic")
def _alignment(subject: _Subject) -> str:
    if subject.is_empty:
        raise NotApplicable("no elements")
    if subject.element_zero % subject.alignment:
        raise Broken(f"{subject.element_zero:#x} is not a multiple of {subject.alignment}")
    return f"{subject.element_zero:#x} is a multiple of {subject.alignment}"


@_rule("ready", "no work on the data is running when the dictionary is given", "bounds")
def _ready(subject: _Subject) -> str:
    before = subject.snapshot()
    subject.wait()
    if subject.snapshot() != before:
        raise Broken("the data changed while the queue was waited for")
    if subject.start_work is None:
        raise NotTried("nothing seen to change; start_work= enqueues work to look for")
    return "nothing changed"


@_rule("read-only flag", "data[1] says what flags and buffer of the object say", "data")
def _readonly_flag(subject: _Subject) -> str:
    return agreed_readonly(subject.producer, subject.readonly, "data[1]")


@_rule("buffer", "the object's buffer is the same memory", "data", "pointer")
def _buffer(subject: _Subject) -> str:
    if subject.kind not in ("shared", "host"):
        raise NotApplicable(f"{subject.kind} memory is not for the host")
    try:
        host = _host_array(subject.producer)
    except (TypeError, BufferError) as error:
        raise NotApplicable("the object has no buffer") from error
    size = int(numpy.prod(subject.shape, dtype=object)) * subject.itemsize
    if (host.ctypes.data, host.nbytes) != (subject.element_zero, size):
        raise Broken(
            f"{host.nbytes} bytes at {host.ctypes.data:#x}, not {size} at {subject.element_zero:#x}"
        )
    return f"{host.nbytes} bytes at {host.ctypes.data:#x}"


# ---- what it does over time


@_rule("stable", "reading the attribute twice gives the same", "attribute")
def _stable(subject: _Subject) -> str:
    again = subject.again
    for key in KEYS:
        first, second = subject.interface.get(key), again.get(key)
        if first != second:
            raise Broken(f"{key!r}: {first!r}, then {second!r}")
    first, second = subject.interface.get("syclobj"), again.get("syclobj")
    if type(first) is not type(second):
        raise Broken(f"'syclobj': {first!r}, then {second!r}")
    return "the same"


@_rule("lifetime", "the memory outlives the dictionary, while the object lives", "bounds")
def _lifetime(subject: _Subject) -> str:
    syclobj = subject.interface["syclobj"]
    subject.interface = {}
    gc.collect()
    subject.interface = {"syclobj": syclobj}
    subject.bytes_at(subject.first_byte, subject.nbytes)
    return "still there"


@_rule("import", "usmx imports it", *_READABLE, "version", "typedescr", "syclobj", "arithmetic")
def _import(subject: _Subject) -> str:
    for rule in ("pointer", "bounds", "alignment"):
        if subject.findings[rule].outcome == BROKEN:
            raise NotApplicable(f"needs '{rule}', which is broken")
    view = _core.from_usm_array_interface(subject.producer)
    return f"{view.dtype} {view.shape} on {view.sycl_device.filter_string}"


# ---- helpers


def _integer(value) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise Broken(repr(value)) from error


def _integers(values) -> tuple[int, ...]:
    if not isinstance(values, (tuple, list)):
        raise Broken(f"{type(values).__name__} {values!r}")
    return tuple(map(_integer, values))


def _fields(interface: Mapping) -> list:
    """The fields of a structured type, as NumPy takes them."""
    typedescr = interface.get("typedescr")
    if not isinstance(typedescr, list):
        raise Broken(f"{interface['typestr']!r} without a list of fields in 'typedescr'")
    return [tuple(field) for field in typedescr]


def _nothing_on(syclobj) -> Probe:
    """An array without elements: it tests nothing but the SYCL object."""
    return Probe(version=1, shape=(0,), typestr="|u1", data=(0, False), syclobj=syclobj)


def _use_up(capsule) -> None:
    """Take a capsule as dpctl's constructors do, which rename it."""
    constructor = _core.SyclQueue if "SyclQueueRef" in repr(capsule) else _core.SyclContext
    constructor(capsule)


def _host_array(producer) -> numpy.ndarray:
    """The buffer of an object as an array; TypeError or BufferError when it has none."""
    return numpy.asarray(memoryview(producer))
