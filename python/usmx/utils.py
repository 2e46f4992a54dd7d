"""Functions that programs for several devices need, under dpctl's and dpnp's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.compute_follows_data import (
    ExecutionPlacementError,
    get_coerced_usm_type,
    get_execution_queue,
)
from usmx._core import SyclDevice, _intel_device_info

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ExecutionPlacementError",
    "get_coerced_usm_type",
    "get_execution_queue",
    "intel_device_info",
    "validate_usm_type",
]

_KINDS = ("device", "shared", "host")


def intel_device_info(dev: SyclDevice, /) -> dict[str, int]:
    """Ask what Intel's drivers tell of a device beyond SyclDevice's attributes.

    Args:
        dev: a SyclDevice of usmx or dpctl.

    Returns:
        A dictionary with what the driver knows of: device_id (PCI), gpu_eu_count,
        gpu_hw_threads_per_eu, gpu_eu_simd_width, gpu_slices, gpu_subslices_per_slice,
        gpu_eu_count_per_subslice, max_mem_bandwidth (bytes in a second), free_memory (bytes),
        memory_clock_rate (MHz) and memory_bus_width (bits). Empty for a device without a
        device_id, such as a CPU.

    Raises:
        TypeError: `dev` is no SyclDevice.

    Example:
        >>> isinstance(usmx.utils.intel_device_info(usmx.SyclDevice()), dict)
        True
    """
    if not isinstance(dev, SyclDevice):
        raise TypeError(f"dev must be a SyclDevice, found {type(dev).__name__}")
    return _intel_device_info(dev)


def validate_usm_type(usm_type: Any, /, *, allow_none: bool = True) -> None:
    """Raise an error unless a value names a kind of memory.

    Args:
        usm_type: 'device', 'shared' or 'host'.
        allow_none: whether None is accepted, too.

    Raises:
        TypeError: `usm_type` is no text, nor an accepted None.
        ValueError: the text is no kind.

    Example:
        >>> usmx.utils.validate_usm_type('shared')
    """
    if usm_type is None and allow_none:
        return
    if not isinstance(usm_type, str):
        raise TypeError(
            f"usm_type must be one of {', '.join(_KINDS)}, found {type(usm_type).__name__}"
        )
    if usm_type not in _KINDS:
        raise ValueError(f"usm_type must be one of {', '.join(_KINDS)}, found {usm_type!r}")
