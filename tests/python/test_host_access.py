"""The host gets views of the memory that it reaches, or in strict mode of shared and host memory."""

import io

import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS, output_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

VIEWS = {
    "asarray": np.asarray,
    "memoryview": lambda a: np.asarray(memoryview(a)),
    "__array__": lambda a: a.__array__(),
    "from_dlpack": lambda a: np.from_dlpack(a, device="cpu", copy=False),
    "memory object": lambda a: np.frombuffer(a.base, a.dtype).reshape(a.shape),
    "flat": lambda a: np.asarray(a.flat),
}
ON_THE_HOST = {
    **VIEWS,
    "array_repr": np.array_repr,
    "heaviside.outer": lambda a: np.heaviside.outer(a, 1),
    "save": lambda a: np.save(io.BytesIO(), a),
    "bytearray": bytearray,
    "arrow": lambda a: a.__arrow_c_array__(),
}


@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_view_is_the_memory_itself(view, kind):
    array = usmx.arange(12.0, usm_type=kind)
    found = view(array)
    assert found.ctypes.data == array._pointer
    found[3] = 99
    assert float(array[3]) == 99


@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("name", ON_THE_HOST)
def test_host_works_on_memory_that_it_reaches(name, kind):
    assert ON_THE_HOST[name](usmx.arange(12.0, usm_type=kind)) is None or name != "save"


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_strict_mode_refuses_device_memory_and_says_what_to_do(name, strict_host):
    with pytest.raises((TypeError, BufferError)) as caught:
        ON_THE_HOST[name](usmx.arange(12.0))
    text = str(caught.value)
    assert "dpnp" not in text
    if name not in ("from_dlpack", "arrow", "memory object"):
        assert "usmx.asnumpy" in text
        assert "'shared'" in text


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("name", ON_THE_HOST)
def test_strict_mode_takes_shared_and_host_memory(name, kind, strict_host):
    ON_THE_HOST[name](usmx.arange(12.0, usm_type=kind))


