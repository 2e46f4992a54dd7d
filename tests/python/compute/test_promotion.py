"""Types of results: NumPy's rule, for all types of usmx and Python's own numbers."""

import itertools

import numpy as np
import pytest
import usmx
from usmx import _core
from usmx._compute.call import Types, types_of
from usmx._compute.table import ROWS

TYPES = [np.dtype(name) for name in _core._type_names]
NUMBERS = {bool: False, int: 0, float: 0.0, complex: 0j}
KINDS = [*TYPES, *NUMBERS]


def numpys(kinds):
    """NumPy's result_type, which takes a number for a class of numbers."""
    return np.result_type(*(NUMBERS[kind] if isinstance(kind, type) else kind for kind in kinds))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_common_type_is_numpys(count):
    for kinds in itertools.product(KINDS, repeat=count):
        assert _core._common_type(kinds, True, True) == numpys(kinds), kinds


def test_numbers_of_numpy_have_a_type():
    assert _core._common_type((np.float64, np.dtype("f4")), True, True) == np.float64
    assert _core._common_type((float, np.dtype("f4")), True, True) == np.float32


@pytest.mark.parametrize("aspects", [(False, True), (True, False), (False, False)])
def test_common_type_is_one_of_the_device(aspects):
    for kinds in itertools.product(KINDS, repeat=2):
        nearest = _core._nearest_supported(numpys(kinds), *aspects)
        assert _core._common_type(kinds, *aspects) == nearest


@pytest.mark.parametrize("kinds", [(), (np.dtype([("a", "i4")]),)])
def test_types_that_have_no_common_one_are_a_type_error(kinds):
    with pytest.raises(TypeError, match="expected types of plain elements"):
        _core._common_type(kinds, True, True)


@pytest.mark.parametrize("name", ["add", "sqrt", "less", "abs", "where"])
def test_operations_are_those_of_the_types(name):
    row = ROWS[name]
    types = types_of(row, (np.dtype("f2"),) * len(row.operands), usmx.SyclDevice())
    assert isinstance(types, Types)
    text = types.operation(row, types.result)
    assert text.startswith("using C = float;\n")
    assert text.splitlines()[-1].startswith("out = ")


def test_wrong_number_of_operands_is_a_type_error():
    with pytest.raises(TypeError, match="add takes 2 operands, found 1"):
        _core._types_of("add", (np.dtype("f4"),), True, True)
