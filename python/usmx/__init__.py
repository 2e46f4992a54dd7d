"""Arrays in SYCL unified shared memory, exchanged without copies and never trusted.

usmx owns, views and exchanges USM arrays through ``__sycl_usm_array_interface__``. It does no
mathematics: its arrays go to dpnp, oneMKL or your own kernels, at no cost.
"""

from typing import TYPE_CHECKING

from usmx._runtime import load_core as _load_core

if TYPE_CHECKING:
    from usmx import _core as _core
else:
    _core = _load_core()

from math import e, inf, nan, pi

from usmx import _functions, enum_types, lib, memory, utils
from usmx import _sycl_methods as _sycl_methods
from usmx._container import hooks as _hooks  # noqa: F401 (gives the native module its functions)
from usmx._container import methods as _methods  # noqa: F401 (gives its classes their methods)
from usmx._container import types as _types
from usmx._container.asynchronous import copy_async, fill_async, pending_events
from usmx._container.choosing import choose, compress, select
from usmx._container.comparison import array_equal
from usmx._container.compute_follows_data import (
    ExecutionPlacementError,
    get_coerced_usm_type,
    get_execution_queue,
    using_queue,
)
from usmx._container.conversion import astype
from usmx._container.coordinates import (
    diag_indices,
    diag_indices_from,
    fill_diagonal,
    indices,
    ix_,
    ndenumerate,
    ndindex,
    ravel_multi_index,
    tril_indices,
    tril_indices_from,
    triu_indices,
    triu_indices_from,
    unravel_index,
)
from usmx._container.creation import from_numpy, full, full_like, ones, ones_like
from usmx._container.elsewhere import refuse_name as _refuse_name
from usmx._container.files import load, save, savez
from usmx._container.handing_over import to_dpctl, to_dpnp
from usmx._container.indexing import (
    extract,
    nonzero,
    place,
    put,
    put_along_axis,
    take,
    take_along_axis,
    where,
)
from usmx._container.info import array_namespace_info as __array_namespace_info__
from usmx._container.insertion import append, delete, insert, resize, trim_zeros
from usmx._container.joining import (
    array_split,
    block,
    column_stack,
    dsplit,
    dstack,
    hsplit,
    hstack,
    split,
    vsplit,
    vstack,
)
from usmx._container.manipulation import (
    broadcast_arrays,
    concat,
    repeat,
    roll,
    stack,
    tile,
    unstack,
)
from usmx._container.numpy_names import (
    ascontiguousarray,
    asfortranarray,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    copyto,
    diag,
    diagonal,
    fliplr,
    flipud,
    frombuffer,
    imag,
    real,
    require,
    rollaxis,
    rot90,
)
from usmx._container.padding import pad
from usmx._container.patterns import arange, eye, linspace, meshgrid, tril, triu
from usmx._container.print_options import get_print_options, print_options, set_print_options
from usmx._container.strides import may_share_memory, shares_memory
from usmx._container.types import can_cast, finfo, iinfo, isdtype, result_type
from usmx._core import (
    Device,
    ElementwiseKernel,
    Kernel,
    ReductionKernel,
    SyclContext,
    SyclContextCreationError,
    SyclDevice,
    SyclDeviceCreationError,
    SyclEvent,
    SyclKernelInvalidRangeError,
    SyclKernelSubmitError,
    SyclPlatform,
    SyclQueue,
    SyclQueueCreationError,
    SyclSubDeviceCreationError,
    USMAllocationError,
    USMArray,
    __version__,
    asarray,
    asnumpy,
    broadcast_to,
    copy,
    default_queue,
    empty,
    empty_like,
    expand_dims,
    flip,
    from_arrow,
    from_dlpack,
    from_shared_memory,
    from_usm_array_interface,
    get_platforms,
    local_memory,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
    set_default_queue,
    squeeze,
    swapaxes,
    synchronize,
    to_numpy,
    zeros,
    zeros_like,
)
from usmx._devices import (
    get_composite_devices,
    get_device_cached_queue,
    get_devices,
    get_num_devices,
    has_accelerator_devices,
    has_cpu_devices,
    has_gpu_devices,
    lsplatform,
    select_accelerator_device,
    select_cpu_device,
    select_default_device,
    select_device_with_aspects,
    select_gpu_device,
)
from usmx._dldevices import DLDeviceType, dldevice_to_sycl_device, sycl_device_to_dldevice
from usmx._importing import importing_extension
from usmx._installed import get_include
from usmx._kernels import CompileError, CompileWarning, Diagnostic, KernelModule
from usmx._protocol import SupportsUsmArrayInterface
from usmx._sycl_timer import SyclTimer
from usmx.enum_types import (
    backend_type,
    device_type,
    event_status_type,
    fp_config,
    global_mem_cache_type,
    local_mem_type,
    memory_order,
    memory_scope,
    partition_property,
)

