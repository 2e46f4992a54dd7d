"""Whole dictionaries against a model: accepted exactly when it says so, refused with its errors.

A valid dictionary for some real memory is drawn first, then some of its entries are replaced. What is
drawn for an entry comes with what it means (`Means`), so that the model never has to look at hostile
objects. It is written from PROTOCOL.md, in Python's unbounded integers. An array that is accepted has
NumPy's elements.
"""

import collections
import dataclasses
import functools
import itertools
import math
import types
import weakref

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, Producer, make_capsule
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MISSING = object()


class Mine(Exception):
    """What hostile objects raise: it has to pass through."""


@dataclasses.dataclass
class Means:
    """An object for the dictionary, and what it means: a value, or errors any of which will do."""

    given: object
    value: object = None
    errors: tuple = ()

    def __repr__(self):
        return f"{self.given!r} (means {self.errors or repr(self.value)})"


def wrong(error, *objects):
    return [Means(found, errors=(error,)) for found in objects]


# ---- integers


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, type):
            raise self.value
        return self.value


class IntSubclass(int):
    def __index__(self):
        raise AssertionError("an int is used as it is")


def integers(value, lowest, highest):
    """Objects that stand for the value, which must lie within the bounds."""
    errors = () if lowest <= value <= highest else (ValueError,)
    forms = [value, Index(value), IntSubclass(value)]
    if -(2**63) <= value < 2**63:
        forms.append(np.int64(value))
    return st.sampled_from([Means(form, value, errors) for form in forms])


NO_INTEGERS = wrong(TypeError, 1.0, "1", b"1", None, (1,), Index("1"), Index(None), Index(1.0))
NO_INTEGERS += wrong(Mine, Index(Mine)) + wrong(TypeError, np.float64(2), object())
COUNTS = {"lowest": -(2**63), "highest": 2**63 - 1}
EXTREMES = [
    sign * (2**power + near)
    for sign, power, near in itertools.product(
        (1, -1), (31, 59, 60, 61, 62, 63, 64, 100), (-1, 0, 1)
    )
]


def any_integer(**bounds):
    number = st.one_of(st.integers(-8, 40), st.sampled_from(EXTREMES))
    return st.one_of(number.flatmap(lambda n: integers(n, **bounds)), st.sampled_from(NO_INTEGERS))


def sequence_of(items):
    """A tuple or list of them."""

    def means(items, form):
        errors = tuple(error for item in items for error in item.errors)
        errors += (ValueError,) if len(items) > 64 else ()
        return Means(form(item.given for item in items), tuple(i.value for i in items), errors)

    return st.builds(means, st.just(items), st.sampled_from([tuple, list, ListSubclass]))


class ListSubclass(list):
    pass


NO_SEQUENCES = wrong(TypeError, 3, "34", {3, 4}, {3: 4}, range(3), iter(()), np.array([3, 4]))
EXTENTS = {"lowest": 0, "highest": 2**63 - 1}


def any_sequence(**bounds):
    short = st.lists(any_integer(**bounds), max_size=4)
    valid = st.integers(1, 4).flatmap(lambda n: integers(n, **bounds))
    long = st.lists(valid, min_size=62, max_size=66).map(list)
    return st.one_of(short, short, long).flatmap(sequence_of)


# ---- memory: what is there, and addresses that are nowhere

# Hypothesis keeps some that it has drawn before, and these may be next to each other. Nobody else's
# blocks are in these pools.
live_places = weakref.WeakSet()
pools = {kind: usmx.memory.PoolResource(usmx.memory.PlainResource(kind)) for kind in KINDS}


@dataclasses.dataclass(eq=False)
class Place:
    """Real memory, and the bytes in it."""

    owner: object
    kind: str
    nbytes: int

    def __post_init__(self):
        live_places.add(self)

    @property
    def start(self):
        return self.owner._pointer

    def fill(self, content):
        self.owner.copy_from_host(content)


@functools.cache
def other_context():
    return dpctl.SyclContext([dpctl.SyclDevice()])


@functools.cache
def other_queue():
    return dpctl.SyclQueue(other_context(), dpctl.SyclDevice())


def allocate(origin, kind, nbytes):
    name = f"MemoryUSM{kind.capitalize()}"
    if origin == "dpctl":
        return getattr(dpctl.memory, name)(nbytes)
    with usmx.memory.using_memory_resource(pools[kind]):
        return getattr(usmx.memory, name)(nbytes)


def places(nbytes):
    make = lambda origin, kind: Place(allocate(origin, kind, nbytes), kind, nbytes)  # noqa: E731
    return st.builds(make, st.sampled_from(["usmx", "dpctl"]), st.sampled_from(KINDS))


