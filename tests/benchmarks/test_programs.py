"""The programs of benchmarks/bench/programs.py give what NumPy gives."""

import numpy
import pytest
import usmx
from bench import programs

INPUTS = programs.inputs(16) | {
    "Mandelbrot": (programs.mandelbrot, lambda: programs.plane(20, 30)),
    "logistic regression": (programs.logistic_regression, lambda: programs.observations(100, 5)),
}


@pytest.mark.parametrize("title", INPUTS)
def test_program_gives_what_numpy_gives(title):
    program, arrays = INPUTS[title]
    host = arrays()
    given = {name: usmx.asarray(each) for name, each in host.items()}
    found = usmx.asnumpy(program(usmx, **given))
    expected = program(numpy, **host)
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-5)
