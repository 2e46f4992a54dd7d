"""Every function has the same bits, types and classes of errors in C++ and in Python, for each type and layout of its operands."""

import ctypes
import inspect
import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import usmx
from helpers import DENSITY, run
from sharing import shared_folder
from usmx import special
from usmx._compute.table import REDUCTIONS, ROWS

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).with_name("two_languages.cpp")
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "every second one": lambda a: a[:, ::2],
    "backwards": lambda a: a[::-1, ::-1],
    "one for all": lambda a: usmx.broadcast_to(a[:1], a.shape),
}
OF_OTHERS = [
    "sort",
    "argsort",
    "cumulative_sum",
    "cumulative_prod",
    "diff",
    "ptp",
    "median",
    "nanmedian",
    "nansum",
    "nanprod",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanvar",
    "nanstd",
    "unique_values",
    "searchsorted",
    "matmul",
    "vecdot",
    "kron",
    "linalg.norm",
    "linalg.vector_norm",
    "linalg.cross",
    "fft.fftshift",
]
ROUNDED = ("matmul", "vecdot")  # by the host, a vendor or kernels, as the memory is at hand
ALONG = ("ptp", "median", "linalg.vector_norm")  # have an axis, and those of nan*
FUNCTIONS = {
    "elementwise": list(ROWS),
    "reductions": list(REDUCTIONS),
    "special": special.__all__,
    "others": OF_OTHERS,
}


class Operand(ctypes.Structure):
    _fields_ = [
        ("memory", ctypes.c_void_p),
        ("count", ctypes.c_ssize_t),
        ("type", ctypes.c_char_p),
        ("ndim", ctypes.c_int),
        ("shape", ctypes.c_ssize_t * 4),
        ("strides", ctypes.c_ssize_t * 4),
        ("offset", ctypes.c_ssize_t),
        ("number", ctypes.c_double),
    ]


class Program:
    """The compiled calls of C++."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ("usmx_call", "usmx_error", "usmx_type"):
            restype = ctypes.c_void_p if name == "usmx_call" else ctypes.c_char_p
            getattr(self.library, name).restype = restype
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        self.pointer_in = pointer

    def call(self, group, name, operands, axis):
        """The result as NumPy's array, or the class and the text of the error."""
        queue = next(x for x in operands if isinstance(x, usmx.USMArray)).sycl_queue
        capsule = queue._get_capsule()  # owns the queue
        address = ctypes.c_void_p(self.pointer_in(capsule, b"SyclQueueRef"))
        given = (Operand * len(operands))(*map(self.operand, operands))
        text = group.encode(), name.encode()
        along = 99 if axis is None else axis
        made = ctypes.c_void_p(self.library.usmx_call(address, *text, len(operands), given, along))
        try:
            error = self.library.usmx_error(made).decode()
            if error:
                return tuple(error.split(" ", 1))
            shape = (ctypes.c_ssize_t * 64)()
            ndim = self.library.usmx_shape(made, shape)
            found = np.empty(shape[:ndim], self.library.usmx_type(made).decode())
            self.library.usmx_read(made, ctypes.c_void_p(found.ctypes.data))
            return found
        finally:
            self.library.usmx_free(made)

    def operand(self, x):
        if not isinstance(x, usmx.USMArray):
            return Operand(number=x)
        interface = x.__sycl_usm_array_interface__
        item = x.dtype.itemsize
        strides = list(x.strides)
        low = sum((n - 1) * s for n, s in zip(x.shape, strides, strict=True) if s < 0)
        high = sum((n - 1) * s for n, s in zip(x.shape, strides, strict=True) if s > 0)
        first = interface["data"][0] + (interface.get("offset") or 0) * item
        made = Operand(first + low * item, high - low + 1, x.dtype.name.encode(), x.ndim)
        made.shape[: x.ndim], made.strides[: x.ndim] = x.shape, strides
        made.offset = -low
        return made


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    def compile_it(folder):
        folder.mkdir()
        flags = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
        command = [os.environ.get("CXX", "g++"), "-std=c++20", "-w", "-shared", "-fPIC", SOURCE]
        run(*command, *flags, "-o", folder / "two_languages.so")

    return Program(
        shared_folder(tmp_path_factory, "two_languages", compile_it) / "two_languages.so"
    )


def values(dtype, seed):
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.random((3, 3)) < 0.5
    if dtype[0] in "iu":
        return random.integers(0 if dtype[0] == "u" else -5, 9, (3, 3)).astype(dtype)
    made = random.standard_normal((3, 3)) * 3
    if dtype[0] == "f":  # what kernels and the host make of parts that are NaN differs
        made[1, 1] = np.nan
    return (made + 1j * random.standard_normal((3, 3)) if dtype[0] == "c" else made).astype(dtype)


def bits(x):
    """Those of the elements, but of one NaN for all: it has no sign."""
    flat = np.ascontiguousarray(x).reshape(-1)
    parts = flat.view(flat.real.dtype) if x.dtype.kind == "c" else flat
    return (
        np.where(parts != parts, np.array(np.nan, parts.dtype), parts).tobytes()
        if parts.dtype.kind == "f"
        else parts.tobytes()
    )