host_memory = np.zeros(4096)
neighbour = usmx.memory.MemoryUSMShared(4096)
neighbour.copy_from_host(bytes(4096))  # it may have had another owner
elsewhere = dpctl.memory.MemoryUSMShared(4096, queue=other_queue())


def freed_address():
    return allocate("usmx", "shared", 1 << 20)._pointer


# ---- typestr and typedescr

NATIVE = {prefix + typestr[1:]: typestr for typestr in TYPESTRS for prefix in ("<", "=", "|", "")}
STRUCTURES = [
    Means(fields, np.dtype(fields))
    for fields in (
        [("a", "<i4"), ("b", "<f4")],
        [("pair", "<i2", (2,)), ("inner", [("x", "|b1"), ("y", "<c8")])],
    )
]
PADDED = {"names": ["a", "b"], "formats": ["<f8", "|u1"], "offsets": [0, 11], "itemsize": 12}
STRUCTURES.append(Means([("a", "<f8"), ("", "|V3"), ("b", "|u1")], np.dtype(PADDED)))
NO_TYPESTRS = wrong(
    ValueError, ">f8", "<f16", "|O", "|S8", "<U2", "<m8", "M8[ns]", "", "<", "f", "F8"
)
NO_TYPESTRS += wrong(
    ValueError, " f8", "f8 ", "f08", "f8\x00", "\udc80", "\u00e9", "x" * 10000, "|V0"
)
NO_TYPESTRS += wrong(TypeError, None, 8, b"<f8", float, np.dtype("f8"), ["<f8"])
NO_TYPEDESCRS = wrong(ValueError, [], [("", "<f16")], [("x", "<f2")], 5, "text", [("", "|u1")] * 2)
NO_TYPEDESCRS += wrong(ValueError, [("a", "|V5")], {"a": 1}, object())


# ---- syclobj


class Holder:
    def __init__(self, found):
        self.found = found

    def _get_capsule(self):
        if isinstance(self.found, type):
            raise self.found
        return self.found


def used_capsule():
    capsule = usmx.SyclQueue()._get_capsule()
    dpctl.SyclQueue(capsule)
    return capsule


def queues_and_contexts():
    own = usmx.SyclQueue()
    queue = dpctl.SyclQueue(own._get_capsule())
    for each in (queue, queue.sycl_context, own, own.sycl_context):
        yield from (each, each._get_capsule(), Holder(each._get_capsule()))
    yield from (own.sycl_device.filter_string, f"accelerator:99,{own.sycl_device.filter_string}")


SYCLOBJS = [Means(found, "here") for found in queues_and_contexts()]
OTHERS = [
    Means(found, "elsewhere") for found in (other_queue(), Holder(other_context()._get_capsule()))
]
NO_SYCLOBJS = wrong(
    TypeError, None, 5, b"cpu", (), {}, object(), usmx.SyclDevice(), dpctl.SyclDevice()
)
NO_SYCLOBJS += wrong(TypeError, Holder(None), Holder(5), Holder(Holder(None)), Holder("opencl:cpu"))
NO_SYCLOBJS += wrong(ValueError, "", "nonsense", "cpu:0:0", "CPU", " cpu", "\udc80", used_capsule())
NO_SYCLOBJS += wrong(
    ValueError, make_capsule("other"), make_capsule(None), Holder(make_capsule(""))
)
NO_SYCLOBJS += wrong(usmx.SyclDeviceCreationError, "accelerator:99") + wrong(Mine, Holder(Mine))


# ---- the dictionary

FLAGS = [Means(flag, bool(flag)) for flag in (False, True, 0, 1, np.False_, np.True_, Index(0))]
FLAGS[-1].value = True  # an object without __bool__ is true
NO_FLAGS = wrong(TypeError, None, "", "no", 0.0, [], object())


def data_of(pointer, flag, form=tuple):
    errors = pointer.errors + flag.errors
    return Means(form((pointer.given, flag.given)), (pointer.value, flag.value), errors)


@st.composite
def valid_dictionaries(draw):
    """Real memory, what lies in it, and a dictionary for some of it."""
    if draw(st.booleans()):
        typestr = draw(st.sampled_from(sorted(NATIVE)))
        dtype = np.dtype(NATIVE[typestr])
        typedescr = Means(draw(st.sampled_from([MISSING, None, [("", typestr)]])))
    else:
        typedescr = draw(st.sampled_from(STRUCTURES))
        dtype = typedescr.value
        typestr = f"|V{dtype.itemsize}"
    shape = draw(st.lists(st.integers(0, 4) | st.integers(1, 3), max_size=4))
    strides = draw(st.lists(st.integers(-5, 6), min_size=len(shape), max_size=len(shape)))
    if draw(st.booleans()):
        strides = None
    first, last = span(shape, strides, 0) or (0, 0)
    before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    offset = draw(st.integers(-8, 8))
    lowest, end = min(0, first + offset), max(0, last + offset) + 1  # with the pointer's element
    place = draw(places((before + end - lowest + after) * dtype.itemsize))
    pointer = place.start + (before - lowest) * dtype.itemsize
    entries = {
        "version": draw(integers(1, 1, 1)),
        "shape": draw(sequence_of([draw(integers(n, **EXTENTS)) for n in shape])),
        "typestr": Means(typestr, dtype),
        "typedescr": typedescr,
        "data": data_of(draw(integers(pointer, 0, 2**64 - 1)), draw(st.sampled_from(FLAGS))),
        "strides": Means(None)
        if strides is None
        else draw(sequence_of([draw(integers(n, **COUNTS)) for n in strides])),
        "offset": draw(integers(offset, **COUNTS)),
        "syclobj": draw(st.sampled_from(SYCLOBJS)),
    }
    return place, entries


