"""examples/onedal: oneDAL from C++ on usmx arrays, checked against scikit-learn."""

import gc

import dpctl
import dpnp
import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import usmx
import usmx_onedal
from helpers import KINDS

TOLERANCE = {"f4": 2e-5, "f8": 1e-12}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=TOLERANCE)
def dtype(request):
    return request.param


def numbers(dtype="f8", order="C"):
    """300 rows in three clouds, of columns with distinct variances."""
    data = np.random.default_rng(5).normal(size=(300, 6)) * [9, 6, 4, 3, 2, 1] + 3
    data[::3] += 40
    data[1::3, 0] -= 200
    return np.asarray(data, dtype, order=order)


def assert_close(found, expected, dtype="f8"):
    found = usmx.asnumpy(found)
    assert found.shape == expected.shape
    assert found.dtype == np.dtype(dtype)
    limit = TOLERANCE[dtype] * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=limit)


def assert_is_pca_of(results, data, dtype="f8"):
    components, variance, means = results
    expected = sklearn.decomposition.PCA(len(components)).fit(data)
    signs = np.sign((usmx.asnumpy(components) * expected.components_).sum(axis=1))
    assert_close(components, expected.components_ * signs[:, None], dtype)
    assert_close(variance, expected.explained_variance_[None], dtype)
    assert_close(means, data.mean(axis=0)[None], dtype)


@pytest.mark.parametrize("order", ["C", "F"])
def test_principal_components_are_those_of_scikit_learn(kind, dtype, order):
    data = numbers(dtype, order)
    x = usmx.asarray(data, usm_type=kind)
    assert x.strides == tuple(n // data.itemsize for n in data.strides)
    assert_is_pca_of(usmx_onedal.pca(x, 3), data, dtype)


@pytest.mark.parametrize("order", ["C", "F"])
def test_clusters_are_those_of_scikit_learn(kind, dtype, order):
    data = numbers(dtype, order)
    x = usmx.asarray(data, usm_type=kind)
    centroids, labels, iterations = usmx_onedal.kmeans(x, usmx.asarray(data[:3], usm_type=kind))
    expected = sklearn.cluster.KMeans(3, init=data[:3], n_init=1, tol=0).fit(data)
    assert_close(centroids, expected.cluster_centers_, dtype)
    assert usmx.asnumpy(labels)[:, 0].tolist() == expected.labels_.tolist()
    assert labels.dtype == np.int32
    assert 1 <= iterations <= 300


def test_tables_are_over_the_arrays_own_memory(kind):
    x = usmx.asarray(numbers(), usm_type=kind)
    for array in (x, x[100:], x.T, x.readonly()):
        assert usmx_onedal.table_address(array) == array._pointer


def test_rows_from_the_middle_of_an_array_are_taken_where_they_lie(kind):
    x = usmx.asarray(numbers(), usm_type=kind)[100:]
    assert_is_pca_of(usmx_onedal.pca(x, 2), numbers()[100:])


def test_arrays_of_dpnp_are_taken():
    assert_is_pca_of(usmx_onedal.pca(dpnp.asarray(numbers()), 2), numbers())


def test_data_are_only_read():
    x = usmx.asarray(numbers(), usm_type="shared").readonly()
    usmx_onedal.pca(x, 2)
    usmx_onedal.kmeans(x, x[:3])
    np.testing.assert_array_equal(usmx.asnumpy(x), numbers())


@pytest.mark.slow
def test_work_under_way_is_waited_for():
    x = usmx.zeros((1 << 18, 3))
    there = usmx.to_dpnp(x)
    for number in range(1, 11):
        for _ in range(5):
            there[...] = dpnp.sin(there)
        there[...] = number
        centroids, _, _ = usmx_onedal.kmeans(x, usmx.zeros((2, 3), sycl_queue=x.sycl_queue))
        np.testing.assert_allclose(usmx.asnumpy(centroids), number)


def test_results_are_usm_that_goes_back_to_onedal_with_the_last_view():
    results = usmx_onedal.kmeans(usmx.asarray(numbers()), usmx.asarray(numbers()[:3]))[:2]
    assert [a.usm_type for a in results] == ["shared", "shared"]
    pointers = [a._pointer for a in results]
    context = results[0].sycl_context

    def kinds():
        return [usmx.memory.get_usm_type(p, context) for p in pointers]

    rows = [a[1:] for a in results]
    before = [usmx.asnumpy(a) for a in rows]
    del results
    gc.collect()
    assert kinds() == ["shared", "shared"]
    assert all((usmx.asnumpy(a) == b).all() for a, b in zip(rows, before, strict=True))
    del rows
    usmx.synchronize()
    assert kinds() == ["unknown", "unknown"]


def train(data, count=1):
    return usmx_onedal.pca(usmx.asarray(data), count)


def cluster(data, start, *count):
    return usmx_onedal.kmeans(usmx.asarray(data), usmx.asarray(start), *count)


ONES = np.ones((5, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: train(np.ones(3)), r"rows and columns with elements, found shape \(3,\)"),
        (lambda: train(np.ones((0, 3))), r"rows and columns with elements, found shape \(0, 3\)"),
        (lambda: train(np.ones((1, 3))), "at least 2 rows, found 1"),
        (lambda: train(ONES, 0), "n_components from 1 to 3, found 0"),
        (lambda: train(ONES, 4), "n_components from 1 to 3, found 4"),
        (lambda: train(ONES * np.nan), "finite numbers"),
        (lambda: train(ONES * np.inf), "finite numbers"),
        (lambda: usmx_onedal.pca(usmx.ones((5, 6))[:, ::2], 1), "C- or F-contiguous .* strides"),
        (lambda: cluster(ONES, ONES[:2, :2]), "column count"),
        (lambda: cluster(ONES, np.ones((6, 3))), "Cluster count"),
        (lambda: cluster(ONES, ONES[:1]), "at least 2 centroids, found 1"),
        (lambda: cluster(ONES, ONES[:2] * np.nan), "finite numbers"),
        (lambda: cluster(ONES, ONES[:2], 0), "max_iterations of at least 1, found 0"),
    ],
)
def test_unfit_data_are_value_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: train(ONES.astype("i4")), "float32 or float64, found int32"),
        (lambda: train(ONES.astype("c16")), "float32 or float64, found complex128"),
        (lambda: cluster(ONES, ONES[:2].astype("f4")), "centroids of float64, as x, found float32"),
        (lambda: usmx_onedal.pca(ONES, 1), "ndarray"),
    ],
)
def test_wrong_types_are_type_errors(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_centroids_of_another_context_are_a_value_error():
    device = dpctl.SyclDevice()
    other = dpctl.SyclQueue(dpctl.SyclContext([device]), device)
    with pytest.raises(ValueError, match="one SYCL context"):
        usmx_onedal.kmeans(usmx.asarray(ONES), usmx.ones((2, 3), sycl_queue=other))