def in_python(group, name, operands, axis):
    module = {"special": special}.get(group, usmx)
    for part in name.split("."):
        module = getattr(module, part)
    arguments = {}
    if group == "reductions" or name.startswith("nan") or name in ALONG:
        arguments["axis"] = axis
    elif name.startswith("cumulative"):
        arguments["axis"] = -1
    x = operands[0]
    operands = {
        "searchsorted": lambda: (usmx.sort(usmx.reshape(x, -1)), x),
        "matmul": lambda: (x, x.T),
        "vecdot": lambda: (x, x),
        "kron": lambda: (x, x),
        "linalg.cross": lambda: (x, x),
    }.get(name, lambda: operands)()
    try:
        return usmx.asnumpy(module(*operands, **arguments))
    except Exception as wrong:
        return next(
            each.__name__
            for each in (TypeError, IndexError, ValueError, Exception)
            if isinstance(wrong, each)
        ), str(wrong)


def operands_of(group, name, dtype, layout, other):
    """Arrays of a type in a layout, and for functions of several one of another type, too."""
    count = len(ROWS[name].operands) if group == "elementwise" else 1
    if group == "special":
        parameters = inspect.signature(getattr(special, name)).parameters.values()
        count = sum(each.kind is each.POSITIONAL_ONLY for each in parameters)
    types = [dtype, other, dtype][:count]
    arrays = [LAYOUTS[layout](usmx.asarray(values(each, k))) for k, each in enumerate(types)]
    if name == "where":
        arrays[0] = usmx.asarray(values("?", 3)) if layout != "every second one" else arrays[0]
    return arrays


def cases(group):
    """All at night; else some of them, and each function, type and layout."""
    names = FUNCTIONS[group]
    found = itertools.product(enumerate(names), enumerate(TYPES), enumerate(LAYOUTS))
    share = 1 if DENSITY >= 1 else 41 if group == "elementwise" else 23
    for (i, name), (j, dtype), (k, layout) in found:
        if share == 1 or (3 * i + 5 * j + 7 * k) % share == 0:
            yield name, dtype, layout, TYPES[(i + j) % len(TYPES)]


# Arguments of Python's generator, which C++ has, too; "x" is an array of numbers above 0.
DRAWS = {
    "exponential": (2,), "standard_exponential": (), "lognormal": (0, 0.5), "rayleigh": (2,), "weibull": (2,),
    "pareto": (2,), "power": (2,), "gumbel": (1, 2), "laplace": (1, 2), "logistic": (1, 2), "triangular": (0, 1, 3),
    "gamma": (2.5, 2), "standard_gamma": (2.5,), "chisquare": ("x",), "beta": ("x", 2), "f": (3, 9),
    "standard_t": (5,), "standard_cauchy": (), "poisson": (4,), "binomial": (10, 0.3), "negative_binomial": (3, 0.5),
    "geometric": (0.25,),
}  # fmt: skip
CHOICES = {
    "dirichlet": lambda rng, x: rng.dirichlet(x[0], 2),
    "permutation": lambda rng, x: rng.permutation(x, 1),
    "permuted": lambda rng, x: rng.permuted(x),
    "choice": lambda rng, x: rng.choice(x, 4),
}


@pytest.mark.parametrize("share", [range(0, 26, 5)] if DENSITY < 1 else [range(26)])
def test_random_numbers_are_the_same(program, share):
    x = usmx.asarray(np.arange(1.0, 10).reshape(3, 3))
    names = [*DRAWS, *CHOICES]
    assert len(names) == 26
    for k in share:
        name = names[k]
        rng = usmx.random.default_rng(7)
        if name in DRAWS:
            arguments = (x if each == "x" else each for each in DRAWS[name])
            made = getattr(rng, name)(*arguments, size=(3, 3))
        else:
            made = CHOICES[name](rng, x)
        expected = usmx.asnumpy(made)
        found = program.call("random", name, [x], None)
        assert isinstance(found, np.ndarray), (name, found)
        assert (expected.dtype, expected.shape) == (found.dtype, found.shape), name
        assert bits(expected) == bits(found), name


@pytest.mark.parametrize("group", FUNCTIONS)
def test_results_types_and_errors_are_the_same(program, group):
    seen = [set(), set(), set()]
    different = []
    with np.errstate(all="ignore"):
        for name, dtype, layout, other in cases(group):
            for each, value in zip(seen, (name, dtype, layout), strict=True):
                each.add(value)
            for axis in (None, 1) if group == "reductions" or name in ALONG else (None,):
                operands = operands_of(group, name, dtype, layout, other)
                expected = in_python(group, name, operands, axis)
                found = program.call(group, name, operands, axis)
                if isinstance(expected, tuple) or isinstance(found, tuple):
                    same = type(expected) is type(found) and expected[0] == found[0]
                else:
                    same = (expected.dtype, expected.shape) == (found.dtype, found.shape)
                    close = name in ROUNDED and np.allclose(
                        expected, found, 1e-5, 1e-5, equal_nan=True
                    )
                    same = same and (close or bits(expected) == bits(found))
                if not same:
                    different.append((name, dtype, layout, other, axis, expected, found))
    assert not different, "\n".join(map(str, different[:12])) + f"\n{len(different)} in all"
    assert (len(seen[1]), len(seen[2])) == (len(TYPES), len(LAYOUTS))
    assert DENSITY < 1 or len(seen[0]) == len(FUNCTIONS[group])
