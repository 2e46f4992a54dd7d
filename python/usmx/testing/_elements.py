"""Positions of a producer's elements, and questions about the memory that they lie in."""

import numpy

from usmx import _core
from usmx.testing._report import Broken, NotApplicable

_MOST = 2**63 - 1


class Probe:
    """A producer with just this dictionary."""

    def __init__(self, **interface):
        self.__sycl_usm_array_interface__ = interface


class Elements:
    """A pointer and what it takes to reach each element; counts are in elements."""

    def __init__(self):
        self.shape: tuple[int, ...] = ()
        self.strides: tuple[int, ...] | None = None
        self.offset = 0
        self.itemsize = 1
        self.alignment = 1
        self.pointer = 0

    @property
    def is_empty(self) -> bool:
        return 0 in self.shape

    @property
    def lowest(self) -> int:
        """Elements from the pointer to the lowest element."""
        return self.offset + sum(min(0, reach) for reach in self.reaches())

    @property
    def highest(self) -> int:
        return self.offset + sum(max(0, reach) for reach in self.reaches())

    @property
    def first_byte(self) -> int:
        return self.pointer + self.lowest * self.itemsize

    @property
    def nbytes(self) -> int:
        return 0 if self.is_empty else (self.highest - self.lowest + 1) * self.itemsize

    @property
    def element_zero(self) -> int:
        return self.pointer + self.offset * self.itemsize

    def reaches(self):
        return (s * (n - 1) for s, n in zip(self.all_strides(), self.shape, strict=True))

    def all_strides(self) -> tuple[int, ...]:
        if self.strides is not None:
            return self.strides
        strides: list[int] = []
        step = 1
        for extent in reversed(self.shape):
            strides.insert(0, step)
            step *= extent
        return tuple(strides)

    def counted_nbytes(self) -> int:
        """The bytes of the span; Broken where a size, stride or address leaves 64 bits."""
        size = int(numpy.prod([max(extent, 1) for extent in self.shape], dtype=object))
        reaches = [] if self.is_empty else [abs(reach) for reach in self.reaches()]
        counts = [size, self.offset, sum(reaches), *self.all_strides()]
        largest = max(abs(count) for count in counts) * self.itemsize
        if largest > _MOST:
            raise Broken(f"{largest} bytes")
        if not self.is_empty:
            last = self.first_byte + self.nbytes - 1
            if self.first_byte < 0 or last >= 2**64:
                raise Broken(f"addresses {self.first_byte:#x} to {last:#x}")
        return self.nbytes


def bytes_at(address: int, nbytes: int, syclobj):
    """A view of these bytes, if they are USM of that context."""
    return _core.from_usm_array_interface(
        Probe(version=1, shape=(nbytes,), typestr="|u1", data=(address, True), syclobj=syclobj)
    )


def agreed_readonly(producer, readonly: bool, name: str) -> str:
    """Name what agrees; Broken where flags or buffer of the object say something else."""
    said = dict(_sayings_about_readonly(producer))
    if not said:
        raise NotApplicable("the object has neither flags nor a buffer")
    different = [other for other, found in said.items() if found != readonly]
    if different:
        raise Broken(f"{name} is {readonly}, {different[0]}: {said[different[0]]}")
    return f"{readonly}, as {' and '.join(said)}"


def _sayings_about_readonly(producer):
    flags = getattr(producer, "flags", None)
    for name in ("writable", "writeable"):
        if isinstance(getattr(flags, name, None), (bool, numpy.bool_)):
            yield f"flags.{name}", not getattr(flags, name)
            break
    try:
        yield "the buffer", memoryview(producer).readonly
    except (TypeError, BufferError):
        return
