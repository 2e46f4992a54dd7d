"""Assertions for the tests of other projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.host import on_host

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import ArrayLike, Producer


def assert_array_equal(
    actual: Producer | ArrayLike, desired: Producer | ArrayLike, **options: Any
) -> None:
    """Raise an AssertionError unless two arrays have the same shape and the same elements. Waits.

    This is ``numpy.testing.assert_array_equal`` for arrays in USM, which are copied to the host.
    NaNs are equal to each other.

    Args:
        actual, desired: producers of ``__sycl_usm_array_interface__``, or what NumPy makes an array
            of.
        options: NumPy's arguments `err_msg` (a text to show), `verbose` (whether to show the
            arrays) and `strict` (whether a scalar differs from an array, and types differ).

    Raises:
        AssertionError: shapes or elements differ.

    Example:
        >>> usmx.testing.assert_array_equal(usmx.arange(3), [0, 1, 2])
    """
    import numpy.testing

    numpy.testing.assert_array_equal(on_host(actual), on_host(desired), **options)


def assert_allclose(
    actual: Producer | ArrayLike,
    desired: Producer | ArrayLike,
    rtol: float = 1e-07,
    atol: float = 0,
    **options: Any,
) -> None:
    """Raise an AssertionError unless two arrays are equal up to a tolerance. Waits.

    This is ``numpy.testing.assert_allclose`` for arrays in USM, which are copied to the host. NaNs
    are equal to each other, unless ``equal_nan=False`` is given.

    Args:
        actual, desired: producers of ``__sycl_usm_array_interface__``, or what NumPy makes an array
            of.
        rtol, atol: elements may differ by ``atol + rtol * abs(desired)``.
        options: NumPy's arguments `equal_nan`, `err_msg` (a text to show), `verbose` (whether to
            show the arrays) and `strict` (whether a scalar differs from an array, and types
            differ).

    Raises:
        AssertionError: shapes or elements differ.

    Example:
        >>> usmx.testing.assert_allclose(usmx.sin(usmx.asarray([0.5])), [0.479425538604203])
    """
    import numpy.testing

    numpy.testing.assert_allclose(on_host(actual), on_host(desired), rtol, atol, **options)
