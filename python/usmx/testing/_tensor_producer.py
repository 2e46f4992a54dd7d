"""The rules that a producer of DLPack can be seen to keep or break."""

import numpy

from usmx import _core
from usmx._core import from_dlpack
from usmx.testing._elements import Elements, agreed_readonly, bytes_at
from usmx.testing._report import Broken, Finding, NotApplicable, Report, Rules
from usmx.testing._tensors import COPIED, CPU, KINDS_OF_TYPES, ONEAPI, READ_ONLY, Taken

_ASKED = (1, 3)
_RULES = Rules()
_rule = _RULES.add


class _Subject(Elements):
    """The producer, its tensor as first given, and what the rules have made of it so far."""

    def __init__(self, producer):
        super().__init__()
        self.producer = producer
        self.findings: dict[str, Finding] = {}
        self.device = (0, 0)
        self.taken: Taken

    def ask(self, **arguments) -> Taken:
        """The tensor in a new capsule; released with the result."""
        return Taken(self.producer.__dlpack__(**arguments))

    @property
    def tensor(self):
        return self.taken.managed.tensor

    @property
    def syclobj(self):
        """The queue that usmx has for the tensor's device."""
        return _core._get_devices()[self.device[1]].filter_string


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
    subject = _Subject(obj)
    _RULES.judge(subject, subject.findings)
    return Report(f"producer of DLPack {type(obj).__qualname__}", tuple(subject.findings.values()))


# ---- what the producer gives


@_rule("device", "__dlpack_device__() gives (kind, number)")
def _device(subject: _Subject) -> str:
    device = subject.producer.__dlpack_device__()
    if not isinstance(device, tuple) or len(device) != 2:
        raise Broken(repr(device))
    subject.device = (int(device[0]), int(device[1]))
    return repr(subject.device)


@_rule("capsule", "__dlpack__(max_version=(1, 3)) gives a capsule of DLPack")
def _capsule(subject: _Subject) -> str:
    subject.taken = subject.ask(max_version=_ASKED)
    return repr(subject.taken.name)


@_rule("version", "1.x where the capsule is versioned", "capsule")
def _version(subject: _Subject) -> str:
    if not subject.taken.is_versioned:
        raise NotApplicable("a capsule of before version 1.0")
    managed = subject.taken.managed
    if managed.major != 1:
        raise Broken(f"{managed.major}.{managed.minor}")
    return f"{managed.major}.{managed.minor}"


@_rule("legacy capsule", "without max_version a capsule 'dltensor', or a BufferError", "capsule")
def _legacy(subject: _Subject) -> str:
    try:
        taken = subject.ask()
    except BufferError as error:
        return f"BufferError: {error}"
    if taken.is_versioned:
        raise Broken(repr(taken.name))
    return repr(taken.name)


@_rule("new capsules", "each call gives a capsule of its own", "capsule")
def _new_capsules(subject: _Subject) -> str:
    subject.ask(max_version=_ASKED).let_go()
    return "a new one after one was used"


@_rule("stream", "stream=None is taken", "capsule")
def _stream(subject: _Subject) -> str:
    subject.ask(max_version=_ASKED, stream=None)
    return "taken"


# ---- what the tensor says


@_rule("shape", f"no more than {_core._max_ndim} extents, none negative", "capsule")
def _shape(subject: _Subject) -> str:
    ndim = subject.tensor.ndim
    if not 0 <= ndim <= _core._max_ndim:
        raise Broken(f"ndim {ndim}")
    if ndim > 0 and not subject.tensor.shape:
        raise Broken("a null pointer")
    subject.shape = tuple(subject.tensor.shape[:ndim])
    if any(extent < 0 for extent in subject.shape):
        raise Broken(repr(subject.shape))
    return repr(subject.shape)


@_rule("strides", "as many as extents; none only before version 1.2", "shape", "capsule")
def _strides(subject: _Subject) -> str:
    if not subject.tensor.strides:
        managed = subject.taken.managed
        if (
            subject.shape
            and subject.taken.is_versioned
            and (managed.major, managed.minor) >= (1, 2)
        ):
            raise Broken("a null pointer")
        return "none: C-contiguous"
    subject.strides = tuple(subject.tensor.strides[: len(subject.shape)])
    return repr(subject.strides)


@_rule("type", "bool, integers, floating-point or complex numbers, one in an element", "capsule")
def _type(subject: _Subject) -> str:
    given = subject.tensor.dtype
    kind = KINDS_OF_TYPES.get(given.code)
    found = f"code {given.code}, {given.bits} bits, {given.lanes} lanes"
    if given.bits == 0 or given.lanes == 0:
        raise Broken(found)
    if kind is None or given.lanes != 1 or given.bits % 8:
        raise NotApplicable(f"usmx has no such type: {found}")
    dtype = numpy.dtype(f"{kind}{given.bits // 8}")
    subject.itemsize, subject.alignment = dtype.itemsize, dtype.alignment
    return str(dtype)


