"""usmx.fft: the results are NumPy's, for all types, layouts, axes and ways to divide by n."""

import re
import threading

import numpy as np
import pytest
import usmx
from helpers import examples, run_python
from hypothesis import given, settings
from hypothesis import strategies as st
from usmx import fft

pytestmark = pytest.mark.skipif(
    not (usmx.SyclDevice().is_cpu or usmx.SyclDevice().backend == "cuda"),
    reason="usmx calls no library of this device's for transforms yet",
)
NORMS = (None, "backward", "ortho", "forward")
COMPLEX = ("fft", "ifft", "irfft", "hfft")
REAL = ("rfft", "ihfft")
TYPES = ("f2", "f4", "f8", "c8", "c16", "i4", "?")


def close(found, expected, single=False):
    assert type(found) is usmx.USMArray
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    tolerance = (1e-5 if expected.dtype.char in "fF" or single else 1e-13) * scale
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=0, atol=tolerance)


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(shape) * 5
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def as_computed(x):
    """NumPy's own results of half precision have other types in some functions."""
    return x.astype("f4") if x.dtype == "f2" else x


VIEWS = {
    "C": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ..., ::-1],
    "steps": lambda x: x[..., ::2],
    "repeated": lambda x: (usmx if type(x) is usmx.USMArray else np).broadcast_to(x, (2, *x.shape)),
    "moved": lambda x: (usmx if type(x) is usmx.USMArray else np).moveaxis(x, 0, 1),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("view", VIEWS)
def test_transforms_of_one_axis_are_numpys(dtype, view):
    host = numbers((3, 6, 4), dtype)
    x, expected = VIEWS[view](usmx.asarray(host)), as_computed(VIEWS[view](host))
    for name in COMPLEX + (REAL if np.dtype(dtype).kind != "c" else ()):
        ours, numpys = getattr(fft, name), getattr(np.fft, name)
        for axis in range(-expected.ndim, expected.ndim):
            for n in (None, 1, 5, 9):
                close(ours(x, n, axis), numpys(expected, n, axis))
        for norm in NORMS:
            close(ours(x, norm=norm), numpys(expected, norm=norm))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("view", VIEWS)
def test_transforms_of_several_axes_are_numpys(dtype, view):
    host = numbers((3, 6, 4), dtype)
    x, expected = VIEWS[view](usmx.asarray(host)), as_computed(VIEWS[view](host))
    names = ("fftn", "ifftn", "irfftn", "fft2", "ifft2", "irfft2")
    for name in names + (("rfftn", "rfft2") if np.dtype(dtype).kind != "c" else ()):
        ours, numpys = getattr(fft, name), getattr(np.fft, name)
        for options in (
            {},
            {"axes": (0, 1)},
            {"axes": (2, 0), "s": (3, 7)},
            {"axes": (1, -1), "s": (8, 2), "norm": "ortho"},
            {"axes": (0,), "norm": "forward"},
        ):
            close(ours(x, **options), numpys(expected, **options))
        close(ours(x, s=(2, 6)), numpys(expected, s=(2, 6), axes=(-2, -1)))


@settings(max_examples=examples(60))
@given(st.data())
def test_random_lengths_and_strides_are_numpys(data):
    """Short ones are computed at once, others as tasks."""
    shape = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    axis = data.draw(st.integers(0, len(shape) - 1))
    shape[axis] = data.draw(st.integers(4, 3000))
    dtype = data.draw(st.sampled_from(("f4", "f8", "c8", "c16")))
    host = numbers([2 * extent for extent in shape] if len(shape) < 3 else shape, dtype)
    steps = tuple(slice(None, None, data.draw(st.sampled_from((1, 2, -1)))) for _ in shape)
    x, expected = usmx.asarray(host)[steps], host[steps]
    name = data.draw(
        st.sampled_from(("fft", "ifft", "irfft") + (("rfft",) if dtype[0] == "f" else ()))
    )
    close(getattr(fft, name)(x, axis=axis), getattr(np.fft, name)(expected, axis=axis))


@pytest.mark.parametrize("n", [1 << 16, 99991, 100_000])
def test_long_transforms_are_numpys(n):
    for dtype in ("c16", "f8", "c8"):
        host = numbers(n, dtype)
        close(fft.fft(usmx.asarray(host)), np.fft.fft(host))


