"""The engine that judges consumers: each case is tried in a process that may die."""

import dataclasses
import gc
import importlib
import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Literal

import numpy

from usmx import _core
from usmx.testing._cases import CASES, Case, Given, Good, Hostile
from usmx.testing._producer import ATTRIBUTE
from usmx.testing._report import BROKEN, KEPT, NOT_TRIED, Finding, Report
from usmx.testing._tensor_cases import HOST_CASES, USM_CASES, GoodTensor
from usmx.testing._tensors import READ_ONLY

_START_SECONDS = 120  # for the child to import what it needs
_CASE_SECONDS = 60  # long enough to compile kernels, and to wait on a busy machine
_SILENT_CASES = 3  # after so many that were not over in time, the others are not tried
_DEATHS_IN_A_ROW = 25  # likewise; the catalogue has fewer lies about memory next to each other


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
    to import `f`. A case may take 60 seconds there. The rules are those of docs/protocol.md. Waits
    for all cases.

    Args:
        f: the consumer: "module:function", or a callable of a module. A callable that cannot be
            pickled is run in this process, without the cases that it might crash on, and without a
            limit of time.
        to_numpy: turns a result into a NumPy array; given in the same ways. Without it, results are
            read through ``__sycl_usm_array_interface__``, or are NumPy arrays already, which must
            be views of shared and host memory.
        as_bytes: True if the result is the bytes from the lowest to the highest element.
        copies: True if the consumer is meant to copy. Then results may lie elsewhere.

    Returns:
        A Report with one finding for each case.

    Raises:
        TypeError: `f` or `to_numpy` is neither callable nor the "module:function" of a callable.

    Example:
        >>> report = usmx.testing.check_consumer("usmx:from_usm_array_interface")  # doctest: +SKIP
        >>> report.raise_if_broken()  # doctest: +SKIP
    """
    return _OfProtocol(f, to_numpy, copies, as_bytes).report()


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
    process, which is started again when it has died. So the child must be able to import `f`. A
    case may take 60 seconds there. The rules are those of https://dmlc.github.io/dlpack. Waits for
    all cases.

    Args:
        f: the consumer: "module:function", or a callable of a module. A callable that cannot be
            pickled is run in this process, without the cases that it might crash on, and without a
            limit of time.
        memory: "usm" for tensors of oneAPI's device; "host" for tensors in ordinary host memory,
            about which no consumer can know whether it is there.
        to_numpy: turns a result into a NumPy array; given in the same ways. Without it, results are
            read through ``__sycl_usm_array_interface__``, or are NumPy arrays already.
        copies: True if the consumer is meant to copy.

    Returns:
        A Report with one finding for each case.

    Raises:
        TypeError: `f` or `to_numpy` is neither callable nor the "module:function" of a callable.
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
class _Consumer:
    """The caller's function; travels to the child. Subclasses have the cases, and judge them."""

    f: Any
    to_numpy: Any
    copies: bool

    cases: ClassVar[Mapping[str, Case]]

    def faults(self, case: Any, given: Given, result: Any) -> Iterator[str]:
        """Faults of the result, in the order in which they are seen."""
        raise NotImplementedError

    def fault_at_end(self, producer: Any) -> str:
        """The fault that is seen once there is no result, or none any more."""
        return ""

    def judged(self, case: Any) -> Finding:
        """Try a case."""
        judge = self._judge_hostile if isinstance(case, Hostile) else self._judge_good
        outcome, found = judge(case)
        return Finding(case.name, outcome, case.expected, found)

    def _judge_good(self, case: Any) -> tuple[str, str]:
        given = case.make()
        try:
            if getattr(case, "twice", False):
                self.f(given.producer)
            result = self.f(given.producer)
            faults = [fault for fault in self.faults(case, given, result) if fault]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too, which would end the other cases with it
            return BROKEN, f"{type(error).__name__}: {error}"
        del result
        found = "; ".join(faults) or self.fault_at_end(given.producer)
        return (BROKEN, found) if found else (KEPT, "as expected")

    def _judge_hostile(self, case: Hostile) -> tuple[str, str]:
        producer = case.make()
        try:
            self.f(producer)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found = f"{type(error).__name__}: {error}"
            if not isinstance(error, case.errors):
                return BROKEN, found
        else:
            return BROKEN, "accepted"
        fault = self.fault_at_end(producer)
        return (BROKEN, fault) if fault else (KEPT, found)

    def different(self, result: Any, expected: numpy.ndarray) -> str:
        """The difference between a result's elements and the expected ones; empty if none."""
        made = result if self.to_numpy is None else numpy.asarray(self.to_numpy(result))
        if not isinstance(made, numpy.ndarray) and not hasattr(made, ATTRIBUTE):
            return (
                f"the result, of type {type(made).__name__}, is no array: what is judged is a "
                "function that returns the elements that it took; to_numpy= reads other results"
            )
        found = made.copy() if isinstance(made, numpy.ndarray) else _core.asnumpy(made)
        if (found.shape, found.dtype) != (expected.shape, expected.dtype):
            return f"{found.dtype} of shape {found.shape}, not {expected.dtype} of {expected.shape}"
        if not numpy.array_equal(found, expected):
            return f"values {found.ravel()[:4]}..., not {expected.ravel()[:4]}..."
        return ""

    def report(self) -> Report:
        """One finding for each case.

        Raises
        ------
        TypeError
            `f` or `to_numpy` is neither callable nor the "module:function" of a callable.
        """
        for name, given in (("f", self.f), ("to_numpy", self.to_numpy)):
            if not (callable(given) or _is_path(given) or (name, given) == ("to_numpy", None)):
                raise TypeError(f"{name} must be a callable or 'module:function', found {given!r}")
        findings = _in_children(self.with_(_path_or_same))
        if findings is None:  # no child can import it
            here = self.with_(_function)
            findings = [here.judged_here(case) for case in self.cases.values()]
        name = self.f if isinstance(self.f, str) else getattr(self.f, "__qualname__", repr(self.f))
        return Report(f"consumer {name}", tuple(findings))

    def judged_here(self, case: Case) -> Finding:
        """Try a case in this process, if that cannot end it."""
        if not case.lies_about_memory:
            return self.judged(case)
        found = "might crash: needs an f that a child process can import"
        return Finding(case.name, NOT_TRIED, case.expected, found)

    def with_(self, change: Callable[[Any], Any]) -> Any:
        """The consumer with other forms of its functions."""
        return dataclasses.replace(self, f=change(self.f), to_numpy=change(self.to_numpy))


