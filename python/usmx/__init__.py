"""Arrays in SYCL unified shared memory, exchanged without copies and never trusted.

usmx owns, views and exchanges USM arrays through ``__sycl_usm_array_interface__``, and computes
with them on any device, by the array API.
"""

import typing as _t

from usmx._runtime import load_core as _load_core

if _t.TYPE_CHECKING:
    from usmx import _core as _core
else:
    _core = _load_core()

from importlib import import_module as _import_module
from math import e as e, inf as inf, nan as nan, pi as pi

from usmx import (
    _functions,
    _sycl_methods as _sycl_methods,
    enum_types as enum_types,
    lib as lib,
    memory as memory,
    utils as utils,
)
from usmx._benchmark import benchmark as benchmark
from usmx._compute import methods as _compute_methods  # gives arrays theirs
from usmx._compute.elementwise import *
from usmx._compute.fusion import fuse as fuse
from usmx._compute.einsum import einsum as einsum
from usmx._compute.products import (
    kron as kron,
    matmul as matmul,
    tensordot as tensordot,
    vecdot as vecdot,
)
from usmx._compute.reductions import *
from usmx._compute.scans import (
    cumulative_prod as cumulative_prod,
    cumulative_sum as cumulative_sum,
    diff as diff,
)
from usmx._compute.sorting import (
    argpartition as argpartition,
    argsort as argsort,
    isin as isin,
    partition as partition,
    searchsorted as searchsorted,
    sort as sort,
    unique_all as unique_all,
    unique_counts as unique_counts,
    unique_inverse as unique_inverse,
    unique_values as unique_values,
)
from usmx._container import (
    hooks as _hooks,  # gives the native module its functions
    info as _info,
    methods as _methods,  # gives its classes their methods
    types as _types,
)
from usmx._container.asynchronous import (
    copy_async as copy_async,
    fill_async as fill_async,
    pending_events as pending_events,
)
from usmx._container.indexing import choose as choose, compress as compress, select as select
from usmx._container.host import array_equal as array_equal, host_access as host_access
from usmx._container.compute_follows_data import (
    ExecutionPlacementError as ExecutionPlacementError,
    get_coerced_usm_type as get_coerced_usm_type,
    get_execution_queue as get_execution_queue,
    using_queue as using_queue,
    using_usm_type as using_usm_type,
)
from usmx._container.types import astype as astype
from usmx._container.coordinates import (
    diag_indices as diag_indices,
    diag_indices_from as diag_indices_from,
    fill_diagonal as fill_diagonal,
    indices as indices,
    ix_ as ix_,
    ndenumerate as ndenumerate,
    ndindex as ndindex,
    ravel_multi_index as ravel_multi_index,
    tril_indices as tril_indices,
    tril_indices_from as tril_indices_from,
    triu_indices as triu_indices,
    triu_indices_from as triu_indices_from,
    unravel_index as unravel_index,
)
from usmx._container.creation import (
    from_numpy as from_numpy,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
)
from usmx._container.elsewhere import refuse_name as _refuse_name
from usmx._container.files import load as load, save as save, savez as savez
from usmx._container.handing_over import to_dpctl as to_dpctl, to_dpnp as to_dpnp
from usmx._container.indexing import (
    extract as extract,
    nonzero as nonzero,
    place as place,
    put as put,
    put_along_axis as put_along_axis,
    take as take,
    take_along_axis as take_along_axis,
)
from usmx._container.insertion import (
    append as append,
    delete as delete,
    insert as insert,
    resize as resize,
    trim_zeros as trim_zeros,
)
from usmx._container.joining import (
    array_split as array_split,
    block as block,
    column_stack as column_stack,
    dsplit as dsplit,
    dstack as dstack,
    hsplit as hsplit,
    hstack as hstack,
    split as split,
    vsplit as vsplit,
    vstack as vstack,
)
from usmx._container.manipulation import (
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    concat as concat,
    repeat as repeat,
    roll as roll,
    stack as stack,
    tile as tile,
    unstack as unstack,
)
from usmx._container.numpy_names import (
    ascontiguousarray as ascontiguousarray,
    asfortranarray as asfortranarray,
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    copyto as copyto,
    diag as diag,
    diagonal as diagonal,
    fliplr as fliplr,
    flipud as flipud,
    frombuffer as frombuffer,
    imag as imag,
    real as real,
    require as require,
    rollaxis as rollaxis,
    rot90 as rot90,
)
from usmx._container.insertion import pad as pad
from usmx._container.patterns import (
    arange as arange,
    eye as eye,
    linspace as linspace,
    meshgrid as meshgrid,
    tril as tril,
    triu as triu,
)
from usmx._container.print_options import (
    get_print_options as get_print_options,
    print_options as print_options,
    set_print_options as set_print_options,
)
from usmx._container.strides import (
    may_share_memory as may_share_memory,
    shares_memory as shares_memory,
)
from usmx._container.types import (
    can_cast as can_cast,
    finfo as finfo,
    iinfo as iinfo,
    isdtype as isdtype,
    result_type as result_type,
)
from usmx._core import (
    Device as Device,
    ElementwiseKernel as ElementwiseKernel,
    Kernel as Kernel,
    ReductionKernel as ReductionKernel,
    SyclContext as SyclContext,
    SyclContextCreationError as SyclContextCreationError,
    SyclDevice as SyclDevice,
    SyclDeviceCreationError as SyclDeviceCreationError,
    SyclEvent as SyclEvent,
    SyclKernelInvalidRangeError as SyclKernelInvalidRangeError,
    SyclKernelSubmitError as SyclKernelSubmitError,
    SyclPlatform as SyclPlatform,
    SyclQueue as SyclQueue,
    SyclQueueCreationError as SyclQueueCreationError,
    SyclSubDeviceCreationError as SyclSubDeviceCreationError,
    USMAllocationError as USMAllocationError,
    USMArray as USMArray,
    __version__ as __version__,
    asarray as asarray,
    asnumpy as asnumpy,
    broadcast_to as broadcast_to,
    copy as copy,
    default_queue as default_queue,
    default_usm_type as default_usm_type,
    empty as empty,
    empty_like as empty_like,
    expand_dims as expand_dims,
    flip as flip,
    from_arrow as from_arrow,
    from_dlpack as from_dlpack,
    from_shared_memory as from_shared_memory,
    from_usm_array_interface as from_usm_array_interface,
    get_platforms as get_platforms,
    local_memory as local_memory,
    matrix_transpose as matrix_transpose,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    reshape as reshape,
    set_default_queue as set_default_queue,
    set_default_usm_type as set_default_usm_type,
    squeeze as squeeze,
    swapaxes as swapaxes,
    synchronize as synchronize,
    to_numpy as to_numpy,
    zeros as zeros,
    zeros_like as zeros_like,
)
from usmx._devices import (
    get_composite_devices as get_composite_devices,
    get_device_cached_queue as get_device_cached_queue,
    get_devices as get_devices,
    get_num_devices as get_num_devices,
    has_accelerator_devices as has_accelerator_devices,
    has_cpu_devices as has_cpu_devices,
    has_gpu_devices as has_gpu_devices,
    lsplatform as lsplatform,
    select_accelerator_device as select_accelerator_device,
    select_cpu_device as select_cpu_device,
    select_default_device as select_default_device,
    select_device_with_aspects as select_device_with_aspects,
    select_gpu_device as select_gpu_device,
)
from usmx._dldevices import (
    DLDeviceType as DLDeviceType,
    dldevice_to_sycl_device as dldevice_to_sycl_device,
    sycl_device_to_dldevice as sycl_device_to_dldevice,
)
from usmx._installed import importing_extension as importing_extension
from usmx._installed import get_include as get_include
from usmx._kernels import (
    CompileError as CompileError,
    CompileWarning as CompileWarning,
    Diagnostic as Diagnostic,
    KernelModule as KernelModule,
)
from usmx._protocol import SupportsUsmArrayInterface as SupportsUsmArrayInterface
from usmx._sycl_timer import SyclTimer as SyclTimer
from usmx.enum_types import *

