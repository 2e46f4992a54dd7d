"""Forked children that are given arrays and memory objects: errors reach the parent, nothing hangs."""

import copy
import os
import pickle

import pytest
import usmx
from every_use import USES, shared
from forked import error_of, in_forked_child
from helpers import KINDS, MEMORY_CLASSES, output_of


class Labelled(usmx.USMArray):
    """A subclass with an attribute of its own."""


class LabelledMemory(usmx.memory.MemoryUSMShared):
    """The same of memory."""


labelled = Labelled((3,), "f8", usmx.zeros(3).base)
labelled.label = "mine"
labelled_memory = LabelledMemory(8)
labelled_memory.label = "mine"

PICKLED = {f"{kind} array": usmx.ones(3, usm_type=kind) for kind in KINDS}
PICKLED |= {f"{kind} memory": made(8) for kind, made in MEMORY_CLASSES.items()}
PICKLED |= {
    "empty array": usmx.zeros((0, 3)),
    "Fortran array": usmx.zeros((2, 3), order="F"),
    "strided array": usmx.zeros(8)[::2],
    "read-only array": usmx.zeros(3).readonly(),
    "structured array": usmx.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    "subclass": labelled,
    "subclass of memory": labelled_memory,
}

pickled = pickle.dumps(shared)


def in_child_with_stand_in(action):
    """What `action` gives, as text, in a forked child for what it unpickles of `shared`."""
    return in_forked_child(lambda: action(pickle.loads(pickled)))


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_of_what_a_forked_child_unpickled_raises_the_error_that_says_so(use):
    if use is usmx.to_dpnp:
        import dpnp  # noqa: F401 (that it is absent would be the error)
    assert in_child_with_stand_in(lambda x: error_of(lambda: use(x))) == "forked"


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("original", PICKLED.values(), ids=PICKLED)
def test_everything_that_is_pickled_can_be_unpickled_in_a_forked_child(original, protocol):
    stream = pickle.dumps({"one": [original], "two": (original, 3)}, protocol)

    def use():
        given = pickle.loads(stream)
        assert isinstance(given["two"][0], type(original))
        assert given["two"][0] is given["one"][0]
        return error_of(lambda: given["one"][0].nbytes)

    assert in_forked_child(use) == "forked"


def test_frames_out_of_band_are_unpickled_in_a_forked_child():
    frames = []
    stream = pickle.dumps(shared, 5, buffer_callback=frames.append)
    frames = [bytes(frame) for frame in frames]
    used = in_forked_child(lambda: error_of(lambda: len(pickle.loads(stream, buffers=frames))))
    assert used == "forked"


def test_its_repr_says_what_it_is():
    text = in_child_with_stand_in(repr)
    assert "USMArray" in text
    assert "forked" in text


def test_it_may_be_hashed_held_copied_and_dropped():
    def use(x):
        held = {x: 1, **{copy.copy(x): 2 for _ in range(100)}}
        assert held[x] == 1
        del x, held
        return "fine"

    assert in_child_with_stand_in(use) == "fine"


@pytest.mark.parametrize("original", PICKLED.values(), ids=PICKLED)
def test_pickled_again_it_is_what_the_parent_had(original):
    stream = pickle.dumps(original)
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as pipe:
        written = in_forked_child(lambda: os.write(writer, pickle.dumps(pickle.loads(stream))))
        assert written == str(len(stream))
        os.close(writer)
        back = pickle.load(pipe)
    assert type(back) is type(original)
    assert getattr(back, "label", None) == getattr(original, "label", None)
    assert pickle.dumps(back) == stream


PREAMBLE = """
import contextlib, multiprocessing, usmx, numpy as np
from concurrent.futures import ProcessPoolExecutor
context = multiprocessing.get_context("fork")
@contextlib.contextmanager
def pool(size):
    made = context.Pool(size)
    try:
        yield made
    finally:  # a Pool's own `with` kills the children, and may wait for ever for a lock that one held
        made.close()
        made.join()
def total(a): return float(usmx.asnumpy(a).sum())
def total_of_numpy(pair): return float(pair[1].sum())
def same(a): return a
arrays = [usmx.arange(4), usmx.arange(5, usm_type="host")]
"""
ROUTES = {
    "Pool.map": "with pool(2) as p: p.map(total, arrays)",
    "Pool.starmap": "with pool(2) as p: p.starmap(total, [(a,) for a in arrays])",
    "Pool.apply": "with pool(1) as p: p.apply(total, arrays[:1])",
    "Pool.apply by keyword": "with pool(1) as p: p.apply(total, (), {'a': arrays[0]})",
    "Pool.apply_async": "with pool(1) as p: p.apply_async(total, arrays[:1]).get(30)",
    "Pool.imap": "with pool(2) as p: list(p.imap(total, arrays))",
    "Pool.imap_unordered": "with pool(2) as p: list(p.imap_unordered(total, arrays))",
    "ProcessPoolExecutor": (
        "with ProcessPoolExecutor(2, mp_context=context) as p: list(p.map(total, arrays))"
    ),
    "inherited array": (
        "def of_global(i): return total(arrays[i])\n    with pool(2) as p: p.map(of_global, [0, 1])"
    ),
    # Not joblib's 'multiprocessing': when a child fails, it ends the other while that may hold the lock of the pipe
    # of results, and waits for that lock for ever. With four such programs at a time this hangs without usmx, too
    # (NumPy arrays and a function that raises: 1 of 200; joblib 1.6, CPython 3.11).
}


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_pool_delivers_the_error_of_a_forked_child(route):
    lines = route.replace("def of_global", "global of_global\n    def of_global")
    code = f"""{PREAMBLE}
try:
    {lines}
except RuntimeError as error:
    print(type(error).__name__, "forked" in str(error))
"""
    assert output_of(code) == "RuntimeError True"


def test_numpy_arrays_beside_it_work_in_a_forked_pool():
    code = PREAMBLE + (
        "with pool(2) as p: print(p.map(total_of_numpy, [(arrays[0], np.arange(4))] * 2))"
    )
    assert output_of(code) == "[6.0, 6.0]"


def test_what_a_task_of_a_forked_pool_gives_back_untouched_arrives_whole():
    code = PREAMBLE + "with pool(2) as p: print([total(a) for a in p.map(same, arrays)])"
    assert output_of(code) == "[6.0, 10.0]"


@pytest.mark.slow
def test_joblib_by_its_own_processes_computes():
    code = f"""{PREAMBLE}
import joblib
print(joblib.Parallel(2, "loky")(joblib.delayed(total)(a) for a in arrays))
"""
    assert output_of(code) == "[6.0, 10.0]"


def test_forked_child_drops_what_it_inherited_and_unpickled_and_ends_in_silence():
    code = """
import os, pickle, sys, usmx
inherited = [usmx.zeros(1 << 16, usm_type=kind) for kind in ("device", "shared", "host")]
event = usmx.fill_async(inherited[0], 1)
stream = pickle.dumps(inherited)
child = os.fork()
if child == 0:
    unpickled = pickle.loads(stream)
    del inherited[0], unpickled[0], event
    sys.exit(7)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), usmx.asnumpy(inherited[0])[5])
"""
    assert output_of(code) == "7 1.0"
