"""What 15,000 rounds leave behind, at night 30,000: nothing, whether they succeed or are refused."""

import functools
import gc
import json
import sys

import leaks
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, Producer, interface_of, output_of, run_python
from leaks import BLOCKS, LIMIT, REFUSED, growth


@functools.cache
def left_by(group):
    return json.loads(output_of(f"import leaks; leaks.report({group!r})", timeout=280))


NAMES = [(group, name) for group, actions in leaks.GROUPS.items() for name in actions()]


@pytest.mark.slow
@pytest.mark.parametrize(("group", "name"), NAMES)
def test_nothing_is_left_behind(group, name):
    nbytes, blocks = left_by(group)[name]
    assert nbytes < LIMIT
    assert blocks < BLOCKS


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, *REFUSED.values()], ids=["accepted", *REFUSED])
def test_references_are_as_before(changes):
    memory = MEMORY_CLASSES["shared"](96)
    interface = interface_of(memory, **changes)
    producer = Producer(interface, memory)
    everywhere = (int, str, type(None))
    counted = [v for v in interface.values() if type(v) not in everywhere] + [producer, interface]
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(100):
        try:
            usmx.asarray(producer)
        except Exception:
            assert changes
    gc.collect()
    assert [sys.getrefcount(each) for each in counted] == before


@pytest.mark.slow
@pytest.mark.parametrize("report", [None, "1"], ids=["as usual", "with a leak report"])
def test_contexts_that_are_dropped_leave_nothing_but_the_drivers_crumbs(report):
    """The OpenCL CPU driver keeps 1 to 5 KB of a context whose kernels ran."""
    code = "import leaks; print(leaks.left_by_contexts(200))"
    left = run_python(code, timeout=280, USMX_LEAK_REPORT=report).stdout
    assert int(left) < 200 * (10 << 10)


def test_memory_returns_to_the_runtime():
    def action():
        for kind in KINDS:
            MEMORY_CLASSES[kind](1 << 20).memset(1)

    assert growth(action, 100) < 64 << 20


def test_copy_of_memory_is_freed():
    source = MEMORY_CLASSES["shared"](1 << 20)
    source.memset(1)
    assert growth(lambda: usmx.memory.MemoryUSMHost(source, copy=True), 100) < 32 << 20