def pointers(place):
    near = st.integers(-16, place.nbytes + 16).map(lambda n: place.start + n)
    stranger = st.sampled_from([0, 1, 16, 4096, host_memory.ctypes.data, neighbour._pointer])
    far = st.sampled_from([elsewhere._pointer, -1, -(2**63), 2**63, 2**64 - 1, 2**64 - 8, 2**64])
    return st.one_of(near, near, stranger, far, st.builds(freed_address))


def replacements(key, place):
    """What may stand for an entry, right or wrong."""
    if key == "version":
        return st.one_of(
            any_integer(lowest=1, highest=1), st.sampled_from(wrong(TypeError, True, False))
        )
    if key == "shape":
        return st.one_of(
            any_sequence(**EXTENTS), st.sampled_from(NO_SEQUENCES + wrong(TypeError, None))
        )
    if key == "strides":
        return st.one_of(any_sequence(**COUNTS), st.sampled_from([*NO_SEQUENCES, Means(None)]))
    if key == "offset":
        bad = [m for m in NO_INTEGERS if m.given is not None]
        return st.one_of(
            any_integer(**COUNTS).filter(lambda m: m.given is not None), st.sampled_from(bad)
        )
    if key == "typestr":
        good = [Means(typestr, np.dtype(NATIVE[typestr])) for typestr in sorted(NATIVE)]
        return st.sampled_from([*good, *NO_TYPESTRS, Means("|V8", np.dtype("V8"))])
    if key == "typedescr":
        return st.sampled_from([*NO_TYPEDESCRS, Means(None), Means(MISSING)])
    if key == "syclobj":
        return st.sampled_from([*SYCLOBJS, *NO_SYCLOBJS, *OTHERS])
    pointer = pointers(place).flatmap(lambda p: integers(p, 0, 2**64 - 1))
    flag = st.sampled_from(FLAGS + NO_FLAGS)
    pair = st.builds(
        data_of, pointer | st.sampled_from(NO_INTEGERS), flag, st.sampled_from([tuple, list])
    )
    no_pair = wrong(ValueError, (), (place.start,), (place.start, False, 0))
    no_pair += wrong(TypeError, 5, "ab", {1, 2}, {1: 2}, np.zeros(2), object())
    return pair | pair | st.sampled_from([*no_pair, Means(None, errors=(ValueError,))])


REQUIRED = {"version", "shape", "typestr", "syclobj"}
KEYS = sorted(REQUIRED | {"typedescr", "data", "strides", "offset"})


POWERS = [1, 20, 31, 32, 58, 59, 60, 61, 62]


@st.composite
def dictionaries(draw):
    place, entries = draw(valid_dictionaries())
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True)):
        entries[key] = draw(replacements(key, place))
    if draw(st.integers(0, 9)) == 0:  # one element, again and again: only arithmetic is the limit
        powers = draw(st.lists(st.sampled_from(POWERS), min_size=1, max_size=3))
        extents = [Means(2**power, 2**power) for power in powers]
        entries["shape"] = draw(sequence_of(extents))
        entries["strides"] = draw(sequence_of([Means(0, 0)] * len(extents)))
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=1)):
        errors = (ValueError,) if key in REQUIRED | {"data"} else ()
        entries[key] = Means(MISSING, 0 if key == "offset" else None, errors)
    return place, entries


# ---- the model


def span(shape, strides, offset):
    """The lowest and highest offset of an element; None when there is none."""
    if math.prod(shape) == 0:
        return None
    steps = strides
    if strides is None:
        steps = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
    reach = [(n - 1) * step for n, step in zip(shape, steps, strict=True)]
    return offset + sum(min(0, r) for r in reach), offset + sum(max(0, r) for r in reach)


def fits(*numbers):
    return all(-(2**63) <= number < 2**63 for number in numbers)


