"""Judging a consumer of ``__sycl_usm_array_interface__``."""

import gc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from usmx import _core
from usmx.testing._cases import CASES, Given, Good
from usmx.testing._children import Consumer
from usmx.testing._producer import ATTRIBUTE
from usmx.testing._report import Report


def check_consumer(
    f: str | Callable[..., Any],
    *,
    to_numpy: str | Callable[..., Any] | None = None,
    as_bytes: bool = False,
    copies: bool = False,
) -> Report:
    """Feed a function that takes any producer of the protocol with good and with hostile ones.

    The function must take a good producer's elements without a copy, read-only if the
    producer says so, and keep the memory alive. A hostile producer breaks one rule, and must be
    refused with a TypeError or a ValueError. Since a consumer may crash on a hostile producer, all
    cases run in a child process, which is started again when it has died. So the child must be able
    to import `f`. The rules are those of docs/protocol.md. Waits for all cases.

    Args:
        f: the consumer: "module:function", or a callable of a module. A callable that cannot be
            pickled is run in this process, without the cases that it might crash on.
        to_numpy: turns a result into a NumPy array; given in the same ways. Without it, results are
            read through ``__sycl_usm_array_interface__``, or are NumPy arrays already.
        as_bytes: True if the result is the bytes from the lowest to the highest element.
        copies: True if the consumer is meant to copy. Then results may lie elsewhere.

    Returns:
        A Report with one finding for each case.

    Raises:
        TypeError: `f` or `to_numpy` is neither callable nor "module:function".

    Example:
        >>> report = usmx.testing.check_consumer("usmx:from_usm_array_interface")  # doctest: +SKIP
        >>> report.raise_if_broken()  # doctest: +SKIP
    """
    return _Consumer(f, to_numpy, as_bytes, copies).report()


@dataclass(frozen=True)
class _Consumer(Consumer):
    as_bytes: bool
    copies: bool

    cases = CASES

    def use(self, case: Good, producer: Any) -> Any:
        """The consumer's result for a good producer, when it has it for the last time."""
        if case.twice:
            self.f(producer)
        return self.f(producer)

    def faults(self, case: Good, given: Given, result: Any) -> Iterator[str]:
        """Faults of the result, in the order in which they are seen."""
        if hasattr(result, ATTRIBUTE) and not self.copies:
            displaced = _displaced(self, given, result)
            yield displaced
            if case.readonly and not getattr(result, ATTRIBUTE)["data"][1]:
                yield "the result is writable"
            if not displaced:
                yield _not_kept_alive(given)
        yield self.different(result, given.span if self.as_bytes else given.elements)


def _displaced(consumer: _Consumer, given: Given, result) -> str:
    expected = given.lowest if consumer.as_bytes else given.address
    found = _core.from_usm_array_interface(result)._pointer
    if given.elements.size == 0 or found == expected:
        return ""
    inside = 0 <= found - given.memory._pointer < given.memory.nbytes
    what = "another element" if inside else "a copy"
    return f"{what}: element zero is at {found:#x}, not {expected:#x}"


def _not_kept_alive(given: Given) -> str:
    """Let the producer go; the result alone must keep the memory."""
    if given.elements.size == 0:
        return ""
    reference = weakref.ref(given.memory)
    given.producer = given.memory = None
    gc.collect()
    return "" if reference() is not None else "the result does not keep the memory alive"
