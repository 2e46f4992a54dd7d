"""Parts that the checks of consumers share: each case is tried in a process that may die."""

import dataclasses
import importlib
import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, ClassVar, Protocol

import numpy

from usmx._core import asnumpy
from usmx.testing._cases import Hostile
from usmx.testing._producer import ATTRIBUTE
from usmx.testing._report import BROKEN, KEPT, NOT_TRIED, Finding, Report

_START_SECONDS = 120  # for the child to import what it needs
_CASE_SECONDS = 60


class Case(Protocol):
    """A case for a consumer: what it is fed with, and what is expected of it."""

    name: str
    expected: str
    lies_about_memory: bool  # who believes it may crash


@dataclass(frozen=True)
class Consumer:
    """The caller's function; travels to the child. Subclasses have the cases, and judge them."""

    f: Any
    to_numpy: Any

    cases: ClassVar[Mapping[str, Any]]

    def use(self, case: Any, producer: Any) -> Any:
        """The consumer's result for a good producer."""
        return self.f(producer)

    def faults(self, case: Any, given: Any, result: Any) -> Iterator[str]:
        """Faults of the result, in the order in which they are seen."""
        raise NotImplementedError

    def fault_at_end(self, producer: Any) -> str:
        """The fault that is seen once there is no result, or none any more."""
        return ""

    def judge(self, case: Any) -> tuple[str, str]:
        """Try a case: the outcome and what was found."""
        if isinstance(case, Hostile):
            return self._judge_hostile(case, case.make())
        given = case.make()
        try:
            result = self.use(case, given.producer)
            faults = [fault for fault in self.faults(case, given, result) if fault]
        except Exception as error:
            return BROKEN, _text_of(error)
        del result
        found = "; ".join(faults) or self.fault_at_end(given.producer)
        return (BROKEN, found) if found else (KEPT, "as expected")

    def _judge_hostile(self, case: Hostile, producer: Any) -> tuple[str, str]:
        try:
            self.f(producer)
        except case.errors as error:
            found = _text_of(error)
        except BaseException as error:
            return BROKEN, _text_of(error)
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
        found = made.copy() if isinstance(made, numpy.ndarray) else asnumpy(made)
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
            `f` or `to_numpy` is neither callable nor "module:function".
        """
        for name, given in (("f", self.f), ("to_numpy", self.to_numpy)):
            if not (callable(given) or _is_path(given) or (name, given) == ("to_numpy", None)):
                raise TypeError(f"{name} must be a callable or 'module:function', found {given!r}")
        findings = _in_children(self._with(_path_or_same))
        if findings is None:
            here = self._with(_function)
            findings = [_in_this_process(here, case) for case in self.cases.values()]
        return Report(f"consumer {_name_of(self.f)}", tuple(findings))

    def _with(self, change):
        return dataclasses.replace(self, f=change(self.f), to_numpy=change(self.to_numpy))


def _text_of(error: BaseException) -> str:
    """The words of a finding about an error."""
    return f"{type(error).__name__}: {error}"


def _judged(consumer: Consumer, case: Case) -> Finding:
    outcome, found = consumer.judge(case)
    return Finding(case.name, outcome, case.expected, found)


def _in_this_process(consumer: Consumer, case: Case) -> Finding:
    if case.lies_about_memory:
        found = "might crash: needs an f that a child process can import"
        return Finding(case.name, NOT_TRIED, case.expected, found)
    return _judged(consumer, case)


# ---- functions and their paths


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


# ---- child processes


def _in_children(consumer: Consumer) -> list[Finding] | None:
    """The findings of all cases; None when no child can import the consumer."""
    try:
        pickle.dumps(consumer)
    except Exception:
        return None
    findings: list[Finding] = []
    names = list(consumer.cases)
    while len(findings) < len(names):
        judged = _in_one_child(consumer, names[len(findings) :])
        if judged is None:
            return None
        findings += judged
    return findings


def _in_one_child(consumer: Consumer, names: list[str]) -> list[Finding] | None:
    """The findings until a case kills the child, that case included."""
    here, there = multiprocessing.Pipe()
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from usmx.testing._children import serve; serve({there.fileno()})"
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
        how = f"no answer in {_CASE_SECONDS} seconds"
    except EOFError:
        how = f"the process died: {_how_it_died(child.wait())}"
    case = cases[names[len(findings)]]
    return [*findings, Finding(case.name, BROKEN, case.expected, how)]


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
        consumer = pickle.loads(pickled)._with(_function)
    except (ImportError, AttributeError):  # of a module that only the parent has
        there.send(False)
        return
    there.send(True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the last words of a runtime that aborts
    for name in names:
        there.send(_judged(consumer, consumer.cases[name]))
