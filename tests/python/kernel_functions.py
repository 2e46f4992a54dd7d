"""What the mathematical functions of kernels are compared with: NumPy in a wider type, or the C library."""

import ctypes
import math

import numpy as np

WIDER = {"f2": np.float64, "f4": np.float64, "f8": np.longdouble, "c8": np.complex128, "c16": np.clongdouble}  # fmt: skip
LIBM = ctypes.CDLL("libm.so.6")
PI = np.longdouble("3.14159265358979323846264338327950288")


def of_each(function):
    """A function of Python's floats for arrays; NaN where it has no value."""

    def value(*arguments):
        try:
            return function(*arguments)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    def of_arrays(*arrays):
        lists = [np.asarray(each, np.float64).tolist() for each in arrays]
        return np.array([value(*each) for each in zip(*lists, strict=True)])

    return of_arrays


def of_libm(name, argument_type=ctypes.c_longdouble):
    """The C library's function in its widest type, whose result is rounded to a double."""
    function = getattr(LIBM, name)
    function.restype = argument_type

    def value(*arguments):
        return function(*map(argument_type, arguments))

    return of_each(value)


def half_turns(x):
    """What x is beyond the nearest even number, exactly."""
    return x - 2 * np.rint(x / 2)


def sinpi(x):
    turned = half_turns(x)
    near = np.where(np.abs(turned) > 0.5, np.copysign(1 - np.abs(turned), turned), turned)
    return np.sin(PI * near)


def cospi(x):
    turned = np.abs(half_turns(x))
    return np.where(turned <= 0.25, np.cos(PI * turned), np.sin(PI * (0.5 - turned)))


def log_erfc(x):
    """For x from 0 on; by the asymptotic series where erfc gets small."""
    far = np.maximum(x, 10)
    term = series = np.ones_like(x)
    for k in range(1, 12):
        term = -term * (2 * k - 1) / (2 * far * far)
        series = series + term
    by_series = -far * far - np.log(far * math.sqrt(math.pi)) + np.log(series)
    return np.where(x > 10, by_series, np.log(of_libm("erfcl")(np.minimum(x, 10))))


def erfinv_near_zero(x):
    """By Newton's steps for erf, for up to 1/2."""
    slope = 2 / math.sqrt(math.pi)
    at = x / slope
    for _ in range(8):
        at = at - (of_libm("erfl")(at) - x) / (slope * np.exp(-at * at))
    return at


def erfcinv_near_zero(x):
    """By Newton's steps for the logarithm of erfc, which is nearly a parabola, for 0 to 1/2."""
    target = np.log(x)
    at = np.sqrt(np.maximum(-target - 0.5, 0.0))
    moving = np.arange(at.size)
    for _ in range(40):
        before = at[moving]
        value = log_erfc(before)
        slope = -2 / math.sqrt(math.pi) * np.exp(-before * before - value)
        at[moving] = before - np.clip((value - target[moving]) / slope, -0.5, 0.5)
        moving = moving[at[moving] != before]
    return at


def inverse_of_erf(x, outside):
    """The number of which erf is x and erfc `outside`."""
    tail = np.minimum(outside, 2 - outside)
    y = np.where(tail == 0, np.copysign(np.inf, x), np.nan)
    is_near = np.abs(x) <= 0.5
    is_far = (tail > 0) & (tail < 0.5)
    y[is_near] = erfinv_near_zero(x[is_near])
    y[is_far] = np.copysign(erfcinv_near_zero(tail[is_far]), x[is_far])
    return y


def erfinv(x):
    x = np.asarray(x, np.float64)
    return inverse_of_erf(x, np.where(x < 0, 2 - (1 + x), 1 - x))


def erfcinv(x):
    x = np.asarray(x, np.float64)
    return inverse_of_erf(1 - x, x)


def away_from_zero(x):
    whole = np.floor(np.abs(x))
    return np.copysign(whole + (np.abs(x) - whole >= 0.5), x)


def fdim(x, y):
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0))


def clamp(x, low, high):
    return np.where(x < low, low, np.where(high < x, high, x))


def exp10(x):
    return np.power(np.asarray(10).astype(x.dtype), x)


# The reference of each function of real numbers.
UNARY = {
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "exp": np.exp, "exp2": np.exp2,
    "exp10": exp10, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "sinpi": sinpi, "cospi": cospi, "erf": of_libm("erfl"), "erfc": of_libm("erfcl"),
    "erfinv": erfinv, "erfcinv": erfcinv, "tgamma": of_libm("tgammal"), "lgamma": of_libm("lgammal"), "fabs": np.fabs, "abs": np.abs,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": away_from_zero, "rint": np.rint,
    "nearbyint": np.rint, "logb": lambda x: np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, np.frexp(x)[1] - 1 + x * 0)),
}  # fmt: skip
BINARY = {
    "pow": np.power, "atan2": np.arctan2, "hypot": np.hypot, "fmod": np.fmod, "remainder": of_each(math.remainder),
    "fmin": np.fmin, "fmax": np.fmax, "min": np.fmin, "max": np.fmax, "fdim": fdim, "copysign": np.copysign,
}  # fmt: skip
TERNARY = {"fma": of_libm("fma", ctypes.c_double), "clamp": clamp}
COMPLEX = {
    "exp": np.exp, "log": np.log, "log10": np.log10, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "conj": np.conj, "real": np.real,
    "imag": np.imag, "abs": np.abs, "arg": np.angle, "norm": lambda z: z.real**2 + z.imag**2,
}  # fmt: skip
COMPLEX_BINARY = {"pow": np.power}
# Random arguments of these come from a range, besides those of all bits: elsewhere results are of one kind.
RANGES = {"erfinv": (-1, 1), "erfcinv": (0, 2), "asin": (-1, 1), "acos": (-1, 1), "atanh": (-1, 1)}
