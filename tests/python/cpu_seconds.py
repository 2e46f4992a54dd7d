"""Processor seconds of each test file, its child processes included: a pytest plug-in (tests/conftest.py).

Children that live on, such as the compiler that waits for the next kernel, count for the file during whose tests they
worked, and not for that during whose tests they end.

The workers of pytest-xdist count for themselves; the process that collects their results adds up, prints the dearest
files, and writes all of them beside the report of the tests, where tools/summarize_tests.py finds them.
"""

import contextlib
import json
import os
from collections import Counter
from pathlib import Path

import pytest

SHOWN = 15
TICKS = os.sysconf("SC_CLK_TCK")


class CpuSeconds:
    """Counts in each process that runs tests, and adds up in the one that reports."""

    def __init__(self, config):
        self.config = config
        self.spent = Counter()
        self.begun = None  # with the first test of a file, of those in a row

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        # Fixtures of a session or module count for the file whose test needs them first. All processes are looked at
        # where the file changes: for each of 30,000 tests that would take ten seconds.
        file = item.location[0]
        if self.begun is None:
            self.begun = processor_seconds()
        try:
            return (yield)
        finally:
            if nextitem is None or nextitem.location[0] != file:
                self.spent[file] += processor_seconds() - self.begun
                self.begun = None

    def pytest_sessionfinish(self):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["cpu_seconds"] = dict(self.spent)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.spent.update(getattr(node, "workeroutput", {}).get("cpu_seconds", {}))

    def pytest_terminal_summary(self, terminalreporter):
        if hasattr(self.config, "workeroutput") or not self.spent:
            return
        terminalreporter.section(f"processor seconds: {sum(self.spent.values()):.0f} in all")
        for file, seconds in self.spent.most_common(SHOWN):
            terminalreporter.line(f"{seconds:7.1f}  {file}")
        report = self.config.getoption("xmlpath")
        if report:
            seconds = {file: round(spent, 1) for file, spent in self.spent.most_common()}
            Path(report).with_suffix(".cpu.json").write_text(json.dumps(seconds, indent=1))


def processor_seconds():
    """Those of this process, of children that have ended, and of all that live."""
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    return own + sum(map(seconds_of_living, living_children("self")))


def seconds_of_living(process):
    """Those of another process and of its children; none of one that has just ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    seconds = sum(map(int, fields[11:15])) / TICKS  # utime, stime, cutime, cstime: proc(5)
    return seconds + sum(map(seconds_of_living, living_children(process)))


def living_children(process):
    """Each is listed with the thread that has started it."""
    with contextlib.suppress(OSError):  # threads end, and processes
        for thread in Path(f"/proc/{process}/task").iterdir():
            yield from (thread / "children").read_text().split()
