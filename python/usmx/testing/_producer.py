"""The rules that a producer of ``__sycl_usm_array_interface__`` can be seen to keep or break.

Facts about memory are asked by probes: small producers that describe one thing (some bytes, or
nothing but the SYCL object), which usmx imports or refuses.
"""

import ctypes
import gc
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy

from usmx import _core
from usmx._core import asnumpy
from usmx.testing._report import Report
from usmx.testing._rules import (
    Broken,
    NotApplicable,
    NotTried,
    Subject,
    bytes_on,
    only_if,
    require,
    rule,
)

ATTRIBUTE = "__sycl_usm_array_interface__"
TYPES = frozenset((
    "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16",
))  # fmt: skip
KEYS = ("version", "shape", "typestr", "typedescr", "data", "strides", "offset")
_READABLE = ("shape", "typestr", "data", "strides", "offset")
_DEEPEST = 16  # levels of fields
_READ_AT_MOST = 1 << 26  # bytes that are compared to see whether they still change


def check_producer(obj: object, *, start_work: Callable[[], object] | None = None) -> Report:
    """Judge a producer of the protocol by each rule that can be seen from outside.

    The object is only read. The rules are those of docs/protocol.md. Waits.

    Args:
        obj: any object with ``__sycl_usm_array_interface__``.
        start_work: a callable that enqueues work which writes to the memory of `obj`, and does not
            wait for it. It is called once, before the attribute is read, and must change elements.
            Without it the rule "ready" is not tried.

    Returns:
        A Report with one finding for each rule. An object that is no producer breaks the rule
        "attribute".

    Raises:
        TypeError: `start_work` is not callable.

    Example:
        >>> usmx.testing.check_producer(usmx.zeros((2, 3))).raise_if_broken()
    """
    if start_work is not None and not callable(start_work):
        raise TypeError(f"start_work must be a callable, found {type(start_work).__name__}")
    subject = _Producer(obj, start_work)
    subject.start()
    return subject.report("producer")


