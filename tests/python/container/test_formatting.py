"""repr and str: NumPy's text of the elements, fetched only as far as they are shown."""

import tracemalloc

import numpy as np
import pytest
import usmx
from helpers import KINDS, TYPESTRS, Producer, interface_of, sub_devices
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


# ---- options of usmx's own


@pytest.fixture(autouse=True)
def own_options():
    """Leaves no options behind; those of a thread that set none are NumPy's."""
    usmx.set_print_options(numpy=True)
    yield
    usmx.set_print_options(numpy=True)


SOME_OPTIONS = {
    "linewidth": 30,
    "edgeitems": 1,
    "threshold": 5,
    "precision": 2,
    "floatmode": "fixed",
    "suppress": True,
    "nanstr": "--",
    "infstr": "oo",
    "sign": "+",
}
some_options = st.fixed_dictionaries(
    {},
    optional={
        "linewidth": st.integers(10, 100),
        "edgeitems": st.integers(1, 4),
        "threshold": st.integers(0, 40),
        "precision": st.integers(0, 12),
        "floatmode": st.sampled_from(["fixed", "unique", "maxprec", "maxprec_equal"]),
        "suppress": st.booleans(),
        "nanstr": st.sampled_from(["nan", "--", "missing"]),
        "infstr": st.sampled_from(["inf", "oo"]),
        "sign": st.sampled_from(["-", "+", " "]),
    },
)


def test_options_are_numpys_until_they_are_set():
    with np.printoptions(precision=3, sign=" "):
        options = usmx.get_print_options()
        assert (options["precision"], options["sign"]) == (3, " ")
        usmx.set_print_options(precision=5)
        options = usmx.get_print_options()
        assert (options["precision"], options["sign"]) == (5, " ")
    assert usmx.get_print_options() == {
        name: value
        for name, value in {**np.get_printoptions(), "precision": 5}.items()
        if name in SOME_OPTIONS
    }


def test_set_option_is_got_back():
    usmx.set_print_options(**SOME_OPTIONS)
    assert usmx.get_print_options() == SOME_OPTIONS


def test_options_have_dpnp_tensors_names_and_order():
    import inspect

    import dpnp.tensor as dpt

    assert list(usmx.get_print_options()) == list(dpt.get_print_options())
    assert list(inspect.signature(usmx.set_print_options).parameters) == list(
        inspect.signature(dpt.set_print_options).parameters
    )


def test_numpys_options_can_be_taken_again():
    usmx.set_print_options(**SOME_OPTIONS)
    usmx.set_print_options(numpy=True, precision=3)
    assert usmx.get_print_options()["precision"] == 3
    assert usmx.get_print_options()["sign"] == np.get_printoptions()["sign"]


def test_suppress_can_be_taken_back():
    usmx.set_print_options(suppress=True)
    usmx.set_print_options(suppress=False)
    assert usmx.get_print_options()["suppress"] is False


@given(
    hnp.arrays(st.sampled_from(["<f8", "<c16", "<i4"]), hnp.array_shapes(max_dims=3, max_side=9)),
    some_options,
    st.sampled_from(KINDS),
)
def test_text_is_numpys_with_the_same_options(host, options, kind):
    array = usmx.asarray(host, usm_type=kind)
    with usmx.print_options(**options):
        text, representation = str(array), repr(array)
    with np.printoptions(**options):
        assert text == str(host)
        expected = np.array2string(host, separator=", ", prefix="USMArray(")
    assert representation.startswith(f"USMArray({expected},")


def test_options_of_usmx_hold_for_0d_arrays_too():
    array = usmx.asarray(5e-10)
    assert str(array) == "5e-10"
    with usmx.print_options(suppress=True, sign=" "):
        assert str(array) == " 0."


