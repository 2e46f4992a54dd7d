"""Random programs on arrays: a few here, and as many as time allows by tests/fuzz/arrays.py itself."""

import warnings

import numpy as np
import pytest
import usmx

from tests.fuzz.arrays import Difference, Program, run


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_give_what_numpy_gives(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        run(seed, [usmx.SyclDevice()], 200)


def test_one_wrong_element_is_a_difference():
    program = Program(0, [usmx.SyclDevice()])
    program.make()
    program.pairs = [(usmx.asarray([1, 2, 3]), np.array([1, 2, 4]))]
    with pytest.raises(Difference, match="instead of"):
        program.end()
