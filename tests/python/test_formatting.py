"""repr and str: NumPy's text of the elements, fetched only as far as they are shown."""

import tracemalloc

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, Producer, interface_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

MANY = 64 << 20  # bytes


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def sample(typestr, shape=(3, 4)):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 100
    values = values % 2 if typestr == "|b1" else values
    return values.astype(typestr) * (1 - 2.5j if "c" in typestr else 1)


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


# ---- str


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_str_is_numpys(kind, typestr):
    host = sample(typestr)
    assert str(usmx.asarray(host, usm_type=kind)) == str(host)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (0, 3), (2, 2, 2), (1,) * 20])
def test_str_of_every_shape_is_numpys(kind, shape):
    host = sample("<f8", shape)
    assert str(usmx.asarray(host, usm_type=kind)) == str(host)


@pytest.mark.parametrize("key", [np.s_[::-1], np.s_[:, ::2], np.s_[1], np.s_[1, 2], np.s_[1:1]])
def test_str_of_a_view_is_numpys(kind, key):
    host = sample("<f4")
    assert str(usmx.asarray(host, usm_type=kind)[key]) == str(np.asarray(host[key]))


@given(
    hnp.arrays(
        st.sampled_from([np.dtype(typestr) for typestr in ("<i4", "<f4", "<f8", "<c16", "|b1")]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=12),
    ),
    st.integers(0, 40),
    st.integers(1, 4),
    st.sampled_from(KINDS),
)
def test_str_is_numpys_with_any_options(host, threshold, edgeitems, kind):
    with np.printoptions(threshold=threshold, edgeitems=edgeitems):
        assert str(usmx.asarray(host, usm_type=kind)) == str(host)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"suppress": True},
        {"linewidth": 30},
        {"sign": "+"},
        {"floatmode": "fixed"},
        {"formatter": {"float": "<{}>".format}},
        {"nanstr": "--"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_str_follows_numpys_options(options):
    host = np.array([[1 / 3, 1e-10, np.nan], [-2.5, 1e5, np.inf]] * 3)
    with np.printoptions(**options):
        assert str(usmx.asarray(host)) == str(host)


# ---- repr


def test_repr_says_what_the_memory_is(kind):
    device = usmx.SyclDevice().filter_string
    text = repr(usmx.asarray([1, 2, 3], usm_type=kind))
    assert text == f"USMArray([1, 2, 3], dtype=int64, usm_type='{kind}', device='{device}')"


def test_repr_shows_the_elements_as_numpy_does():
    host = sample("<f8", (3, 4))
    shown = lines_of(repr(usmx.asarray(host)))
    assert [line.removeprefix("USMArray(") for line in shown[:3]] == [
        line.removeprefix("array(").rstrip(")") + ("," if k == 2 else "")
        for k, line in enumerate(lines_of(repr(host)))
    ]
    assert shown[3].startswith("dtype=float64, usm_type='device'")


def test_lines_of_a_repr_are_aligned():
    lines = repr(usmx.zeros((2, 2))).splitlines()
    assert lines[0].startswith("USMArray([[")
    assert lines[1].startswith(" " * len("USMArray(") + " [")


def test_repr_of_no_elements_says_the_shape(kind):
    assert repr(usmx.empty((0, 3), usm_type=kind)).startswith("USMArray([]")
    assert "shape=(0, 3)" in repr(usmx.empty((0, 3), usm_type=kind))
    assert "shape=" not in repr(usmx.empty((1, 3), usm_type=kind))


def test_repr_of_a_0d_array(kind):
    assert repr(usmx.asarray(2.5, usm_type=kind)).startswith("USMArray(2.5")


def test_repr_says_that_a_view_is_readonly(kind):
    array = usmx.zeros(3, usm_type=kind)
    assert "readonly=True" in repr(array.readonly())
    assert "readonly" not in repr(array)


def test_long_repr_goes_on_in_another_line():
    lines = repr(usmx.asarray(np.arange(18.0) / 10)).splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)


def test_repr_of_a_sub_device_has_a_name_for_it():
    import dpctl

    if dpctl.SyclDevice().max_compute_units < 2:
        pytest.skip("a device with one compute unit cannot be partitioned")
    queue = dpctl.SyclQueue(dpctl.SyclDevice().create_sub_devices(partition=[1, 1])[0])
    assert "sub-device" in repr(usmx.empty(1, sycl_queue=queue))


def test_repr_of_a_foreign_array_without_memory():
    producer = Producer(
        {**interface_of(usmx.memory.MemoryUSMHost(8)), "shape": (0,), "data": (0, False)}
    )
    assert "shape=(0,)" in repr(usmx.asarray(producer))


# ---- large arrays


@pytest.mark.parametrize(
    "shape",
    [(2000,), (50, 50), (4, 600), (600, 4), (7, 7, 30), (2, 3, 1000), (1, 5000), (6, 6, 6, 6)],
)
@pytest.mark.parametrize("typestr", ["<i4", "<f8", "<c8", "|b1"])
def test_str_of_many_elements_is_numpys(shape, typestr):
    host = sample(typestr, shape)
    host[...] += (np.arange(host.size).reshape(shape) * (typestr != "|b1")).astype(typestr)
    assert str(usmx.asarray(host)) == str(host)
    assert str(usmx.asarray(host)[..., ::-1]) == str(host[..., ::-1])


def test_str_of_many_elements_without_a_summary_is_numpys():
    host = np.arange(3000)
    with np.printoptions(threshold=10**9):
        assert str(usmx.asarray(host)) == str(host)


@pytest.fixture(
    scope="module",
    params=[(MANY // 8,), (4096, MANY // 8 // 4096), (2, 64, MANY // 8 // 128)],
    ids=str,
)
def large(request):
    """(64 MiB of device memory, the same numbers in NumPy's hands)"""
    host = np.arange(MANY // 8, dtype="f8").reshape(request.param) / 7
    return usmx.asarray(host), host


@pytest.mark.parametrize(
    "key", [np.s_[...], np.s_[..., ::-1], np.s_[::2]], ids=["all", "reversed", "steps"]
)
def test_large_device_array_is_shown_as_numpy_shows_it(large, key):
    array, host = large
    assert array.usm_type == "device"
    assert array.nbytes == MANY
    assert str(array[key]) == str(host[key])
    expected = np.array2string(host[key], separator=", ", prefix="USMArray(")
    assert repr(array[key]).startswith(f"USMArray({expected},")


@pytest.mark.parametrize("show", [str, repr])
@pytest.mark.parametrize("edgeitems", [3, 0, 1])
def test_large_device_array_is_not_fetched_to_be_shown(large, show, edgeitems):
    array, _ = large
    with np.printoptions(edgeitems=edgeitems):
        show(array)
        tracemalloc.start()
        try:
            show(array)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 1 << 20