def test_options_of_a_block_end_with_it():
    usmx.set_print_options(precision=6)
    with usmx.print_options(precision=2, nanstr="--") as options:
        assert options == usmx.get_print_options()
        assert str(usmx.asarray([1 / 3, np.nan])) == "[0.33   --]"
        usmx.set_print_options(precision=1)
    assert str(usmx.asarray([1 / 3, np.nan])) == "[0.333333      nan]"
    with pytest.raises(KeyError), usmx.print_options(precision=2):
        raise KeyError
    assert usmx.get_print_options()["precision"] == 6


def test_refused_option_changes_nothing():
    with pytest.raises(ValueError, match="sign"):
        usmx.set_print_options(precision=2, sign="*")
    with pytest.raises(ValueError, match="sign"), usmx.print_options(precision=2, sign="*"):
        pass
    assert usmx.get_print_options()["precision"] == np.get_printoptions()["precision"]


def test_options_belong_to_their_thread():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as other:
        other.submit(usmx.set_print_options, precision=2).result()
        assert other.submit(usmx.get_print_options).result()["precision"] == 2
    assert usmx.get_print_options()["precision"] == np.get_printoptions()["precision"]


def test_infinite_threshold_abbreviates_nothing():
    array = usmx.arange(2000)
    with usmx.print_options(threshold=float("inf")):
        assert "..." not in str(array)
    assert "..." in str(array)


@pytest.mark.parametrize("name", ["linewidth", "edgeitems", "threshold", "precision"])
@pytest.mark.parametrize("value", ["I", 2.5, [1]], ids=str)
def test_option_that_is_no_integer_is_a_type_error(name, value):
    with pytest.raises(TypeError, match=f"{name} must be an integer, found"):
        usmx.set_print_options(**{name: value})


@pytest.mark.parametrize("name", ["nanstr", "infstr"])
def test_option_that_is_no_string_is_a_type_error(name):
    with pytest.raises(TypeError, match=f"{name} must be a string, found nan"):
        usmx.set_print_options(**{name: np.nan})


@pytest.mark.parametrize("name", ["sign", "floatmode"])
def test_option_that_is_no_word_of_numpys_is_a_value_error(name):
    with pytest.raises(ValueError, match=f"{name} must be one of '.*', found 'I'"):
        usmx.set_print_options(**{name: "I"})


# ---- repr


def test_repr_says_what_the_memory_is(kind):
    device = usmx.SyclDevice().filter_string
    text = repr(usmx.asarray([1, 2, 3], usm_type=kind))
    expected = f"USMArray([1, 2, 3], dtype=int64, usm_type='{kind}', device='{device}')"
    assert " ".join(text.split()) == expected  # with a long name it takes two lines


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
    assert "shape=(0, 4611686018427387904)" in repr(usmx.empty((0, 2**62), usm_type=kind))
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

    queue = dpctl.SyclQueue(sub_devices()[0])
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


@pytest.mark.parametrize("shape", [(2,), (2000,), (2, 3), (50, 50)])
def test_last_element_is_shown_even_without_edges(shape):
    host = np.arange(np.prod(shape)).reshape(shape)
    with np.printoptions(threshold=0, edgeitems=0):
        assert str(usmx.asarray(host)) == str(host)


@pytest.mark.parametrize(
    ("value", "specification"), [(3.14159, ".2f"), (42, "06d"), (True, "d"), (2 - 1j, ".1f")]
)
def test_format_specification_is_for_the_element(kind, value, specification):
    array = usmx.asarray([value], usm_type=kind)
    assert format(array[0], specification) == format(np.array(value), specification)
    assert f"{array[0]} {array}" == f"{array[0]!s} {array!s}"
    with pytest.raises(TypeError, match=rf"shape \(1,\).*'{specification}'"):
        format(array, specification)


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


def test_python_rounds_the_element_of_an_array_without_dimensions():
    x = usmx.asarray([2.345, -0.5])
    assert (round(x[0]), type(round(x[0]))) == (2, int)
    assert round(x[0], 1).tolist() == 2.3
    with pytest.raises(TypeError, match=r"without dimensions, found shape \(2,\)"):
        round(x)