def _seen(result: Any) -> tuple[int, bool] | None:
    """Address of element zero and whether it is read-only; None where the result has no such."""
    if isinstance(result, numpy.ndarray):
        return result.ctypes.data, not result.flags.writeable
    if hasattr(result, ATTRIBUTE):
        address = _core.from_usm_array_interface(result)._pointer
        return address, bool(getattr(result, ATTRIBUTE)["data"][1])
    return None


# ---- the protocol's consumers


@dataclass(frozen=True)
class _OfProtocol(_Consumer):
    as_bytes: bool

    cases = CASES

    def faults(self, case: Good, given: Given, result: Any) -> Iterator[str]:
        # A NumPy array of device memory may have to be a copy.
        may_copy = case.kind == "device" and isinstance(result, numpy.ndarray)
        seen = None if self.copies or may_copy else _seen(result)
        if seen is not None:
            address, readonly = seen
            displaced = self._displaced(given, address)
            yield displaced
            if case.readonly and not readonly:
                yield "the result is writable"
            if not displaced and given.elements.size:
                # The result alone must keep the memory, once the producer is gone.
                memory = weakref.ref(given.memory)
                given.producer = given.memory = None
                gc.collect()
                yield "" if memory() is not None else "the result does not keep the memory alive"
        yield self.different(result, given.span if self.as_bytes else given.elements)

    def _displaced(self, given: Given, found: int) -> str:
        expected = given.lowest if self.as_bytes else given.address
        if given.elements.size == 0 or found == expected:
            return ""
        inside = 0 <= found - given.memory._pointer < given.memory.nbytes
        what = "another element" if inside else "a copy"
        return f"{what}: element zero is at {found:#x}, not {expected:#x}"


# ---- those of DLPack


