"""Principal component analysis with oneMKL on USM arrays: an example of a native usmx extension."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # noqa: F401  isort: skip

from usmx_pca._pca import pca, pca_with_addresses

__all__ = ["pca", "pca_with_addresses"]
