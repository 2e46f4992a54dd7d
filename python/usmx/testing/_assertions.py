"""Assertions for the tests of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.comparison import on_host

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import ArrayLike, Producer


def assert_array_equal(
    actual: Producer | ArrayLike, desired: Producer | ArrayLike, **options: Any
) -> None:
    """`numpy.testing.assert_array_equal` for arrays in USM too, which are copied to the host.

    Args:
        actual, desired: producers of ``__sycl_usm_array_interface__``, or what NumPy makes an array
            of.
        options: `err_msg`, `verbose` and `strict`, as of NumPy's.

    Raises:
        AssertionError: shapes or elements differ; NaNs are equal to each other.
    """
    import numpy.testing

    numpy.testing.assert_array_equal(on_host(actual), on_host(desired), **options)