def test_inverses_of_what_is_no_spectrum_of_real_numbers_are_numpys():
    """oneMKL's own transform of several axes would read other elements."""
    host = numbers((6, 8), "c16")
    close(fft.irfftn(usmx.asarray(host)), np.fft.irfftn(host))
    host = numbers((3, 4, 5), "c16")
    close(
        fft.irfftn(usmx.asarray(host), s=(3, 4, 7)),
        np.fft.irfftn(host, s=(3, 4, 7), axes=(0, 1, 2)),
    )


def test_operand_of_an_inverse_is_kept():
    x = usmx.asarray(numbers((4, 9), "c16"))
    before = usmx.asnumpy(x).copy()
    for function in (fft.irfft, fft.irfftn, fft.ifftn, fft.hfft):
        function(x)
        assert np.array_equal(usmx.asnumpy(x), before)


def test_more_axes_than_a_plan_has_are_numpys():
    host = numbers((2,) * 9, "c16")
    close(fft.fftn(usmx.asarray(host)), np.fft.fftn(host))
    close(fft.rfftn(usmx.asarray(host.real.copy())), np.fft.rfftn(host.real))
    close(fft.irfftn(usmx.asarray(host)), np.fft.irfftn(host))


@pytest.mark.parametrize("s", [(3, -1), (-1, 6), (-1, -1)])
@pytest.mark.parametrize("name", ["rfftn", "irfftn", "irfft2"])
def test_extents_of_minus_one_are_those_of_the_input(name, s):
    host = numbers((4, 5), "f8" if name == "rfftn" else "c16")
    close(
        getattr(fft, name)(usmx.asarray(host), s=s), getattr(np.fft, name)(host, s=s, axes=(0, 1))
    )


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(
    ("axes", "s"),
    [((0, 0, 1), (6, 9, 8)), ((1, 0, 0), None), ((1, 0, 1), (4, 7, 6)), ((1, 1), (9, 3))],
    ids=str,
)
def test_axis_that_comes_again_is_transformed_again(name, axes, s):
    host = numbers((5, 7), "f8" if name == "rfftn" else "c16")
    found = getattr(fft, name)(usmx.asarray(host), s=s, axes=axes)
    close(found, getattr(np.fft, name)(host, s=s, axes=axes))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_spoils_its_own_transform_only(bad):
    host = numbers((3, 64), "c16")
    host[1, 5] = bad
    is_finite = np.isfinite(usmx.asnumpy(fft.fft(usmx.asarray(host))))
    assert is_finite[[0, 2]].all()
    assert not is_finite[1].any()


def test_empty_stacks_keep_their_shape():
    for shape in ((0, 4), (3, 0, 4)):
        for name in (*COMPLEX, *REAL, "fftn", "ifftn"):
            options = {"axes": (-1,)} if name.endswith("n") else {}
            found = getattr(fft, name)(usmx.zeros(shape), **options)
            assert found.shape == getattr(np.fft, name)(np.zeros(shape), **options).shape


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_results_are_beside_the_operand(kind):
    x = usmx.asarray(numbers((3, 4), "f8"), usm_type=kind)
    for name in (*COMPLEX, *REAL, "fftn", "rfftn", "irfftn", "fftshift"):
        found = getattr(fft, name)(x)
        assert (found.usm_type, found.sycl_queue) == (kind, x.sycl_queue)


def test_result_is_written_to_out():
    host = numbers((3, 4), "c16")
    x, out = usmx.asarray(host), usmx.zeros((4, 3), dtype="c16").T
    assert fft.fft(x, out=out) is out
    close(out, np.fft.fft(host))
    assert fft.fft(x, out=x) is x
    close(x, np.fft.fft(host))
    with pytest.raises(ValueError, match="out must have shape"):
        fft.fft(x, out=usmx.zeros(3, dtype="c16"))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_are_numpys(n):
    close(fft.fftfreq(n, d=0.5), np.fft.fftfreq(n, 0.5))
    close(fft.rfftfreq(n), np.fft.rfftfreq(n))
    assert fft.fftfreq(n, dtype="f4", usm_type="shared").dtype == "f4"


