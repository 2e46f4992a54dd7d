"""Polynomials, as arrays of their coefficients, the one of the highest power first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_integer
from usmx._container.host import numpy, on_host
from usmx._container.manipulation import concat
from usmx._container.patterns import arange
from usmx._core import _as_array, asarray, zeros
from usmx._numpy.arguments import array_of, arrays_of
from usmx._numpy.signals import convolve

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Operand


def polyval(p: Operand, x: Operand) -> USMArray:
    """Compute a polynomial at points. Does not wait.

    Args:
        p: the coefficients: an array of one dimension.
        x: the points.

    Example:
        >>> print(usmx.polyval(usmx.asarray([1, 0, 2]), [1, 3]))
        [ 3 11]
    """
    coefficients, points = arrays_of(p, x)
    made = points * 0
    for k in range(coefficients.shape[0]):
        made = made * points + coefficients[k]
    return made


def polyadd(a1: Operand, a2: Operand) -> USMArray:
    """Add two polynomials. Does not wait.

    Args:
        a1, a2: the coefficients: arrays of one dimension; one may be lists.

    Example:
        >>> print(usmx.polyadd(usmx.asarray([1, 2]), [1, 0, 0]))
        [1 1 2]
    """
    x, y = _of_one_length(a1, a2)
    return x + y


def polysub(a1: Operand, a2: Operand) -> USMArray:
    """Subtract a polynomial from another one. Does not wait.

    Args:
        a1, a2: the coefficients: arrays of one dimension; one may be lists.

    Example:
        >>> print(usmx.polysub(usmx.asarray([1, 2]), [1, 0, 0]))
        [-1  1  2]
    """
    x, y = _of_one_length(a1, a2)
    return x - y


def _of_one_length(a1, a2):
    x, y = _of_one_dimension(*arrays_of(a1, a2))
    more = y.size - x.size
    edge = zeros(abs(more), (x if more > 0 else y).dtype, **options_of(x))
    if more > 0:
        x = concat([edge, x])
    elif more < 0:
        y = concat([edge, y])
    return x, y


def _of_one_dimension(*arrays):
    return [x[None] if x.ndim == 0 else x for x in arrays]


def polymul(a1: Operand, a2: Operand) -> USMArray:
    """Multiply two polynomials. Waits, to leave out coefficients of 0 in front.

    Args:
        a1, a2: the coefficients: arrays of one dimension; one may be lists.

    Example:
        >>> print(usmx.polymul(usmx.asarray([1, 1]), [1, -1]))
        [ 1  0 -1]
    """
    x, y = map(_without_zeros, _of_one_dimension(*arrays_of(a1, a2)))
    return convolve(x, y)


def _without_zeros(x):
    from usmx._container.indexing import nonzero

    found = nonzero(x)[0]
    return x[int(found[0]) :] if found.size else x[:1] * 0


def polydiv(u: Operand, v: Operand) -> tuple[USMArray, USMArray]:
    """Divide a polynomial by another one. Waits: NumPy computes on the host.

    Args:
        u, v: the coefficients: arrays of one dimension; one may be lists.

    Returns:
        The quotient and the rest.

    Example:
        >>> quotient, rest = usmx.polydiv(usmx.asarray([3.0, 5.0, 2.0]), [2.0, 1.0])
        >>> print(quotient, rest)
        [1.5  1.75] [0.25]
    """
    found = numpy.polydiv(on_host(u), on_host(v))
    return _beside(u, found[0]), _beside(u, found[1])


def _beside(like, made):
    """An array of the host where another one is."""
    view = _as_array(like)
    return asarray(made, **({} if view is None else options_of(view)))


def polyder(p: Operand, m: SupportsIndex = 1) -> USMArray:
    """Differentiate a polynomial. Does not wait.

    Args:
        p: the coefficients: an array of one dimension.
        m: how many times.

    Raises:
        ValueError: `m` is negative.

    Example:
        >>> print(usmx.polyder(usmx.asarray([1, 1, 1])))
        [2 1]
    """
    x = array_of(p)
    times = as_integer("m", m)
    if times < 0:
        raise ValueError(f"polyder: m must not be negative, found {times}")
    for _ in range(times):
        x = x[:-1] * arange(x.size - 1, 0, -1, **options_of(x))
    return x


def polyint(p: Operand, m: SupportsIndex = 1, k: Any = None) -> USMArray:
    """Integrate a polynomial. Does not wait.

    Args:
        p: the coefficients: an array of one dimension.
        m: how many times.
        k: the constants of the integrals: a number, or one for each time. By default 0.

    Raises:
        ValueError: `m` is negative, or there are too few constants.

    Example:
        >>> print(usmx.polyint(usmx.asarray([2, 1])))
        [1. 1. 0.]
    """
    x = array_of(p)
    times = as_integer("m", m)
    if times < 0:
        raise ValueError(f"polyint: m must not be negative, found {times}")
    constants = numpy.zeros(times) if k is None else numpy.atleast_1d(on_host(k))
    if constants.size == 1 and times > 1:
        constants = constants[0] * numpy.ones(times)
    if constants.size < times:
        raise ValueError(f"polyint: expected {times} constants, found {constants.size}")
    for each in constants[:times]:
        x = x / arange(x.size, 0, -1, **options_of(x))
        x = concat([x, asarray([each], x.dtype, **options_of(x))])
    return x


def poly(seq_of_zeros: Operand) -> USMArray:
    """Find the polynomial that has these zeros. Waits: NumPy computes on the host.

    Args:
        seq_of_zeros: an array of zeros, or a square matrix, whose eigenvalues they are.

    Example:
        >>> print(usmx.poly(usmx.asarray([1.0, -1.0])))
        [ 1.  0. -1.]
    """
    return _beside(seq_of_zeros, numpy.atleast_1d(numpy.poly(on_host(seq_of_zeros))))


def roots(p: Operand) -> USMArray:
    """Find the zeros of a polynomial. Waits: NumPy computes on the host.

    Args:
        p: the coefficients: an array of one dimension.

    Example:
        >>> print(usmx.roots(usmx.asarray([1.0, -3.0, 2.0])))
        [2. 1.]
    """
    return _beside(p, numpy.roots(on_host(p)))


def polyfit(
    x: Operand,
    y: Operand,
    deg: Any,
    rcond: float | None = None,
    full: bool = False,
    w: Operand | None = None,
    cov: Any = False,
) -> Any:
    """Fit a polynomial to points, by least squares. Waits: NumPy computes on the host.

    Args:
        x: the points: an array of one dimension.
        y: the values at the points, or several columns of them.
        deg: the highest power.
        rcond: which singular values count as 0, relative to the greatest.
        full: whether all that the solver found is given.
        w: the weight of each point.
        cov: whether the covariance of the coefficients is given.

    Returns:
        The coefficients; with `full` or `cov` a tuple as ``numpy.polyfit`` has it.

    Example:
        >>> print(usmx.round(usmx.polyfit(usmx.arange(3), [1.0, 3.0, 5.0], 1), 6))
        [2. 1.]
    """
    hosts = (on_host(x), on_host(y))
    found = numpy.polyfit(*hosts, deg, rcond, full, None if w is None else on_host(w), cov)
    if not isinstance(found, tuple):
        return _beside(x, found)
    return tuple(_beside(x, each) if isinstance(each, numpy.ndarray) else each for each in found)