class _OfUsm(_Consumer):
    cases = USM_CASES

    def faults(self, case: GoodTensor, given: Given, result: Any) -> Iterator[str]:
        if not given.producer.is_taken:
            yield "the capsule is not marked as used"
        if not self.copies and given.elements.size:
            if given.producer.deleted:
                yield "the deleter was called while the result exists"
                return
            if (seen := _seen(result)) is not None:
                address, readonly = seen
                if address != given.address:
                    yield f"element zero is at {address:#x}, not {given.address:#x}"
                if case.changes.get("flags") == READ_ONLY and not readonly:
                    yield "the result is writable"
        yield self.different(result, given.elements)

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


class _OfHost(_OfUsm):
    cases = HOST_CASES


# ---- functions and their paths


def _is_path(given) -> bool:
    return isinstance(given, str) and given.count(":") == 1


def _path_or_same(given):
    """The path of a callable that is where it says; functions of native modules have no pickle."""
    path = f"{getattr(given, '__module__', None)}:{getattr(given, '__qualname__', None)}"
    try:
        return path if _function(path) is given else given
    except (ImportError, AttributeError, TypeError):
        return given


def _function(given):
    if not _is_path(given):
        return given
    module, _, name = given.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{given!r} must name a callable, found {type(found).__name__}")
    return found


# ---- child processes


def _in_children(consumer: _Consumer) -> list[Finding] | None:
    """The findings of all cases; None when no child can import the consumer."""
    try:
        pickle.dumps(consumer)
    except Exception:
        return None
    findings: list[Finding] = []
    names = list(consumer.cases)
    deaths_in_a_row = 0
    while len(findings) < len(names):
        judged = _in_one_child(consumer, names[len(findings) :])
        if judged is None:
            return None
        findings += judged
        deaths_in_a_row = deaths_in_a_row + 1 if len(judged) == 1 else 1
        silent = sum(finding.found == _no_answer() for finding in findings)
        if silent >= _SILENT_CASES or deaths_in_a_row >= _DEATHS_IN_A_ROW:
            unanswered = silent if silent >= _SILENT_CASES else deaths_in_a_row
            why = f"given up after {unanswered} cases without an answer"
            left = (consumer.cases[name] for name in names[len(findings) :])
            findings += [Finding(case.name, NOT_TRIED, case.expected, why) for case in left]
    return findings


def _no_answer() -> str:
    return f"no answer in {_CASE_SECONDS} seconds"


def _in_one_child(consumer: _Consumer, names: list[str]) -> list[Finding] | None:
    """The findings until a case kills the child, that case included."""
    here, there = multiprocessing.Pipe()
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from usmx.testing._consumers import serve; serve({there.fileno()})"
    )
    child = subprocess.Popen([sys.executable, "-c", program], pass_fds=[there.fileno()])
    there.close()
    try:
        here.send((names, pickle.dumps(consumer)))
        return _received(here, child, names, consumer.cases)
    finally:
        child.kill()
        child.wait()
        here.close()


def _received(here, child, names: list[str], cases: Mapping[str, Case]) -> list[Finding] | None:
    findings: list[Finding] = []
    try:
        if not here.poll(_START_SECONDS) or not here.recv():
            return None
        while len(findings) < len(names) and here.poll(_CASE_SECONDS):
            findings.append(here.recv())
        if len(findings) == len(names):
            return findings
        how = _no_answer()
    except EOFError:
        status = child.wait()
        name = f"exit code {status}" if status >= 0 else signal.Signals(-status).name
        how = f"the process died: {name}"
    case = cases[names[len(findings)]]
    return [*findings, Finding(case.name, BROKEN, case.expected, how)]


def serve(file_descriptor: int) -> None:
    """Judge the cases that the parent asks for, in the child; each finding is sent at once."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    there = Connection(file_descriptor)
    names, pickled = there.recv()
    try:
        consumer = pickle.loads(pickled).with_(_function)
    except (ImportError, AttributeError, TypeError):  # of a module that only the parent has
        there.send(False)
        return
    there.send(True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the last words of a runtime that aborts
    for name in names:
        there.send(consumer.judged(consumer.cases[name]))
