"""The pybind11 and Cython examples of dpctl and dpnp, on usmx."""

# First: it loads libusmx.so and the SYCL runtime, and finds the devices' drivers.
import usmx  # isort: skip

with usmx.importing_extension():  # a usmx that does not fit is an error that says so
    from usmx_from_dpctl import _cython as cython
    from usmx_from_dpctl._native import (
        external_usm_allocation,
        onemkl_gemv,
        use_dpctl_sycl_kernel,
        use_dpctl_sycl_queue,
        use_dpnp_array,
    )

__all__ = [
    "cython",
    "external_usm_allocation",
    "onemkl_gemv",
    "use_dpctl_sycl_kernel",
    "use_dpctl_sycl_queue",
    "use_dpnp_array",
]
