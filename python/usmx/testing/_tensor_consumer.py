"""Judging a consumer of DLPack."""

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy

from usmx import _core
from usmx.testing._children import Consumer
from usmx.testing._producer import ATTRIBUTE
from usmx.testing._report import Report
from usmx.testing._tensor_cases import HOST_CASES, USM_CASES, GoodTensor, Lent


def check_dlpack_consumer(
    f: str | Callable[..., Any],
    *,
    memory: Literal["usm", "host"] = "usm",
    to_numpy: str | Callable[..., Any] | None = None,
    copies: bool = False,
) -> Report:
    """Feed a function that takes any producer of DLPack with good tensors and with hostile ones.

    The function must take a good tensor without a copy, and as read-only if the tensor says so. It
    must mark the capsule as used, and call the tensor's deleter once, when the result is gone. A
    hostile tensor breaks one rule: the function must refuse it, and call its deleter once if it
    took the tensor. Since a consumer may crash on a hostile tensor, all cases run in a child
    process, which is started again when it has died. So the child must be able to import `f`. The
    rules are those of https://dmlc.github.io/dlpack. Waits for all cases.

    Args:
        f: the consumer: "module:function", or a callable of a module. A callable that cannot be
            pickled is run in this process, without the cases that it might crash on.
        memory: "usm" for tensors of oneAPI's device; "host" for tensors in ordinary host memory,
            about which no consumer can know whether it is there.
        to_numpy: turns a result into a NumPy array; given in the same ways. Without it, results are
            read through ``__sycl_usm_array_interface__``, or are NumPy arrays already.
        copies: True if the consumer is meant to copy.

    Returns:
        A Report with one finding for each case.

    Raises:
        TypeError: `f` or `to_numpy` is neither callable nor "module:function".
        ValueError: `memory` is something else.

    Example:
        >>> report = usmx.testing.check_dlpack_consumer(  # doctest: +SKIP
        ...     "numpy:from_dlpack", memory="host"
        ... )
        >>> report.raise_if_broken()  # doctest: +SKIP
    """
    consumers = {"usm": _OfUsm, "host": _OfHost}
    if memory not in consumers:
        raise ValueError(f"memory must be 'usm' or 'host', found {memory!r}")
    return consumers[memory](f, to_numpy, copies).report()


@dataclass(frozen=True)
class _TensorConsumer(Consumer):
    copies: bool

    def faults(self, case: GoodTensor, lent: Lent, result: Any) -> Iterator[str]:
        """Faults of the result, in the order in which they are seen."""
        if not lent.producer.is_taken:
            yield "the capsule is not marked as used"
        if not self.copies and lent.elements.size:
            if lent.producer.deleted:
                yield "the deleter was called while the result exists"
                return
            yield _displaced(lent, result)
            if case.changes.get("flags") == 1 and not _is_readonly(result):
                yield "the result is writable"
        yield self.different(result, lent.elements)

    def fault_at_end(self, producer: Any) -> str:
        """The fault of a used capsule's tensor; one that was not used is its capsule's still."""
        if not hasattr(producer, "deleted"):
            return ""
        gc.collect()
        _core.synchronize()
        expected = int(producer.is_taken)
        if producer.deleted == expected:
            return ""
        return f"the deleter was called {producer.deleted} times, not {expected}"


class _OfUsm(_TensorConsumer):
    cases = USM_CASES


class _OfHost(_TensorConsumer):
    cases = HOST_CASES


def _displaced(lent: Lent, result) -> str:
    if isinstance(result, numpy.ndarray):
        found = result.ctypes.data
    elif hasattr(result, ATTRIBUTE):
        found = _core.from_usm_array_interface(result)._pointer
    else:
        return ""
    return "" if found == lent.address else f"element zero is at {found:#x}, not {lent.address:#x}"


def _is_readonly(result) -> bool:
    if isinstance(result, numpy.ndarray):
        return not result.flags.writeable
    return not hasattr(result, ATTRIBUTE) or bool(getattr(result, ATTRIBUTE)["data"][1])
