"""Strided copies and conversions as an independent library does them: oneDNN's reorder.

oneDNN saturates integers and rounds floats to the nearest integer where usmx, as NumPy, wraps and
truncates: what is compared are values that both types hold, and the rounding of floats to floats.
"""

import ctypes
import functools
import importlib.metadata

import numpy as np
import pytest
import usmx
from helpers import KINDS
from hypothesis import given, settings
from hypothesis import strategies as st

# dnnl_types.h
TYPES = {"f2": 1, "f4": 3, "i4": 4, "i1": 5, "u1": 6, "f8": 7}
CPU, IN_ORDER, SOURCE, DESTINATION = 1, 1, 1, 17
# What oneDNN itself needs, and is not told where to find.
NEEDS = ("libtbb.so.12", "libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libsycl.so.9")


class Argument(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


@functools.cache
def library():
    usmx.SyclDevice()  # loads the SYCL runtime that oneDNN then takes
    files = importlib.metadata.distribution("onednn").files
    (found,) = (file for file in files if file.name == "libdnnl.so.3")
    folder = found.locate().resolve().parent
    for name in NEEDS:
        ctypes.CDLL(str(folder / name))
    return ctypes.CDLL(str(folder / "libdnnl.so.3"))


def call(name, *arguments):
    status = getattr(library(), name)(*arguments)
    assert status == 0, f"{name}: status {status}"


def made(name, *arguments):
    """What a function writes to its first argument."""
    result = ctypes.c_void_p()
    call(name, ctypes.byref(result), *arguments)
    return result


@functools.cache
def engine():
    if not any(device.is_cpu for device in usmx.get_devices()):
        pytest.skip("oneDNN's engine needs the CPU device, which the selector does not show")
    return made("dnnl_engine_create", ctypes.c_int(CPU), ctypes.c_size_t(0))


@functools.cache
def stream():
    return made("dnnl_stream_create", engine(), ctypes.c_uint(IN_ORDER))


def description(array):
    numbers = ctypes.c_int64 * array.ndim
    return made(
        "dnnl_memory_desc_create_with_strides",
        ctypes.c_int(array.ndim),
        numbers(*array.shape),
        ctypes.c_int(TYPES[array.dtype.str[1:]]),
        numbers(*array.strides),
    )


def reorder(source, destination):
    """oneDNN's copy of one USM array into another, of any types and positive strides."""
    arrays = (source, destination)
    descriptions = [description(array) for array in arrays]
    memories = [
        made("dnnl_memory_create", md, engine(), ctypes.c_void_p(array._pointer))
        for array, md in zip(arrays, descriptions, strict=True)
    ]
    from_, to = descriptions
    pd = made("dnnl_reorder_primitive_desc_create", from_, engine(), to, engine(), None)
    primitive = made("dnnl_primitive_create", pd)
    roles = zip((SOURCE, DESTINATION), memories, strict=True)
    arguments = (Argument * 2)(*(Argument(role, memory.value) for role, memory in roles))
    call("dnnl_primitive_execute", primitive, stream(), ctypes.c_int(2), arguments)
    call("dnnl_stream_wait", stream())
    call("dnnl_primitive_destroy", primitive)
    call("dnnl_primitive_desc_destroy", pd)
    for memory, md in zip(memories, descriptions, strict=True):
        call("dnnl_memory_destroy", memory)
        call("dnnl_memory_desc_destroy", md)


def check(source, new_array, view=lambda array: array):
    """usmx's copies into views of new arrays, waited for or not, against oneDNN's."""
    theirs, ours, later = (new_array() for _ in range(3))
    reorder(source, view(theirs))
    view(ours)[...] = source
    usmx.copy_async(view(later), source, casting="unsafe")
    expected = usmx.asnumpy(theirs).tobytes()
    assert usmx.asnumpy(ours).tobytes() == expected
    assert usmx.asnumpy(later).tobytes() == expected


# ---- what is copied


# oneDNN converts no doubles, nor these with each other.
PAIRS = [
    (source, destination)
    for source in TYPES
    for destination in TYPES
    if "f8" not in (source, destination)
    and (source, destination) not in [("f2", "i4"), ("i4", "f2"), ("u1", "f2")]
]


def values(count, source, destination):
    """Numbers that both libraries convert alike, in an order of no symmetry."""
    source, destination = np.dtype(source), np.dtype(destination)
    random = np.random.default_rng(count)
    if source.kind == destination.kind == "f":
        magnitudes = np.exp2(random.uniform(-24, 15.9, count))
        return (random.choice([-1, 1], count) * magnitudes).astype(source)
    limits = [np.iinfo(t) for t in (source, destination) if t.kind in "iu"]
    exact = 2048 if "f2" in (source.str[1:], destination.str[1:]) else 2**24
    low = max([-exact if destination.kind == "f" else -(2**31), *(info.min for info in limits)])
    high = min([exact, *(info.max for info in limits)])
    if source.kind == "f":
        low = max(low, -exact)
    return random.integers(low, high, count, endpoint=True).astype(source)


def usm(numbers, kind="shared"):
    return usmx.asarray(numbers, usm_type=kind)


@pytest.mark.parametrize(("source", "destination"), PAIRS)
def test_conversions_are_those_of_onednn(source, destination):
    numbers = values(5000, source, destination)
    check(usm(numbers), lambda: usmx.zeros(numbers.size, destination, usm_type="shared"))


def test_every_half_and_what_rounds_to_it_are_those_of_onednn():
    halves = np.arange(2**16, dtype="u2").view("f2")
    halves = halves[np.isfinite(halves) & ~(np.signbit(halves) & (halves == 0))]  # -0 is 0 there
    check(usm(halves), lambda: usmx.zeros(halves.size, "f4", usm_type="shared"))
    between = np.nextafter(halves.astype("f4"), np.float32(np.inf))
    check(usm(between), lambda: usmx.zeros(halves.size, "f2", usm_type="shared"))


@st.composite
def layouts(draw, shape):
    """The shape of an array, and a function that takes a view with `shape` of it."""
    axes = draw(st.permutations(range(len(shape))))
    steps = [draw(st.integers(1, 3)) for _ in axes]
    whole = tuple(shape[axis] * step for axis, step in zip(axes, steps, strict=True))
    key = tuple(slice(None, None, step) for step in steps)
    order = tuple(int(k) for k in np.argsort(axes))
    return whole, lambda array: array[key].transpose(order)


@pytest.mark.slow
@given(st.data(), st.sampled_from(PAIRS), st.sampled_from(KINDS))
@settings(max_examples=150, deadline=None)
def test_strided_copies_are_those_of_onednn(data, types, kind):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    whole, view = data.draw(layouts(shape))
    source = view(usm(values(int(np.prod(whole)), *types).reshape(whole), kind))
    room, view_of = data.draw(layouts(shape))
    check(source, lambda: usmx.zeros(room, types[1], usm_type=kind), view_of)


@pytest.mark.slow
@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("types", [("f4", "f4"), ("i1", "i1"), ("f4", "f2"), ("i1", "f4")])
def test_large_permuted_copies_are_those_of_onednn(axes, types):
    shape = (96, 130, 100)
    source = usm(values(int(np.prod(shape)), *types).reshape(shape)).transpose(axes)
    check(source, lambda: usmx.zeros(source.shape, types[1]))