concatenate = concat
transpose = permute_dims
__array_namespace_info__ = _info.array_namespace_info
__array_api_version__ = _info.API_VERSIONS[0]
newaxis = None

if not _t.TYPE_CHECKING:
    # Whatever is imported above under its own name, `name as name` and `*`, is public.
    _dunders = {"__array_api_version__", "__array_namespace_info__", "__version__"}
    _names = {name for name in globals() if name[0].isalpha()} - {"newaxis"}
    _functions.hand_out(globals(), sorted(_names | _dunders))
    __all__ = sorted(_names | _dunders | {"random"})
    _functions.hand_out(vars(memory), memory.__all__)

if _t.TYPE_CHECKING:
    from numpy import (
        bool as bool,
        complex64 as complex64,
        complex128 as complex128,
        dtype as dtype,
        float16 as float16,
        float32 as float32,
        float64 as float64,
        int8 as int8,
        int16 as int16,
        int32 as int32,
        int64 as int64,
        uint8 as uint8,
        uint16 as uint16,
        uint32 as uint32,
        uint64 as uint64,
    )

    from usmx import fft as fft
    from usmx import linalg as linalg
    from usmx import random as random
    from usmx import special as special
    from usmx._numpy import *
else:  # unseen by type checkers, for which every name that is not there would be an Any

    def __getattr__(name):
        """NumPy's names and element types, and modules, once they are used."""
        if name in ("fft", "linalg", "random", "special", "testing"):
            return _import_module(f"usmx.{name}")
        if name == "dtype" or name in _types.NAMES:
            value = _types.constant(name)
        elif name in _numpy_names().NAMES:
            value = getattr(_import_module("usmx._numpy"), name)
        else:
            _refuse_name(name, _numpy_names().ABSENT)
        globals()[name] = value
        return value

    def __dir__():
        dunder = {name for name in globals() if name.startswith("__")}
        return sorted(
            {
                *__all__,
                *_types.NAMES,
                *_numpy_names().NAMES,
                "dtype",
                "fft",
                "linalg",
                "newaxis",
                "special",
                *dunder,
            }
        )

    def _numpy_names():
        return _import_module("usmx._numpy.names")
