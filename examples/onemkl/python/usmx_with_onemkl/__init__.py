"""The product of matrices, by oneMKL."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # isort: skip

with usmx.importing_extension():  # a usmx that does not fit is an error that says so
    from usmx_with_onemkl._native import product

__all__ = ["product"]
