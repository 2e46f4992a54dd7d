"""usmx.linalg as it computes on GPUs, by routines for matrices that are stored by columns.

SciPy's LAPACK plays cuSOLVER here, on the host, and oneMKL's LAPACK for GPUs runs on the CPU device.
What no GPU is needed for is tested: which matrices the routines get, and what is made of theirs.
"""

import os

import numpy as np
import pytest
import usmx
from usmx import linalg
from usmx.linalg import _lapack

lapack = pytest.importorskip("scipy.linalg.lapack")

pytestmark = pytest.mark.skipif(
    not usmx.SyclDevice().is_cpu, reason="the device's own library computes here"
)
TYPES = ("f8", "c8")
SHAPES = ((3, 3), (2, 5, 5), (40, 40), (3, 40, 40))
RECTANGLES = ((3, 3), (7, 3), (3, 7), (4, 7, 3), (4, 3, 7), (2, 2, 50, 40))


def named(name, of):
    """LAPACK's function for the type of some matrices."""
    return lapack.get_lapack_funcs(name, (of,))


def lu(_, a, pivots, info):
    factors, found, failed = named("getrf", a)(a)
    a[...], pivots[...], info[...] = factors, found + 1, failed


def lu_solve(is_transposed, a, pivots, x):
    x[...], _ = named("getrs", a)(a, pivots - 1, x, trans=1 if is_transposed else 0)


def inverse(_, a, made, info):
    try:
        made[...], info[...] = np.linalg.inv(a), 0
    except np.linalg.LinAlgError:
        info[...] = 1


def cholesky(is_upper, a, info):
    a[...], info[...] = named("potrf", a)(a, lower=not is_upper, clean=False)


def qr(_, a, factors):
    a[...], factors[...], _, _ = named("geqrf", a)(a)


def q(_, a, factors):
    made = np.asfortranarray(a)
    work = "ungqr" if a.dtype.kind == "c" else "orgqr"
    a[...] = named(work, a)(made, factors)[0]


def eigh(is_upper, a, values, info):
    values[...], a[...] = np.linalg.eigh(a, "U" if is_upper else "L")
    info[...] = 0


def svd(_, a, values, u, v, info):
    u[...], values[...], vh = np.linalg.svd(a, full_matrices=u.shape[1] == a.shape[0])
    v[...] = vh[: v.shape[1]].conj().T
    info[...] = a[0, 0] == NOT_BY_JACOBI


def svd_steps(_, a, values, u, vh, info):
    u[...], values[...], vh[...] = np.linalg.svd(a, full_matrices=u.shape[1] == a.shape[0])
    info[...] = 0


NOT_BY_JACOBI = 77
PLAYED = {
    "lu": lu, "lu_solve": lu_solve, "inverse": inverse, "cholesky": cholesky, "qr": qr, "q": q,
    "eigh": eigh, "eigvalsh": lambda is_upper, a, values, info: eigh(is_upper, a, values, info),
    "svd": svd, "svd_steps": svd_steps,
}  # fmt: skip


@pytest.fixture(params=["cuSOLVER", "oneMKL"])
def _by_library(request, monkeypatch):
    if request.param == "cuSOLVER":
        request.getfixturevalue("calls")
        return
    monkeypatch.setattr(_lapack, "SOLVER", True)
    try:
        linalg.inv(usmx.eye(2))
    except RuntimeError as error:
        if "CI" in os.environ:  # where the library is installed
            raise
        pytest.skip(str(error))


@pytest.fixture
def calls(monkeypatch):
    """Has SciPy compute; the names of the routines that were called."""
    names = []

    def start(routine, arrays, option):
        names.append(routine)
        hosts = [usmx.asnumpy(x) for x in arrays]
        for k in range(len(hosts[0])):  # a matrix by columns is its transpose by rows
            PLAYED[routine](
                option, *(host[k].T if host.ndim > 1 else host[k : k + 1] for host in hosts)
            )
        for x, host in zip(arrays, hosts, strict=True):
            x[...] = host

    monkeypatch.setattr(_lapack, "SOLVER", start)
    return names


def matrices(shape, dtype):
    rng = np.random.default_rng(len(shape) * 100 + shape[-1])
    made = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal(shape)
    if shape[-1] == shape[-2]:
        made += shape[-1] * np.eye(shape[-1])
    return made.astype(dtype)


