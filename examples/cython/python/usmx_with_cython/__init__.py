"""Arithmetic on arrays in SYCL unified shared memory."""

from usmx_with_cython._native import scaled

__all__ = ["scaled"]
