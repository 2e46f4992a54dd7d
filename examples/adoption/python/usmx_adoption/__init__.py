"""Pictures in memory of the library that takes them."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # isort: skip

with usmx.importing_extension():  # a usmx that does not fit is an error that says so
    from usmx_adoption._native import pictures_alive, take_picture

__all__ = ["pictures_alive", "take_picture"]
