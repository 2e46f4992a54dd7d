"""tests/python/cpu_seconds.py: work counts when it is done, also that of children that live on."""

import subprocess
import sys
from contextlib import contextmanager

import pytest
from cpu_seconds import processor_seconds

WORKS = """
import sys, time
while time.process_time() < 0.5: pass
print("done", flush=True)
sys.stdin.read()
"""
# The child has a child, for which it waits without work.
STARTS_ANOTHER = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORKS!r}])"


@contextmanager
def working(program):
    """A process that has worked, and lives until the end."""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"done\n"
        yield


@pytest.mark.slow
@pytest.mark.parametrize("program", [WORKS, STARTS_ANOTHER], ids=["child", "grandchild"])
def test_children_count_while_they_work_and_not_when_they_end(program):
    start = processor_seconds()
    with working(program):
        worked = processor_seconds()
        assert worked - start >= 0.4
    assert processor_seconds() - worked < 0.4
