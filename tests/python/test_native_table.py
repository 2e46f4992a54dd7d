"""The table of C functions through which extension modules take and give objects.

Called as an extension's casters call it: with room for a C++ optional, which is not looked into.
"""

import ctypes

import dpctl
import numpy as np
import pytest
import usmx
import usmx_pca
from helpers import producer_of

NOT_OF_THIS_KIND, CONVERTED, CONVERTED_BY_OTHERS = 0, 1, 2


def pointer_in(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, b"usmx._core._api")


CONVERSION = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
CREATION = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)


class Table(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32),
        ("as_array", CONVERSION),
        ("from_array", CREATION),
        ("as_queue", CONVERSION),
        ("from_queue", CREATION),
        ("as_event", CONVERSION),
        ("from_event", CREATION),
    )


TABLE = Table.from_address(pointer_in(usmx._core._api))
ALIVE = []  # what a conversion has made stays for ever: no C++ destructor runs here


def take(function, obj):
    ALIVE.append(ctypes.create_string_buffer(4096))
    return getattr(TABLE, function)(obj, ALIVE[-1])


class Counted:
    """A producer that counts how often it was asked."""

    def __init__(self):
        self.array = usmx.zeros(4, dtype="f8", usm_type="shared")
        self.asked = 0

    @property
    def __sycl_usm_array_interface__(self):
        self.asked += 1
        return self.array.__sycl_usm_array_interface__


class Failing:
    def __init__(self, error):
        self.error = error

    @property
    def __sycl_usm_array_interface__(self):
        raise self.error

    def _get_capsule(self):
        raise self.error


def queue():
    return usmx.SyclQueue()


def capsule(obj):
    class Holder:
        def _get_capsule(self):
            return obj._get_capsule()

    return Holder()


OBJECTS = {
    "array": (lambda: usmx.zeros(3), "as_array"),
    "memory": (lambda: usmx.memory.MemoryUSMShared(8), "as_array"),
    "producer": (lambda: producer_of(usmx.memory.MemoryUSMShared(96)), "as_array"),
    "queue": (queue, "as_queue"),
    "dpctl's queue": (dpctl.SyclQueue, "as_queue"),
    "queue's capsule": (lambda: queue()._get_capsule(), "as_queue"),
    "holder of a queue's capsule": (lambda: capsule(queue()), "as_queue"),
    "event": (usmx.SyclEvent, "as_event"),
    "dpctl's event": (dpctl.SyclEvent, "as_event"),
    "event's capsule": (lambda: usmx.SyclEvent()._get_capsule(), "as_event"),
    "holder of an event's capsule": (lambda: capsule(usmx.SyclEvent()), "as_event"),
    "context": (lambda: queue().sycl_context, None),
    "context's capsule": (lambda: queue().sycl_context._get_capsule(), None),
    "number": (lambda: 3, None),
    "None": (lambda: None, None),
    "NumPy's array": (lambda: np.zeros(3), None),
}


KNOWN = (usmx.USMArray, usmx.SyclQueue, usmx.SyclEvent, dpctl.SyclQueue, dpctl.SyclEvent)


@pytest.mark.parametrize("function", ["as_array", "as_queue", "as_event"])
@pytest.mark.parametrize(("make", "fits"), OBJECTS.values(), ids=OBJECTS)
def test_function_takes_its_own_kind_and_leaves_the_others(make, fits, function):
    obj = make()
    converted = CONVERTED if type(obj) in KNOWN else CONVERTED_BY_OTHERS
    assert take(function, obj) == (converted if function == fits else NOT_OF_THIS_KIND)


@pytest.mark.parametrize("function", ["as_array", "as_queue", "as_event"])
@pytest.mark.parametrize("error", [AttributeError("mine"), RuntimeError("mine")])
def test_exception_of_the_object_passes_through(function, error):
    with pytest.raises(type(error), match="mine"):
        take(function, Failing(error))


def test_producer_is_asked_once():
    producer = Counted()
    assert take("as_array", producer) == CONVERTED_BY_OTHERS
    assert producer.asked == 1


def test_producer_given_to_a_function_of_an_extension_is_asked_once():
    producer = Counted()
    producer.array = usmx.asarray(np.random.default_rng(1).random((5, 3)), usm_type="shared")
    usmx_pca.pca(producer)
    assert producer.asked == 1


def test_exception_of_a_producer_passes_through_a_function_of_an_extension():
    with pytest.raises(KeyError, match="mine"):
        usmx_pca.pca(Failing(KeyError("mine")))


def test_what_is_no_producer_does_not_fit_a_function_of_an_extension():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        usmx_pca.pca(3)