@pytest.mark.parametrize("axes", [None, 0, (1,), (0, -1)], ids=str)
def test_shifts_are_numpys(axes):
    host = numbers((3, 4, 5), "i4")
    for name in ("fftshift", "ifftshift"):
        found = getattr(fft, name)(usmx.asarray(host), axes=axes)
        assert np.array_equal(usmx.asnumpy(found), getattr(np.fft, name)(host, axes))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: fft.fft(x, 0), ValueError, "must be at least 1, found 0"),
        (lambda x: fft.irfft(x[:, :1]), ValueError, "must be at least 1, found 0"),
        (lambda x: fft.fft(x, norm="both"), ValueError, "norm must be 'backward'"),
        (lambda x: fft.rfft(x + 1j), TypeError, "expected real numbers, found complex128"),
        (lambda x: fft.fft(x, axis=2), np.exceptions.AxisError, "axis 2"),
        (lambda x: fft.fftn(x, s=(2,), axes=(0, 1)), ValueError, "the same length"),
        (lambda x: fft.rfftn(x, axes=()), ValueError, "at least 1 axis"),
        (lambda x: fft.fftfreq(0), ValueError, "must be at least 1"),
        (lambda x: fft.fft("x"), TypeError, "must be a USMArray"),
    ],
)
def test_wrong_argument_is_named(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call(usmx.ones((2, 3)))


def test_numpys_functions_of_arrays_are_these():
    host = numbers((4, 6), "f8")
    x = usmx.asarray(host)
    for name in (*COMPLEX, *REAL, "fftn", "ifftn", "rfftn", "irfftn", "fft2", "fftshift"):
        close(getattr(np.fft, name)(x), getattr(np.fft, name)(host))
    close(np.fft.fft(x, n=3, axis=0, norm="ortho"), np.fft.fft(host, n=3, axis=0, norm="ortho"))


# ---- order, threads and plans


@pytest.mark.parametrize("n", [16, 1 << 15])
def test_calls_come_after_earlier_work_and_before_later_work(n):
    host = numbers(n, "c16")
    expected = np.fft.fft(host)
    for k in range(1, 40):
        x = usmx.asarray(host) * k
        found = fft.fft(x)
        x *= 0
        close(found / k, expected)


def test_threads_share_a_plan():
    host = numbers((16, 2000), "c16")
    expected, wrong = np.fft.fft(host), []

    def work():
        x = usmx.asarray(host)
        for _ in range(20):
            if not np.allclose(usmx.asnumpy(fft.fft(x)), expected):
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_plans_are_kept_and_bounded():
    usmx._core._clear_fourier_plans()
    for _ in range(3):
        fft.fft(usmx.ones(24, dtype="c16"))
    assert usmx._core._fourier_plans() == (1, 24 * 16)
    for n in range(2, 100):
        fft.fft(usmx.ones(n, dtype="c16"))
    assert usmx._core._fourier_plans()[0] == 64
    for n in (5 << 20, 6 << 20, 7 << 20):
        fft.fft(usmx.zeros(n, dtype="c16"))
    count, nbytes = usmx._core._fourier_plans()
    assert count < 64
    assert nbytes <= 256 << 20
    usmx._core._clear_fourier_plans()
    assert usmx._core._fourier_plans() == (0, 0)


@pytest.mark.slow
def test_program_may_end_while_transforms_are_unfinished():
    code = "import usmx\nx = usmx.ones(1 << 20)\nfor _ in range(9): x = usmx.fft.fft(x)"
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("function", ["fftfreq", "rfftfreq"])
def test_spacing_is_a_real_number(function):
    with pytest.raises(TypeError, match="d must be a real number, found 1j"):
        getattr(usmx.fft, function)(4, d=1j)


def test_what_is_no_array_is_named():
    with pytest.raises(TypeError, match="x must"):
        usmx.fft.fft(None)
    with pytest.raises(TypeError, match="x must"):
        usmx.linalg.inv(None)
    a = usmx.ones((3, 2))
    for rcond in ("z", 1j):
        with pytest.raises(TypeError, match="rcond must be a number or None"):
            usmx.linalg.lstsq(a, a, rcond=rcond)
