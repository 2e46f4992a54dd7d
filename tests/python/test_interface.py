"""The dictionary, key by key: what is accepted, what is refused and how, and what is handed out.

One test for each row and error of PROTOCOL.md, and for each check that comes before a view. Real
counterparts (dpctl, dpnp): test_interop.py. Read-only: test_readonly.py.
"""

import collections
import collections.abc
import ctypes
import gc
import types

import dpctl
import dpctl.memory
import numpy as np
import pytest
import usmx
from helpers import (
    KINDS,
    MEMORY_CLASSES,
    TYPESTRS,
    Producer,
    capsule_name,
    interface_of,
    make_capsule,
    need_contexts_apart,
    producer_of,
    sub_devices,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from usmx import from_usm_array_interface

ORIGIN = ["usmx", "dpctl"]


def new_memory(origin, nbytes=96, kind="shared", **keywords):
    """Memory that usmx knows of itself, or that only the runtime knows of."""
    name = f"MemoryUSM{kind.capitalize()}"
    module = usmx.memory if origin == "usmx" else dpctl.memory
    return getattr(module, name)(nbytes, **keywords)


@pytest.fixture(params=ORIGIN)
def memory(request):
    """96 bytes of shared memory."""
    return new_memory(request.param)


@pytest.fixture
def filter_string():
    return usmx.SyclDevice().filter_string


class Index:
    """An integer that is none, but says which it stands for."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def without(memory, key):
    interface = interface_of(memory)
    del interface[key]
    return Producer(interface, memory)


def refused(producer, error, *words):
    """The import fails so, in every way to import, with all of the words in the message."""
    for take in (
        from_usm_array_interface,
        usmx.asarray,
        usmx.memory.as_usm_memory,
        lambda p: usmx.USMArray((1,), "u1", p),
    ):
        with pytest.raises(error) as caught:
            take(producer)
        for word in words:
            assert str(word) in str(caught.value)


# ---- the attribute


class ThroughProperty:
    def __init__(self, interface):
        self.interface = interface

    @property
    def __sycl_usm_array_interface__(self):
        if isinstance(self.interface, BaseException):
            raise self.interface
        return self.interface


class ThroughGetattr:
    def __init__(self, interface):
        self.interface = interface

    def __getattr__(self, name):
        if name == "__sycl_usm_array_interface__":
            return self.interface
        raise AttributeError(name)


class ThroughSlots:
    __slots__ = ("__sycl_usm_array_interface__",)

    def __init__(self, interface):
        self.__sycl_usm_array_interface__ = interface


class DictSubclass(dict):
    pass


class AnyMapping(collections.abc.Mapping):
    def __init__(self, entries):
        self.entries = entries

    def __getitem__(self, key):
        return self.entries[key]

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)


@pytest.mark.parametrize("cls", [Producer, ThroughProperty, ThroughGetattr, ThroughSlots])
@pytest.mark.parametrize(
    "mapping",
    [
        dict,
        DictSubclass,
        AnyMapping,
        types.MappingProxyType,
        collections.UserDict,
        collections.OrderedDict,
        collections.ChainMap,
    ],
)
def test_attribute_may_be_any_mapping_found_in_any_way(memory, cls, mapping):
    view = from_usm_array_interface(cls(mapping(interface_of(memory))))
    assert view.shape == (3, 4)
    assert view._pointer == memory._pointer


@pytest.mark.parametrize(
    "found", [5, None, "text", [("version", 1)], (), {"version"}, object(), dict]
)
def test_attribute_that_is_no_mapping_is_a_type_error_that_names_its_type(found):
    refused(Producer(found), TypeError, "Mapping", type(found).__name__)


@pytest.mark.parametrize("cls", [ValueError, KeyError, KeyboardInterrupt, OSError])
def test_exception_of_the_property_passes_through_unchanged(cls):
    error = cls("mine")
    for take in (from_usm_array_interface, usmx.asarray, usmx.asnumpy, usmx.memory.as_usm_memory):
        with pytest.raises(cls) as caught:
            take(ThroughProperty(error))
        assert caught.value is error


@pytest.mark.parametrize("cls", [ValueError, RuntimeError, IndexError])
def test_exception_of_the_mapping_passes_through_unchanged(memory, cls):
    error = cls("mine")

    class Raising(AnyMapping):
        def __getitem__(self, key):
            if key == "strides":
                raise error
            return super().__getitem__(key)

    with pytest.raises(cls) as caught:
        from_usm_array_interface(Producer(Raising(interface_of(memory))))
    assert caught.value is error


def test_entries_come_from_the_mapping_and_not_from_the_dict_below_it(memory):
    class Overriding(dict):
        def __getitem__(self, key):
            return (2, 3) if key == "shape" else super().__getitem__(key)

    assert from_usm_array_interface(Producer(Overriding(interface_of(memory)))).shape == (2, 3)


@pytest.mark.parametrize("default", [int, list, lambda: (7,)])
def test_what_a_dict_would_make_up_for_a_missing_key_is_no_entry(memory, default):
    interface = collections.defaultdict(default, interface_of(memory))
    for key in ("offset", "strides"):
        del interface[key]
    given = dict(interface)
    view = from_usm_array_interface(Producer(interface))
    assert (view.shape, view.strides, view._pointer) == ((3, 4), (4, 1), memory._pointer)
    assert interface == given  # and nothing was added to it
    del interface["shape"]
    refused(Producer(interface), ValueError, "'shape'")


@pytest.mark.parametrize("found", [5, None, "text", np.zeros(3), object(), [], {}])
def test_object_without_the_attribute_is_no_producer(found):
    with pytest.raises(TypeError, match=f"__sycl_usm_array_interface__.*{type(found).__name__}"):
        from_usm_array_interface(found)


def test_class_of_producers_is_none(memory):
    with pytest.raises(TypeError, match="property"):
        from_usm_array_interface(ThroughProperty)


def test_unknown_keys_are_ignored(memory):
    producer = producer_of(memory, stream=object(), device=None, descr=[("a", "b")])
    assert from_usm_array_interface(producer).shape == (3, 4)


# ---- version


@pytest.mark.parametrize("version", [1, np.int64(1), np.uint8(1), Index(1)])
def test_version_is_the_integer_1(memory, version):
    assert from_usm_array_interface(producer_of(memory, version=version)).shape == (3, 4)


def test_missing_version_is_a_value_error(memory):
    refused(without(memory, "version"), ValueError, "version")


@pytest.mark.parametrize("version", [0, 2, -1, 10**30, Index(3)])
def test_another_version_is_a_value_error_with_the_number(memory, version):
    number = version.value if isinstance(version, Index) else version
    refused(producer_of(memory, version=version), ValueError, "version", number)


@pytest.mark.parametrize("version", [True, 1.0, "1", None, (1,), np.float64(1), Index("1")])
def test_version_that_is_no_integer_is_a_type_error(memory, version):
    refused(producer_of(memory, version=version), TypeError)


# ---- shape


@pytest.mark.parametrize(
    "shape", [(3, 4), [3, 4], (np.int64(3), np.uint8(4)), (Index(3), Index(4)), [Index(3), 4]]
)
def test_shape_is_a_tuple_or_list_of_integers(memory, shape):
    view = from_usm_array_interface(producer_of(memory, shape=shape))
    assert view.shape == (3, 4)
    assert all(type(extent) is int for extent in view.shape)


def test_shape_without_entries_is_a_0d_array(memory):
    memory.copy_from_host(np.array([7.5]).view("u1"))
    view = from_usm_array_interface(producer_of(memory, shape=()))
    assert (view.shape, view.strides, view.size) == ((), (), 1)
    assert usmx.asnumpy(view) == 7.5


@pytest.mark.parametrize("ndim", [32, 64])
def test_shape_may_have_many_entries(memory, ndim):
    assert from_usm_array_interface(producer_of(memory, shape=(1,) * ndim)).ndim == ndim


def test_missing_shape_is_a_value_error(memory):
    refused(without(memory, "shape"), ValueError, "shape")


@pytest.mark.parametrize(
    "shape",
    [
        (-1,),
        (3, -4),
        (-(2**62),),
        (2**63,),
        (2**200,),
        (2**40, 2**40),
        (2**62, 4),
        (2**61,),
        (1,) * 65,
    ],
)
def test_shape_that_cannot_be_is_a_value_error(memory, shape):
    refused(producer_of(memory, shape=shape), ValueError)


@pytest.mark.parametrize(
    "shape",
    [
        3,
        None,
        "34",
        {3, 4},
        {3: 4},
        (3.0, 4),
        ("3", 4),
        (None,),
        ((3, 4),),
        range(3),
        np.array([3, 4]),
    ],
)
def test_shape_of_another_type_is_a_type_error_that_names_the_key(memory, shape):
    refused(producer_of(memory, shape=shape), TypeError, "shape")


# ---- typestr and typedescr


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("prefix", ["<", "=", "|", ""])
def test_every_type_is_accepted_with_every_native_prefix(memory, typestr, prefix):
    view = from_usm_array_interface(producer_of(memory, shape=(2,), typestr=prefix + typestr[1:]))
    assert view.dtype == np.dtype(typestr)


FOREIGN_TYPESTRS = (
    [">" + typestr[1:] for typestr in TYPESTRS]
    + [
        "f16",
        "<f16",
        "c32",
        "|i16",
        "b2",
        "i3",
        "u0",
        "f1",
        "c4",
        "m8",
        "<m8",
        "M8[ns]",
        "O",
        "|O",
        "S1",
        "|S1",
        "U1",
        "<U1",
        "V8",
        "|V8",
        "t1",
    ]
    + ["", "<", "f", "8", "f 8", " f8", "f8 ", "f08", "+f8", "f8\x00", "<<f8", "!f8", "@f8"]
    + ["float64", "d", "(2,)f8", "f8,f8", "x" * 1000, "\u00e9", "\U0001f600", "\udc80"]
)


@pytest.mark.parametrize("typestr", FOREIGN_TYPESTRS)
def test_other_typestr_is_a_value_error_that_names_it(memory, typestr):
    named = typestr if typestr.isascii() and typestr.isprintable() else ""
    refused(producer_of(memory, typestr=typestr), ValueError, named[:30])


def test_missing_typestr_is_a_value_error(memory):
    refused(without(memory, "typestr"), ValueError, "typestr")


@pytest.mark.parametrize("typestr", [b"<f8", None, 8, np.dtype("f8"), float, ["<f8"]])
def test_typestr_that_is_no_string_is_a_type_error(memory, typestr):
    refused(producer_of(memory, typestr=typestr), TypeError, "typestr", type(typestr).__name__)


@pytest.mark.parametrize(
    "changes",
    [
        {"typestr": "\udc80"},
        {"syclobj": "\udc80"},
        {"typestr": "|V8", "typedescr": [("\udc80", "<f8")]},
        {"typestr": "|V8", "typedescr": [("a", "\udc80")]},
    ],
)
def test_text_that_is_not_unicode_is_a_value_error_that_names_key_and_text(memory, changes):
    refused(producer_of(memory, **changes), ValueError, list(changes)[-1], "\\udc80")


def test_typestr_may_be_a_subclass_of_str(memory):
    assert from_usm_array_interface(producer_of(memory, typestr=np.str_("<f8"))).itemsize == 8


@pytest.mark.parametrize("typedescr", [None, [("", "<f8")]])
def test_typedescr_may_repeat_the_typestr(memory, typedescr):
    assert from_usm_array_interface(producer_of(memory, typedescr=typedescr)).itemsize == 8


@pytest.mark.parametrize(
    "typedescr", [[("", "<f4")], [("x", "<f8")], [], "text", 5, [("", "<f8")] * 2]
)
def test_typedescr_in_conflict_with_typestr_is_a_value_error_that_names_both(memory, typedescr):
    refused(producer_of(memory, typedescr=typedescr), ValueError, "'<f8'", repr(typedescr))


# ---- data


@pytest.mark.parametrize("make", [tuple, list])
@pytest.mark.parametrize("readonly", [False, True, 0, 1, np.False_, np.True_])
def test_data_is_a_pair_of_pointer_and_flag(memory, make, readonly):
    view = from_usm_array_interface(producer_of(memory, data=make([memory._pointer, readonly])))
    assert view._pointer == memory._pointer
    assert view.flags.writable is not bool(readonly)


def test_pointer_may_be_any_integer_object(memory):
    for pointer in (np.uint64(memory._pointer), Index(memory._pointer)):
        assert from_usm_array_interface(producer_of(memory, data=(pointer, False))).size == 12


@pytest.mark.parametrize("pointer", [0, -1, -(2**63), 2**64, 2**100])
def test_pointer_that_cannot_be_is_a_value_error(memory, pointer):
    refused(producer_of(memory, data=(pointer, False)), ValueError, "data")


@pytest.mark.parametrize("pointer", [2**64 - 1, 2**64 - 8, 2**64 - 95, 2**63, 2**63 - 8])
def test_elements_past_the_end_of_the_address_space_are_a_value_error(memory, pointer):
    refused(producer_of(memory, data=(pointer, False)), ValueError)


def test_data_of_another_length_is_a_value_error_with_the_length(memory):
    for data in ((), (memory._pointer,), (memory._pointer, False, 0), [memory._pointer] * 4):
        refused(producer_of(memory, data=data), ValueError, "data", len(data))


@pytest.mark.parametrize("data", [5, "ab", {1, 2}, {1: 2, 3: 4}, np.zeros(2), object()])
def test_data_of_another_type_is_a_type_error(memory, data):
    refused(producer_of(memory, data=data), TypeError, "data", type(data).__name__)


@pytest.mark.parametrize("pointer", [1.0, "1", None, b"1", ctypes.c_void_p(16)])
def test_pointer_that_is_no_integer_is_a_type_error(memory, pointer):
    refused(producer_of(memory, data=(pointer, False)), TypeError, "data")


@pytest.mark.parametrize("flag", [None, "", "no", 0.0, [], object()])
def test_flag_that_is_no_bool_is_a_type_error(memory, flag):
    refused(producer_of(memory, data=(memory._pointer, flag)), TypeError, "data")


# ---- strides


def test_absent_strides_mean_c_contiguous(memory):
    for producer in (without(memory, "strides"), producer_of(memory, strides=None)):
        view = from_usm_array_interface(producer)
        assert view.strides == (4, 1)
        assert view.flags.c_contiguous


@pytest.mark.parametrize(
    "strides", [(1, 3), [1, 3], (np.int8(1), np.int64(3)), (Index(1), Index(3))]
)
def test_strides_are_as_many_integers_as_there_are_dimensions(memory, strides):
    view = from_usm_array_interface(producer_of(memory, strides=strides))
    assert view.strides == (1, 3)
    assert view.flags.f_contiguous


@pytest.mark.parametrize(
    ("strides", "offset", "expected"),
    [
        ((-4, -1), 11, [[11, 10, 9, 8], [7, 6, 5, 4], [3, 2, 1, 0]]),
        ((0, 2), 1, [[1, 3, 5, 7]] * 3),
        ((0, 0), 5, [[5] * 4] * 3),
        ((-1, 1), 2, [[2, 3, 4, 5], [1, 2, 3, 4], [0, 1, 2, 3]]),
    ],
)
def test_strides_may_be_negative_zero_or_overlapping(memory, strides, offset, expected):
    memory.copy_from_host(np.arange(12.0).view("u1"))
    view = from_usm_array_interface(producer_of(memory, strides=strides, offset=offset))
    assert usmx.asnumpy(view).tolist() == expected


@pytest.mark.parametrize("strides", [(), (1,), (4, 1, 1), (1,) * 64])
def test_strides_of_another_length_are_a_value_error_with_both_lengths(memory, strides):
    refused(producer_of(memory, strides=strides), ValueError, "strides", "2 entries", len(strides))


@pytest.mark.parametrize(
    "strides",
    [(2**62, 1), (2**63, 1), (-(2**63), 1), (2**61, 1), (2**60, 1), (4, 2**100), (2**62, -(2**62))],
)
def test_strides_that_wrap_around_are_a_value_error(memory, strides):
    refused(producer_of(memory, strides=strides), ValueError)


def test_stride_that_no_element_is_reached_by_must_not_wrap_either(memory):
    refused(producer_of(memory, shape=(1,), strides=(2**62,)), ValueError)


@pytest.mark.parametrize("strides", [4, "ab", (4.0, 1), (None, None), {4, 1}, np.array([4, 1])])
def test_strides_of_another_type_are_a_type_error(memory, strides):
    refused(producer_of(memory, strides=strides), TypeError, "strides")


# ---- offset


def test_absent_offset_means_0(memory):
    for producer in (without(memory, "offset"), producer_of(memory, offset=None)):
        assert from_usm_array_interface(producer)._pointer == memory._pointer


@pytest.mark.parametrize("offset", [2, np.int16(2), Index(2)])
def test_offset_counts_elements(memory, offset):
    view = from_usm_array_interface(producer_of(memory, shape=(2, 4), offset=offset))
    assert view._pointer == memory._pointer + 16


@pytest.mark.parametrize("offset", [1.0, "1", (1,), [], object()])
def test_offset_that_is_no_integer_is_a_type_error(memory, offset):
    refused(producer_of(memory, offset=offset), TypeError, "offset", type(offset).__name__)


@pytest.mark.parametrize("offset", [2**61, 2**62, 2**63, -(2**63), -(2**100)])
def test_offset_that_wraps_around_is_a_value_error(memory, offset):
    refused(producer_of(memory, offset=offset), ValueError)


# ---- syclobj


class Holder:
    """Any object that holds a capsule."""

    def __init__(self, give):
        self.give = give
        self.asked = 0

    def _get_capsule(self):
        self.asked += 1
        return self.give()


QUEUE_FORMS = {
    "usmx queue": lambda q: usmx.SyclQueue(q._get_capsule()),
    "dpctl queue": lambda q: dpctl.SyclQueue(q._get_capsule()),
    "queue capsule": lambda q: q._get_capsule(),
    "holder": lambda q: Holder(q._get_capsule),
}
CONTEXT_FORMS = {
    "usmx context": lambda q: usmx.SyclContext(q.sycl_context._get_capsule()),
    "dpctl context": lambda q: dpctl.SyclContext(q.sycl_context._get_capsule()),
    "context capsule": lambda q: q.sycl_context._get_capsule(),
    "context holder": lambda q: Holder(q.sycl_context._get_capsule),
    "filter string": lambda q: usmx.SyclDevice().filter_string,
    "filter with fallback": lambda q: f"accelerator:99,{usmx.SyclDevice().filter_string}",
}
ALL_FORMS = QUEUE_FORMS | CONTEXT_FORMS


@pytest.mark.parametrize("form", QUEUE_FORMS)
def test_syclobj_with_a_queue_gives_that_queue(memory, form):
    queue = usmx.SyclQueue()
    view = from_usm_array_interface(producer_of(memory, syclobj=QUEUE_FORMS[form](queue)))
    assert queue == view.sycl_queue
    assert view._pointer == memory._pointer


@pytest.mark.parametrize("form", CONTEXT_FORMS)
def test_syclobj_without_a_queue_gives_usmx_own_queue_of_the_device(memory, form):
    form = CONTEXT_FORMS[form](usmx.SyclQueue())
    view = from_usm_array_interface(producer_of(memory, syclobj=form))
    assert view.sycl_queue == usmx.empty(1).sycl_queue
    assert view._pointer == memory._pointer


@pytest.mark.parametrize("form", [name for name in ALL_FORMS if "capsule" in name])
def test_capsule_is_copied_and_never_renamed(memory, form):
    capsule = ALL_FORMS[form](usmx.SyclQueue())
    name = capsule_name(capsule)
    producer = producer_of(memory, syclobj=capsule)
    views = [from_usm_array_interface(producer) for _ in range(3)]
    assert capsule_name(capsule) == name
    del capsule, producer
    assert len({hash(view.sycl_queue) for view in views}) == 1


def test_capsule_is_asked_for_once(memory):
    holder = Holder(usmx.SyclQueue()._get_capsule)
    from_usm_array_interface(producer_of(memory, syclobj=holder))
    assert holder.asked == 1


def test_missing_syclobj_is_a_value_error(memory):
    refused(without(memory, "syclobj"), ValueError, "syclobj")


@pytest.mark.parametrize("syclobj", [None, 5, 1.0, b"cpu", (), [], {}, object()])
def test_syclobj_of_another_type_is_a_type_error_that_names_it(memory, syclobj):
    refused(producer_of(memory, syclobj=syclobj), TypeError, "syclobj", type(syclobj).__name__)


def test_device_is_no_syclobj(memory):
    refused(producer_of(memory, syclobj=usmx.SyclDevice()), TypeError, "SyclDevice")


@pytest.mark.parametrize("text", ["", "CPU", "*:cpu", " cpu", "cpu:0:0", "nonsense"])
def test_syclobj_that_is_no_filter_is_a_value_error(memory, text):
    refused(producer_of(memory, syclobj=text), ValueError, text)


def test_syclobj_of_a_device_that_is_not_there(memory):
    refused(
        producer_of(memory, syclobj="accelerator:99"),
        usmx.SyclDeviceCreationError,
        "accelerator:99",
    )


@pytest.mark.parametrize(
    "name", ["SyclDeviceRef", "used_SyclQueueRef", "used_SyclContextRef", "", None]
)
def test_capsule_of_another_name_is_a_value_error_that_names_it(memory, name):
    named = "no name" if name is None else f"'{name}'"
    refused(producer_of(memory, syclobj=make_capsule(name)), ValueError, named)
    refused(producer_of(memory, syclobj=Holder(lambda: make_capsule(name))), ValueError, named)


@pytest.mark.parametrize("cls", [usmx.SyclQueue, dpctl.SyclQueue])
def test_capsule_that_was_used_is_a_value_error(memory, cls):
    capsule = usmx.SyclQueue()._get_capsule()
    cls(capsule)
    refused(producer_of(memory, syclobj=capsule), ValueError, "'used_SyclQueueRef'")


@pytest.mark.parametrize("cls", [usmx.SyclQueue, usmx.SyclContext])
def test_object_that_was_never_constructed_is_a_type_error(memory, cls):
    class Subclass(cls):
        pass

    refused(producer_of(memory, syclobj=cls.__new__(Subclass)), TypeError, "never called")


@pytest.mark.parametrize("cls", [usmx.SyclQueue, dpctl.SyclQueue])
def test_subclass_of_a_queue_is_the_queue_that_it_holds(memory, cls):
    class Subclass(cls):
        def _get_capsule(self):
            raise AssertionError("not needed")

    queue = Subclass()
    view = from_usm_array_interface(producer_of(memory, syclobj=queue))
    assert view.sycl_queue == queue


def test_class_is_a_type_error_that_says_so(memory):
    for cls in (usmx.SyclQueue, usmx.SyclContext, dpctl.SyclQueue, Holder):
        refused(producer_of(memory, syclobj=cls), TypeError, "'syclobj'", type(cls).__name__)


@pytest.mark.parametrize("given", [None, 5, "cpu", object()])
def test_get_capsule_that_returns_something_else_is_a_type_error(memory, given):
    refused(producer_of(memory, syclobj=Holder(lambda: given)), TypeError, type(given).__name__)


def test_get_capsule_is_never_called_on_what_it_returned(memory):
    inner = Holder(usmx.SyclQueue()._get_capsule)
    refused(producer_of(memory, syclobj=Holder(lambda: inner)), TypeError, "Holder")
    refused(producer_of(memory, syclobj=Holder(usmx.SyclQueue)), TypeError, "SyclQueue")
    assert inner.asked == 0


def test_exception_of_get_capsule_passes_through_unchanged(memory):
    error = OSError("mine")

    def fail():
        raise error

    with pytest.raises(OSError, match="mine") as caught:
        from_usm_array_interface(producer_of(memory, syclobj=Holder(fail)))
    assert caught.value is error


def test_get_capsule_that_cannot_be_called_is_a_type_error(memory):
    refused(producer_of(memory, syclobj=types.SimpleNamespace(_get_capsule=5)), TypeError)


# ---- check 1: nothing wraps around


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (2**40, 2**40)},
        {"shape": (2**62, 4)},
        {"shape": (2**32, 2**32)},
        {"shape": (2**62,), "typestr": "|u1", "strides": (0,), "offset": 2**63 - 1},
        {"shape": (2,), "strides": (2**62,)},
        {"shape": (3,), "strides": (2**62,), "typestr": "|u1"},
        {"shape": (2, 2, 2), "strides": (2**62,) * 3, "typestr": "|u1"},
        {"shape": (2, 2), "strides": (2**62, -(2**62)), "typestr": "|u1"},
        {"shape": (2,), "strides": (2**60,), "offset": -(2**60)},
        {"shape": (2,), "strides": (-(2**63),), "typestr": "|u1"},
    ],
)
def test_arithmetic_never_wraps_around(memory, changes):
    refused(producer_of(memory, **changes), ValueError)


@pytest.mark.parametrize("shape", [(2**60,), (2**61,), (2**30, 2**30), (2**62,)])
def test_bytes_of_one_element_again_and_again_must_be_countable(memory, shape):
    strides = (0,) * len(shape)
    refused(producer_of(memory, shape=shape, strides=strides), ValueError, "number of bytes")
    with pytest.raises(ValueError, match="number of bytes"):
        usmx.USMArray(shape, "f8", memory, strides=strides)
    with pytest.raises(ValueError, match="number of bytes"):
        usmx.USMArray(shape, "f8", strides=strides)
    within = producer_of(memory, shape=(2**59,), strides=(0,))
    assert from_usm_array_interface(within).nbytes == 2**62


# ---- check 2: the pointer is USM of that context


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize("pointer", [16, 4096, 123456, 2**47 - 4096, 2**63])
def test_garbage_pointer_is_a_value_error_that_names_it(memory, form, pointer):
    syclobj = ALL_FORMS[form](usmx.SyclQueue())
    producer = producer_of(memory, shape=(1,), data=(pointer, False), syclobj=syclobj)
    with pytest.raises(ValueError, match=f"{pointer:#x} is not USM"):
        from_usm_array_interface(producer)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_ordinary_memory_of_the_host_is_a_value_error(memory, form):
    host = np.zeros(12)
    syclobj = ALL_FORMS[form](usmx.SyclQueue())
    producer = producer_of(memory, data=(host.ctypes.data, False), syclobj=syclobj)
    refused(producer, ValueError, "not USM", f"{host.ctypes.data:#x}", "context")


@pytest.mark.parametrize("origin", ORIGIN)
@pytest.mark.parametrize("kind", KINDS)
def test_pointer_that_was_freed_is_a_value_error(origin, kind):
    # More than the SYCL runtime's pools have: what is freed to them is still memory on some devices.
    memory = new_memory(origin, 64 << 20, kind)
    interface = interface_of(memory)
    del memory
    with pytest.raises(ValueError, match="not USM"):
        from_usm_array_interface(Producer(interface))


@pytest.mark.parametrize("origin", ORIGIN)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["queue", "context", "capsule"])
def test_pointer_of_another_context_is_a_value_error(origin, kind, form):
    need_contexts_apart()
    device = dpctl.SyclDevice()
    context = dpctl.SyclContext([device])  # of a list: not the default one
    queue = dpctl.SyclQueue(context, device)
    if origin == "usmx":
        queue = usmx.SyclQueue(queue._get_capsule())
    memory = new_memory(origin, kind=kind, queue=queue)
    other = dpctl.SyclQueue(dpctl.SyclContext([device]), device)
    syclobj = {"queue": other, "context": other.sycl_context, "capsule": other._get_capsule()}[form]
    with pytest.raises(ValueError, match="not USM"):
        from_usm_array_interface(producer_of(memory, syclobj=syclobj))
    with pytest.raises(ValueError, match="not USM"):
        from_usm_array_interface(producer_of(memory, syclobj=usmx.SyclQueue()))
    view = from_usm_array_interface(producer_of(memory))
    assert usmx.SyclContext(context._get_capsule()) == view.sycl_context
    assert view.usm_type == kind


def test_kind_is_that_of_the_pointer_and_not_of_the_producer():
    for kind in KINDS:
        memory = MEMORY_CLASSES[kind](96)
        assert from_usm_array_interface(producer_of(memory)).usm_type == kind


# ---- check 3: every element lies in the real allocation


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (3, 5)},
        {"shape": (13,)},
        {"offset": 1},
        {"offset": -1},
        {"shape": (), "offset": 12},
        {"strides": (5, 1)},
        {"strides": (-4, 1)},
        {"strides": (4, -1)},
        {"strides": (-4, -1), "offset": 10},
        {"strides": (-4, -1), "offset": 12},
        {"shape": (7,), "typestr": "<c16"},
        {"shape": (97,), "typestr": "|u1"},
    ],
)
def test_elements_outside_of_the_allocation_are_a_value_error(memory, changes):
    refused(producer_of(memory, **changes), ValueError, "0x")


def test_error_says_first_and_last_byte_and_the_allocations(memory):
    base = memory._pointer
    producer = producer_of(memory, shape=(12,), offset=1)
    addresses = [f"{base:#x} to {base + 103:#x}", f"{base:#x} to {base + 95:#x}", "96 bytes"]
    refused(producer, ValueError, *addresses, "shape (12,)", "offset 1", "elements of 8 bytes")


OF_BYTES = "strides and offset count elements, not bytes"


@pytest.mark.parametrize(
    "changes",
    [
        {"strides": (32, 8)},
        {"offset": 64, "shape": (4,)},
        {"offset": 8, "shape": (3, 3), "strides": (32, 8)},
        {"offset": 11, "strides": (-32, -8)},
        {"offset": 88, "strides": (-4, -1)},
    ],
)
def test_error_says_that_strides_and_offset_do_not_count_bytes(memory, changes):
    refused(producer_of(memory, **changes), ValueError, OF_BYTES)


@pytest.mark.parametrize(
    "changes", [{"strides": (33, 8)}, {"strides": (40, 8)}, {"offset": 1}, {"shape": (13,)}]
)
def test_error_says_nothing_of_bytes_that_would_not_fit_either(memory, changes):
    with pytest.raises(ValueError, match="0x") as caught:
        from_usm_array_interface(producer_of(memory, **changes))
    assert OF_BYTES not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_offset_leads_into_no_other_array(kind):
    """The offset is in bytes by mistake: it leads to another array of the same pool, or nowhere."""
    arrays = [usmx.full(16, float(k), usm_type=kind) for k in range(20)]
    for array in arrays:
        for first in range(1, 16):
            producer = producer_of(array.base, shape=(16 - first,), typestr="<f8", offset=8 * first)
            refused(producer, ValueError, OF_BYTES)


def test_pointer_lies_in_the_allocation_of_the_elements(memory):
    pointer, end = memory._pointer, memory._pointer + 96
    refused(producer_of(memory, data=(end, False), shape=(2,), offset=-12), ValueError, hex(end))
    nowhere = producer_of(memory, data=(4096, False), shape=(2,), offset=(pointer - 4096) // 8)
    refused(nowhere, ValueError, "0x1000 is not USM")


def test_pointer_into_the_middle_of_an_allocation_is_accepted(memory):
    producer = producer_of(memory, data=(memory._pointer + 64, False), shape=(4,))
    assert from_usm_array_interface(producer)._pointer == memory._pointer + 64
    refused(producer_of(memory, data=(memory._pointer + 72, False), shape=(4,)), ValueError)


def test_negative_offset_is_accepted_from_the_middle_of_an_allocation(memory):
    memory.copy_from_host(np.arange(12.0).view("u1"))
    producer = producer_of(memory, data=(memory._pointer + 64, False), shape=(3,), offset=-8)
    assert usmx.asnumpy(from_usm_array_interface(producer)).tolist() == [0, 1, 2]


def bounds(shape, strides, offset):
    """The lowest and the highest offset of an element, by enumeration."""
    places = [
        offset + sum(i * s for i, s in zip(index, strides, strict=True))
        for index in np.ndindex(*shape)
    ]
    return min(places), max(places)


@given(st.data(), st.sampled_from(ORIGIN), st.sampled_from(KINDS))
def test_view_exists_exactly_when_every_element_is_in_the_allocation(data, origin, kind):
    if origin == "dpctl" and usmx.SyclDevice().backend != "opencl":
        pytest.skip("this back end knows chunks of the SYCL runtime's pools, not allocations")
    nbytes = data.draw(st.integers(1, 80), "nbytes")
    typestr = data.draw(st.sampled_from(TYPESTRS), "typestr")
    dtype = np.dtype(typestr)
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=3), "shape"))
    strides = tuple(
        data.draw(st.lists(st.integers(-6, 6), min_size=len(shape), max_size=len(shape)))
    )
    offset = data.draw(st.integers(-8, 12), "offset")
    displacement = data.draw(st.integers(0, nbytes - 1), "displacement")
    memory = new_memory(origin, nbytes, kind)
    content = np.arange(nbytes, dtype="u1") % 2
    memory.copy_from_host(content)
    producer = producer_of(
        memory,
        shape=shape,
        strides=strides,
        offset=offset,
        typestr=typestr,
        data=(memory._pointer + displacement, False),
    )
    lowest, highest = bounds(shape, strides, offset)
    first = displacement + lowest * dtype.itemsize
    last = displacement + highest * dtype.itemsize + dtype.itemsize - 1
    start = displacement + offset * dtype.itemsize
    inside = first >= 0 and last < nbytes
    aligned = (memory._pointer + start) % dtype.alignment == 0
    if not (inside and aligned):
        with pytest.raises(ValueError, match="0x"):
            from_usm_array_interface(producer)
        return
    view = from_usm_array_interface(producer)
    expected = np.ndarray(shape, dtype, content, start, [s * dtype.itemsize for s in strides])
    assert (view.shape, view.strides, view.dtype) == (shape, strides, dtype)
    assert view._pointer == memory._pointer + start
    assert view.base._pointer == memory._pointer + first
    assert view.base.nbytes == last - first + 1
    assert usmx.asnumpy(view).tobytes() == expected.tobytes()


# ---- check 5: alignment


@pytest.mark.parametrize(
    ("typestr", "alignment"),
    [
        ("<i2", 2),
        ("<u4", 4),
        ("<i8", 8),
        ("<f2", 2),
        ("<f8", 8),
        ("<c8", 4),
        ("<c16", 8),
        ("|b1", 1),
    ],
)
def test_element_zero_must_be_aligned_to_its_type_or_component(memory, typestr, alignment):
    for displacement in range(1, 9):
        producer = producer_of(
            memory, shape=(2,), typestr=typestr, data=(memory._pointer + displacement, False)
        )
        if displacement % alignment:
            refused(producer, ValueError, f"aligned to {alignment}")
        else:
            assert from_usm_array_interface(producer).itemsize == np.dtype(typestr).itemsize


# ---- check 6: no elements


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2**40), (0, 0), (2, 0, 5)])
@pytest.mark.parametrize("pointer", [0, 1, 16, 2**64 - 1])
def test_array_without_elements_accepts_any_pointer(memory, shape, pointer):
    producer = producer_of(memory, shape=shape, data=(pointer, False))
    view = from_usm_array_interface(producer)
    assert (view.shape, view.size, view.nbytes) == (shape, 0, 0)
    assert view.usm_type == "device"
    assert usmx.asnumpy(view).shape == shape
    assert view.base.nbytes == 0
    assert repr(view).startswith("USMArray([]")


@pytest.mark.parametrize("kind", KINDS)
def test_array_without_elements_has_the_kind_of_its_pointer(kind):
    view = from_usm_array_interface(producer_of(MEMORY_CLASSES[kind](8), shape=(0, 4)))
    assert view.usm_type == kind


@pytest.mark.parametrize("offset", [5, -5, 2**61])
def test_array_without_elements_accepts_any_offset(memory, offset):
    assert from_usm_array_interface(producer_of(memory, shape=(0,), offset=offset)).size == 0


def test_array_without_elements_is_handed_on_and_taken_back(memory):
    view = from_usm_array_interface(producer_of(memory, shape=(0, 3), data=(0, False)))
    assert from_usm_array_interface(Producer(view.__sycl_usm_array_interface__)).shape == (0, 3)


# ---- check 7: the device


@pytest.mark.parametrize("kind", KINDS)
def test_memory_of_one_device_is_not_for_the_queue_of_another(kind):
    one, other, *_ = sub_devices()
    context = dpctl.SyclContext([one, other])
    memory = new_memory("dpctl", kind=kind, queue=dpctl.SyclQueue(context, one))
    assert from_usm_array_interface(producer_of(memory)).usm_type == kind
    foreign = producer_of(memory, syclobj=dpctl.SyclQueue(context, other))
    if kind == "host":
        assert from_usm_array_interface(foreign).usm_type == "host"
    else:
        refused(foreign, ValueError, "device")


def test_context_of_several_devices_gives_the_queue_of_the_pointers_device():
    devices = sub_devices()
    context = dpctl.SyclContext(devices)
    seen = set()
    for device in devices:
        queue = dpctl.SyclQueue(context, device)
        memory = new_memory("dpctl", kind="device", queue=queue)
        view = from_usm_array_interface(producer_of(memory, syclobj=context))
        assert view.sycl_device == usmx.SyclQueue(queue._get_capsule()).sycl_device
        assert usmx.SyclContext(context._get_capsule()) == view.sycl_context
        seen.add(hash(view.sycl_queue))
    assert len(seen) == len(devices)


# ---- hostile objects


def test_dictionary_is_read_as_it_was_before_an_integer_emptied_it(memory):
    interface = interface_of(memory)

    class Emptying:
        def __index__(self):
            interface.clear()
            return 3

    interface["shape"] = (Emptying(), 4)
    view = from_usm_array_interface(Producer(interface, memory))
    assert interface == {}
    assert (view.shape, view.dtype, view._pointer) == ((3, 4), "f8", memory._pointer)


@pytest.mark.parametrize("as_key", [str, lambda name: "".join(name), type("Key", (str,), {})])
def test_keys_need_not_be_interned(memory, as_key):
    interface = {as_key(name): value for name, value in interface_of(memory).items()}
    interface[as_key("shape")] = (12,)
    assert from_usm_array_interface(Producer(interface, memory)).shape == (12,)


@pytest.mark.parametrize("key", ["shape", "strides", "data"])
def test_integer_that_changes_the_list_it_is_in_does_no_harm(memory, key):
    values = {"shape": [3, 4], "strides": [4, 1], "data": [memory._pointer, False]}[key]
    first = values[0]

    class Changing:
        def __index__(self):
            values.clear()
            values.extend([None] * 1000)
            return first

    values[0] = Changing()
    view = from_usm_array_interface(producer_of(memory, **{key: values}))
    assert (view.shape, view.strides, view._pointer) == ((3, 4), (4, 1), memory._pointer)


def test_dictionary_is_read_as_it_was_before_an_integer_replaced_entries(memory):
    interface = interface_of(memory)

    class Replacing:
        def __index__(self):
            interface["typestr"] = "<f4"
            interface["strides"] = (1, 3)
            return 3

    interface["shape"] = (Replacing(), 4)
    view = from_usm_array_interface(Producer(interface, memory))
    assert (view.shape, view.strides, view.itemsize) == ((3, 4), (4, 1), 8)


def test_dictionary_that_only_usmx_holds_lives_until_it_is_read(memory):
    gone = []

    class Dictionary(dict):
        def __del__(self):
            gone.append(self)

    class LettingGo:
        def __index__(self):
            producer.__sycl_usm_array_interface__ = None
            gc.collect()
            assert gone == []
            return 3

    producer = producer_of(memory, shape=(LettingGo(), 4))
    producer.__sycl_usm_array_interface__ = Dictionary(producer.__sycl_usm_array_interface__)
    assert from_usm_array_interface(producer).shape == (3, 4)
    assert len(gone) == 1


def test_memory_that_is_freed_during_the_import_is_refused():
    memories = [usmx.memory.MemoryUSMShared(1 << 20)]

    class Freeing:
        def __index__(self):
            memories.clear()
            return 3

    producer = Producer(interface_of(memories[0], shape=(Freeing(), 4)))
    with pytest.raises(ValueError, match="not USM"):
        from_usm_array_interface(producer)


def test_mapping_that_shrinks_with_each_look_is_refused(memory):
    class Shrinking(AnyMapping):
        def __getitem__(self, key):
            return self.entries.pop(key)

    producer = Producer(Shrinking(interface_of(memory)))
    assert from_usm_array_interface(producer).shape == (3, 4)  # each entry is read once
    refused(producer, ValueError, "'version'")


@pytest.mark.parametrize("method", ["__len__", "__iter__", "__contains__", "keys", "get", "items"])
def test_of_a_mapping_only_its_entries_are_asked_for(memory, method):
    def evil(self, *arguments):
        raise AssertionError(method)

    for base in (AnyMapping, DictSubclass):
        mapping = type("Evil", (base,), {method: evil})(interface_of(memory))
        assert from_usm_array_interface(Producer(mapping)).shape == (3, 4)


@pytest.mark.parametrize("base", [tuple, list])
@pytest.mark.parametrize("key", ["shape", "strides", "data"])
def test_sequence_is_what_it_holds_whatever_it_says(memory, base, key):
    class Lying(base):
        def __len__(self):
            return 10**9

        def __getitem__(self, index):
            raise AssertionError("never asked")

        __iter__ = __contains__ = __eq__ = __getitem__
        __hash__ = None

    held = {"shape": (3, 4), "strides": (4, 1), "data": (memory._pointer, False)}[key]
    view = from_usm_array_interface(producer_of(memory, **{key: Lying(held)}))
    assert (view.shape, view.strides, view._pointer) == ((3, 4), (4, 1), memory._pointer)


def test_typestr_is_its_text_whatever_it_says(memory):
    class Lying(str):
        def __str__(self):
            return "|u1"

        __repr__ = __format__ = __str__

        def __eq__(self, other):
            raise AssertionError("never asked")

        __hash__ = None

    assert from_usm_array_interface(producer_of(memory, typestr=Lying("<f8"))).itemsize == 8


@pytest.mark.parametrize("error", [AttributeError, KeyError, RecursionError, SystemExit])
def test_exception_of_getattr_passes_through_unless_there_is_no_attribute(error):
    class Raising:
        def __getattr__(self, name):
            raise error(name)

    expected = TypeError if error is AttributeError else error
    with pytest.raises(expected, match="__sycl_usm_array_interface__"):
        from_usm_array_interface(Raising())


def test_producer_that_imports_itself_is_a_recursion_error_and_no_crash():
    class Endless:
        @property
        def __sycl_usm_array_interface__(self):
            return usmx.asarray(self).__sycl_usm_array_interface__

    with pytest.raises(RecursionError):
        usmx.asarray(Endless())


@pytest.mark.parametrize("key", ["version", "shape", "data", "strides", "offset"])
def test_exception_of_an_integer_passes_through_unchanged(memory, key):
    error = ZeroDivisionError("mine")

    class Raising:
        def __index__(self):
            raise error

    bad = Raising()
    value = {
        "version": bad,
        "shape": (bad, 4),
        "data": (bad, False),
        "strides": (bad, 1),
        "offset": bad,
    }
    with pytest.raises(ZeroDivisionError) as caught:
        from_usm_array_interface(producer_of(memory, **{key: value[key]}))
    assert caught.value is error


def test_flag_that_raises_passes_its_exception_through(memory):
    class Raising:
        def __index__(self):
            return 1

        def __bool__(self):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        from_usm_array_interface(producer_of(memory, data=(memory._pointer, Raising())))


def test_typedescr_that_raises_passes_its_exception_through(memory):
    class Raising:
        def __eq__(self, other):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        from_usm_array_interface(producer_of(memory, typedescr=Raising()))


def test_repr_that_is_no_text_is_still_shown(memory):
    class Unprintable:
        def __repr__(self):
            return "\udc80"

    refused(producer_of(memory, typedescr=[Unprintable()]), ValueError, "typedescr", "\\udc80")


def test_value_whose_repr_raises_is_still_refused(memory):
    class Unprintable:
        def __repr__(self):
            raise ZeroDivisionError("mine")

    for changes in (
        {"typedescr": [Unprintable()]},
        {"shape": Unprintable()},
        {"syclobj": Unprintable()},
    ):
        with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
            from_usm_array_interface(producer_of(memory, **changes))


def test_property_may_give_another_dictionary_each_time(memory):
    class Changing:
        asked = 0

        @property
        def __sycl_usm_array_interface__(self):
            self.asked += 1
            return interface_of(memory, shape=(self.asked,))

    producer = Changing()
    assert from_usm_array_interface(producer).shape == (1,)
    assert from_usm_array_interface(producer).shape == (2,)


def test_dictionary_that_nobody_else_holds_is_enough(memory):
    class Fresh:
        @property
        def __sycl_usm_array_interface__(self):
            return {key: value for key, value in interface_of(memory).items()}  # noqa: C416

    assert from_usm_array_interface(Fresh()).shape == (3, 4)


def test_keys_that_only_look_like_the_real_ones_are_ignored(memory):
    class Impostor:
        def __hash__(self):
            return hash("shape")

        def __eq__(self, other):
            return False

    assert from_usm_array_interface(Producer(interface_of(memory) | {Impostor(): 5})).shape == (
        3,
        4,
    )


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.lists(st.one_of(st.integers(-3, 5), st.none(), st.text(max_size=2)), max_size=4),
    st.lists(st.integers(), max_size=4).map(tuple),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)


@pytest.mark.slow
@given(
    st.sampled_from(
        ["version", "shape", "typestr", "typedescr", "data", "strides", "offset", "syclobj"]
    ),
    ANYTHING,
)
def test_any_value_of_any_key_is_accepted_within_bounds_or_refused(key, value):
    memory = new_memory("usmx")
    try:
        view = from_usm_array_interface(producer_of(memory, **{key: value}))
    except (TypeError, ValueError, usmx.SyclDeviceCreationError):
        return
    assert view.base.nbytes <= 96
    assert view.base.nbytes == 0 or memory._pointer <= view.base._pointer
    assert view.base._pointer + view.base.nbytes <= memory._pointer + 96 or view.size == 0


@given(
    st.dictionaries(
        st.sampled_from(["version", "shape", "typestr", "data", "strides", "offset"]), ANYTHING
    )
)
def test_any_dictionary_without_a_syclobj_is_refused(entries):
    assume("syclobj" not in entries)
    with pytest.raises((TypeError, ValueError)):
        from_usm_array_interface(Producer(entries))


# ---- what is handed out

EMITTED = {
    "arrays": lambda: usmx.empty((3, 4)),
    "view": lambda: usmx.empty((3, 4), usm_type="shared")[1:, ::-2],
    "0-d": lambda: usmx.empty((), usm_type="host"),
    "empty": lambda: usmx.empty((0, 3)),
    "memory": lambda: usmx.memory.MemoryUSMShared(64),
    "view of memory": lambda: usmx.memory.as_usm_memory(usmx.empty(4)),
}


@pytest.mark.parametrize("make", EMITTED.values(), ids=EMITTED)
def test_dictionary_has_all_seven_keys_of_the_right_types(make):
    interface = make().__sycl_usm_array_interface__
    assert type(interface) is dict
    assert set(interface) == {"data", "shape", "strides", "typestr", "version", "syclobj", "offset"}
    assert type(interface["version"]) is int
    assert interface["version"] == 1
    assert type(interface["data"]) is tuple
    assert [type(entry) for entry in interface["data"]] == [int, bool]
    assert interface["data"][0] != 0
    assert type(interface["shape"]) is tuple
    assert all(type(extent) is int for extent in interface["shape"])
    assert type(interface["strides"]) in (tuple, type(None))
    assert type(interface["typestr"]) is str
    assert type(interface["offset"]) is int
    assert isinstance(interface["syclobj"], usmx.SyclQueue)


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_typestr_is_numpys(typestr):
    interface = usmx.empty(3, typestr).__sycl_usm_array_interface__
    assert interface["typestr"] == np.dtype(typestr).str


def test_strides_are_given_only_when_they_say_something():
    array = usmx.empty((3, 4))
    assert array.__sycl_usm_array_interface__["strides"] is None
    assert array[1:].__sycl_usm_array_interface__["strides"] is None
    assert array[1].__sycl_usm_array_interface__["strides"] is None
    assert array.T.__sycl_usm_array_interface__["strides"] == (1, 4)
    assert array[::-1].__sycl_usm_array_interface__["strides"] == (-4, 1)
    assert array[:, ::2].__sycl_usm_array_interface__["strides"] == (4, 2)


@pytest.mark.parametrize("key", [np.s_[...], np.s_[2:], np.s_[1, 2], np.s_[::-1, ::-1], np.s_[3:3]])
def test_pointer_of_an_array_is_the_start_of_its_memory(key):
    array = usmx.empty((3, 4))[key]
    interface = array.__sycl_usm_array_interface__
    assert interface["data"] == (array.base._pointer, False)
    assert interface["offset"] == array.offset
    assert array._pointer == interface["data"][0] + 8 * interface["offset"]
    assert interface["syclobj"] == array.sycl_queue


@pytest.mark.parametrize("kind", KINDS)
def test_memory_describes_its_bytes(kind):
    memory = MEMORY_CLASSES[kind](100)
    interface = memory.__sycl_usm_array_interface__
    assert interface["shape"] == (100,)
    assert interface["typestr"] == "|u1"
    assert interface["strides"] is None
    assert interface["offset"] == 0
    assert interface["data"] == (memory._pointer, False)
    assert interface["syclobj"] == memory.sycl_queue


def test_dictionary_is_a_new_one_each_time():
    array = usmx.empty(3)
    array.__sycl_usm_array_interface__["shape"] = (10**6,)
    assert array.__sycl_usm_array_interface__["shape"] == (3,)


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_handed_out_is_taken_back(kind, typestr):
    array = usmx.asarray(np.arange(12).reshape(3, 4).astype(typestr), usm_type=kind)[::-1, 1:]
    view = from_usm_array_interface(Producer(array.__sycl_usm_array_interface__, array))
    assert (view.shape, view.strides, view.dtype) == (array.shape, array.strides, array.dtype)
    assert (view._pointer, view.usm_type) == (array._pointer, kind)
    assert view.sycl_queue == array.sycl_queue
    assert np.array_equal(usmx.asnumpy(view), usmx.asnumpy(array))