__all__ = [
    "CompileError",
    "CompileWarning",
    "DLDeviceType",
    "Device",
    "Diagnostic",
    "ElementwiseKernel",
    "ExecutionPlacementError",
    "Kernel",
    "KernelModule",
    "ReductionKernel",
    "SupportsUsmArrayInterface",
    "SyclContext",
    "SyclContextCreationError",
    "SyclDevice",
    "SyclDeviceCreationError",
    "SyclEvent",
    "SyclKernelInvalidRangeError",
    "SyclKernelSubmitError",
    "SyclPlatform",
    "SyclQueue",
    "SyclQueueCreationError",
    "SyclSubDeviceCreationError",
    "SyclTimer",
    "USMAllocationError",
    "USMArray",
    "__array_namespace_info__",
    "__version__",
    "append",
    "arange",
    "array_equal",
    "array_split",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "backend_type",
    "block",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "choose",
    "column_stack",
    "compress",
    "concat",
    "concatenate",
    "copy",
    "copy_async",
    "copyto",
    "default_queue",
    "delete",
    "device_type",
    "diag",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "dldevice_to_sycl_device",
    "dsplit",
    "dstack",
    "e",
    "empty",
    "empty_like",
    "enum_types",
    "event_status_type",
    "expand_dims",
    "extract",
    "eye",
    "fill_async",
    "fill_diagonal",
    "finfo",
    "flip",
    "fliplr",
    "flipud",
    "fp_config",
    "from_arrow",
    "from_dlpack",
    "from_numpy",
    "from_shared_memory",
    "from_usm_array_interface",
    "frombuffer",
    "full",
    "full_like",
    "get_coerced_usm_type",
    "get_composite_devices",
    "get_device_cached_queue",
    "get_devices",
    "get_execution_queue",
    "get_include",
    "get_num_devices",
    "get_platforms",
    "get_print_options",
    "global_mem_cache_type",
    "has_accelerator_devices",
    "has_cpu_devices",
    "has_gpu_devices",
    "hsplit",
    "hstack",
    "iinfo",
    "imag",
    "importing_extension",
    "indices",
    "inf",
    "insert",
    "isdtype",
    "ix_",
    "lib",
    "linspace",
    "load",
    "local_mem_type",
    "local_memory",
    "lsplatform",
    "matrix_transpose",
    "may_share_memory",
    "memory",
    "memory_order",
    "memory_scope",
    "meshgrid",
    "moveaxis",
    "nan",
    "ndenumerate",
    "ndindex",
    "nonzero",
    "ones",
    "ones_like",
    "pad",
    "partition_property",
    "pending_events",
    "permute_dims",
    "pi",
    "place",
    "print_options",
    "put",
    "put_along_axis",
    "ravel_multi_index",
    "real",
    "repeat",
    "require",
    "reshape",
    "resize",
    "result_type",
    "roll",
    "rollaxis",
    "rot90",
    "save",
    "savez",
    "select",
    "select_accelerator_device",
    "select_cpu_device",
    "select_default_device",
    "select_device_with_aspects",
    "select_gpu_device",
    "set_default_queue",
    "set_print_options",
    "shares_memory",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "sycl_device_to_dldevice",
    "synchronize",
    "take",
    "take_along_axis",
    "tile",
    "to_dpctl",
    "to_dpnp",
    "to_numpy",
    "transpose",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "trim_zeros",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
    "unstack",
    "using_queue",
    "utils",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

newaxis = None
concatenate = concat
transpose = permute_dims

if not TYPE_CHECKING:
    _functions.hand_out(globals(), __all__)
    _functions.hand_out(vars(memory), memory.__all__)

if TYPE_CHECKING:
    import numpy as _numpy
    from numpy import dtype as dtype

    bool: _numpy.dtype[_numpy.bool]
    int8: _numpy.dtype[_numpy.int8]
    int16: _numpy.dtype[_numpy.int16]
    int32: _numpy.dtype[_numpy.int32]
    int64: _numpy.dtype[_numpy.int64]
    uint8: _numpy.dtype[_numpy.uint8]
    uint16: _numpy.dtype[_numpy.uint16]
    uint32: _numpy.dtype[_numpy.uint32]
    uint64: _numpy.dtype[_numpy.uint64]
    float16: _numpy.dtype[_numpy.float16]
    float32: _numpy.dtype[_numpy.float32]
    float64: _numpy.dtype[_numpy.float64]
    complex64: _numpy.dtype[_numpy.complex64]
    complex128: _numpy.dtype[_numpy.complex128]
else:  # unseen by type checkers, for which every name that is not there would be an Any

    def __getattr__(name):
        """The element types, `usmx.bool` to `usmx.complex128`, and `dtype`: NumPy's, once used."""
        if name != "dtype" and name not in _types.NAMES:
            _refuse_name(name)
        value = _types.constant(name)
        globals()[name] = value
        return value

    def __dir__():
        dunder = {name for name in globals() if name.startswith("__")}
        return sorted({*__all__, *_types.NAMES, "dtype", "newaxis", *dunder})
