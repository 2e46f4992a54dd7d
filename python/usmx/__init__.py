"""Arrays in SYCL unified shared memory, exchanged without copies and never trusted.

usmx owns, views and exchanges USM arrays through ``__sycl_usm_array_interface__``. It does no
mathematics: its arrays go to dpnp, oneMKL or your own kernels, at no cost.
"""

from usmx._runtime import load_core as _load_core

_core = _load_core()

from usmx import memory  # noqa: E402
from usmx._core import (  # noqa: E402
    SyclContext,
    SyclDevice,
    SyclDeviceCreationError,
    SyclEvent,
    SyclQueue,
    USMAllocationError,
    USMArray,
    __version__,
    from_usm_array_interface,
    get_devices,
    synchronize,
)
from usmx._creation import asarray, asnumpy, empty, zeros  # noqa: E402

__all__ = [
    "SyclContext",
    "SyclDevice",
    "SyclDeviceCreationError",
    "SyclEvent",
    "SyclQueue",
    "USMAllocationError",
    "USMArray",
    "__version__",
    "asarray",
    "asnumpy",
    "empty",
    "from_usm_array_interface",
    "get_devices",
    "memory",
    "synchronize",
    "zeros",
]
