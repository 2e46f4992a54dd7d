"""Judging a consumer of ``__sycl_usm_array_interface__``: each case, in a process that may die."""

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
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy

from usmx import _core
from usmx._container.creation import asnumpy
from usmx.testing._cases import CASES, Given, Good, Hostile
from usmx.testing._producer import ATTRIBUTE
from usmx.testing._report import BROKEN, KEPT, NOT_TRIED, Finding, Report

_START_SECONDS = 120  # for the child to import what it needs
_CASE_SECONDS = 60


def check_consumer(
    f: str | Callable[..., Any],
    *,
    to_numpy: str | Callable[..., Any] | None = None,
    as_bytes: bool = False,
    copies: bool = False,
) -> Report:
    """Feed a function that takes any producer of the protocol with good and with hostile ones.

    Of a good producer it must take the elements, zero-copy, read-only where it says so, and keep
    the memory alive. A hostile one breaks a single rule: it must be refused with a TypeError or a
    ValueError. Since a consumer may crash on those, all cases run in a child process, which is
    started again when it has died; so `f` must be something that a child can import.

    Parameters
    ----------
    f
        The consumer: "module:function", or a callable of a module. A callable that cannot be
        pickled is run in this process; what it might crash on is then not tried.
    to_numpy
        Turns a result into a NumPy array, given in the same ways. Without it, results are read
        through ``__sycl_usm_array_interface__``, or are NumPy arrays already.
    as_bytes
        The result is the bytes from the lowest to the highest element, as of `as_usm_memory`.
    copies
        The consumer is meant to copy: results may be elsewhere, and outlive nothing.

    Returns
    -------
    Report
        One finding for each case.

    Raises
    ------
    TypeError
        `f` or `to_numpy` is neither callable nor "module:function".
    """
    for name, function in (("f", f), ("to_numpy", to_numpy)):
        if not (callable(function) or _is_path(function) or (name, function) == ("to_numpy", None)):
            raise TypeError(f"{name} must be a callable or 'module:function', found {function!r}")
    consumer = _Consumer(_path_or_same(f), _path_or_same(to_numpy), as_bytes, copies)
    findings = _in_children(consumer)
    if findings is None:
        consumer = consumer.resolved()
        findings = [_in_this_process(consumer, case) for case in CASES.values()]
    return Report(f"consumer {_name_of(f)}", tuple(findings))


@dataclass(frozen=True)
class _Consumer:
    """What the caller gave; travels to the child."""

    f: Any
    to_numpy: Any
    as_bytes: bool
    copies: bool

    def resolved(self) -> "_Consumer":
        """With functions in place of their paths."""
        return _Consumer(_function(self.f), _function(self.to_numpy), self.as_bytes, self.copies)


def _is_path(given) -> bool:
    return isinstance(given, str) and given.count(":") == 1


def _path_or_same(given):
    """The path of a callable that is where it says; functions of native modules have no pickle."""
    path = f"{getattr(given, '__module__', None)}:{getattr(given, '__qualname__', None)}"
    try:
        return path if _function(path) is given else given
    except (ImportError, AttributeError):
        return given


def _function(given):
    if not _is_path(given):
        return given
    module, _, name = given.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _name_of(f) -> str:
    return f if isinstance(f, str) else getattr(f, "__qualname__", repr(f))


# ---- one case


def _judged(consumer: _Consumer, case: Good | Hostile) -> Finding:
    if isinstance(case, Good):
        outcome, found = _judge_good(consumer, case)
    else:
        outcome, found = _judge_hostile(consumer, case)
    return Finding(case.name, outcome, _expected(case), found)


def _expected(case: Good | Hostile) -> str:
    if isinstance(case, Good):
        return "a read-only view" if case.readonly else "a view of the elements"
    return " or ".join(error.__name__.lstrip("_") for error in case.errors)


def _judge_hostile(consumer: _Consumer, case: Hostile) -> tuple[str, str]:
    try:
        consumer.f(case.make())
    except case.errors as error:
        return KEPT, _text_of(error)
    except BaseException as error:
        return BROKEN, _text_of(error)
    return BROKEN, "accepted"


