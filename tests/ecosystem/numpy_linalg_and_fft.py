"""A pytest plug-in that runs NumPy's own tests of `linalg` and `fft` with usmx's functions.

    python -P -m pytest -p numpy_linalg_and_fft --pyargs numpy.linalg.tests.test_linalg \
        numpy.fft.tests.test_pocketfft

with this folder in PYTHONPATH. In the modules of the tests each function of `numpy.linalg` and
`numpy.fft` becomes usmx's, with NumPy's arrays before and after it.
"""

import functools
from types import ModuleType

import numpy as np
import usmx
import usmx.fft
import usmx.linalg

STAND_INS = ((np.linalg, usmx.linalg), (np.fft, usmx.fft))


def mapped(value, to):
    """The value with its arrays, and those of its tuples and lists, changed by `to`."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(each, to) for each in value))
    if type(value) in (list, tuple):
        return type(value)(mapped(each, to) for each in value)
    return to(value)


def as_usmx(value):
    """A USMArray for an array of NumPy's that has a type of usmx's."""
    is_one = type(value) is np.ndarray and value.dtype.kind in "biufc"
    return usmx.asarray(value) if is_one and value.dtype.char not in "gG" else value


def as_numpy(value):
    return usmx.asnumpy(value)[()] if isinstance(value, usmx.USMArray) else value


def stand_in(function):
    @functools.wraps(function)
    def call(*args, out=None, **kwargs):
        args = mapped(args, as_usmx)
        kwargs = {name: mapped(value, as_usmx) for name, value in kwargs.items()}
        if out is None:
            return mapped(function(*args, **kwargs), as_numpy)
        result = as_usmx(out)
        function(*args, out=result, **kwargs)
        out[...] = usmx.asnumpy(result)
        return out

    return call


def functions_of(module, ours):
    """By name: usmx's functions in place of those of a module of NumPy's."""
    return {
        name: stand_in(getattr(ours, name))
        for name in module.__all__
        if not isinstance(getattr(module, name), type) and hasattr(ours, name)
    }


def with_functions(module, functions):
    """A module like this one, but for some functions."""
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    vars(copy).update(functions)
    return copy


def pytest_collection_modifyitems(items):
    changed = {}  # by what stands in the modules of the tests: NumPy's functions and modules
    modules = {}
    for module, ours in STAND_INS:
        functions = functions_of(module, ours)
        changed.update({getattr(module, name): call for name, call in functions.items()})
        modules[module.__name__.rpartition(".")[2]] = changed[module] = with_functions(
            module, functions
        )
    changed[np] = with_functions(np, modules)
    for tests in {item.module for item in items}:
        for name, value in [*vars(tests).items()]:
            if isinstance(value, ModuleType) or callable(value):
                setattr(tests, name, changed.get(value, value))
