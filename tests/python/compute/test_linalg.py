"""usmx.linalg: the results are NumPy's, or have the same residuals, for all types and layouts."""

import itertools
import re
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import usmx
from helpers import examples, run_python
from hypothesis import given, settings
from hypothesis import strategies as st
from usmx import linalg

pytestmark = pytest.mark.skipif(
    not (usmx.SyclDevice().is_cpu or usmx.SyclDevice().backend == "cuda"),
    reason="usmx calls no library of this device's for linear algebra yet",
)
TYPES = ("f4", "f8", "c8", "c16")
STACKS = ((), (3,), (2, 3))
KINDS = ("device", "shared", "host")


def close(found, expected, scale=1.0):
    """Whether an array has the shape and type of NumPy's, and its values but for rounding."""
    assert type(found) is usmx.USMArray
    assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    near(usmx.asnumpy(found), expected, scale)


def near(found, expected, scale=1.0):
    single = np.asarray(expected).dtype.char in "fF"
    tolerance = (2e-3 if single else 1e-9) * scale
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def matrices(shape, dtype, seed=0):
    """Random matrices; square ones are far from singular."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal(shape)
    if shape[-1] == shape[-2]:
        made += shape[-1] * np.eye(shape[-1])
    return made.astype(dtype)


def hermitian(shape, dtype, seed=0):
    """Matrices that are Hermitian and positive definite."""
    half = matrices(shape, dtype, seed)
    return (half @ half.conj().mT).astype(dtype)


LAYOUTS = {
    "C": lambda x: x,
    "transposed": lambda x: usmx.asarray(usmx.asnumpy(x).mT.copy()).mT,
    "steps of 2": lambda x: usmx.repeat(usmx.repeat(x, 2, axis=-1), 2, axis=-2)[..., ::2, ::2],
    "negative steps": lambda x: usmx.asarray(usmx.asnumpy(x)[..., ::-1, ::-1].copy())[
        ..., ::-1, ::-1
    ],
}


@pytest.fixture(params=LAYOUTS)
def lay_out(request):
    return LAYOUTS[request.param]


@pytest.fixture(params=TYPES)
def dtype(request):
    return request.param


@pytest.fixture(params=STACKS, ids=str)
def stack(request):
    return request.param


# ---- routines


def test_solution_and_inverse_are_numpys(dtype, stack, lay_out):
    a, b = matrices((*stack, 5, 5), dtype), matrices((*stack, 5, 2), dtype, 1)
    x, right = lay_out(usmx.asarray(a)), lay_out(usmx.asarray(b))
    close(linalg.solve(x, right), np.linalg.solve(a, b))
    close(linalg.solve(x, usmx.asarray(b)[..., :1]), np.linalg.solve(a, b[..., :1]))
    vector = b.reshape(-1, 2)[:5, 0]
    close(linalg.solve(x, usmx.asarray(vector)), np.linalg.solve(a, vector))
    close(linalg.inv(x), np.linalg.inv(a))


def test_stacks_of_both_sides_are_broadcast(dtype):
    a, b = matrices((3, 1, 4, 4), dtype), matrices((2, 4, 3), dtype)
    close(linalg.solve(usmx.asarray(a), usmx.asarray(b)), np.linalg.solve(a, b))


def test_determinants_are_numpys(dtype, stack, lay_out):
    a = matrices((*stack, 5, 5), dtype)
    x = lay_out(usmx.asarray(a))
    close(linalg.det(x), np.linalg.det(a))
    for found, expected in zip(linalg.slogdet(x), np.linalg.slogdet(a), strict=True):
        close(found, expected)


def test_determinant_of_steps_beyond_the_range_is_right():
    diagonal = np.array([1e200, 1e200, 1e-300, 1e-99])
    assert float(linalg.det(usmx.asarray(np.diag(diagonal)))) == pytest.approx(10.0)
    assert complex(linalg.det(usmx.asarray(np.diag(diagonal * 1j)))) == pytest.approx(10.0)


def test_determinant_of_a_singular_matrix_is_zero(dtype):
    zero = usmx.zeros((3, 3), dtype=dtype)
    sign, logarithm = linalg.slogdet(zero)
    assert (complex(linalg.det(zero)), complex(sign), float(logarithm)) == (0, 0, -np.inf)


def test_cholesky_factors_are_numpys(dtype, stack, lay_out):
    a = hermitian((*stack, 5, 5), dtype)
    x = lay_out(usmx.asarray(a))
    close(linalg.cholesky(x), np.linalg.cholesky(a))
    close(linalg.cholesky(x, upper=True), np.linalg.cholesky(a, upper=True))


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(upper):
    a = hermitian((4, 4), "f8")
    torn = a.copy()
    torn[np.tril_indices(4, -1) if upper else np.triu_indices(4, 1)] = np.nan
    close(linalg.cholesky(usmx.asarray(torn), upper=upper), np.linalg.cholesky(a, upper=upper))


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (1, 4), (4, 1)], ids=str)
def test_qr_is_numpys_in_all_modes(dtype, stack, shape):
    a = matrices((*stack, *shape), dtype)
    x = usmx.asarray(a)
    for mode in ("reduced", "complete", "raw"):
        for found, expected in zip(linalg.qr(x, mode=mode), np.linalg.qr(a, mode), strict=True):
            close(found, expected)
    close(linalg.qr(x, mode="r"), np.linalg.qr(a, "r"))


def test_qr_of_any_layout_multiplies_to_the_matrix(dtype, lay_out):
    a = matrices((2, 4, 3), dtype)
    q, r = map(usmx.asnumpy, linalg.qr(lay_out(usmx.asarray(a))))
    near(q @ r, a)
    near(q.conj().mT @ q, np.broadcast_to(np.eye(3, dtype=dtype), (2, 3, 3)))


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (1, 4), (4, 1)], ids=str)
def test_singular_values_are_numpys_and_their_vectors_give_the_matrix(dtype, stack, shape, lay_out):
    a = matrices((*stack, *shape), dtype)
    x = lay_out(usmx.asarray(a))
    values = np.linalg.svd(a, compute_uv=False)
    for full in (False, True):
        found, expected = linalg.svd(x, full_matrices=full), np.linalg.svd(a, full)
        assert [each.shape for each in found] == [each.shape for each in expected]
        u, s, vh = map(usmx.asnumpy, found)
        near(s, values)
        least = min(shape)
        near((u[..., :least] * s[..., None, :]) @ vh[..., :least, :], a)
        for unit in (u.conj().mT @ u, vh @ vh.conj().mT):
            near(unit, np.broadcast_to(np.eye(unit.shape[-1], dtype=dtype), unit.shape))
    close(linalg.svdvals(x), values)


def test_hermitian_matrices_are_decomposed_by_their_eigenvalues(dtype, stack):
    a = hermitian((*stack, 4, 4), dtype) - 10 * np.eye(4, dtype=dtype)  # of both signs
    x = usmx.asarray(a)
    values = np.linalg.svd(a, compute_uv=False)
    u, s, vh = map(usmx.asnumpy, linalg.svd(x, hermitian=True))
    near(s, values, 10)
    near((u * s[..., None, :]) @ vh, a, 10)
    near(vh @ vh.conj().mT, np.broadcast_to(np.eye(4, dtype=dtype), a.shape), 10)
    close(linalg.svd(x, compute_uv=False, hermitian=True), values, 10)
    close(linalg.pinv(x, hermitian=True), np.linalg.pinv(a), 100)
    assert np.array_equal(usmx.asnumpy(linalg.matrix_rank(x, hermitian=True)), np.full(stack, 4))


@pytest.mark.parametrize("shape", [(4, 0, 1), (4, 0, 2), (4, 2, 0), (0, 3, 2), (0, 0, 0)], ids=str)
def test_least_squares_of_no_elements_are_numpys(shape):
    rows, columns, count = shape
    a, b = np.random.default_rng(0).standard_normal((rows, columns)), np.ones((rows, count))
    found, expected = linalg.lstsq(usmx.asarray(a), usmx.asarray(b)), np.linalg.lstsq(a, b)
    for one, other in zip(found[:2] + found[3:], expected[:2] + expected[3:], strict=True):
        close(one, other)
    assert found[2] == expected[2]


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvalues_of_hermitian_matrices_are_numpys(dtype, stack, triangle, lay_out):
    a = hermitian((*stack, 5, 5), dtype)
    torn = (np.tril if triangle == "L" else np.triu)(a) + 0 * a
    torn[(..., *(np.triu_indices(5, 1) if triangle == "L" else np.tril_indices(5, -1)))] = np.nan
    x = lay_out(usmx.asarray(torn))
    values = np.linalg.eigvalsh(a)
    w, v = linalg.eigh(x, UPLO=triangle)
    close(w, values, 10)
    close(linalg.eigvalsh(x, triangle), values, 10)
    near(a @ usmx.asnumpy(v), usmx.asnumpy(v) * values[..., None, :], 10)


def test_eigenvalues_and_vectors_fit_the_matrix(dtype, stack, lay_out):
    a = matrices((*stack, 5, 5), dtype) - 5 * np.eye(5, dtype=dtype)
    x = lay_out(usmx.asarray(a))
    w, v = linalg.eig(x)
    assert w.dtype == v.dtype == np.result_type(dtype, "c8")
    near(a @ usmx.asnumpy(v), usmx.asnumpy(v) * usmx.asnumpy(w)[..., None, :])
    near(np.linalg.norm(usmx.asnumpy(v), axis=-2), np.ones(w.shape, a.real.dtype))
    ordered = [
        np.sort_complex(np.asarray(each, "c16").round(2))
        for each in (usmx.asnumpy(linalg.eigvals(x)), np.linalg.eigvals(a))
    ]
    np.testing.assert_allclose(*ordered, atol=0.02)


@pytest.mark.parametrize("shape", [(7, 4), (4, 7), (5, 5)], ids=str)
@pytest.mark.parametrize("right", [(), (3,)], ids=str)
def test_least_squares_are_numpys(dtype, shape, right):
    a, b = matrices(shape, dtype), matrices((shape[0], 3), dtype, 1)
    b = b if right else b[:, 0]
    found = linalg.lstsq(usmx.asarray(a), usmx.asarray(b))
    expected = np.linalg.lstsq(a, b)
    for one, other in zip(found[:2] + found[3:], expected[:2] + expected[3:], strict=True):
        close(one, other)
    assert found[2] == expected[2]


def test_least_squares_of_less_rank_are_numpys():
    a, b = np.ones((4, 2)), np.arange(4.0)
    x, sums, rank, _ = linalg.lstsq(usmx.asarray(a), usmx.asarray(b))
    close(x, np.linalg.lstsq(a, b)[0])
    assert (sums.shape, rank) == ((0,), 1)


@settings(max_examples=examples(20))
@given(st.data())
def test_residuals_of_random_matrices_are_small(data):
    """Large and small ones, of which some are computed at once and some as tasks."""
    size = data.draw(st.integers(1, 90))
    dtype = data.draw(st.sampled_from(TYPES))
    count = data.draw(st.integers(1, 4))
    a = matrices((count, size, size), dtype, data.draw(st.integers(0, 99)))
    x = usmx.asarray(a)
    unit = np.broadcast_to(np.eye(size, dtype=dtype), a.shape)
    near(a @ usmx.asnumpy(linalg.inv(x)), unit)
    u, s, vh = map(usmx.asnumpy, linalg.svd(x))
    near((u * s[..., None, :]) @ vh / size, a / size)


def test_long_stacks_are_right(dtype):
    a = matrices((3000, 3, 3), dtype)
    x = usmx.asarray(a)
    close(linalg.inv(x), np.linalg.inv(a), 10)
    close(linalg.det(x), np.linalg.det(a), 10)
    close(linalg.solve(x, x[..., :1]), np.linalg.solve(a, a[..., :1]), 10)


@pytest.mark.slow
def test_large_matrices_by_lapacks_threads_are_right():
    a = matrices((700, 700), "f8")
    near(a @ usmx.asnumpy(linalg.inv(usmx.asarray(a))), np.eye(700))


# ---- types and empty shapes


@pytest.mark.parametrize("given", ["?", "i1", "i4", "u8"])
def test_integers_become_the_default_real_type(given):
    a = np.array([[1, 0], [1, 1]], given)
    close(linalg.inv(usmx.asarray(a)), np.linalg.inv(a))
    close(linalg.solve(usmx.asarray(a), usmx.ones(2, dtype="f4")), np.array([1.0, 0.0]))


def test_half_precision_is_refused_as_in_numpy():
    with pytest.raises(TypeError, match="linalg.inv: array type float16 is unsupported"):
        linalg.inv(usmx.ones((2, 2), dtype="f2"))


EMPTY = {
    "cholesky": (np.linalg.cholesky, [(0, 0), (2, 0, 0), (0, 3, 3)]),
    "det": (np.linalg.det, [(0, 0), (2, 0, 0), (0, 3, 3)]),
    "eigh": (np.linalg.eigh, [(0, 0), (2, 0, 0), (0, 3, 3)]),
    "eigvals": (np.linalg.eigvals, [(0, 0), (0, 3, 3)]),
    "inv": (np.linalg.inv, [(0, 0), (2, 0, 0), (0, 3, 3)]),
    "pinv": (np.linalg.pinv, [(0, 3), (2, 3, 0), (0, 3, 2)]),
    "qr": (np.linalg.qr, [(0, 3), (3, 0), (0, 3, 2), (2, 0, 3)]),
    "slogdet": (np.linalg.slogdet, [(0, 0), (2, 0, 0), (0, 3, 3)]),
    "svd": (np.linalg.svd, [(0, 3), (3, 0), (0, 3, 2)]),
    "svdvals": (np.linalg.svdvals, [(0, 3), (3, 0), (0, 3, 2)]),
}


@pytest.mark.parametrize("name", EMPTY)
def test_results_for_no_elements_are_numpys(name):
    function, shapes = EMPTY[name]
    for shape in shapes:
        found, expected = getattr(linalg, name)(usmx.zeros(shape)), function(np.zeros(shape))
        pairs = (
            zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        )
        for one, other in pairs:
            assert one.shape == np.shape(other)
            if name != "eigvals":
                assert np.array_equal(usmx.asnumpy(one), other)


def test_complete_qr_of_no_columns_is_a_unit_matrix():
    q, r = linalg.qr(usmx.zeros((2, 3, 0)), mode="complete")
    assert np.array_equal(usmx.asnumpy(q), np.broadcast_to(np.eye(3), (2, 3, 3)))
    assert r.shape == (2, 3, 0)


def test_solution_for_no_elements_keeps_the_shape():
    assert linalg.solve(usmx.zeros((0, 0)), usmx.zeros((0, 3))).shape == (0, 3)
    assert linalg.solve(usmx.ones((0, 2, 2)), usmx.ones(2)).shape == (0, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_beside_the_operands(kind):
    x = usmx.asarray(matrices((3, 3), "f8"), usm_type=kind)
    found = (linalg.inv(x), *linalg.svd(x), linalg.solve(x, x), linalg.norm(x), linalg.pinv(x))
    assert {each.usm_type for each in found} == {kind}
    assert all(each.sycl_queue == x.sycl_queue for each in found)


def test_results_have_the_standards_names():
    x = usmx.asarray(hermitian((3, 3), "f8"))
    assert linalg.eigh(x)._fields == linalg.eig(x)._fields == ("eigenvalues", "eigenvectors")
    assert linalg.qr(x)._fields == ("Q", "R")
    assert linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert linalg.svd(x)._fields == ("U", "S", "Vh")


# ---- errors

ZERO = np.zeros((3, 3))
NAN = np.full((3, 3), np.nan)
ONE_NAN = np.where(np.arange(9).reshape(3, 3) == 3, np.nan, 2 * np.eye(3))
INFINITE = np.full((3, 3), np.inf)
FAILING = {
    "inv": ("singular", linalg.inv, ZERO),
    "solve": ("singular", lambda x: linalg.solve(x, x), ZERO),
    "cholesky": ("not positive definite", linalg.cholesky, -np.eye(3)),
    "cholesky of one NaN": ("not positive definite", linalg.cholesky, ONE_NAN),
    "eigh of NaN": ("did not converge", linalg.eigh, NAN),
    "eigh of one NaN": ("did not converge", linalg.eigh, ONE_NAN),
    "svd of one NaN": ("singular values did not converge", linalg.svd, ONE_NAN),
    "eigvalsh of inf": ("did not converge", linalg.eigvalsh, INFINITE),
    "eig of NaN": ("must not contain infinities or NaN", linalg.eig, NAN),
    "svd of NaN": ("singular values did not converge", linalg.svd, NAN),
    "svdvals of inf": ("singular values did not converge", linalg.svdvals, INFINITE),
    "lstsq of NaN": ("did not converge", lambda x: linalg.lstsq(x, x), NAN),
}


@pytest.mark.parametrize("name", FAILING)
def test_matrix_without_a_result_raises_numpys_error(name):
    text, function, bad = FAILING[name]
    with pytest.raises(linalg.LinAlgError, match=text) as caught:
        function(usmx.asarray(bad))
    assert isinstance(caught.value, np.linalg.LinAlgError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("count", [4, 3000])
def test_one_failing_matrix_of_a_stack_is_nan_where_nobody_checks(name, count):
    _, function, bad = FAILING[name]
    if "lstsq" in name:
        pytest.skip("it takes no stacks")
    a = np.broadcast_to(np.diag([2.0, 3.0, 4.0]), (count, 3, 3)).copy()
    a[1] = bad
    with pytest.raises(linalg.LinAlgError):
        function(usmx.asarray(a))
    with linalg.unchecked():
        found = function(usmx.asarray(a))
    for each in found if isinstance(found, tuple) else (found,):
        is_nan = np.isnan(usmx.asnumpy(each)).reshape(count, -1)
        assert is_nan[1].all()
        assert not is_nan[0].any()
        assert not is_nan[2:].any()


def test_checks_are_on_again_after_an_error_and_in_other_threads():
    with pytest.raises(ZeroDivisionError), linalg.unchecked():
        raise ZeroDivisionError
    caught = []

    def check():
        try:
            linalg.inv(usmx.zeros((2, 2)))
        except linalg.LinAlgError as error:
            caught.append(error)

    with linalg.unchecked():
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: linalg.inv(x[0]), linalg.LinAlgError, "at least 2 dimensions"),
        (lambda x: linalg.inv(x[:1]), linalg.LinAlgError, "must be square, found shape (1, 2)"),
        (lambda x: linalg.det(x[:1]), linalg.LinAlgError, "must be square"),
        (lambda x: linalg.solve(x, usmx.ones(3)), ValueError, "shapes do not fit"),
        (
            lambda x: linalg.solve(x, usmx.ones((3, 2, 2)).mT[:2, :1]),
            ValueError,
            "shapes do not fit",
        ),
        (lambda x: linalg.qr(x, mode="full"), ValueError, "mode must be one of"),
        (lambda x: linalg.eigh(x, "X"), ValueError, "UPLO must be 'L' or 'U', found 'X'"),
        (lambda x: linalg.matrix_norm(x, ord=3), ValueError, "3 is no norm of matrices"),
        (lambda x: linalg.norm(x[0], "fro"), ValueError, "'fro' is no norm of vectors"),
        (lambda x: linalg.matrix_power(x, 0.5), TypeError, "n must be"),
        (lambda x: linalg.multi_dot([x]), ValueError, "expected 2 arrays or more"),
        (lambda x: linalg.outer(x, x), ValueError, "expected vectors"),
        (lambda x: linalg.cross(x, x), ValueError, "must be (arrays of) 3-dimensional"),
        (lambda x: linalg.pinv(x, 0.1, rtol=0.1), ValueError, "`rtol` and `rcond` can't"),
        (lambda x: linalg.matrix_rank(x, 0.1, rtol=0.1), ValueError, "`tol` and `rtol` can't"),
        (lambda x: linalg.lstsq(x, usmx.ones(3)), linalg.LinAlgError, "same number of rows"),
        (lambda x: linalg.inv("x"), TypeError, "must be a USMArray"),
    ],
)
def test_wrong_argument_is_named(function, error, text):
    with pytest.raises(error, match=re.escape(text)):
        function(usmx.ones((2, 2)))


def test_queues_must_agree():
    other = usmx.ones((2, 2), sycl_queue=usmx.SyclQueue(property="in_order"))
    with pytest.raises(usmx.ExecutionPlacementError):
        linalg.solve(usmx.ones((2, 2)), other)


# ---- order


@pytest.mark.parametrize("size", [4, 120])
def test_calls_come_after_earlier_work_and_before_later_work(size):
    """No call waits for the kernels before it, and the operand is changed at once after it."""
    a, b = matrices((size, size), "f8"), np.arange(size) + 1.0
    expected = np.linalg.solve(a, b)
    for k in range(1, 40):
        x, right = usmx.asarray(a) * k, usmx.asarray(b) + 0
        with linalg.unchecked():
            found = linalg.solve(x, right)
            inverse = linalg.inv(x)
        x *= 0
        right *= 0
        total = (found * k).sum() + (inverse * k).sum() * 0
        assert float(total) == pytest.approx(expected.sum())


def test_memory_of_operands_that_are_gone_is_not_used_again_too_early():
    a = matrices((150, 150), "f8")
    expected = np.linalg.inv(a)
    with linalg.unchecked():
        found = [linalg.inv(usmx.asarray(a) * 1) for _ in range(12)]
        noise = [usmx.zeros((150, 150)) for _ in range(12)]
    assert len(noise) == 12
    for each in found:
        close(each, expected)


def test_threads_share_the_routines():
    a = matrices((60, 60), "f8")
    expected, wrong = np.linalg.svd(a)[1], []

    def work():
        x = usmx.asarray(a)
        for _ in range(15):
            if not np.allclose(usmx.asnumpy(linalg.svdvals(x)), expected):
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.slow
def test_program_may_end_while_routines_are_unfinished():
    code = (
        "import usmx\nx = usmx.ones((900, 900)) + 900 * usmx.eye(900)\n"
        "with usmx.linalg.unchecked():\n    for _ in range(5): x = usmx.linalg.inv(x)"
    )
    for _ in range(2):
        done = run_python(code)
        assert (done.returncode, done.stderr) == (0, "")


# ---- functions that are made of others

ORDERS = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


@pytest.mark.parametrize("order", ORDERS)
def test_norms_of_matrices_are_numpys(dtype, stack, order):
    a = matrices((*stack, 3, 4), dtype)
    x = usmx.asarray(a)
    for keepdims in (False, True):
        close(
            linalg.matrix_norm(x, ord=order, keepdims=keepdims),
            np.linalg.matrix_norm(a, ord=order, keepdims=keepdims),
        )
        close(
            linalg.norm(x, order, axis=(-1, -2), keepdims=keepdims),
            np.linalg.norm(a, order, axis=(-1, -2), keepdims=keepdims),
        )


@pytest.mark.parametrize("order", [0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [None, 0, (0, 2)], ids=str)
def test_norms_of_vectors_are_numpys(dtype, order, axis):
    a = matrices((2, 3, 4), dtype)
    x = usmx.asarray(a)
    for keepdims in (False, True):
        options = {"ord": order, "axis": axis, "keepdims": keepdims}
        close(linalg.vector_norm(x, **options), np.linalg.vector_norm(a, **options))


def test_norm_without_an_order_takes_all_elements(stack):
    a = matrices((*stack, 3, 4), "f4")
    close(linalg.norm(usmx.asarray(a)), np.linalg.norm(a))
    close(linalg.norm(usmx.asarray(a), keepdims=True), np.linalg.norm(a, keepdims=True))


@pytest.mark.parametrize("order", [None, 1, 2, -2, "fro", np.inf])
def test_condition_numbers_are_numpys(dtype, stack, order):
    a = matrices((*stack, 4, 4), dtype)
    close(linalg.cond(usmx.asarray(a), order), np.linalg.cond(a, order))


@pytest.mark.parametrize("order", [None, 1, "fro"])
def test_condition_number_of_a_singular_matrix_is_infinite_and_of_nan_nan(order):
    assert float(linalg.cond(usmx.zeros((2, 2)), order)) == np.inf
    assert np.isnan(float(linalg.cond(usmx.full((2, 2), np.nan), order)))


def test_ranks_and_pseudo_inverses_are_numpys(dtype, stack):
    a = matrices((*stack, 4, 2), dtype) @ matrices((*stack, 2, 5), dtype, 1)
    x = usmx.asarray(a)
    assert np.array_equal(usmx.asnumpy(linalg.matrix_rank(x)), np.linalg.matrix_rank(a))
    tolerance = 1e-3
    close(linalg.pinv(x, rtol=tolerance), np.linalg.pinv(a, rtol=tolerance), 10)
    many = np.full(stack, 2.0)
    found = linalg.matrix_rank(x, rtol=usmx.asarray(many))
    assert np.array_equal(usmx.asnumpy(found), np.zeros(stack))


@pytest.mark.parametrize("x", [[1, 0, 0], [0, 0], [], 3.0, 0, [[1, 2], [2, 4]]], ids=str)
def test_rank_of_vectors_and_numbers_is_numpys(x):
    found = linalg.matrix_rank(usmx.asarray(x))
    assert found.dtype == "i8"
    assert int(found) == np.linalg.matrix_rank(x)


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0), (3, 0, 2), (0, 3, 2)], ids=str)
def test_norms_of_nothing_are_numpys(shape):
    a = np.zeros(shape)
    x = usmx.asarray(a)
    for order in ("fro", "nuc", 1, 2, np.inf):
        close(linalg.matrix_norm(x, ord=order), np.linalg.matrix_norm(a, ord=order))
        close(
            linalg.matrix_norm(x, ord=order, keepdims=True),
            np.linalg.matrix_norm(a, ord=order, keepdims=True),
        )
    for axis, order in itertools.product((None, 0, -1), (0, 1, 2, np.inf)):
        options = {"axis": axis, "ord": order}
        close(linalg.vector_norm(x, **options), np.linalg.vector_norm(a, **options))
    with pytest.raises(ValueError, match="no identity"):
        linalg.vector_norm(x, ord=-np.inf)


@pytest.mark.parametrize("power", [-3, -1, 0, 1, 2, 5])
def test_powers_are_numpys(dtype, stack, power):
    a = matrices((*stack, 3, 3), dtype) / 3
    found = linalg.matrix_power(usmx.asarray(a), power)
    close(found, np.linalg.matrix_power(a, power), 10)


def test_first_power_is_a_copy_and_integers_stay_integers():
    x = usmx.asarray([[1, 1], [0, 1]])
    made = linalg.matrix_power(x, 1)
    made[0, 0] = 7
    assert x.tolist() == [[1, 1], [0, 1]]
    assert linalg.matrix_power(x, 10).tolist() == [[1, 10], [0, 1]]


@pytest.mark.parametrize(
    "shapes", [[(3, 4), (4, 6), (6, 2), (2, 5)], [(4,), (4, 6), (6,)], [(2, 3), (3, 2)]], ids=str
)
def test_products_of_several_matrices_are_numpys(dtype, shapes):
    arrays = [
        np.random.default_rng(k).standard_normal(shape).astype(dtype)
        for k, shape in enumerate(shapes)
    ]
    close(linalg.multi_dot([*map(usmx.asarray, arrays)]), np.linalg.multi_dot(arrays))


def test_products_of_vectors_and_parts_of_matrices_are_numpys(dtype, stack):
    a, b = matrices((*stack, 4, 3), dtype), matrices((*stack, 4, 3), dtype, 1)
    x, y = usmx.asarray(a), usmx.asarray(b)
    close(linalg.cross(x, y), np.linalg.cross(a, b))
    close(linalg.cross(x.mT, y.mT, axis=-2), np.linalg.cross(a.mT, b.mT, axis=-2))
    close(linalg.trace(x, offset=1), np.linalg.trace(a, offset=1))
    close(linalg.diagonal(x, offset=-1), np.linalg.diagonal(a, offset=-1))
    first, second = a.reshape(-1)[:4], b.reshape(-1)[:3]
    close(linalg.outer(usmx.asarray(first), usmx.asarray(second)), np.linalg.outer(first, second))
    close(usmx.kron(x, y), np.kron(a, b))
    close(usmx.kron(x, y.reshape(-1)[:2]), np.kron(a, b.reshape(-1)[:2]))
    close(usmx.kron(x, 2), np.kron(a, 2))
    close(usmx.kron([1, 2], np.float32(2.5)), np.kron([1, 2], np.float32(2.5)))


def test_tensors_are_inverted_and_solved_as_in_numpy(dtype):
    a = np.random.default_rng(0).standard_normal((4, 6, 8, 3)).astype(dtype)
    close(linalg.tensorinv(usmx.asarray(a)), np.linalg.tensorinv(a), 100)
    b = np.random.default_rng(1).standard_normal((4, 6)).astype(dtype)
    close(linalg.tensorsolve(usmx.asarray(a), usmx.asarray(b)), np.linalg.tensorsolve(a, b), 100)
    moved = np.moveaxis(a, 2, 0)
    found = linalg.tensorsolve(usmx.asarray(moved), usmx.asarray(b), axes=(0, 3))
    close(found, np.linalg.tensorsolve(moved, b, axes=(0, 3)), 100)


# ---- NumPy's functions of arrays

NUMPYS = {
    "cholesky": lambda x: np.linalg.cholesky(x, upper=True),
    "cond": lambda x: np.linalg.cond(x, 1),
    "cross": lambda x: np.linalg.cross(x, x),
    "det": np.linalg.det,
    "diagonal": lambda x: np.linalg.diagonal(x, offset=1),
    "eigvalsh": lambda x: np.linalg.eigvalsh(x, UPLO="U"),
    "inv": np.linalg.inv,
    "lstsq": lambda x: np.linalg.lstsq(x, x, rcond=None)[0],
    "matmul": lambda x: np.linalg.matmul(x, x),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x, ord=1),
    "matrix_power": lambda x: np.linalg.matrix_power(x, 2),
    "matrix_rank": lambda x: np.linalg.matrix_rank(x, tol=1e-5),
    "matrix_transpose": np.linalg.matrix_transpose,
    "multi_dot": lambda x: np.linalg.multi_dot([x, x, x]),
    "norm": lambda x: np.linalg.norm(x, axis=0),
    "outer": lambda x: np.linalg.outer(x[0], x[1]),
    "pinv": np.linalg.pinv,
    "qr": lambda x: np.linalg.qr(x)[1],
    "slogdet": lambda x: np.linalg.slogdet(x)[1],
    "solve": lambda x: np.linalg.solve(x, x[0]),
    "svd": lambda x: np.linalg.svd(x, full_matrices=False)[1],
    "svd without vectors": lambda x: np.linalg.svd(x, compute_uv=False),
    "svdvals": np.linalg.svdvals,
    "tensordot": lambda x: np.linalg.tensordot(x, x, axes=1),
    "tensorsolve": lambda x: np.linalg.tensorsolve(x, x[0]),
    "trace": lambda x: np.linalg.trace(x, offset=-1),
    "vecdot": lambda x: np.linalg.vecdot(x, x, axis=-2),
    "vector_norm": lambda x: np.linalg.vector_norm(x, axis=0),
}


@pytest.mark.parametrize("name", NUMPYS)
@pytest.mark.parametrize("kind", KINDS[:2])
def test_numpys_functions_of_arrays_are_these(name, kind):
    a = hermitian((3, 3), "f8")
    close(NUMPYS[name](usmx.asarray(a, usm_type=kind)), NUMPYS[name](a))


def test_numpys_functions_take_numpys_arrays_beside_ours():
    a, b = matrices((3, 3), "f8"), np.ones(3)
    close(np.linalg.solve(a, usmx.asarray(b)), np.linalg.solve(a, b))
    close(np.linalg.solve(usmx.asarray(a), b), np.linalg.solve(a, b))


# ---- without oneMKL

BY_NUMPY = """
import numpy as np, usmx
from usmx import linalg
assert not usmx._core._find_host_library()[0]
a = np.array([[4.0, 1], [1, 3]])
x = usmx.asarray(np.array([a, 2 * a]))
for name in ("cholesky", "det", "eigvals", "eigvalsh", "inv", "svdvals", "matrix_rank", "pinv"):
    expected = getattr(np.linalg, name)(usmx.asnumpy(x))
    np.testing.assert_allclose(usmx.asnumpy(getattr(linalg, name)(x)), expected, err_msg=name)
