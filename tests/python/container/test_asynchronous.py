"""copy_async and fill_async: what they copy, what they come after, and what they keep.

That they do not wait is seen in C++ (copy_async_test.cpp), where a test decides when work ends; that
they come after others' work in flight, in test_order.py.
"""

import gc
import threading
import warnings
import weakref

import dpctl.memory
import dpnp.tensor as dpt
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, Producer
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")

LARGE = (300, 400)  # more than the host does at once, in all types


def numbered(shape=LARGE, dtype="f8"):
    return (np.arange(np.prod(shape)) % 100).reshape(shape).astype(dtype)


def usm(values, kind="device"):
    return usmx.asarray(np.asarray(values), usm_type=kind)


def same(found, expected):
    found = found if isinstance(found, np.ndarray) else usmx.asnumpy(found)
    np.testing.assert_array_equal(found, expected, strict=True)


# ---- what is copied

VIEWS = {
    "whole": lambda a: a,
    "rows": lambda a: a[::3],
    "columns": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "one row": lambda a: a[5],
    "repeated": lambda a: a[:1],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_between_arrays(kind, view):
    values = numbered()
    source = view(usm(values, kind))
    expected = np.array(np.broadcast_to(view(values), np.broadcast_shapes(view(values).shape)))
    destination = usmx.zeros(expected.shape, "f8", usm_type=kind)
    event = usmx.copy_async(destination, source)
    assert isinstance(event, usmx.SyclEvent)
    same(destination, expected)
    event.wait()
    assert event.execution_status.name == "complete"


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2"])
def test_from_numpy(view, dtype):
    values = view(numbered(dtype=dtype))
    destination = usmx.zeros(values.shape)
    usmx.copy_async(destination, values)
    same(destination, values.astype("f8"))


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_to_numpy(view, dtype):
    values = numbered()
    result = np.zeros(LARGE, dtype)
    usmx.copy_async(view(result), view(usm(values))).wait()
    expected = np.zeros(LARGE, dtype)
    view(expected)[...] = view(values)
    same(result, expected)


def test_source_is_repeated_to_the_shape_of_the_destination():
    row, column = numbered((400,)), numbered((300, 1))
    for source in (row, column, 2.5, [[7.0]]):
        expected = np.broadcast_to(source, LARGE)
        for form in (source, usm(source)):
            destination = usmx.zeros(LARGE)
            usmx.copy_async(destination, form)
            same(destination, np.array(expected))
        result = np.zeros(LARGE)
        usmx.copy_async(result, usm(source)).wait()
        same(result, np.array(expected))


def test_producers_take_part_as_they_are():
    values = numbered()
    theirs, ours = dpt.asarray(values), usmx.zeros(LARGE)
    usmx.copy_async(ours, theirs)
    same(ours, values)
    event = usmx.copy_async(theirs, usm(values + 1))
    event.wait()
    same(dpt.asnumpy(theirs), values + 1)


def test_buffers_take_part_as_they_are():
    values = numbered((400, 400), "u1")
    memory = bytearray(values.size)
    usmx.copy_async(memory, usm(values).reshape(-1)).wait()
    assert bytes(memory) == values.tobytes()
    destination = usmx.zeros(values.size, "u1")
    usmx.copy_async(destination, np.frombuffer(memory, "u1"))
    same(destination, values.reshape(-1))


def test_structured_elements():
    values = np.zeros(40_000, [("a", "i4"), ("b", "u1"), ("c", "i2")])
    values["a"], values["c"] = np.arange(values.size), 7
    source, destination = usm(values), usm(np.zeros_like(values))
    usmx.copy_async(destination[::2], source[::2])
    expected = np.zeros_like(values)
    expected[::2] = values[::2]
    same(destination, expected)
    usmx.fill_async(destination, values[5]).wait()
    same(destination, np.full_like(values, values[5]))


@pytest.mark.slow
@given(st.data(), hnp.array_shapes(max_dims=4, max_side=12), st.sampled_from(TYPESTRS))
@settings(max_examples=100, deadline=None)
def test_any_two_views_as_in_numpy(data, shape, typestr):
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=False, allow_ellipsis=False))
    values = numbered(shape, typestr)
    expected = np.zeros(shape, data.draw(st.sampled_from(TYPESTRS)))
    kinds = st.sampled_from(KINDS)
    source = usm(values, data.draw(kinds))
    destination = usmx.zeros(shape, expected.dtype, usm_type=data.draw(kinds))
    # So that commands and not the host do it: as if others used the source's queue.
    source.__sycl_usm_array_interface__["syclobj"]._get_capsule()
    event = usmx.copy_async(destination[key], source[key], casting="unsafe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        expected[key] = values[key]
    same(destination, expected)
    event.wait()


# ---- filling


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("view", [VIEWS["whole"], VIEWS["columns"], VIEWS["transposed"]])
def test_fill_sets_every_element(typestr, view):
    a = usmx.zeros(LARGE, typestr)
    expected = np.zeros(LARGE, typestr)
    view(expected)[...] = 1
    usmx.fill_async(view(a), 1)
    same(a, expected)


@pytest.mark.slow
def test_fill_takes_what_an_assignment_takes():
    for value in (3, 2.5, True, np.float32(7), np.array(8), usmx.asarray(9)):
        a = usmx.zeros(LARGE)
        usmx.fill_async(a, value)
        same(a, np.full(LARGE, float(value)))


# ---- one after the other, and together with what waits


@pytest.mark.parametrize("sycl_queue", [None, "out of order", "in order"])
def test_operations_come_one_after_the_other(sycl_queue):
    made = {"out of order": usmx.SyclQueue, "in order": lambda: usmx.SyclQueue(property="in_order")}
    queue = made[sycl_queue]() if sycl_queue else None
    a, b = usmx.zeros(LARGE, sycl_queue=queue), usmx.zeros(LARGE, sycl_queue=queue)
    result = np.empty(LARGE)
    for number in range(1, 101):
        usmx.fill_async(a, number)
        usmx.copy_async(b[:, ::-1], a)
        usmx.fill_async(a, -1)
        usmx.copy_async(result, b).wait()
        assert (result == number).all()
        a[...] = number
        usmx.copy_async(b, a)
        assert float(b[-1, -1]) == number


def test_memory_that_is_let_go_is_still_copied():
    for number in range(50):
        destination = usmx.empty(LARGE)
        usmx.copy_async(destination, usmx.full(LARGE, number))
        usmx.copy_async(destination[::2], np.full((150, 400), number + 0.5))
        np.full((150, 400), -1.0)  # would take the place of the other one
        same(destination[::2], np.full((150, 400), number + 0.5))
        same(destination[1::2], np.full((150, 400), float(number)))


class Numbers(np.ndarray):
    """With weak references."""


def test_host_memory_is_kept_until_it_was_read_and_no_longer():
    destination = usmx.zeros(LARGE)
    source = numbered().view(Numbers)
    alive = weakref.ref(source)
    usmx.copy_async(destination, source)
    del source
    same(destination, numbered())
    usmx.synchronize()
    gc.collect()
    assert alive() is None


def test_host_memory_is_let_go_by_later_asynchronous_copies():
    destination = usmx.zeros(LARGE)
    alive = []
    for _ in range(20):
        source = numbered().view(Numbers)
        alive.append(weakref.ref(source))
        usmx.copy_async(destination, source).wait()
    del source
    usmx.fill_async(destination, 0)
    assert not any(reference() is not None for reference in alive)


def test_event_is_what_others_wait_for():
    a = usmx.zeros(LARGE, usm_type="shared")
    theirs = dpctl.memory.as_usm_memory(a)
    for number in range(1, 51):
        event = usmx.fill_async(a, number)
        dpctl.SyclEvent(event._get_capsule()).wait()
        assert (np.frombuffer(theirs, "f8") == number).all()


def test_many_threads_copy_on_one_queue():
    queue = usmx.SyclQueue()
    failures = []

    def work(seed):
        a, b = usmx.zeros(LARGE, sycl_queue=queue), usmx.zeros(LARGE, sycl_queue=queue)
        for k in range(40):
            number = seed * 1000 + k
            usmx.fill_async(a, number)
            usmx.copy_async(b.T, a.T)
            if not (usmx.asnumpy(b) == number).all():
                failures.append(number)

    threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []


# ---- errors


@pytest.mark.parametrize(
    ("dst", "src", "error", "message"),
    [
        (np.zeros, np.zeros, TypeError, "dst or src must be .* found ndarray and ndarray"),
        (lambda n: [0.0] * n, usmx.zeros, TypeError, "dst must be .* found list"),
        (usmx.zeros, lambda n: usmx.zeros(n + 1), ValueError, r"\(3,\)"),
        (usmx.zeros, lambda n: np.zeros(n + 1), ValueError, "broadcast"),
        (np.zeros, lambda n: usmx.zeros(n + 1), ValueError, r"\(3,\)"),
        (lambda n: usmx.zeros(n).readonly(), usmx.zeros, ValueError, "read-only"),
        (lambda n: usmx.zeros(n, "i4"), usmx.zeros, TypeError, "float64 cannot be cast to int32"),
        (lambda n: usmx.zeros(n, "i4"), np.zeros, TypeError, "float64 cannot be cast to int32"),
        (lambda n: np.zeros(n, "i4"), usmx.zeros, TypeError, "float64 cannot be cast to int32"),
        (usmx.zeros, lambda n: np.array(["a"] * n), TypeError, "elements must be"),
    ],
)
def test_what_cannot_be_copied(dst, src, error, message):
    with pytest.raises(error, match=message):
        usmx.copy_async(dst(3), src(3))


def test_read_only_numpy_array_is_no_destination():
    host = np.zeros(3)
    host.flags.writeable = False
    with pytest.raises((ValueError, BufferError), match="read-only"):
        usmx.copy_async(host, usmx.zeros(3))


def test_casting_is_as_asked_for():
    destination = usmx.zeros(3, "i4")
    usmx.copy_async(destination, usm([1.5, 2.5, 3.5]), casting="unsafe")
    same(destination, np.array([1, 2, 3], "i4"))
    with pytest.raises(TypeError, match="casting='safe'"):
        usmx.copy_async(usmx.zeros(3, "f4"), usmx.zeros(3), casting="safe")
    with pytest.raises(ValueError, match="casting must be one of"):
        usmx.copy_async(usmx.zeros(3, "f4"), usmx.zeros(3), casting="any")


@pytest.mark.parametrize(
    ("dst", "value", "error", "message"),
    [
        (np.zeros, 1, TypeError, "dst must be an object with"),
        (lambda n: usmx.zeros(n).readonly(), 1, ValueError, "read-only"),
        (lambda n: usmx.zeros(n, "i1"), 300, OverflowError, "300"),
        (usmx.zeros, "x", ValueError, "x"),
    ],
)
def test_what_cannot_be_filled(dst, value, error, message):
    with pytest.raises(error, match=message):
        usmx.fill_async(dst(3), value)


def test_producer_that_says_nonsense_is_refused():
    a = usmx.zeros(3)
    bad = Producer(a.__sycl_usm_array_interface__ | {"shape": (30,)}, a)
    with pytest.raises(ValueError, match="are not all inside"):
        usmx.copy_async(usmx.zeros(30), bad)


@pytest.mark.parametrize(("to_host", "from_host"), [(False, False), (True, False), (False, True)])
def test_copy_of_another_shape_names_both(to_host, from_host):
    dst, src = (np if to_host else usmx).zeros(3), (np if from_host else usmx).zeros(4)
    text = r"copy_async: src must have the shape of dst, \(3,\), .* found \(4,\)"
    with pytest.raises(ValueError, match=text):
        usmx.copy_async(dst, src)
