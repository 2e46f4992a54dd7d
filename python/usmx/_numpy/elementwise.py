"""Functions of each element that NumPy has and the table lacks, made of the table's functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from usmx._compute.call import new_cache, operands_of, written
from usmx._compute.elementwise import (
    abs,
    atan2,
    copysign,
    exp2,
    floor_divide,
    isfinite,
    isinf,
    isnan,
    log1p,
    maximum,
    minimum,
    nextafter,
    pow,
    remainder,
    round_to,
    sin,
    trunc,
)
from usmx._compute.special import special
from usmx._container.host import numpy
from usmx._core import ElementwiseKernel, USMArray
from usmx._numpy.arguments import array_of, arrays_of, floating, where

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import Operand

_kernels: dict[str, ElementwiseKernel] = new_cache()


def _kernel(name, inputs, outputs, operation):
    found = _kernels.get(name)
    if found is None:
        found = _kernels[name] = ElementwiseKernel(inputs, outputs, operation, name)
    return found


def _integers(function, *operands):
    """The operands as arrays of one type of integers."""
    arrays = operands_of(function, ("x1", "x2")[: len(operands)], operands)
    dtype = numpy.result_type(*(x.dtype if isinstance(x, USMArray) else x for x in arrays))
    if dtype.kind not in "iu":
        raise TypeError(f"{function} is defined for integers, found {dtype}")
    return [x.astype(dtype, copy=False) for x in arrays_of(*arrays)]


# ---- angles


def deg2rad(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Convert degrees to radians. Does not wait.

    Example:
        >>> print(usmx.deg2rad(usmx.asarray([0.0, 180.0])))
        [0.         3.14159265]
    """
    return written("deg2rad", out, floating(array_of(x)) * (math.pi / 180))


