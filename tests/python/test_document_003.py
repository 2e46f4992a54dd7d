"""Every example of the mission's document 003, its two slips corrected as PROTOCOL.md says."""

import numpy as np
import pytest
import usmx
from helpers import KINDS
from usmx import USMArray
from usmx.memory import MemoryUSMShared


def places(array):
    """{index: place in the flat buffer}, of the elements as they are found in memory."""
    flat = np.arange(array.base.nbytes // array.itemsize).astype(array.dtype)
    array.base.copy_from_host(flat)
    return {index: int(value) for index, value in np.ndenumerate(usmx.asnumpy(array))}


def by_formula(array):
    """The same by the document's formula."""
    return {
        index: array.offset + sum(s * i for s, i in zip(array.strides, index, strict=True))
        for index in np.ndindex(array.shape)
    }


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


# ---- "Examples of USMArray instances"


def test_c_contiguous_matrix(kind):
    a = USMArray((2, 3), "i4", kind)
    assert (a.nd, a.shape, a.strides) == (2, (2, 3), (3, 1))
    assert a._pointer == a.base._pointer
    assert [places(a)[i] for i in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))] == [*range(6)]
    assert a.flags.c_contiguous


def test_f_contiguous_matrix_of_shape_2_3(kind):
    a = USMArray((2, 3), "i4", kind, order="F")
    assert (a.nd, a.shape, a.strides) == (2, (2, 3), (1, 2))
    assert a._pointer == a.base._pointer
    assert [places(a)[i] for i in ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2))] == [*range(6)]
    assert a.flags.f_contiguous
    assert USMArray((2, 3), "i4", kind, strides=(1, 2)).flags == a.flags


def test_submatrix_that_is_not_contiguous(kind):
    a = USMArray((2, 3), "i4", kind)
    for part in (a[:2, :2], USMArray((2, 2), "i4", a, strides=(3, 1))):
        assert (part.nd, part.shape, part.strides) == (2, (2, 2), (3, 1))
        assert part._pointer == a.base._pointer
        assert places(part) == {(0, 0): 0, (0, 1): 1, (1, 0): 3, (1, 1): 4}
        assert not part.flags.forc


def test_vector_with_a_negative_stride(kind):
    contig_vec = USMArray(8, "i4", kind)
    for a in (contig_vec[7::-2], USMArray((4,), "i4", contig_vec, strides=(-2,), offset=7)):
        assert (a.nd, a.shape, a.strides, a.offset) == (1, (4,), (-2,), 7)
        assert a._pointer == contig_vec._pointer + 7 * 4
        assert places(a) == {(0,): 7, (1,): 5, (2,): 3, (3,): 1}


# ---- "Constructor", "Examples"


def test_constructor_allocates_c_contiguous_device_memory():
    a = USMArray((2, 3), dtype="u2", buffer="device")
    assert a.usm_type == "device"
    assert a.base.nbytes == 12  # 6 elements; the document says 12
    assert a.flags.c_contiguous
    assert places(a) == dict(zip(np.ndindex(2, 3), range(6), strict=True))


def test_constructor_allocates_what_strides_span():
    a = USMArray((2, 3), dtype="i8", buffer="shared", strides=(6, 1))
    assert a.usm_type == "shared"
    assert a.base.nbytes == 9 * 8
    assert places(a) == {(0, 0): 0, (0, 1): 1, (0, 2): 2, (1, 0): 6, (1, 1): 7, (1, 2): 8}


def test_constructor_finds_the_offset_of_a_negative_stride():
    a = USMArray((2, 2), dtype="u1", buffer="host", strides=(2, -1))
    assert a.usm_type == "host"
    assert a.base.nbytes == 4
    assert a.offset == 1
    assert places(a) == {(0, 1): 0, (0, 0): 1, (1, 1): 2, (1, 0): 3}


def test_constructor_maps_elements_to_given_memory():
    mem = MemoryUSMShared(64)
    a = USMArray((4,), dtype="f8", buffer=mem, strides=(-2,), offset=7)
    assert a.base is mem
    assert places(a) == {(3,): 1, (2,): 3, (1,): 5, (0,): 7}


def test_array_in_place_of_the_buffer_is_its_memory(kind):
    W = USMArray((4, 2), dtype="i4", buffer=kind, strides=(-5, -2))
    assert W.offset == 17
    assert W.base.nbytes == 18 * 4
    Wiface = W.__sycl_usm_array_interface__
    W2 = USMArray(
        Wiface["shape"],
        dtype=Wiface["typestr"],
        buffer=W,
        strides=Wiface["strides"],
        offset=Wiface["offset"],
    )
    W2iface = W2.__sycl_usm_array_interface__
    assert Wiface == W2iface
    assert W2.base is W.base


@pytest.mark.parametrize(
    "make",
    [
        lambda kind: USMArray((2, 3), "f4", kind),
        lambda kind: USMArray((2, 3), "f4", kind, order="F"),
        lambda kind: USMArray((3, 4, 5), "c8", kind)[1:, ::-2, 1::3],
        lambda kind: USMArray((6,), "b1", kind)[2:],
        lambda kind: USMArray((6,), "i2", kind)[3],
        lambda kind: USMArray((6,), "i2", kind)[3:3],
        lambda kind: USMArray((0, 3), "f8", kind),
        lambda kind: USMArray((), "f8", kind),
        lambda kind: USMArray((5,), "f8", kind, strides=(0,)),
        lambda kind: USMArray((2, 3), "f4", kind)[:, ::-1].readonly(),
    ],
    ids=[
        "c",
        "f",
        "sliced",
        "displaced",
        "element",
        "none",
        "empty",
        "scalar",
        "repeated",
        "readonly",
    ],
)
def test_every_array_is_rebuilt_from_its_dictionary(kind, make):
    w = make(kind)
    i = w.__sycl_usm_array_interface__
    again = USMArray(
        i["shape"], dtype=i["typestr"], buffer=w, strides=i["strides"], offset=i["offset"]
    )
    assert again.__sycl_usm_array_interface__ == i


# ---- the rest of the document


def test_element_is_where_the_formula_says(kind):
    for a in (
        USMArray((2, 3, 2), "i4", kind),
        USMArray((2, 3, 2), "i4", kind, (-7, 2, 1)),
        USMArray((3, 2), "i4", kind, (0, -1)),
    ):
        assert places(a) == by_formula(a)


def test_array_is_made_of_its_parts_as_the_document_names_them():
    a = USMArray((2, 5, 1), "f4")
    assert a.nd == len(a.shape) == len(a.strides) == 3
    assert a.base.get_usm_type() == "device"
    assert a.flags["C_CONTIGUOUS"]
    assert a.flags["F_CONTIGUOUS"] is False
    assert a.flags["WRITEABLE"]
