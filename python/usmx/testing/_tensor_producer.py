"""The rules that a producer of DLPack can be seen to keep or break."""

from typing import Any

import numpy

from usmx import _core
from usmx._core import from_dlpack
from usmx.testing._report import Report
from usmx.testing._rules import NotApplicable, Subject, only_if, require, rule
from usmx.testing._tensors import COPIED, CPU, KINDS_OF_TYPES, ONEAPI, READ_ONLY, Taken

_ASKED = (1, 3)


def check_dlpack_producer(obj: object) -> Report:
    """Judge a producer of DLPack by each rule that can be seen from outside.

    The object is only read. If its memory is oneAPI's, its bounds are checked too. The rules are
    those of https://dmlc.github.io/dlpack. Waits.

    Args:
        obj: any object with ``__dlpack__`` and ``__dlpack_device__``.

    Returns:
        A Report with one finding for each rule. Nothing is raised: an object that is no producer
        breaks the rules "device" and "capsule".

    Example:
        >>> usmx.testing.check_dlpack_producer(usmx.zeros((2, 3))).raise_if_broken()
    """
    return _TensorProducer(obj).report("producer of DLPack")


class _TensorProducer(Subject):
    """The producer, and its tensor as first given."""

    def __init__(self, producer: Any) -> None:
        super().__init__(producer)
        self.device = (0, 0)
        self.taken: Taken

    def ask(self, **arguments: Any) -> Taken:
        """The tensor in a new capsule; released with the result."""
        return Taken(self.producer.__dlpack__(**arguments))

    def ask_for(self, **arguments: Any) -> Taken | str:
        """The tensor in a new capsule, or the BufferError with which it may be refused."""
        try:
            return self.ask(max_version=_ASKED, **arguments)
        except BufferError as error:
            return f"BufferError: {error}"

    @property
    def tensor(self) -> Any:
        return self.taken.managed.tensor

    @property
    def syclobj(self) -> Any:
        return _core._get_devices()[self.device[1]].filter_string

    # ---- what the producer gives

    @rule("device", "__dlpack_device__() gives (kind, number)")
    def _device(self) -> str:
        device = self.producer.__dlpack_device__()
        require(isinstance(device, tuple) and len(device) == 2, repr(device))
        self.device = (int(device[0]), int(device[1]))
        return repr(self.device)

    @rule("capsule", "__dlpack__(max_version=(1, 3)) gives a capsule of DLPack")
    def _capsule(self) -> str:
        self.taken = self.ask(max_version=_ASKED)
        return repr(self.taken.name)

    @rule("version", "1.x where the capsule is versioned", "capsule")
    def _version(self) -> str:
        only_if(self.taken.is_versioned, "a capsule of before version 1.0")
        managed = self.taken.managed
        found = f"{managed.major}.{managed.minor}"
        require(managed.major == 1, found)
        return found

    @rule("legacy capsule", "without max_version a capsule 'dltensor', or a BufferError", "capsule")
    def _legacy(self) -> str:
        try:
            taken = self.ask()
        except BufferError as error:
            return f"BufferError: {error}"
        require(not taken.is_versioned, repr(taken.name))
        return repr(taken.name)

    @rule("new capsules", "each call gives a capsule of its own", "capsule")
    def _new_capsules(self) -> str:
        self.ask(max_version=_ASKED).let_go()
        return "a new one after one was used"

    @rule("stream", "stream=None is taken", "capsule")
    def _stream(self) -> str:
        self.ask(max_version=_ASKED, stream=None)
        return "taken"

    # ---- what the tensor says

    @rule("shape", f"no more than {_core._max_ndim} extents, none negative", "capsule")
    def _shape(self) -> str:
        ndim = self.tensor.ndim
        require(0 <= ndim <= _core._max_ndim, f"ndim {ndim}")
        require(ndim == 0 or self.tensor.shape, "a null pointer")
        self.shape = tuple(self.tensor.shape[:ndim])
        require(all(extent >= 0 for extent in self.shape), repr(self.shape))
        return repr(self.shape)

    @rule("strides", "as many as extents; none only before version 1.2", "shape", "capsule")
    def _strides(self) -> str:
        if not self.tensor.strides:
            managed, is_versioned = self.taken.managed, self.taken.is_versioned
            is_needed = is_versioned and (managed.major, managed.minor) >= (1, 2)
            require(not (self.shape and is_needed), "a null pointer")
            return "none: C-contiguous"
        self.strides = tuple(self.tensor.strides[: len(self.shape)])
        return repr(self.strides)

    @rule("type", "bool, integers, floating-point or complex numbers, one in an element", "capsule")
    def _type(self) -> str:
        given = self.tensor.dtype
        kind = KINDS_OF_TYPES.get(given.code)
        found = f"code {given.code}, {given.bits} bits, {given.lanes} lanes"
        require(given.bits and given.lanes, found)
        if kind is None or given.lanes != 1 or given.bits % 8:
            raise NotApplicable(f"usmx has no such type: {found}")
        dtype = numpy.dtype(f"{kind}{given.bits // 8}")
        self.itemsize, self.alignment = dtype.itemsize, dtype.alignment
        return str(dtype)

    @rule("tensor's device", "that of __dlpack_device__()", "device", "capsule")
    def _tensors_device(self) -> str:
        found = (self.tensor.device.type, self.tensor.device.id)
        require(found == self.device, f"{found}, not {self.device}")
        return repr(found)

    @rule("arithmetic", "sizes, strides and addresses fit 64 bits", "shape", "strides", "type")
    def _arithmetic(self) -> str:
        self.pointer = (self.tensor.data or 0) + self.tensor.byte_offset
        return self.arithmetic()

    @rule("pointer", "memory of the device, or of the host", "arithmetic", "tensor's device")
    def _pointer(self) -> str:
        only_if(not self.is_empty, "no elements")
        require(self.tensor.data, "a null pointer")
        kind = self.device[0]
        only_if(kind == ONEAPI, f"device type {kind}: there is no runtime to ask")
        view = self.bytes_at(self.first_byte, 1)
        return f"{view.usm_type} memory at {self.pointer:#x}"

    _bounds, _alignment = Subject.BOUNDS, Subject.ALIGNMENT

    @rule("read-only flag", "flags say what flags and buffer of the object say", "capsule")
    def _readonly_flag(self) -> str:
        only_if(self.taken.is_versioned, "a capsule of before version 1.0")
        return self.agreed_readonly(bool(self.taken.managed.flags & READ_ONLY), "the flag")

    # ---- what it does when it is asked

    @rule("stable", "two capsules say the same", "shape", "strides", "capsule")
    def _stable(self) -> str:
        again = self.ask(max_version=_ASKED)
        first, second = self.taken.said(), again.said()
        require(first == second, f"{first}, then {second}")
        return "the same"

    @rule("copy=False", "the same memory, or a BufferError", "capsule")
    def _no_copy(self) -> str:
        if isinstance(taken := self.ask_for(copy=False), str):
            return taken
        found = taken.managed.tensor.data
        is_same = found == self.tensor.data
        require(is_same, f"element zero at {found}, not {self.tensor.data}")
        return "the same memory"

    @rule("copy=True", "other memory, flagged as copied, or a BufferError", "capsule", "shape")
    def _copy(self) -> str:
        if isinstance(taken := self.ask_for(copy=True), str):
            return taken
        is_other = self.is_empty or taken.managed.tensor.data != self.tensor.data
        require(is_other, "the same memory")
        if taken.is_versioned:
            require(taken.managed.flags & COPIED, f"flags {taken.managed.flags:#x}")
        return "other memory"

    @rule("dl_device", "(1, 0) gives memory of the host, or a BufferError", "capsule")
    def _host(self) -> str:
        if isinstance(taken := self.ask_for(dl_device=(CPU, 0)), str):
            return taken
        found = taken.managed.tensor.device.type
        require(found == CPU, f"device type {found}")
        return "memory of the host"

    @rule("import", "usmx imports it", "type", "arithmetic", "tensor's device", "version")
    def _import(self) -> str:
        only_if(self.device[0] in (ONEAPI, CPU), f"device type {self.device[0]}")
        return self.imported(from_dlpack)
