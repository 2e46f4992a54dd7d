"""PCA and KMeans by oneDAL on USM arrays: an example of a native usmx extension."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # noqa: F401  isort: skip

from usmx_onedal._onedal import kmeans, pca, table_address

__all__ = ["kmeans", "pca", "table_address"]
