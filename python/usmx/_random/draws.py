"""The kernels that make random numbers, and what the methods make of their arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from usmx._compute.call import cpp, new_cache, output
from usmx._compute.promotion import default_float
from usmx._container.creation import as_integer
from usmx._container.host import numpy
from usmx._core import ElementwiseKernel, _device_text, _dtype, _queue_argument, empty
from usmx._text import short_repr

if TYPE_CHECKING:
    from usmx._typing import NumpyType

_kernels: dict[tuple[str, NumpyType], ElementwiseKernel] = new_cache()
_NORMAL = "random_normal<T>(key, first + i)"
_EXPONENTIAL = "random_exponential<T>(key, first + i)"
# The parameters of each distribution beside the seed and the number of the first element, and the
# expression for element `i`.
DISTRIBUTIONS = {
    "uniform": (
        ("T low", "T width"),
        "low + width * random_fraction<T>(philox(key, first + i, 0))",
    ),
    "normal": (("T loc", "T scale"), f"loc + scale * {_NORMAL}"),
    "integers": (
        ("uint64 low", "uint64 count"),
        "T(uint64_t(low) + random_below(key, first + i, count))",
    ),
    "exponential": (("T scale",), f"scale * {_EXPONENTIAL}"),
    "lognormal": (("T mean", "T sigma"), f"exp(mean + sigma * {_NORMAL})"),
    "rayleigh": (("T scale",), f"scale * sqrt(T(2) * {_EXPONENTIAL})"),
    "weibull": (("T a",), f"pow({_EXPONENTIAL}, T(1) / a)"),
    "pareto": (("T a",), f"expm1({_EXPONENTIAL} / a)"),
    "power": (("T a",), f"exp(-{_EXPONENTIAL} / a)"),
    "gumbel": (("T loc", "T scale"), f"loc - scale * log({_EXPONENTIAL})"),
    "laplace": (("T loc", "T scale"), "loc + scale * random_laplace<T>(key, first + i)"),
    "logistic": (("T loc", "T scale"), "loc + scale * random_logistic<T>(key, first + i)"),
    "triangular": (
        ("T left", "T mode", "T right"),
        "random_triangular<T>(key, first + i, left, mode, right)",
    ),
    "gamma": (("T shape", "T scale"), "scale * random_gamma<T>(key, first + i, shape)"),
    "beta": (("T a", "T b"), "random_beta<T>(key, first + i, a, b)"),
    "f": (("T dfnum", "T dfden"), "random_f<T>(key, first + i, dfnum, dfden)"),
    "standard_t": (("T df",), "random_student<T>(key, first + i, df)"),
    "standard_cauchy": ((), "random_cauchy<T>(key, first + i)"),
    "poisson": (("T lam",), "random_poisson<T>(key, first + i, lam)"),
    "binomial": (("int64 n", "T p"), "random_binomial<T>(key, first + i, n, p)"),
    "negative_binomial": (
        ("T n", "T p"),
        "random_negative_binomial<T>(key, first + i, n, p)",
    ),
    "geometric": (("T p",), "random_geometric<T>(key, first + i, p)"),
}
OF_INTEGERS = frozenset(("poisson", "binomial", "negative_binomial", "geometric"))
# These need no more than the first of the two texts.
_OF_ONE_TEXT = frozenset(("uniform", "normal", "integers"))


def kernel_of(name: str, dtype: NumpyType) -> ElementwiseKernel:
    """The kernel of a distribution, which computes in this type."""
    found = _kernels.get((name, dtype))
    if found is None:
        more, expression = DISTRIBUTIONS[name]
        inputs = ", ".join(("uint64 key", "uint64 first", *more))
        text = _device_text("random.hpp")
        if name not in _OF_ONE_TEXT:
            text += _device_text("random_distributions.hpp")
        found = _kernels[name, dtype] = ElementwiseKernel(
            re.sub(r"\bT ", f"{dtype} ", inputs),
            f"{'int64' if name in OF_INTEGERS else dtype} out",
            f"out = {expression}",
            f"random_{name}",
            preamble=f"{text}\nusing T = {cpp(dtype)};\n",
        )
    return found


def array_for(function, size, dtype, out, device, usm_type, sycl_queue):
    """The array that is filled, of the given shape."""
    shape = None if size is None else shape_of(function, size)
    if out is None:
        queue = _queue_argument(sycl_queue, device)
        return empty(shape or (), dtype, device=device, usm_type=usm_type, sycl_queue=queue)
    if shape not in (None, out.shape):
        raise ValueError(f"{function}: out must have shape {shape}, found {out.shape}")
    return out


def shape_of(function, size):
    """The extents that an integer, or a tuple or list of integers, stands for."""
    extents = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if any(isinstance(each, bool) for each in extents):
        raise TypeError(f"{function}: size must be an integer or a tuple of integers, found {size}")
    shape = tuple(as_integer(f"{function}: size", each) for each in extents)
    if min(shape, default=0) < 0:
        raise ValueError(f"{function}: size must not be negative, found {size}")
    return shape


def float_type(function, dtype, out, device, sycl_queue):
    """The element type of real numbers."""
    expected = "float32 or float64"
    wanted = None if dtype is None else element_type(function, dtype, expected)
    if out is not None:
        found = output(function, out).dtype
        if wanted not in (None, found):
            raise TypeError(f"{function}: out must be of type {wanted}, found {found}")
        wanted = found
    elif wanted is None:
        wanted = default_float(_queue_argument(sycl_queue, device).sycl_device)
    if wanted not in (numpy.float32, numpy.float64):
        raise TypeError(f"{function}: dtype must be {expected}, found {wanted}")
    return wanted


def element_type(function, dtype, expected):
    try:
        return _dtype(dtype)
    except ValueError:
        text = f"{function}: dtype must be {expected}, found {short_repr(dtype)}"
        raise TypeError(text) from None


def floats_for(function, size, dtype, out, device, usm_type, sycl_queue):
    wanted = float_type(function, dtype, out, device, sycl_queue)
    return array_for(function, size, wanted, out, device, usm_type, sycl_queue)


def real_number(function, name, value):
    """A Python float. Texts are no numbers, although float() reads them."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{function}: {name} must be a number, found {short_repr(value)}") from None
    except OverflowError:
        text = f"{function}: {name} must be in the range of float64, found {short_repr(value)}"
        raise OverflowError(text) from None


def in_type(dtype, value):
    """The value as that type has it; infinite where it is beyond the type."""
    if dtype == numpy.float64:
        return value
    with numpy.errstate(over="ignore"):
        return float(dtype.type(value))