for name in ("eig", "eigh", "qr", "slogdet", "svd"):
    for found, expected in zip(getattr(linalg, name)(x), getattr(np.linalg, name)(usmx.asnumpy(x))):
        np.testing.assert_allclose(usmx.asnumpy(found), expected, err_msg=name)
np.testing.assert_allclose(usmx.asnumpy(linalg.solve(x, usmx.ones(2))), np.linalg.solve(usmx.asnumpy(x), np.ones(2)))
np.testing.assert_allclose(usmx.asnumpy(linalg.lstsq(x[0], usmx.ones(2))[0]), np.linalg.lstsq(a, np.ones(2))[0])
np.testing.assert_allclose(usmx.asnumpy(linalg.cholesky(x, upper=True)), np.linalg.cholesky(usmx.asnumpy(x), upper=True))
x[0] = 0
try:
    linalg.inv(x)
except linalg.LinAlgError as error:
    print(error)
with linalg.unchecked():
    found = usmx.asnumpy(linalg.inv(x))
assert np.isnan(found[0]).all() and np.isfinite(found[1]).all()
z = np.arange(6.0) + 1j
for name in ("fft", "ifft", "irfft", "hfft"):
    found = getattr(usmx.fft, name)(usmx.asarray(z), norm="ortho")
    np.testing.assert_allclose(usmx.asnumpy(found), getattr(np.fft, name)(z, norm="ortho"))
np.testing.assert_allclose(usmx.asnumpy(usmx.fft.rfftn(usmx.asarray(a))), np.fft.rfftn(a))
"""


@pytest.mark.slow
@pytest.mark.skipif(not usmx.SyclDevice().is_cpu, reason="oneMKL computes on the CPU device")
def test_numpy_computes_where_onemkl_cannot_be_used(tmp_path):
    """A library of oneMKL from another folder has been loaded, so that usmx's is refused."""
    core = shutil.copy(Path(sys.prefix) / "lib/libmkl_core.so.3", tmp_path)
    load = f"import ctypes, os\nctypes.CDLL({str(core)!r}, os.RTLD_LAZY)\n"
    done = run_python(load + BY_NUMPY)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "linalg.inv: the matrix is singular\n"
