"""Arithmetic on arrays in SYCL unified shared memory."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # noqa: F401  isort: skip

from usmx_with_pybind11._native import scaled

__all__ = ["scaled"]