class _Producer(Subject):
    """The producer, and its dictionary as first read."""

    def __init__(self, producer: Any, start_work: Callable[[], object] | None) -> None:
        super().__init__(producer)
        self.start_work = start_work
        self.before: bytes | None = None  # the elements, before work on them was started
        self.failed_start = ""
        self.interface: Mapping = {}
        self.again: Mapping = {}
        self.readonly = False
        self.kind = "unknown"

    def start(self) -> None:
        """Let the caller enqueue work, and keep what is there before it."""
        if self.start_work is None:
            return
        self.before = self.elements()
        try:
            self.start_work()
        except Exception as error:
            self.failed_start = f"start_work raised {type(error).__name__}: {error}"

    def elements(self) -> bytes | None:
        """The elements once all work on them is done; None if usmx does not import them."""
        try:
            return asnumpy(self.producer).tobytes()
        except Exception:
            return None

    @property
    def syclobj(self) -> Any:
        return self.interface["syclobj"]

    def required(self, key: str) -> Any:
        require(key in self.interface, "missing")
        return self.interface[key]

    def import_syclobj(self) -> None:
        """Import an array without elements, which tests nothing but the SYCL object."""
        self.bytes_at(0, 0)

    def snapshot(self) -> bytes:
        """The bytes of the elements, read without waiting for the producer's queue."""
        nbytes = min(self.nbytes, _READ_AT_MOST)
        if self.kind in ("shared", "host"):
            return ctypes.string_at(self.first_byte, nbytes)
        view = self.bytes_at(self.first_byte, nbytes)
        idle = _core.SyclQueue(view.sycl_context, view.sycl_device)  # since it is new
        return asnumpy(bytes_on(idle, self.first_byte, nbytes)).tobytes()

    # ---- the dictionary, key by key

    @rule("attribute", "a dict or another Mapping")
    def _attribute(self) -> str:
        interface = getattr(self.producer, ATTRIBUTE)
        name = type(interface).__name__
        require(isinstance(interface, Mapping), name)
        self.interface = interface
        self.again = getattr(self.producer, ATTRIBUTE)  # now: later rules take the queue out
        return name

    @rule("version", "the integer 1", "attribute")
    def _version(self) -> str:
        version = self.required("version")
        require(not isinstance(version, bool) and _integer(version) == 1, repr(version))
        return "1"

    @rule("shape", "tuple or list of integers >= 0", "attribute")
    def _shape(self) -> str:
        shape = self.required("shape")
        self.shape = _integers(shape)
        require(all(extent >= 0 for extent in self.shape), repr(shape))
        return repr(shape)

    @rule("typestr", "'<f8' and the like: native order, kinds b i u f c", "attribute")
    def _typestr(self) -> str:
        typestr = self.required("typestr")
        require(isinstance(typestr, str), repr(typestr))
        if typestr.startswith("|V"):
            fields = self.interface.get("typedescr")
            if not isinstance(fields, list):
                raise Broken(f"{typestr!r} without a list of fields in 'typedescr'")
            shallow = not _is_nested_deeper(fields, _DEEPEST)
            require(shallow, f"'typedescr' is nested more than {_DEEPEST} deep")
            self.itemsize = numpy.dtype([tuple(field) for field in fields]).itemsize
            found = f"{typestr!r} with fields of {self.itemsize} bytes"
            require(typestr == f"|V{self.itemsize}", found)
            return typestr
        code = typestr.lstrip("<=|")
        require(code in TYPES and len(typestr) <= len(code) + 1, repr(typestr))
        dtype = numpy.dtype(code)
        self.itemsize, self.alignment = dtype.itemsize, dtype.alignment
        return repr(typestr)

    @rule("typedescr", "absent, or agreeing with 'typestr'", "typestr")
    def _typedescr(self) -> str:
        typedescr = self.interface.get("typedescr")
        typestr = self.interface["typestr"]
        if typedescr is None:
            return "absent"
        agrees = typestr.startswith("|V") or typedescr == [("", typestr)]
        require(agrees, f"{typedescr!r} with typestr {typestr!r}")
        return repr(typedescr)

    @rule("data", "(integer pointer, bool read-only)", "attribute")
    def _data(self) -> str:
        data = self.interface.get("data")
        if data is None:
            try:
                host = _host_array(self.producer)
            except (TypeError, BufferError) as error:
                raise Broken("missing, and the object has no buffer (PEP 3118)") from error
            self.pointer, self.readonly = host.ctypes.data, not host.flags.writeable
            return "none: the buffer's"
        require(isinstance(data, (tuple, list)) and len(data) == 2, repr(data))
        self.pointer = _integer(data[0])
        require(isinstance(data[1], (bool, int, numpy.bool_)), repr(data))
        self.readonly = bool(data[1])
        is_pointer = 0 <= self.pointer < 2**64 and (self.pointer != 0 or self.is_empty)
        require(is_pointer, repr(data))
        note = ": consumers may not write" if self.readonly else ""
        return f"({self.pointer:#x}, {self.readonly}){note}"

    @rule("strides", "none, or as many integers as 'shape'", "shape")
    def _strides(self) -> str:
        strides = self.interface.get("strides")
        if strides is not None:
            found = _integers(strides)
            require(len(found) == len(self.shape), f"{found}, shape {self.shape}")
            self.strides = found
        return repr(strides)

    @rule("offset", "none, or an integer", "attribute")
    def _offset(self) -> str:
        offset = self.interface.get("offset")
        self.offset = 0 if offset is None else _integer(offset)
        return repr(offset)

    @rule(
        "syclobj", "a queue, a context, a filter string, a capsule, or _get_capsule()", "attribute"
    )
    def _syclobj(self) -> str:
        self.required("syclobj")
        self.import_syclobj()
        return type(self.syclobj).__name__

    @rule("syclobj again", "it can be asked and imported any number of times", "syclobj")
    def _syclobj_again(self) -> str:
        syclobj = self.syclobj
        before = repr(syclobj)
        self.import_syclobj()
        if type(syclobj).__name__ == "PyCapsule":
            require(repr(syclobj) == before, f"{before} became {syclobj!r}")
            return "the capsule keeps its name"
        if not hasattr(syclobj, "_get_capsule"):
            return "imported twice"
        capsule = syclobj._get_capsule()  # used as by dpctl's constructors, which rename it
        (_core.SyclQueue if "SyclQueueRef" in repr(capsule) else _core.SyclContext)(capsule)
        self.import_syclobj()
        return "a new capsule after one was used"

    # ---- what it says of the memory

    _arithmetic = rule("arithmetic", "sizes, strides and addresses fit 64 bits", *_READABLE)(
        Subject.arithmetic
    )

    @rule("pointer", "USM in the context of 'syclobj'", "data", "arithmetic", "syclobj")
    def _pointer(self) -> str:
        only_if(not self.is_empty, "no elements")
        self.kind = self.bytes_at(self.pointer, 1).usm_type
        return f"{self.kind} memory at {self.pointer:#x}"

    _bounds, _alignment = Subject.BOUNDS, Subject.ALIGNMENT

    @rule("ready", "no work on the data is running when the dictionary is given", "bounds")
    def _ready(self) -> str:
        before = self.snapshot()
        self.bytes_at(self.first_byte, 1).sycl_queue.wait()  # the producer's, where it is known
        is_same = self.snapshot() == before
        require(is_same, "the data changed while the queue was waited for")
        if self.start_work is None:
            raise NotTried("nothing seen to change; start_work= enqueues work to look for")
        if self.failed_start:
            raise NotTried(self.failed_start)
        if self.before is not None and self.elements() == self.before:
            raise NotTried("start_work changed no element: nothing to look for")
        return "nothing changed"

    @rule("read-only flag", "data[1] says what flags and buffer of the object say", "data")
    def _readonly_flag(self) -> str:
        return self.agreed_readonly(self.readonly, "data[1]")

    @rule("buffer", "the object's buffer is the same memory", "data", "pointer")
    def _buffer(self) -> str:
        only_if(self.kind in ("shared", "host"), f"{self.kind} memory is not for the host")
        try:
            host = _host_array(self.producer)
        except (TypeError, BufferError) as error:
            raise NotApplicable("the object has no buffer") from error
        size = math.prod(self.shape) * self.itemsize
        found = f"{host.nbytes} bytes at {host.ctypes.data:#x}"
        is_same = (host.ctypes.data, host.nbytes) == (self.element_zero, size)
        require(is_same, f"{found}, not {size} at {self.element_zero:#x}")
        return found

    # ---- what it does over time

    @rule("stable", "reading the attribute twice gives the same", "attribute")
    def _stable(self) -> str:
        for key in KEYS:
            first, second = self.interface.get(key), self.again.get(key)
            if _are_different(first, second):
                raise Broken(f"{key!r}: {first!r}, then {second!r}")
        first, second = self.interface.get("syclobj"), self.again.get("syclobj")
        require(type(first) is type(second), f"'syclobj': {first!r}, then {second!r}")
        return "the same"

    @rule("lifetime", "the memory outlives the dictionary, while the object lives", "bounds")
    def _lifetime(self) -> str:
        syclobj = self.syclobj
        self.interface = {}
        gc.collect()
        self.interface = {"syclobj": syclobj}
        self.bytes_at(self.first_byte, self.nbytes)
        return "still there"

    @rule("import", "usmx imports it", *_READABLE, "version", "typedescr", "syclobj", "arithmetic")
    def _import(self) -> str:
        return self.imported(_core.from_usm_array_interface)


def _integer(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise Broken(repr(value)) from error


def _integers(values: Any) -> tuple[int, ...]:
    require(isinstance(values, (tuple, list)), f"{type(values).__name__} {values!r}")
    return tuple(map(_integer, values))


def _is_nested_deeper(entries: list, levels: int) -> bool:
    """Whether a list of fields has fields in fields, more levels than these."""
    return levels == 0 or any(
        isinstance(part, list) and _is_nested_deeper(part, levels - 1)
        for entry in entries
        if isinstance(entry, (list, tuple))
        for part in entry
    )


def _are_different(first: Any, second: Any) -> bool:
    """Whether two values of an entry differ, whatever their ``==`` gives or raises."""
    try:
        return bool(first != second)
    except RecursionError:
        return False  # nobody can tell
    except Exception:
        return repr(first) != repr(second)


def _host_array(producer: Any) -> numpy.ndarray:
    """The buffer of an object as an array; TypeError or BufferError when it has none."""
    return numpy.asarray(memoryview(producer))