def _judge_good(consumer: _Consumer, case: Good) -> tuple[str, str]:
    given = case.make()
    try:
        if case.twice:
            consumer.f(given.producer)
        result = consumer.f(given.producer)
        faults = [fault for fault in _faults(consumer, case, given, result) if fault]
    except Exception as error:
        return BROKEN, _text_of(error)
    return (BROKEN, "; ".join(faults)) if faults else (KEPT, "as expected")


def _faults(consumer: _Consumer, case: Good, given: Given, result):
    """What is wrong with the result, in the order in which it is seen."""
    has_memory = hasattr(result, ATTRIBUTE)
    if has_memory and not consumer.copies:
        displaced = _displaced(consumer, given, result)
        yield displaced
        if case.readonly and not getattr(result, ATTRIBUTE)["data"][1]:
            yield "the result is writable"
        if not displaced:
            yield _not_kept_alive(given)
    yield _different(consumer, given, _elements(consumer, result))


def _elements(consumer: _Consumer, result) -> numpy.ndarray:
    if consumer.to_numpy is not None:
        return numpy.asarray(consumer.to_numpy(result))
    return result if isinstance(result, numpy.ndarray) else asnumpy(result)


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


def _different(consumer: _Consumer, given: Given, found: numpy.ndarray) -> str:
    expected = given.extent if consumer.as_bytes else given.elements
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return f"{found.dtype} of shape {found.shape}, not {expected.dtype} of {expected.shape}"
    if not numpy.array_equal(found, expected):
        return f"values {found.ravel()[:4]}..., not {expected.ravel()[:4]}..."
    return ""


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _in_this_process(consumer: _Consumer, case: Good | Hostile) -> Finding:
    if isinstance(case, Hostile) and case.lies_about_memory:
        found = "might crash: needs an f that a child process can import"
        return Finding(case.name, NOT_TRIED, _expected(case), found)
    return _judged(consumer, case)


# ---- child processes


def _in_children(consumer: _Consumer) -> list[Finding] | None:
    """The findings of all cases; None when no child can import the consumer."""
    try:
        pickle.dumps(consumer)
    except Exception:
        return None
    findings: list[Finding] = []
    names = list(CASES)
    while len(findings) < len(names):
        judged = _in_one_child(consumer, names[len(findings) :])
        if judged is None:
            return None
        findings += judged
    return findings


def _in_one_child(consumer: _Consumer, names: list[str]) -> list[Finding] | None:
    """The findings until a case kills the child, that case included."""
    here, there = multiprocessing.Pipe()
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from usmx.testing._consumer import serve; serve({there.fileno()})"
    )
    child = subprocess.Popen([sys.executable, "-c", program], pass_fds=[there.fileno()])
    there.close()
    try:
        here.send((names, pickle.dumps(consumer)))
        return _received(here, child, names)
    finally:
        child.kill()
        child.wait()
        here.close()


def _received(here, child, names: list[str]) -> list[Finding] | None:
    findings: list[Finding] = []
    try:
        if not here.poll(_START_SECONDS) or not here.recv():
            return None
        while len(findings) < len(names) and here.poll(_CASE_SECONDS):
            findings.append(here.recv())
        if len(findings) == len(names):
            return findings
        how = f"no answer in {_CASE_SECONDS} seconds"
    except EOFError:
        how = f"the process died: {_how_it_died(child.wait())}"
    case = CASES[names[len(findings)]]
    return [*findings, Finding(case.name, BROKEN, _expected(case), how)]


def _how_it_died(exitcode: int) -> str:
    if exitcode >= 0:
        return f"exit code {exitcode}"
    return f"{signal.Signals(-exitcode).name}"


def serve(file_descriptor: int) -> None:
    """Judge the cases that the parent asks for, in the child; each finding is sent at once."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    there = Connection(file_descriptor)
    names, pickled = there.recv()
    try:
        consumer = pickle.loads(pickled).resolved()
    except (ImportError, AttributeError):  # of a module that only the parent has
        there.send(False)
        return
    there.send(True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the last words of a runtime that aborts
    for name in names:
        there.send(_judged(consumer, CASES[name]))
