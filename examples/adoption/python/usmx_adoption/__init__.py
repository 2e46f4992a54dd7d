"""Pictures in memory of the library that takes them."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # noqa: F401  isort: skip

from usmx_adoption._native import pictures_alive, take_picture

__all__ = ["pictures_alive", "take_picture"]
