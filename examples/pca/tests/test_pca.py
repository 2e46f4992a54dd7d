import gc

import numpy as np
import pytest
import usmx
import usmx_pca


@pytest.fixture
def data():
    generator = np.random.default_rng(7)
    return generator.normal(size=(200, 12)) * np.arange(12, 0, -1) + 1e3  # distinct variances


def shared(array):
    return usmx.asarray(array, usm_type="shared")


def reference(data, count=None):
    """Components, scores and variances by NumPy, each component's largest entry positive."""
    centred = data - data.mean(axis=0)
    centred -= centred.mean(axis=0)
    _, singular_values, components = np.linalg.svd(centred, full_matrices=False)
    largest = np.abs(components).argmax(axis=1)
    components *= np.sign(components[np.arange(len(components)), largest])[:, None]
    components = components[:count]
    return components, centred @ components.T, singular_values[:count] ** 2 / (len(data) - 1)


def assert_close(found, expected):
    found = np.asarray(found)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("count", [None, 1, 5, 12])
def test_results_are_those_of_numpy(data, count):
    for found, expected in zip(
        usmx_pca.pca(shared(data), count), reference(data, count), strict=True
    ):
        assert_close(found, expected)


@pytest.mark.parametrize("shape", [(2, 1), (2, 3), (5, 30), (30, 1)])
def test_any_shape_from_two_rows_on(shape):
    data = np.random.default_rng(1).normal(size=shape)
    components, scores, variance = usmx_pca.pca(shared(data))
    assert_close(np.asarray(scores) @ np.asarray(components), data - data.mean(axis=0))
    assert_close(variance, reference(data)[2])


def test_constant_columns_have_no_variance():
    components, scores, variance = map(np.asarray, usmx_pca.pca(shared(np.full((9, 3), 0.1))))
    assert np.abs(variance).max() < 1e-30
    assert np.abs(scores).max() < 1e-15
    assert_close(components @ components.T, np.eye(3))


def test_a_large_offset_costs_no_digits():
    data = np.random.default_rng(2).normal(size=(5000, 4)) * [8, 4, 2, 1] + 1e9
    for found, expected in zip(usmx_pca.pca(shared(data)), reference(data), strict=True):
        assert_close(found, expected)


def test_native_code_works_on_the_very_memory_that_python_sees(data):
    x = shared(data)
    (components, scores, _), addresses = usmx_pca.pca_with_addresses(x)
    assert addresses == tuple(np.asarray(a).ctypes.data for a in (x, components, scores))


def test_x_is_not_modified(data):
    x = shared(data)
    usmx_pca.pca(x)
    np.testing.assert_array_equal(np.asarray(x), data)


def test_results_outlive_each_other(data):
    _, scores, _ = usmx_pca.pca(shared(data))
    view = np.asarray(scores)[:, :1]
    del scores
    gc.collect()
    assert_close(view, reference(data)[1][:, :1])


def test_results_are_shared_memory(data):
    assert [a.usm_type for a in usmx_pca.pca(shared(data))] == ["shared"] * 3


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((3, 2), "f4"), "expected x of dtype float64, found float32"),
        (np.ones(3), r"expected x of 2 dimensions \(rows, columns\), found shape \(3,\)"),
        (np.ones((1, 2)), r"expected x of at least 2 rows and 1 column, found shape \(1, 2\)"),
        (np.ones((2, 0)), r"expected x of at least 2 rows and 1 column, found shape \(2, 0\)"),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), "expected finite numbers in x"),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), "expected finite numbers in x"),
    ],
)
def test_unfit_data_are_refused(bad, message):
    with pytest.raises((ValueError, TypeError), match=message):
        usmx_pca.pca(shared(bad))


def test_a_view_that_is_not_contiguous_is_refused(data):
    with pytest.raises(ValueError, match="C-contiguous, found strides"):
        usmx_pca.pca(shared(data)[:, ::2])


@pytest.mark.parametrize("count", [0, -1, 13])
def test_impossible_numbers_of_components_are_refused(data, count):
    with pytest.raises(ValueError, match=f"n_components from 1 to 12, found {count}"):
        usmx_pca.pca(shared(data), count)


def test_what_is_no_usm_array_is_a_type_error(data):
    with pytest.raises(TypeError):
        usmx_pca.pca(data)
