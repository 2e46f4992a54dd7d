"""Arithmetic on arrays in SYCL unified shared memory."""

from usmx_with_c._native import scaled

__all__ = ["scaled"]