@_rule("tensor's device", "that of __dlpack_device__()", "device", "capsule")
def _tensors_device(subject: _Subject) -> str:
    found = (subject.tensor.device.type, subject.tensor.device.id)
    if found != subject.device:
        raise Broken(f"{found}, not {subject.device}")
    return repr(found)


@_rule("arithmetic", "sizes, strides and addresses fit 64 bits", "shape", "strides", "type")
def _arithmetic(subject: _Subject) -> str:
    subject.pointer = (subject.tensor.data or 0) + subject.tensor.byte_offset
    return f"{subject.counted_nbytes()} bytes"


@_rule("pointer", "memory of the device, or of the host", "arithmetic", "tensor's device")
def _pointer(subject: _Subject) -> str:
    if subject.is_empty:
        raise NotApplicable("no elements")
    if not subject.tensor.data:
        raise Broken("a null pointer")
    if subject.device[0] != ONEAPI:
        raise NotApplicable(f"device type {subject.device[0]}: there is no runtime to ask")
    view = bytes_at(subject.first_byte, 1, subject.syclobj)
    return f"{view.usm_type} memory at {subject.pointer:#x}"


@_rule("bounds", "every element inside the allocation", "pointer")
def _bounds(subject: _Subject) -> str:
    view = bytes_at(subject.first_byte, subject.nbytes, subject.syclobj)
    return f"{view.nbytes} bytes from {subject.first_byte:#x}"


@_rule("alignment", "element zero aligned for its type", "arithmetic")
def _alignment(subject: _Subject) -> str:
    if subject.is_empty:
        raise NotApplicable("no elements")
    if subject.pointer % subject.alignment:
        raise Broken(f"{subject.pointer:#x} is not a multiple of {subject.alignment}")
    return f"{subject.pointer:#x} is a multiple of {subject.alignment}"


@_rule("read-only flag", "flags say what flags and buffer of the object say", "capsule")
def _readonly_flag(subject: _Subject) -> str:
    if not subject.taken.is_versioned:
        raise NotApplicable("a capsule of before version 1.0")
    readonly = bool(subject.taken.managed.flags & READ_ONLY)
    return agreed_readonly(subject.producer, readonly, "the flag")


# ---- what it does when it is asked


@_rule("stable", "two capsules say the same", "shape", "strides", "capsule")
def _stable(subject: _Subject) -> str:
    again = subject.ask(max_version=_ASKED)
    first, second = subject.taken.said(), again.said()
    if first != second:
        raise Broken(f"{first}, then {second}")
    return "the same"


@_rule("copy=False", "the same memory, or a BufferError", "capsule")
def _no_copy(subject: _Subject) -> str:
    try:
        taken = subject.ask(max_version=_ASKED, copy=False)
    except BufferError as error:
        return f"BufferError: {error}"
    found = taken.managed.tensor.data
    if found != subject.tensor.data:
        raise Broken(f"element zero at {found}, not {subject.tensor.data}")
    return "the same memory"


@_rule("copy=True", "other memory, flagged as copied, or a BufferError", "capsule", "shape")
def _copy(subject: _Subject) -> str:
    try:
        taken = subject.ask(max_version=_ASKED, copy=True)
    except BufferError as error:
        return f"BufferError: {error}"
    if not subject.is_empty and taken.managed.tensor.data == subject.tensor.data:
        raise Broken("the same memory")
    if taken.is_versioned and not taken.managed.flags & COPIED:
        raise Broken(f"flags {taken.managed.flags:#x}")
    return "other memory"


@_rule("dl_device", "(1, 0) gives memory of the host, or a BufferError", "capsule")
def _host(subject: _Subject) -> str:
    try:
        taken = subject.ask(max_version=_ASKED, dl_device=(CPU, 0))
    except BufferError as error:
        return f"BufferError: {error}"
    found = taken.managed.tensor.device.type
    if found != CPU:
        raise Broken(f"device type {found}")
    return "memory of the host"


@_rule("import", "usmx imports it", "type", "arithmetic", "tensor's device", "version")
def _import(subject: _Subject) -> str:
    if subject.device[0] not in (ONEAPI, CPU):
        raise NotApplicable(f"device type {subject.device[0]}")
    for rule in ("pointer", "bounds", "alignment"):
        if subject.findings[rule].outcome == "broken":
            raise NotApplicable(f"needs '{rule}', which is broken")
    view = from_dlpack(subject.producer)
    return f"{view.dtype} {view.shape} on {view.sycl_device.filter_string}"
