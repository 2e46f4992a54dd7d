"""Enumerations under dpctl's names, with dpctl's members and values."""

import enum

__all__ = [
    "backend_type",
    "device_type",
    "event_status_type",
    "fp_config",
    "global_mem_cache_type",
    "local_mem_type",
    "memory_order",
    "memory_scope",
    "partition_property",
]


class _Named(enum.Enum):
    """Equal to dpctl's member of the same name, too."""

    def __eq__(self, other):
        if type(other).__name__ != type(self).__name__ or not isinstance(other, enum.Enum):
            return NotImplemented
        return self.name == other.name

    __hash__ = enum.Enum.__hash__  # by the name, as dpctl's and the name's own


class _Spelled(_Named):
    """Equal to its name, as filter selectors spell it, too."""

    def __eq__(self, other):
        return self.name == other if isinstance(other, str) else super().__eq__(other)

    __hash__ = enum.Enum.__hash__


class backend_type(_Spelled):
    """The back ends. A member also equals its name as filter selectors spell it.

    Example:
        >>> usmx.SyclDevice().backend in usmx.backend_type
        True
    """

    all = 1
    cuda = 2
    hip = 3
    level_zero = 4
    opencl = 5
    native_cpu = 6
    offload = 7


class device_type(_Spelled):
    """The types of devices. A member also equals its name as filter selectors spell it.

    Example:
        >>> usmx.SyclDevice().device_type in usmx.device_type
        True
    """

    all = 1
    accelerator = 2
    automatic = 3
    cpu = 4
    custom = 5
    gpu = 6


class event_status_type(_Named):
    """A state of a command, as `SyclEvent.execution_status` says. Equal to dpctl's member, too.

    Example:
        >>> usmx.SyclEvent().execution_status == usmx.event_status_type.complete
        True
    """

    unknown_status = 1
    submitted = 2
    running = 3
    complete = 4


class global_mem_cache_type(_Named):
    """The kind of cache that a device's memory has.

    Example:
        >>> usmx.SyclDevice().global_mem_cache_type in usmx.global_mem_cache_type
        True
    """

    indeterminate = 1
    none = 2
    read_only = 3
    read_write = 4


class local_mem_type(_Named):
    """Where the local memory of a device is.

    Example:
        >>> usmx.SyclDevice().local_mem_type in usmx.local_mem_type
        True
    """

    none = 1
    local = 2
    global_mem = 3


class partition_property(_Named):
    """How a device can be divided.

    Example:
        >>> usmx.SyclDevice().partition_type_property in usmx.partition_property
        True
    """

    no_partition = 1
    partition_equally = 2
    partition_by_counts = 3
    partition_by_affinity_domain = 4
    ext_intel_partition_by_cslice = 5


class fp_config(_Named):
    """A device's ability in floating-point arithmetic.

    Example:
        >>> set(usmx.SyclDevice().single_fp_config) <= set(usmx.fp_config)
        True
    """

    denorm = 1
    inf_nan = 2
    round_to_nearest = 3
    round_to_zero = 4
    round_to_inf = 5
    fma = 6
    correctly_rounded_divide_sqrt = 7
    soft_float = 8


class memory_order(_Named):
    """How atomic operations and fences order other operations.

    Example:
        >>> set(usmx.SyclDevice().atomic_fence_order_capabilities) <= set(usmx.memory_order)
        True
    """

    relaxed = 1
    acquire = 2
    release = 3
    acq_rel = 4
    seq_cst = 5


class memory_scope(_Named):
    """The scope in which atomic operations and fences order other operations.

    Example:
        >>> set(usmx.SyclDevice().atomic_fence_scope_capabilities) <= set(usmx.memory_scope)
        True
    """

    work_item = 1
    sub_group = 2
    work_group = 3
    device = 4
    system = 5
