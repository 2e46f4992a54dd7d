"""Arrays in SYCL unified shared memory, exchanged without copies and never trusted.

usmx owns, views and exchanges USM arrays through ``__sycl_usm_array_interface__``. It does no
mathematics: its arrays go to dpnp, oneMKL or your own kernels, at no cost.
"""

from usmx._runtime import load_core as _load_core

_core = _load_core()

from math import e, inf, nan, pi

from usmx import _hooks as _hooks
from usmx import _types, memory
from usmx._asynchronous import copy_async, fill_async
from usmx._conversion import astype, copy
from usmx._core import (
    Device,
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
from usmx._creation import (
    asarray,
    asnumpy,
    empty,
    empty_like,
    from_numpy,
    full,
    full_like,
    ones,
    ones_like,
    to_numpy,
    zeros,
    zeros_like,
)
from usmx._indexing import (
    extract,
    nonzero,
    place,
    put,
    put_along_axis,
    take,
    take_along_axis,
)
from usmx._info import array_namespace_info as __array_namespace_info__
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
from usmx._patterns import arange, eye, linspace, meshgrid, tril, triu
from usmx._placement import ExecutionPlacementError, get_coerced_usm_type, get_execution_queue
from usmx._print_options import get_print_options, print_options, set_print_options
from usmx._types import can_cast, finfo, iinfo, isdtype, result_type

__all__ = [
    "Device",
    "ExecutionPlacementError",
    "SyclContext",
    "SyclDevice",
    "SyclDeviceCreationError",
    "SyclEvent",
    "SyclQueue",
    "USMAllocationError",
    "USMArray",
    "__array_namespace_info__",
    "__version__",
    "arange",
    "asarray",
    "asnumpy",
    "astype",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "concat",
    "copy",
    "copy_async",
    "e",
    "empty",
    "empty_like",
    "expand_dims",
    "extract",
    "eye",
    "fill_async",
    "finfo",
    "flip",
    "from_numpy",
    "from_usm_array_interface",
    "full",
    "full_like",
    "get_coerced_usm_type",
    "get_devices",
    "get_execution_queue",
    "get_print_options",
    "iinfo",
    "inf",
    "isdtype",
    "linspace",
    "matrix_transpose",
    "memory",
    "meshgrid",
    "moveaxis",
    "nan",
    "nonzero",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "place",
    "print_options",
    "put",
    "put_along_axis",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "set_print_options",
    "squeeze",
    "stack",
    "swapaxes",
    "synchronize",
    "take",
    "take_along_axis",
    "tile",
    "to_numpy",
    "tril",
    "triu",
    "unstack",
    "zeros",
    "zeros_like",
]

newaxis = None


def __getattr__(name):
    """The element types, `usmx.bool` to `usmx.complex128`: NumPy's, imported when they are used."""
    value = _types.constant(name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_types.NAMES, "dtype"})
