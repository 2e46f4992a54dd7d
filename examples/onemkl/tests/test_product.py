import pytest
import usmx
from usmx_with_onemkl import product


def matrix(rows, **options):
    return usmx.asarray(rows, dtype="f8", **{"usm_type": "device", **options})


SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def test_product_of_two_matrices():
    result = product(matrix([[1, 2, 3]]), matrix([[1, 0], [0, 1], [2, 3]]))
    assert type(result) is usmx.USMArray
    assert usmx.asnumpy(result).tolist() == [[7, 11]]


def test_calls_follow_each_other_without_waiting():
    x = matrix(SQUARE)
    for _ in range(3):
        x = product(x, matrix(SQUARE))
    assert usmx.asnumpy(x).tolist() == [[199, 290], [435, 634]]


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_result_is_in_memory_of_the_same_kind(kind):
    assert product(matrix(SQUARE, usm_type=kind), matrix(SQUARE)).usm_type == kind


@pytest.mark.parametrize(("left", "right"), [((0, 2), (2, 3)), ((2, 0), (0, 3)), ((2, 3), (3, 0))])
def test_matrices_without_elements(left, right):
    result = product(usmx.zeros(left), usmx.zeros(right))
    assert usmx.asnumpy(result).tolist() == [[0] * right[1]] * left[0]


def test_matrices_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="as many rows of b as a has columns"):
        product(matrix([[1, 2, 3]]), matrix(SQUARE))


def test_another_element_type_is_refused():
    with pytest.raises(TypeError, match=r"float64.* found float32"):
        product(matrix(SQUARE), matrix(SQUARE).astype("f4"))
