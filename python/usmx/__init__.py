"""Arrays in SYCL unified shared memory, exchanged without copies and never trusted.

usmx owns, views and exchanges USM arrays through ``__sycl_usm_array_interface__``. It does no
mathematics: its arrays go to dpnp, oneMKL or your own kernels, at no cost.
"""

from usmx._runtime import load_core as _load_core

_core = _load_core()

from usmx import memory
from usmx._core import (
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
from usmx._creation import asarray, asnumpy, empty, zeros
from usmx._indexing import (
    extract,
    nonzero,
    place,
    put,
    put_along_axis,
    take,
    take_along_axis,
)
from usmx._manipulation import (
    broadcast_arrays,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    swapaxes,
    tile,
    unstack,
)
from usmx._placement import ExecutionPlacementError, get_coerced_usm_type, get_execution_queue
from usmx._print_options import get_print_options, print_options, set_print_options

__all__ = [
    "ExecutionPlacementError",
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
    "broadcast_arrays",
    "broadcast_to",
    "concat",
    "empty",
    "expand_dims",
    "extract",
    "flip",
    "from_usm_array_interface",
    "get_coerced_usm_type",
    "get_devices",
    "get_execution_queue",
    "get_print_options",
    "matrix_transpose",
    "memory",
    "moveaxis",
    "nonzero",
    "permute_dims",
    "place",
    "print_options",
    "put",
    "put_along_axis",
    "repeat",
    "reshape",
    "roll",
    "set_print_options",
    "squeeze",
    "stack",
    "swapaxes",
    "synchronize",
    "take",
    "take_along_axis",
    "tile",
    "unstack",
    "zeros",
]
