"""Questions about arrays: whether numbers are close, and what kind they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._compute.elementwise import abs, isfinite, isnan
from usmx._container.host import numpy
from usmx._core import _as_array, broadcast_to
from usmx._numpy.arguments import array_of, arrays_of

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import Operand


def isclose(
    a: Operand, b: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> USMArray:
    """Say where ``abs(a - b) <= atol + rtol * abs(b)``. Does not wait.

    Infinities are close to themselves.

    Args:
        a, b: arrays that are broadcast together; one may be a number or lists.
        equal_nan: whether NaN is close to NaN.

    Example:
        >>> print(usmx.isclose(usmx.asarray([1.0, 2.0]), [1.0 + 1e-9, 2.1]))
        [ True False]
    """
    x, y = arrays_of(a, b)
    if y.dtype.kind in "biu":
        y = y.astype(numpy.result_type(y.dtype, numpy.float32), copy=False)
    close = (abs(x - y) <= atol + rtol * abs(y)) & isfinite(y) | (x == y)
    return close | (isnan(x) & isnan(y)) if equal_nan else close


def allclose(
    a: Operand, b: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Say whether all elements are close to each other (`isclose`). Waits.

    Args:
        a, b: arrays that are broadcast together; one may be a number or lists.
        equal_nan: whether NaN is close to NaN.

    Returns:
        A Python bool.

    Example:
        >>> usmx.allclose(usmx.asarray([1.0, 2.0]), [1.0, 2.0 + 1e-9])
        True
    """
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equiv(a1: Operand, a2: Operand) -> bool:
    """Say whether two arrays have the same elements once they are broadcast together. Waits.

    Returns:
        A Python bool.

    Example:
        >>> usmx.array_equiv(usmx.asarray([1, 2]), [[1, 2], [1, 2]])
        True
    """
    x, y = arrays_of(a1, a2)
    try:
        shape = numpy.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return bool((broadcast_to(x, shape) == y).all())


def iscomplex(x: Operand) -> USMArray:
    """Say where the imaginary part is not 0. Does not wait.

    Example:
        >>> print(usmx.iscomplex(usmx.asarray([1, 1j])))
        [False  True]
    """
    return array_of(x).imag != 0


def isreal(x: Operand) -> USMArray:
    """Say where the imaginary part is 0. Does not wait.

    Example:
        >>> print(usmx.isreal(usmx.asarray([1, 1j])))
        [ True False]
    """
    return array_of(x).imag == 0


def iscomplexobj(x: Any) -> bool:
    """Say whether elements are of a complex type. Does not wait.

    Example:
        >>> usmx.iscomplexobj(usmx.zeros(3, 'c8'))
        True
    """
    view = _as_array(x)
    return bool(numpy.iscomplexobj(x)) if view is None else view.dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """Say whether elements are of no complex type. Does not wait.

    Example:
        >>> usmx.isrealobj(usmx.zeros(3))
        True
    """
    return not iscomplexobj(x)


def isfortran(a: Operand) -> bool:
    """Say whether the first index varies fastest in memory, and not the last. Does not wait.

    Example:
        >>> usmx.isfortran(usmx.ones((2, 3), order='F'))
        True
    """
    flags = array_of(a).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def common_type(*arrays: Operand) -> Any:
    """Find the floating-point type that all arrays can be converted to. Does not wait.

    Args:
        arrays: arrays of numbers.

    Returns:
        A NumPy scalar type.

    Example:
        >>> usmx.common_type(usmx.zeros(3, 'f4'), usmx.zeros(3, 'i4'))
        <class 'numpy.float64'>
    """
    return numpy.common_type(*(numpy.empty(0, array_of(each).dtype) for each in arrays))