def close(found, expected):
    assert found.shape == np.shape(expected)
    assert found.dtype == np.asarray(expected).dtype
    tolerance = 2e-3 if found.dtype.char in "fF" else 1e-10
    np.testing.assert_allclose(usmx.asnumpy(found), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("_by_library")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_factored_matrices_give_numpys_results(dtype, shape):
    host = matrices(shape, dtype)
    right = matrices((*shape[:-1], 2), dtype)
    x, b = usmx.asarray(host), usmx.asarray(right)
    close(linalg.solve(x, b), np.linalg.solve(host, right))
    close(linalg.solve(x, b[..., :1]), np.linalg.solve(host, right[..., :1]))
    close(linalg.inv(x), np.linalg.inv(host))
    for ours, theirs in zip(linalg.slogdet(x), np.linalg.slogdet(host), strict=True):
        close(ours, theirs)
    small = host[..., ::-1, :] / shape[-1]
    close(linalg.det(usmx.asarray(small)), np.linalg.det(small))


@pytest.mark.usefixtures("_by_library")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("upper", [False, True])
def test_hermitian_matrices_give_numpys_results(dtype, shape, upper):
    host = matrices(shape, dtype)
    host = (host @ host.conj().mT / shape[-1]).astype(dtype)
    x = usmx.asarray(host)
    close(linalg.cholesky(x, upper=upper), np.linalg.cholesky(host, upper=upper))
    triangle = "U" if upper else "L"
    other = (np.tril if upper else np.triu)(np.ones(host.shape[-2:]), -1 if upper else 1) == 1
    host[..., other] = 1000  # which is not read
    values, vectors = linalg.eigh(usmx.asarray(host), triangle)
    close(values, np.linalg.eigvalsh(host, triangle))
    close(linalg.eigvalsh(usmx.asarray(host), triangle), np.linalg.eigvalsh(host, triangle))
    whole = usmx.asnumpy(x)
    v = usmx.asnumpy(vectors)
    close(usmx.asarray(whole @ v), (v * usmx.asnumpy(values)[..., None, :]).astype(dtype))


@pytest.mark.usefixtures("_by_library")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", RECTANGLES, ids=str)
def test_rectangles_give_numpys_results(dtype, shape):
    host = matrices(shape, dtype)
    x = usmx.asarray(host)
    for mode in ("reduced", "complete"):
        for ours, theirs in zip(linalg.qr(x, mode=mode), np.linalg.qr(host, mode), strict=True):
            close(ours, theirs)
    close(linalg.qr(x, mode="r"), np.linalg.qr(host, "r"))
    for ours, theirs in zip(linalg.qr(x, mode="raw"), np.linalg.qr(host, "raw"), strict=True):
        close(ours, theirs)
    least = min(shape[-2:])
    for full in (True, False):
        u, s, vh = linalg.svd(x, full_matrices=full)
        close(s, np.linalg.svd(host, compute_uv=False))
        close((u[..., :least] * s[..., None, :].astype(dtype)) @ vh[..., :least, :], host)
        assert u.shape[-1] == (shape[-2] if full else least)
        assert vh.shape[-2] == (shape[-1] if full else least)
    close(linalg.svdvals(x), np.linalg.svd(host, compute_uv=False))
    if len(shape) == 2:
        right = matrices((shape[0], 4), dtype)
        found = linalg.lstsq(x, usmx.asarray(right))
        expected = np.linalg.lstsq(host, right)
        assert found[2] == expected[2]
        for k in (0, 1, 3):
            close(found[k], expected[k])


@pytest.mark.parametrize("count", [1, 4])
def test_singular_values_come_by_steps_where_jacobis_method_fails(count, calls):
    host = matrices((count, 5, 3), "c16")
    host[-1, 0, 0] = NOT_BY_JACOBI
    u, s, vh = linalg.svd(usmx.asarray(host), full_matrices=False)
    close((u * s[:, None, :].astype("c16")) @ vh, host)
    assert calls == ["svd", "svd_steps"]
    with linalg.unchecked():
        u, s, vh = linalg.svd(usmx.asarray(host))
    assert calls[2:] == ["svd"]
    for x in (u, s, vh):
        is_nan = np.isnan(usmx.asnumpy(x)).reshape(count, -1)
        assert is_nan[-1].all()
        assert not is_nan[:-1].any()


@pytest.mark.usefixtures("_by_library")
def test_matrix_without_a_result_raises_or_is_nan():
    host = np.stack([np.eye(40), np.zeros((40, 40))])
    for function in (linalg.inv, lambda x: linalg.solve(x, x), linalg.cholesky):
        with pytest.raises(linalg.LinAlgError):
            function(usmx.asarray(host))
        with linalg.unchecked():
            found = usmx.asnumpy(function(usmx.asarray(host)))
        assert np.isnan(found[1]).all()
        assert not np.isnan(found[0]).any()


@pytest.mark.usefixtures("_by_library")
@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_results_are_of_the_operands_kind(kind):
    x = usmx.asarray(matrices((3, 3), "f8"), usm_type=kind)
    found = (linalg.inv(x), *linalg.svd(x), linalg.solve(x, x), *linalg.qr(x))
    assert {each.usm_type for each in found} == {kind}
    assert all(each.flags.c_contiguous for each in found)


@pytest.mark.parametrize("kind", ["device", "shared"])
def test_host_computes_on_copies_what_the_library_lacks(kind, calls):
    x = usmx.asarray(matrices((2, 3, 3), "f8"), usm_type=kind)
    values, vectors = linalg.eig(x)
    assert values.usm_type == vectors.usm_type == kind
    close(x.astype("c16") @ vectors, usmx.asnumpy(vectors * values[:, None, :]))
    assert calls == []


@pytest.mark.parametrize("size", [3, 40])
def test_hermitian_matrix_with_nan_has_no_eigenvalues(size, calls, monkeypatch):
    monkeypatch.setitem(PLAYED, "eigh", lambda *_: None)  # it has not seen the NaN
    host = np.eye(size)
    host[0, 0] = np.nan
    with pytest.raises(linalg.LinAlgError):
        linalg.eigh(usmx.asarray(host))
    with linalg.unchecked():
        assert np.isnan(usmx.asnumpy(linalg.eigh(usmx.asarray(host)).eigenvalues)).all()
    assert calls == ["eigh", "eigh"]