def element_type(entries):
    """The dtype that typestr and typedescr give together; None when they give none."""
    typestr, typedescr = entries["typestr"], entries["typedescr"]
    absent = typedescr.given is MISSING or typedescr.given is None
    if typestr.errors:
        return None
    if typestr.value.kind == "V":
        described = typedescr.value
        adds_up = described is not None and described.itemsize == typestr.value.itemsize
        return described if adds_up else None
    return typestr.value if absent or typedescr.given == [("", typestr.given)] else None


def faults_of_values(entries):
    """The errors that single entries deserve, and those that two of them do together."""
    independent = set(entries) - {"typedescr"}
    found = {error for key in independent for error in entries[key].errors}
    if element_type(entries) is None and not entries["typestr"].errors:
        found.add(ValueError)
    shape, strides = entries["shape"], entries["strides"]
    if not shape.errors and not strides.errors and strides.value is not None:
        found |= {ValueError} if len(strides.value) != len(shape.value) else set()
    return found


def allocations_here():
    """First byte and end of what the context knows."""
    for place in list(live_places):
        yield place.start, place.start + place.nbytes
    yield neighbour._pointer, neighbour._pointer + neighbour.nbytes


def is_refused_as_memory(entries):
    """Whether valid values do not describe elements in memory of the context."""
    dtype = element_type(entries)
    shape, strides, offset = (entries[key].value for key in ("shape", "strides", "offset"))
    pointer, _ = entries["data"].value
    touched = span(shape, strides, offset)
    if strides is not None and not fits(*(dtype.itemsize * step for step in strides)):
        return True
    if not fits(dtype.itemsize * math.prod(shape)):
        return True
    if touched is None:
        return False
    if not fits(*touched):
        return True
    first = pointer + touched[0] * dtype.itemsize
    end = pointer + (touched[1] + 1) * dtype.itemsize
    lowest, beyond = min(first, pointer), max(end, pointer + 1)
    inside = any(start <= lowest and beyond <= stop for start, stop in allocations_here())
    alignment = 1 if dtype.names else dtype.alignment
    aligned = (pointer + offset * dtype.itemsize) % alignment == 0
    return not inside or not aligned or entries["syclobj"].value == "elsewhere"


def verdict(entries):
    """The errors with which the dictionary may be refused; none when it has to be accepted."""
    faults = faults_of_values(entries)
    if not faults and is_refused_as_memory(entries):
        return {ValueError}
    return faults


# ---- the tests


class AnyMapping(collections.UserDict):
    pass


class ThroughProperty(Producer):
    def __init__(self, interface):
        self.interface = interface

    @property
    def __sycl_usm_array_interface__(self):
        return self.interface


MAPPINGS = [dict, collections.OrderedDict, AnyMapping, types.MappingProxyType, collections.ChainMap]


def bytes_of_fields(array):
    """Without the padding, of which NumPy's copies leave some out."""
    return [array[name].tobytes() for name in array.dtype.names or [...]]


def assert_has_the_elements(view, place, content, entries):
    dtype = element_type(entries)
    shape, strides, offset = (entries[key].value for key in ("shape", "strides", "offset"))
    pointer, readonly = entries["data"].value
    assert (view.shape, view.dtype, view.size) == (shape, dtype, math.prod(shape))
    assert view.flags.writable is not readonly
    if strides is not None:
        assert view.strides == strides
    if view.size == 0:
        return
    start = pointer + offset * dtype.itemsize
    assert view._pointer == start
    if not place.start <= start < place.start + place.nbytes:
        if neighbour._pointer <= start < neighbour._pointer + neighbour.nbytes:
            assert not any(usmx.asnumpy(view[(slice(None, 2),) * view.ndim]).tobytes())
        return
    assert view.usm_type == place.kind
    byte_strides = None if strides is None else [step * dtype.itemsize for step in strides]
    expected = np.ndarray(shape, dtype, content, start - place.start, byte_strides)
    if math.prod(shape) > 10000:  # one element again and again
        few = (slice(None, None, max(1, max(shape) // 2)),) * view.ndim
        view, expected = view[few], expected[few]
    if math.prod(view.shape) <= 10000:
        assert bytes_of_fields(usmx.asnumpy(view)) == bytes_of_fields(expected)


@pytest.mark.slow
@settings(
    max_examples=1000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(dictionaries(), st.sampled_from(MAPPINGS), st.sampled_from([Producer, ThroughProperty]))
def test_dictionary_is_accepted_exactly_when_the_model_says_so(drawn, mapping, cls):
    place, entries = drawn
    content = np.arange(place.nbytes, dtype="u1") % 2
    place.fill(content)
    producer = cls(mapping({k: m.given for k, m in entries.items() if m.given is not MISSING}))
    errors = verdict(entries)
    if errors:
        with pytest.raises(tuple(errors)):
            usmx.from_usm_array_interface(producer)
    else:
        view = usmx.from_usm_array_interface(producer)
        assert_has_the_elements(view, place, content, entries)
