"""The engine that judges producers: rules, and questions about the memory of the elements."""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from usmx import _core
from usmx.testing._report import BROKEN, KEPT, NOT_APPLICABLE, NOT_TRIED, Finding, Report

_MOST = 2**63 - 1


class Broken(Exception):
    """The rule is broken; the text is what was found."""


class NotApplicable(Exception):
    """The rule says nothing about this producer; the text says why."""


class NotTried(Exception):
    """The rule could not be judged; the text says why."""


_OUTCOMES = {Broken: BROKEN, NotApplicable: NOT_APPLICABLE, NotTried: NOT_TRIED}


def require(holds: object, found: str) -> None:
    """Break the rule unless this holds."""
    if not holds:
        raise Broken(found)


def only_if(applies: object, why_not: str) -> None:
    """Say that the rule is not applicable unless this is so."""
    if not applies:
        raise NotApplicable(why_not)


class Probe:
    """A producer with this dictionary, which keeps the memory alive."""

    def __init__(self, interface: Any, owner: object = None) -> None:
        self.__sycl_usm_array_interface__ = interface
        self.owner = owner


def bytes_on(syclobj: Any, address: int, nbytes: int) -> Probe:
    """A producer of these bytes; of none it tests nothing but the SYCL object."""
    data = (address, nbytes > 0)
    return Probe(
        {"version": 1, "shape": (nbytes,), "typestr": "|u1", "data": data, "syclobj": syclobj}
    )


@dataclass(frozen=True)
class _Rule:
    name: str
    expected: str
    needs: tuple[str, ...]
    judge: Callable[[Any], str]


def rule(name: str, expected: str, *needs: str) -> Callable[[Callable[[Any], str]], _Rule]:
    """Make a row of a table: its function returns what it found, or raises an outcome."""
    return lambda judge: _Rule(name, expected, needs, judge)


class Subject:
    """A producer, where its elements are, and what the rules have made of it so far.

    Subclasses are tables of rules, judged from the first to the last. Counts are in elements.
    """

    def __init__(self, producer: Any) -> None:
        self.producer = producer
        self.findings: dict[str, Finding] = {}
        self.shape: tuple[int, ...] = ()
        self.strides: tuple[int, ...] | None = None
        self.offset = 0
        self.itemsize = 1
        self.alignment = 1
        self.pointer = 0

    @property
    def syclobj(self) -> Any:
        """The queue, or what else names the context, in which the memory is."""
        raise NotImplementedError

    def report(self, title: str) -> Report:
        """Judge all rules."""
        for each in vars(type(self)).values():
            if isinstance(each, _Rule):
                self.findings[each.name] = self._judged(each)
        name = f"{title} {type(self.producer).__qualname__}"
        return Report(name, tuple(self.findings.values()))

    def _judged(self, each: _Rule) -> Finding:
        for name in each.needs:
            if (outcome := self.findings[name].outcome) != KEPT:
                found = f"needs '{name}', which is {outcome}"
                return Finding(each.name, NOT_APPLICABLE, each.expected, found)
        try:
            return Finding(each.name, KEPT, each.expected, each.judge(self))
        except tuple(_OUTCOMES) as outcome:
            return Finding(each.name, _OUTCOMES[type(outcome)], each.expected, str(outcome))
        except Exception as error:
            return Finding(each.name, BROKEN, each.expected, f"{type(error).__name__}: {error}")

    # ---- the elements

    @property
    def is_empty(self) -> bool:
        return 0 in self.shape

    def all_strides(self) -> tuple[int, ...]:
        if self.strides is not None:
            return self.strides
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))

    def reaches(self) -> list[int]:
        """Elements from the first to the last one of each axis."""
        return [s * (n - 1) for s, n in zip(self.all_strides(), self.shape, strict=True)]

    @property
    def element_zero(self) -> int:
        return self.pointer + self.offset * self.itemsize

    @property
    def first_byte(self) -> int:
        return self.element_zero + sum(min(0, reach) for reach in self.reaches()) * self.itemsize

    @property
    def nbytes(self) -> int:
        return 0 if self.is_empty else (1 + sum(map(abs, self.reaches()))) * self.itemsize

    def with_pointer(self) -> tuple[int, int]:
        """Address and number of the bytes that lie in one allocation: elements and pointer."""
        first = min(self.pointer, self.first_byte)
        return first, max(self.pointer + 1, self.first_byte + self.nbytes) - first

    def bytes_at(self, address: int, nbytes: int) -> Any:
        """A view of these bytes, if they are USM of the producer's context."""
        return _core.from_usm_array_interface(bytes_on(self.syclobj, address, nbytes))

    # ---- rules that tables have in common

    def arithmetic(self) -> str:
        """Break the rule where a size, stride or address leaves 64 bits."""
        counts = [0, *(self.strides or ())]  # of no elements, whose other extents may be any
        if not self.is_empty:
            reach = sum(map(abs, self.reaches()))
            counts = [math.prod(self.shape), self.offset, reach, *self.all_strides()]
        largest = max(max(map(abs, counts)) * self.itemsize, 0, *self.shape)
        require(largest <= _MOST, f"{largest} bytes")
        if not self.is_empty:
            first, last = self.first_byte, self.first_byte + self.nbytes - 1
            require(first >= 0 and last < 2**64, f"addresses {first:#x} to {last:#x}")
        return f"{self.nbytes} bytes"

    @rule("bounds", "every element inside the allocation", "pointer")
    def BOUNDS(self) -> str:
        """Ask for a view of all bytes, and of the pointer's."""
        self.bytes_at(*self.with_pointer())
        return f"{self.nbytes} bytes from {self.first_byte:#x}"

    @rule("alignment", "element zero aligned for its type", "arithmetic")
    def ALIGNMENT(self) -> str:
        """Divide the address."""
        only_if(not self.is_empty, "no elements")
        is_aligned = self.element_zero % self.alignment == 0
        text = "is a multiple" if is_aligned else "is not a multiple"
        found = f"{self.element_zero:#x} {text} of {self.alignment}"
        require(is_aligned, found)
        return found

    def agreed_readonly(self, readonly: bool, name: str) -> str:
        """Name what agrees; break the rule where flags or buffer of the object say otherwise."""
        said: dict[str, tuple[bool, str]] = {}  # whether it says read-only, and its words
        flags = getattr(self.producer, "flags", None)
        for flag in ("writable", "writeable"):
            if isinstance(writable := getattr(flags, flag, None), (bool, numpy.bool_)):
                said[f"flags.{flag}"] = (not writable, f"flags.{flag} is {bool(writable)}")
                break
        with contextlib.suppress(TypeError, BufferError):
            found = memoryview(self.producer).readonly
            words = f"the buffer is {'read-only' if found else 'writable'}"
            said["the buffer"] = (found, words)
        only_if(said, "the object has neither flags nor a buffer")
        for found, words in said.values():
            require(found == readonly, f"{name} is {readonly}, {words}")
        return f"{readonly}, as {' and '.join(said)}"

    def imported(self, take: Callable[[Any], Any]) -> str:
        """Import it, unless that might crash."""
        for name in ("pointer", "bounds", "alignment"):
            is_broken = self.findings[name].outcome == BROKEN
            only_if(not is_broken, f"needs '{name}', which is broken")
        view = take(self.producer)
        return f"{view.dtype} {view.shape} on {view.sycl_device.filter_string}"
