"""len and iteration: views of the rows along the first axis, without a copy."""

import gc
import math
import random
import statistics
import weakref

import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS, TYPESTRS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from leaks import LIMIT, ROUNDS, growth


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@given(
    hnp.arrays(
        st.sampled_from([np.dtype(t) for t in TYPESTRS]),
        hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4),
    ),
    st.sampled_from(KINDS),
)
def test_steps_are_the_rows_in_order(host, kind):
    array = usmx.asarray(host, usm_type=kind)
    for direction in (iter, reversed):
        rows = list(direction(array))
        assert len(rows) == len(array) == len(host)
        for row, expected in zip(rows, direction(host), strict=True):
            found = usmx.asnumpy(row) if isinstance(row, usmx.USMArray) else row
            assert np.array_equal(found, expected, equal_nan=host.dtype.kind in "fc")
            assert (row.shape, row.dtype) == (expected.shape, host.dtype)


def test_step_is_the_view_that_the_index_gives(kind):
    array = usmx.asarray(np.arange(24.0).reshape(4, 3, 2), usm_type=kind)[::-2, 1:]
    for i, row in enumerate(array):
        indexed = array[i]
        assert type(row) is usmx.USMArray
        assert (row._pointer, row.shape, row.strides) == (
            indexed._pointer,
            indexed.shape,
            indexed.strides,
        )
        assert row.base is array.base
        assert row.usm_type == kind


def test_step_of_one_dimension_is_a_scalar_of_numpys_where_the_host_reaches_the_memory(kind):
    steps = list(usmx.asarray([1.5, 2.5], usm_type=kind))
    assert {type(step) for step in steps} == {np.float64 if kind in HOST_KINDS else usmx.USMArray}


PYTHONS = {
    "set": set,
    "sorted": sorted,
    "list": list,
    "sum": sum,
    "max": max,
    "mean": statistics.mean,
    "median": statistics.median,
    "fsum": math.fsum,
    "choice": lambda a: float(random.Random(7).choice(a)),
    "in a dictionary": lambda a: dict.fromkeys(reversed(a)),
    "unpacked": lambda a: (lambda *each: each)(*a),
}


@pytest.mark.parametrize("name", PYTHONS)
@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("values", [[3.5, 1.25, 3.5, 2.0], np.asarray([3, 1, 3, 2], "i4")])
def test_functions_of_python_find_what_they_find_of_numpys_array(name, kind, values):
    array = usmx.asarray(values, usm_type=kind)
    found, expected = PYTHONS[name](array), PYTHONS[name](np.asarray(values))
    assert (found, type(found)) == (expected, type(expected))


def test_step_sees_what_is_written_meanwhile():
    array = usmx.asarray([1, 2, 3])
    steps = iter(array)
    assert next(steps) == 1
    array += 10
    assert list(map(int, steps)) == [12, 13]


def test_step_of_one_dimension_is_a_0d_array_where_the_host_gets_no_view(strict_host):
    elements = list(usmx.asarray([1.5, 2.5]))
    assert [element.shape for element in elements] == [(), ()]
    assert [float(element) for element in elements] == [1.5, 2.5]


def test_writing_through_a_step_writes_the_array():
    array = usmx.zeros((2, 3), usm_type="shared")
    for i, row in enumerate(array):
        np.asarray(row)[:] = i + 1
    assert array.tolist() == [[1.0] * 3, [2.0] * 3]


def test_steps_of_a_read_only_array_are_read_only():
    assert not any(row.flags.writable for row in usmx.zeros((2, 2)).readonly())


def test_array_unpacks():
    first, *others = usmx.asarray([[1, 2], [3, 4], [5, 6]])
    assert first.tolist() == [1, 2]
    assert [row.tolist() for row in others] == [[3, 4], [5, 6]]


@pytest.mark.parametrize("function", [iter, list, reversed, enumerate])
def test_0d_array_is_not_iterated(kind, function):
    with pytest.raises(TypeError, match="iteration over a 0-dimensional array"):
        function(usmx.asarray(1.0, usm_type=kind))


def test_len_of_a_0d_array_is_a_type_error():
    with pytest.raises(TypeError, match="0-dimensional"):
        len(usmx.asarray(1.0))


def test_iterator_is_an_iterator_of_its_own():
    array = usmx.asarray([1, 2, 3])
    one, other = iter(array), iter(array)
    assert iter(one) is one
    assert int(next(one)) == 1
    assert int(next(one)) == 2
    assert int(next(other)) == 1
    assert one.__length_hint__() == 1
    assert [int(rest) for rest in one] == [3]
    with pytest.raises(StopIteration):
        next(one)
    with pytest.raises(StopIteration):
        next(one)
    assert one.__length_hint__() == 0


def test_iterator_keeps_the_array_alive():
    array = usmx.asarray([1, 2, 3])
    alive = weakref.ref(array)
    rows = iter(array)
    del array
    assert [int(row) for row in rows] == [1, 2, 3]
    del rows
    gc.collect()
    assert alive() is None


def test_row_keeps_the_memory_alive():
    row = next(iter(usmx.asarray([[1, 2], [3, 4]])))
    gc.collect()
    assert row.tolist() == [1, 2]


def test_nothing_is_left_behind():
    array = usmx.zeros((10, 2))
    assert growth(lambda: list(array), ROUNDS // 3) < LIMIT
