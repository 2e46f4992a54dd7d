"""Principal component analysis with oneMKL on USM arrays: an example of a native usmx extension."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # isort: skip

with usmx.importing_extension():  # a usmx that does not fit is an error that says so
    from usmx_pca._pca import pca, pca_with_addresses

__all__ = ["pca", "pca_with_addresses"]