def rad2deg(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Convert radians to degrees. Does not wait.

    Example:
        >>> print(usmx.rad2deg(usmx.asarray([0.0, usmx.pi])))
        [  0. 180.]
    """
    return written("rad2deg", out, floating(array_of(x)) * (180 / math.pi))


def angle(z: Operand, deg: bool = False) -> USMArray:
    """Find the angle of complex numbers in their plane. Does not wait.

    Args:
        deg: whether the angles are in degrees.

    Example:
        >>> print(usmx.angle(usmx.asarray([1, 1j]), deg=True))
        [ 0. 90.]
    """
    x = floating(array_of(z))
    found = atan2(x.imag, x.real) if x.dtype.kind == "c" else atan2(abs(x * 0), x)
    return found * (180 / math.pi) if deg else found


def unwrap(
    p: Operand, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> USMArray:
    """Add multiples of a period, so that neighbours are at most half a period apart.

    Does not wait.

    Args:
        discont: the least jump that is changed, if that is more than half a period.
        axis: the axis of the neighbours.
        period: the period. With an integer, and an array of integers, the result is of integers.

    Example:
        >>> print(usmx.unwrap(usmx.asarray([0, 1, 3, 0]), period=4))
        [0 1 3 4]
    """
    from usmx._compute.scans import cumulative_sum, diff

    x = array_of(p)
    is_whole = x.dtype.kind in "iu" and isinstance(period, int)
    x = x if is_whole else floating(x)
    steps = diff(x, axis=axis)
    high, rest = (divmod(period, 2)) if is_whole else (period / 2, 0)
    low = -high
    wrapped = remainder(steps - low, period) + low
    if rest == 0:
        wrapped = where((wrapped == low) & (steps > 0), high, wrapped)
    limit = period / 2 if discont is None else discont
    changes = where(abs(steps) < limit, 0, wrapped - steps)
    made = x.copy()
    first = [slice(None)] * x.ndim
    first[axis] = slice(1, None)
    key = tuple(first)
    made[key] = x[key] + cumulative_sum(changes, axis=axis)
    return made


# ---- parts of numbers


def fabs(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the magnitude of each real number, as a floating-point number. Does not wait.

    Example:
        >>> print(usmx.fabs(usmx.asarray([-1, 2])))
        [1. 2.]
    """
    return written("fabs", out, abs(floating(array_of(x))))


def rint(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Round to the nearest integer, in the middle to the even one. Does not wait.

    Integers stay integers.

    Example:
        >>> print(usmx.rint(usmx.asarray([0.5, 1.5])))
        [0. 2.]
    """
    return round_to(array_of(x), 0, out)


def modf(x: Operand, /) -> tuple[USMArray, USMArray]:
    """Split each number into the part behind the point and the whole part. Does not wait.

    Returns:
        Two arrays, whose numbers have the sign of `x`.

    Example:
        >>> fraction, whole = usmx.modf(usmx.asarray([1.5, -2.25]))
        >>> print(fraction, whole)
        [ 0.5  -0.25] [ 1. -2.]
    """
    numbers = floating(array_of(x))
    whole = trunc(numbers)
    fraction = where(isinf(numbers), 0, numbers - whole)
    return copysign(fraction, numbers), whole


def frexp(x: Operand, /) -> tuple[USMArray, USMArray]:
    """Split each number into a fraction from 1/2 to 1, and a power of 2. Does not wait.

    Returns:
        The fractions, and the exponents as int32.

    Example:
        >>> fraction, exponent = usmx.frexp(usmx.asarray([3.0]))
        >>> print(fraction, exponent)
        [0.75] [2]
    """
    text = "int p = 0; m = isfinite(x) ? frexp(x, &p) : x; e = p"
    return _kernel("frexp", "T x", "T m, int32 e", text)(floating(array_of(x)))


def ldexp(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute ``x1 * 2**x2`` for integers `x2`. Does not wait.

    Example:
        >>> print(usmx.ldexp(usmx.asarray([0.75]), 2))
        [3.]
    """
    x, exponent = arrays_of(x1, x2)
    if exponent.dtype.kind not in "iu":
        raise TypeError(f"ldexp: x2 must be of integers, found {exponent.dtype}")
    whole = minimum(maximum(exponent, -5000), 5000).astype("i4")
    made = _kernel("ldexp", "T x, int32 e", "T y", "y = ldexp(x, e)")(floating(x), whole)
    return written("ldexp", out, made)


def spacing(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Find the distance from each number to the next one away from 0. Does not wait.

    Example:
        >>> print(usmx.spacing(usmx.asarray([1.0])) == usmx.finfo('f8').eps)
        [ True]
    """
    numbers = floating(array_of(x))
    after = nextafter(numbers, copysign(math.inf, numbers))
    before = nextafter(numbers, numbers * 0)
    steps = where(isinf(after), numbers - before, after - numbers)
    return written("spacing", out, where(isfinite(numbers), steps, math.nan))


def nan_to_num(
    x: Operand,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> USMArray:
    """Replace NaN and infinities by numbers. Does not wait.

    Args:
        copy: whether the result is a new array. Otherwise it is `x`, which is changed.
        nan: what replaces NaN.
        posinf: what replaces infinity. By default the greatest number of the type.
        neginf: what replaces -infinity. By default the least number of the type.

    Example:
        >>> print(usmx.nan_to_num(usmx.asarray([usmx.nan, 1.0])))
        [0. 1.]
    """
    given = array_of(x)
    if given.dtype.kind not in "fc":
        return given.copy() if copy else given
    made = given.copy() if copy else given
    for part in (made.real, made.imag) if made.dtype.kind == "c" else (made,):
        limits = numpy.finfo(part.dtype)
        high = float(limits.max) if posinf is None else posinf
        low = float(limits.min) if neginf is None else neginf
        chosen = where(isnan(part), nan, part)
        chosen = where(isinf(part), where(part > 0, high, low), chosen)
        part[...] = chosen
    return made


def real_if_close(a: Operand, tol: float = 100) -> USMArray:
    """Give the real parts, if all imaginary parts are about 0. Waits.

    Args:
        tol: how many epsilons of the type an imaginary part may have; or, below 1, its size.

    Example:
        >>> print(usmx.real_if_close(usmx.asarray([1 + 1e-16j])))
        [1.]
    """
    x = array_of(a)
    if x.dtype.kind != "c":
        return x
    limit = tol * float(numpy.finfo(x.dtype).eps) if tol > 1 else tol
    return x.real if bool((abs(x.imag) < limit).all()) else x


# ---- two operands


def divmod(x1: Operand, x2: Operand, /) -> tuple[USMArray, USMArray]:
    """Divide, and round down; and find the rest. Does not wait.

    Returns:
        `floor_divide` and `remainder` of the operands.

    Example:
        >>> quotient, rest = usmx.divmod(usmx.asarray([7, -7]), 3)
        >>> print(quotient, rest)
        [ 2 -3] [1 2]
    """
    return floor_divide(x1, x2), remainder(x1, x2)


def fmod(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the remainder of the division, with the sign of `x1`. Does not wait.

    Example:
        >>> print(usmx.fmod(usmx.asarray([-7, 7]), 3))
        [-1  1]
    """
    first, second = operands_of("fmod", ("x1", "x2"), (x1, x2))
    rest = remainder(first, second)
    if rest.dtype.kind == "f":
        # the magnitudes' rest is exact, where the difference of a rest and `x2` is rounded
        rest = copysign(remainder(abs(first), abs(second)), first)
    else:
        is_other = (rest != 0) & ((array_of(first) < 0) != (array_of(second) < 0))
        rest = where(is_other, rest - second, rest)
    return written("fmod", out, rest)


def fmax(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Choose the greater of each two numbers; where one is NaN, the other. Does not wait.

    Example:
        >>> print(usmx.fmax(usmx.asarray([1.0, usmx.nan]), 2))
        [2. 2.]
    """
    return written("fmax", out, _of_numbers(maximum, x1, x2))


def fmin(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Choose the smaller of each two numbers; where one is NaN, the other. Does not wait.

    Example:
        >>> print(usmx.fmin(usmx.asarray([1.0, usmx.nan]), 2))
        [1. 2.]
    """
    return written("fmin", out, _of_numbers(minimum, x1, x2))


def _of_numbers(choose, x1, x2):
    first, second = operands_of(choose.__name__, ("x1", "x2"), (x1, x2))
    found = choose(first, second)
    if found.dtype.kind not in "fc":
        return found
    return where(isnan(first), second, where(isnan(second), first, found)).astype(
        found.dtype, copy=False
    )


def heaviside(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the step function: 0 below 0, 1 above 0, and `x2` at 0. Does not wait.

    Example:
        >>> print(usmx.heaviside(usmx.asarray([-1.0, 0.0, 2.0]), 0.5))
        [0.  0.5 1. ]
    """
    first, second = operands_of("heaviside", ("x1", "x2"), (x1, x2))
    x = floating(array_of(first))
    made = where(isnan(x), x, where(x == 0, second, (x > 0).astype(x.dtype)))
    return written("heaviside", out, made)


def float_power(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute powers in double precision. Does not wait.

    Raises:
        ValueError: the device lacks float64.

    Example:
        >>> print(usmx.float_power(usmx.asarray([2, 3]), -1))
        [0.5        0.33333333]
    """
    arrays = arrays_of(x1, x2)
    wide = "c16" if any(x.dtype.kind == "c" for x in arrays) else "f8"
    return written("float_power", out, pow(*(x.astype(wide, copy=False) for x in arrays)))


def logaddexp2(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute ``log2(2**x1 + 2**x2)``. Does not wait.

    Example:
        >>> print(usmx.logaddexp2(usmx.asarray([3.0]), 3.0))
        [4.]
    """
    first, second = operands_of("logaddexp2", ("x1", "x2"), (x1, x2))
    first = floating(array_of(first))
    high = maximum(first, second)
    apart = high + log1p(exp2(-abs(first - second))) * (1 / math.log(2))
    return written("logaddexp2", out, where(first == second, first + 1, apart))


def gcd(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Find the greatest common divisor of each two integers. Does not wait.

    Example:
        >>> print(usmx.gcd(usmx.asarray([12, 18]), 8))
        [4 2]
    """
    first, second = _integers("gcd", x1, x2)
    text = "T a = x, b = y; while (b != 0) { T r = a % b; a = b; b = r; } z = a"
    made = _kernel("gcd", "T x, T y", "T z", text)(abs(first), abs(second))
    return written("gcd", out, made)


def lcm(x1: Operand, x2: Operand, /, out: USMArray | None = None) -> USMArray:
    """Find the least common multiple of each two integers. Does not wait.

    Example:
        >>> print(usmx.lcm(usmx.asarray([4, 6]), 10))
        [20 30]
    """
    first, second = (abs(x) for x in _integers("lcm", x1, x2))
    return written("lcm", out, first // maximum(gcd(first, second), 1) * second)


def bitwise_count(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Count the bits of the magnitude of each integer. Does not wait.

    Returns:
        `out`, or a new USMArray of uint8.

    Example:
        >>> print(usmx.bitwise_count(usmx.asarray([7, 8])))
        [3 1]
    """
    numbers = array_of(x)
    if numbers.dtype.kind not in "biu":
        raise TypeError(f"bitwise_count is defined for integers, found {numbers.dtype}")
    magnitude = abs(numbers)
    width = 8 * numbers.dtype.itemsize
    bits = magnitude.astype(f"u{width // 8}")  # of the least integer, too
    made = _kernel("bitwise_count", "T x", "uint8 n", "n = popcount(x)")(bits)
    return written("bitwise_count", out, made)


# ---- others


def sinc(x: Operand) -> USMArray:
    """Compute ``sin(pi * x) / (pi * x)``, and 1 for 0. Does not wait.

    Example:
        >>> print(usmx.sinc(usmx.asarray([0.0, 0.5])))
        [1.         0.63661977]
    """
    numbers = floating(array_of(x))
    scaled = where(numbers == 0, 1.0e-20, numbers) * math.pi
    if numbers.dtype == numpy.float16:
        return where(numbers == 0, 1, sin(numbers * math.pi) / scaled)
    return sin(scaled) / scaled


def i0(x: Operand) -> USMArray:
    """Compute the modified Bessel function of the first kind of order 0. Does not wait.

    Example:
        >>> print(usmx.i0(usmx.asarray([0.0, 1.0])))
        [1.         1.26606588]
    """
    return special("i0", None, array_of(x))


def isposinf(x: Operand, out: USMArray | None = None) -> USMArray:
    """Say where a number is infinity. Does not wait.

    Example:
        >>> print(usmx.isposinf(usmx.asarray([-usmx.inf, usmx.inf])))
        [False  True]
    """
    return written("isposinf", out, _real_numbers("isposinf", x) == math.inf)


def isneginf(x: Operand, out: USMArray | None = None) -> USMArray:
    """Say where a number is -infinity. Does not wait.

    Example:
        >>> print(usmx.isneginf(usmx.asarray([-usmx.inf, usmx.inf])))
        [ True False]
    """
    return written("isneginf", out, _real_numbers("isneginf", x) == -math.inf)


def _real_numbers(function, x):
    numbers = array_of(x)
    if numbers.dtype.kind == "c":
        raise TypeError(f"{function} is not defined for complex numbers")
    return numbers


def vectorize(
    pyfunc: Any = None,
    otypes: Any = None,
    doc: str | None = None,
    excluded: Any = None,
    cache: bool = False,
    signature: str | None = None,
) -> Any:
    """Make a function that calls a Python function for each element, on the host.

    It is as slow as in NumPy. `usmx.fuse` and `usmx.ElementwiseKernel` compute on the device. The
    function that is made waits, copies the elements to the host and the results back.

    Args:
        pyfunc: the function. Without it, a decorator is made.
        otypes, doc, excluded, cache, signature: as of ``numpy.vectorize``.

    Returns:
        A function of arrays.

    Example:
        >>> half = usmx.vectorize(lambda n: n // 2)
        >>> print(half(usmx.arange(5)))
        [0 0 1 1 2]
    """
    options = {
        "otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature,
    }  # fmt: skip
    if pyfunc is None:
        return lambda function: vectorize(function, **options)
    from functools import update_wrapper

    on_host = numpy.vectorize(pyfunc, **options)

    def call(*args: Any, **kwargs: Any) -> Any:
        found = on_host(*map(_host_copy, args), **{k: _host_copy(v) for k, v in kwargs.items()})
        made = found if isinstance(found, tuple) else (found,)
        arrays = tuple(array_of(each) for each in made)
        return arrays if isinstance(found, tuple) else arrays[0]

    return update_wrapper(call, pyfunc)


def _host_copy(given):
    from usmx._core import _as_array, asnumpy

    view = _as_array(given)
    return given if view is None else asnumpy(view)