@given(
    hnp.arrays(
        st.sampled_from(["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"]),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    st.sampled_from(HOST_KINDS),
    st.data(),
)
def test_view_has_the_elements_of_any_layout(host, kind, data):
    axes = data.draw(st.permutations(range(host.ndim)))
    key = tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in range(host.ndim))
    array = usmx.asarray(host, usm_type=kind).transpose(axes)[key]
    view = np.asarray(array)
    expected = host.transpose(axes)[key]
    assert (view.shape, view.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(view, expected, equal_nan=host.dtype.kind in "fc")


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_as_strided_of_numpy_is_refused_because_it_takes_bytes(kind):
    array = usmx.arange(12.0, usm_type=kind)
    with pytest.raises(TypeError, match=r"strides in bytes.*usmx\.lib\.stride_tricks\.as_strided"):
        np.lib.stride_tricks.as_strided(array, (2, 2), array.strides * 2)
    windows = np.lib.stride_tricks.sliding_window_view(array, 3)
    assert windows.tolist() == usmx.lib.stride_tricks.as_strided(array, (10, 3), (1, 1)).tolist()
    view = np.lib.stride_tricks.as_strided(np.asarray(array), (2, 2), (8, 8))
    assert view.tolist() == [[0, 1], [1, 2]]


def test_functions_of_scipy_that_pass_strides_on_are_refused():
    linalg = pytest.importorskip("scipy.linalg")
    array = usmx.arange(5.0, usm_type="shared")
    with pytest.raises(TypeError, match=r"np\.asarray\(a\)"):
        linalg.circulant(array)
    assert linalg.circulant(np.asarray(array))[:, 0].tolist() == [0, 1, 2, 3, 4]


def as_strided(array):
    """A function of a user's with the same name."""
    return np.asarray(array)


def test_other_functions_of_that_name_get_their_view():
    array = usmx.arange(3.0, usm_type="shared")
    assert as_strided(array).ctypes.data == array._pointer


def test_kinds_stay_what_they_are():
    array = usmx.arange(3.0)
    view = np.asarray(array)
    assert array.usm_type == usmx.asarray(view, copy=False).usm_type == "device"
    assert usmx.memory.get_usm_type(view.ctypes.data, array.sycl_queue) == "device"


def test_views_that_exist_stay_in_strict_mode():
    array = usmx.zeros(3, usm_type=HOST_KINDS[0])
    view = np.asarray(array)
    with usmx.host_access("strict"):
        view[0] = 7
        array += 1
        assert view.tolist() == [8, 1, 1]


def test_mode_before_is_returned(strict_host):
    assert usmx.host_access("reached") == "strict"
    assert usmx.host_access("strict") == "reached"


def test_mode_holds_from_the_call_to_the_end_of_the_block():
    array = usmx.zeros(3)
    before = usmx.host_access("strict")
    with pytest.raises(TypeError):
        np.asarray(array)
    with before as mode, usmx.host_access("reached") as inner:
        assert (mode, inner) == ("strict", "reached")
        np.asarray(array)
    assert usmx.host_access("reached") == "reached"
    with pytest.raises(KeyError), usmx.host_access("strict"):
        raise KeyError
    np.asarray(array)


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_description_for_numpy_has_no_address(kind):
    array = usmx.zeros((4, 6), "u1", usm_type=kind)
    described = array.__array_interface__
    theirs = np.asarray(array).__array_interface__
    assert "data" not in described
    assert {key: theirs[key] for key in described} == described
    columns = array.T[::-1]
    assert columns.__array_interface__["strides"] == np.asarray(columns).strides


def test_strict_mode_has_no_description_of_device_memory(strict_host):
    with pytest.raises(AttributeError, match=r"usmx\.asnumpy.*'shared'"):
        usmx.zeros(3).__array_interface__  # noqa: B018
    assert not hasattr(usmx.zeros(3), "__array_interface__")
    assert usmx.zeros(3, usm_type="shared").__array_interface__["shape"] == (3,)


@pytest.mark.parametrize("form", [(4, 6), (4, 6, 3), (4, 6, 4)])
@pytest.mark.parametrize("key", [..., np.s_[::-1, ::2]], ids=["whole", "strided"])
def test_pillow_takes_pictures(form, key):
    image = pytest.importorskip("PIL.Image")
    pixels = usmx.arange(np.prod(form), dtype="u1").reshape(form)[key]
    assert np.array_equal(image.fromarray(pixels), usmx.asnumpy(pixels))


@pytest.mark.parametrize("mode", ["Strict", "", "device", "any"])
def test_wrong_mode_is_named(mode):
    with pytest.raises(ValueError, match=f"mode must be 'reached' or 'strict', found '{mode}'"):
        usmx.host_access(mode)
    with pytest.raises(TypeError, match="mode"):
        usmx.host_access(None)


PROGRAM = """
import logging, sys
logging.basicConfig(format="%(message)s", stream=sys.stdout)
import usmx
try:
    memoryview(usmx.zeros(3))
except BufferError:
    print("refused")
print(usmx.zeros(3).usm_type, usmx.host_access("reached"))
"""


def test_environment_sets_mode_and_kind():
    variables = {"USMX_HOST_ACCESS": "strict", "USMX_DEFAULT_USM_TYPE": "device"}
    assert output_of(PROGRAM, **variables).split() == ["refused", "device", "strict"]
    variables = {"USMX_HOST_ACCESS": "strict", "USMX_DEFAULT_USM_TYPE": "host"}
    assert output_of(PROGRAM, **variables).split() == ["host", "strict"]


def test_value_of_the_environment_without_a_meaning_is_warned_of():
    variables = {"USMX_HOST_ACCESS": "yes", "USMX_DEFAULT_USM_TYPE": "Shared"}
    text = output_of(PROGRAM, **variables)
    assert "USMX_HOST_ACCESS must be 'reached' or 'strict', found 'yes'" in text
    assert "USMX_DEFAULT_USM_TYPE must be 'device', 'shared' or 'host', found 'Shared'" in text
    assert text.split()[-2:] == ["device", "reached"]
