"""sys.getsizeof: an array counts the memory that was made with it, a view counts none."""

import sys

import numpy as np
import pytest
import usmx
from helpers import KINDS, Producer, interface_of
from usmx.memory import MemoryUSMShared, as_usm_memory

NBYTES = 8000


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def owned(obj):
    return obj.__sizeof__() - object.__sizeof__(obj)


MAKERS = {
    "empty": lambda kind: usmx.empty(1000, usm_type=kind),
    "zeros": lambda kind: usmx.zeros(1000, usm_type=kind),
    "full": lambda kind: usmx.full(1000, 7.0, usm_type=kind),
    "arange": lambda kind: usmx.arange(1000, dtype="f8", usm_type=kind),
    "from the host": lambda kind: usmx.asarray(np.zeros(1000), usm_type=kind),
    "constructor": lambda kind: usmx.USMArray(1000, "f8", kind),
    "copy": lambda kind: usmx.copy(usmx.zeros(1000, usm_type=kind)),
    "like another": lambda kind: usmx.empty_like(usmx.zeros(1000, usm_type=kind)),
    "index array": lambda kind: usmx.zeros(2000, usm_type=kind)[list(range(1000))],
    "astype": lambda kind: usmx.zeros(1000, dtype="f4", usm_type=kind).astype("f8"),
    "concat": lambda kind: usmx.concat([usmx.zeros(500, usm_type=kind)] * 2),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_array_in_new_memory_counts_its_bytes(kind, make):
    array = make(kind)
    assert array.usm_type == kind
    assert owned(array) == NBYTES


VIEWS = {
    "part": lambda a: a[10:],
    "all": lambda a: a[...],
    "mask of a row": lambda a: a.reshape(10, 100)[3],
    "reshape": lambda a: a.reshape(10, 100),
    "reshape method": lambda a: usmx.reshape(a, (10, 100)),
    "transposed": lambda a: a.reshape(10, 100).T,
    "broadcast": lambda a: usmx.broadcast_to(a, (3, 1000)),
    "readonly": lambda a: a.readonly(),
    "view": lambda a: a.view("i8"),
    "the same view": lambda a: a.view(),
    "flip": lambda a: usmx.flip(a),
    "item of an iteration": lambda a: next(iter(a.reshape(10, 100))),
    "reversed": lambda a: next(reversed(a.reshape(10, 100))),
    "constructor": lambda a: usmx.USMArray(1000, "f8", a),
    "constructor over its memory": lambda a: usmx.USMArray(1000, "f8", a.base),
    "import": lambda a: usmx.from_usm_array_interface(Producer(interface_of(a.base))),
    "another queue": lambda a: a.to_device(usmx.SyclQueue(a.sycl_context, a.sycl_device)),
    "DLPack": usmx.from_dlpack,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_view_counts_no_bytes_of_memory(view):
    array = usmx.zeros(1000, usm_type="shared")
    made = view(array)
    assert owned(made) == 0
    assert owned(array) == NBYTES


def test_views_of_complex_and_structured_arrays_count_no_bytes():
    numbers = usmx.zeros(10, dtype="c16")
    records = usmx.asarray(np.zeros(10, [("a", "i4"), ("b", "f8")]))
    for made in (numbers.real, numbers.imag, records["a"], records[["a", "b"]]):
        assert owned(made) == 0


def test_array_without_elements_counts_what_its_address_costs():
    assert owned(usmx.empty((3, 0))) <= 8


def test_memory_counts_its_bytes_and_a_view_of_it_none(kind):
    memory = getattr(usmx.memory, f"MemoryUSM{kind.title()}")(4096)
    assert owned(memory) == 4096
    assert owned(as_usm_memory(usmx.USMArray((4,), "u1", memory, offset=8))) == 0


def test_memory_of_others_counts_no_bytes():
    import dpctl.memory

    foreign = dpctl.memory.MemoryUSMShared(4096)
    assert owned(as_usm_memory(foreign)) == 0
    assert owned(usmx.USMArray(4096, "u1", foreign)) == 0


def test_size_of_what_new_alone_made_is_a_type_error():
    with pytest.raises(TypeError, match="USMArray.__init__ was never called"):
        sys.getsizeof(usmx.USMArray.__new__(usmx.USMArray))
    assert sys.getsizeof(MemoryUSMShared(8)) > 0
