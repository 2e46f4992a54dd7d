"""USMArray.view(dtype): the bytes as elements of another type, as NumPy reinterprets them."""

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SLICES = [np.s_[:], np.s_[::-1], np.s_[1:], np.s_[::2], np.s_[2:], np.s_[4:], np.s_[:1], np.s_[:0]]
STRUCTURED = [
    np.dtype([("a", "<f4"), ("b", "<i4")]),
    np.dtype([("x", "<u2"), ("y", "|i1"), ("z", "|u1", (5,))]),
    np.dtype([("r", "<f8"), ("i", "<f8")]),
]
TYPES = [*TYPESTRS, *STRUCTURED]


def arrays_of(shape, dtype, kind):
    """A USMArray and NumPy's array with the same bytes."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=int))
    host = (np.arange(size * dtype.itemsize) % 2).astype("u1").view(dtype).reshape(shape)
    return usmx.asarray(host, usm_type=kind), host


def place(numpys, memory):
    return numpys.__array_interface__["data"][0] - memory.__array_interface__["data"][0]


@pytest.mark.slow
@settings(max_examples=600)
@given(
    st.data(),
    st.sampled_from(TYPES),
    st.sampled_from(TYPES),
    st.sampled_from(KINDS),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=8),
)
def test_view_is_numpys_or_refused(data, old, new, kind, shape):
    new = np.dtype(new)
    mine, memory = arrays_of(shape, old, kind)
    key = tuple(data.draw(st.sampled_from(SLICES)) for _ in shape)
    axes = data.draw(st.permutations(range(len(shape))))
    before, host = (a[(*key, ...)].transpose(axes) for a in (mine, memory))
    try:
        numpys = host.view(new)
    except ValueError:
        with pytest.raises(ValueError, match=r"whole|multiple|contiguous|item size"):
            before.view(new)
        return
    offset = place(numpys, memory)
    whole = numpys.size == 0 or (
        offset % new.itemsize == 0
        and all(
            n == 1 or stride % new.itemsize == 0
            for n, stride in zip(numpys.shape, numpys.strides, strict=True)
        )
    )
    if not whole:  # strides and offsets are counted in elements
        with pytest.raises(ValueError, match="multiple of"):
            before.view(new)
        return
    after = before.view(new)
    assert after.shape == numpys.shape
    assert after.dtype == new
    assert after.base is mine.base
    assert after.flags.c_contiguous == numpys.flags.c_contiguous
    assert after.flags.f_contiguous == numpys.flags.f_contiguous
    assert usmx.asnumpy(after).tobytes() == numpys.tobytes()
    if after.size > 0:
        assert after.offset * new.itemsize == offset
        for n, stride, expected in zip(after.shape, after.strides, numpys.strides, strict=True):
            assert n == 1 or stride * new.itemsize == expected


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (0, 3), (3, 0, 2)])
@pytest.mark.parametrize(("old", "new"), [("<f4", "<f8"), ("<f8", "<f4"), ("|u1", "<c16")])
def test_view_of_no_elements_is_numpys(shape, old, new):
    mine, host = arrays_of(shape, old, "shared")
    try:
        expected = host.view(new).shape
    except ValueError:
        with pytest.raises(ValueError, match="multiple of"):
            mine.view(new)
    else:
        assert mine.view(new).shape == expected


def test_view_without_a_type_is_another_array_of_the_same_elements():
    a = usmx.zeros((2, 3), "i4", usm_type="host")
    b = a.view()
    assert b is not a
    assert b.base is a.base
    assert (b.shape, b.strides, b.dtype) == (a.shape, a.strides, a.dtype)
    b.flags.writable = False
    assert a.flags.writable


@pytest.mark.parametrize("kind", KINDS)
def test_view_keeps_rights_kind_and_queue(kind):
    a = usmx.zeros((2, 4), "f4", usm_type=kind, sycl_queue=usmx.SyclQueue())
    for new in ("i4", "f8", "u1"):
        assert a.view(new).flags.writable
        assert not a.readonly().view(new).flags.writable
        assert a.view(new).usm_type == kind
        assert a.view(dtype=new).sycl_queue == a.sycl_queue


def test_structured_elements_become_plain_and_back():
    pair = np.dtype([("x", "<f4"), ("y", "<f4")])
    a = usmx.asarray(np.arange(6, dtype="<f4").reshape(3, 2), usm_type="shared")
    points = a.view(pair)
    assert points.shape == (3, 1)
    assert usmx.asnumpy(points["y"]).tolist() == [[1], [3], [5]]
    assert usmx.asnumpy(points.view("<f4")).tolist() == [[0, 1], [2, 3], [4, 5]]


def test_writes_through_a_view_are_seen():
    a = usmx.zeros(2, "<f4", usm_type="shared")
    np.asarray(a.view("<u4"))[1] = 0x3F800000
    assert usmx.asnumpy(a).tolist() == [0, 1]


def test_errors_of_views_say_what_is_wrong():
    a = usmx.zeros((4, 6), "<f4")
    for view, new, words in (
        (a[0, 0], "<f8", "0-dimensional .* same item size 4, found float64 of 8"),
        (a[:, ::2], "<f8", "last axis to be contiguous, found shape"),
        (a.T, "|u1", "last axis to be contiguous"),
        (a[:, :3], "<f8", "last axis to have a multiple of 8 bytes, found 12"),
        (a[:, 1:3], "<f8", "offset to be a multiple of 8 bytes, found 4"),
        (a, "<U2", "typestr"),
        (a, ">f4", "byte order"),
    ):
        with pytest.raises(ValueError, match=words):
            view.view(new)
    with pytest.raises(TypeError):
        a.view(np.ndarray(3))
