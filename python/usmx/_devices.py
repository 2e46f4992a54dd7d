"""Finding devices and platforms, and printing what there is. Names and results are dpctl's."""

from __future__ import annotations

import enum
import warnings
from typing import TYPE_CHECKING

from usmx._core import (
    Device,
    SyclDevice,
    SyclDeviceCreationError,
    SyclPlatform,
    SyclQueue,
    get_platforms,
)
from usmx._core import _get_devices as all_devices
from usmx.enum_types import backend_type
from usmx.enum_types import device_type as types_of_devices

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERBOSITIES = (0, 1, 2)


def get_devices(
    backend: str | backend_type = "all", device_type: str | types_of_devices = "all"
) -> list[SyclDevice]:
    """List the devices of this machine.

    Args:
        backend: only those of this back end: a member of backend_type, or its name.
        device_type: only those of this type: a member of device_type, or its name.

    Returns:
        A list of root devices, in dpctl's order. It is empty if there is none.

    Raises:
        ValueError: there is no such back end or type.
        TypeError: it is neither a member nor a name.

    Example:
        >>> usmx.SyclDevice() in usmx.get_devices()
        True
    """
    wanted = _member("backend", backend, backend_type)
    found = [d for d in all_devices() if wanted in (backend_type.all, d.backend)]
    return of_type(found, device_type)


def get_num_devices(
    backend: str | backend_type = "all", device_type: str | types_of_devices = "all"
) -> int:
    """Count the devices that `get_devices` lists.

    Args:
        backend: only those of this back end: a member of backend_type, or its name.
        device_type: only those of this type: a member of device_type, or its name.

    Raises:
        ValueError: there is no such back end or type.
        TypeError: it is neither a member nor a name.

    Example:
        >>> usmx.get_num_devices() == len(usmx.get_devices())
        True
    """
    return len(get_devices(backend, device_type))


def get_composite_devices() -> list[SyclDevice]:
    """List the composite devices of this machine: those made of several root devices (Level Zero).

    Example:
        >>> all(device.has_aspect_is_composite for device in usmx.get_composite_devices())
        True
    """
    return [device for each in get_platforms() for device in each.get_composite_devices()]


def has_cpu_devices() -> bool:
    """Tell whether there is a CPU device.

    Example:
        >>> usmx.has_cpu_devices() == (usmx.get_num_devices(device_type='cpu') > 0)
        True
    """
    return get_num_devices(device_type="cpu") > 0


def has_gpu_devices() -> bool:
    """Tell whether there is a GPU device.

    Example:
        >>> usmx.has_gpu_devices() == (usmx.get_num_devices(device_type='gpu') > 0)
        True
    """
    return get_num_devices(device_type="gpu") > 0


def has_accelerator_devices() -> bool:
    """Tell whether there is an accelerator device.

    Example:
        >>> usmx.has_accelerator_devices() == bool(usmx.get_devices(device_type='accelerator'))
        True
    """
    return get_num_devices(device_type="accelerator") > 0


def select_default_device() -> SyclDevice:
    """Find the device that the runtime's default selector chooses. It is asked once.

    Raises:
        SyclDeviceCreationError: there is no device.

    Example:
        >>> usmx.select_default_device() == usmx.SyclDevice()
        True
    """
    return SyclDevice()


def select_cpu_device() -> SyclDevice:
    """Find the CPU device to which the runtime's default selector gives the highest score.

    Raises:
        SyclDeviceCreationError: there is no CPU device.

    Example:
        >>> usmx.select_cpu_device().is_cpu if usmx.has_cpu_devices() else True
        True
    """
    return SyclDevice("cpu")


def select_gpu_device() -> SyclDevice:
    """Find the GPU device to which the runtime's default selector gives the highest score.

    Raises:
        SyclDeviceCreationError: there is no GPU device.

    Example:
        >>> usmx.select_gpu_device().is_gpu if usmx.has_gpu_devices() else True
        True
    """
    return SyclDevice("gpu")


def select_accelerator_device() -> SyclDevice:
    """Find the accelerator device to which the runtime's default selector gives the highest score.

    Raises:
        SyclDeviceCreationError: there is no accelerator device.

    Example:
        >>> usmx.select_accelerator_device() if usmx.has_accelerator_devices() else None
    """
    return SyclDevice("accelerator")


def select_device_with_aspects(
    required_aspects: str | Sequence[str], excluded_aspects: str | Sequence[str] = ()
) -> SyclDevice:
    """Find the root device of the highest score that has some aspects and lacks some others.

    Args:
        required_aspects: a name or several: what stands after ``has_aspect_`` in the names of
            SyclDevice's attributes.
        excluded_aspects: the same.

    Raises:
        SyclDeviceCreationError: there is no such device.
        AttributeError: there is no such aspect.
        TypeError: a name is no text.

    Example:
        >>> usmx.select_device_with_aspects(['usm_device_allocations'], excluded_aspects='custom')
        ...     # doctest: +ELLIPSIS
        SyclDevice(...)
    """
    required = _aspects("required_aspects", required_aspects)
    excluded = _aspects("excluded_aspects", excluded_aspects)
    found = [
        device
        for device in all_devices()
        if device.default_selector_score > 0
        and all(getattr(device, name) for name in required)
        and not any(getattr(device, name) for name in excluded)
    ]
    if not found:
        raise SyclDeviceCreationError(
            f"no device has the aspects {required_aspects!r} and none of {excluded_aspects!r}"
        )
    return max(found, key=lambda device: device.default_selector_score)


def get_device_cached_queue(key: str | SyclDevice, /) -> SyclQueue:
    """Find the queue that usmx keeps for a device.

    Args:
        key: a filter string or a SyclDevice.

    Returns:
        A SyclQueue, the same one for all keys of one device; an object of dpctl's class once
        dpctl is loaded.

    Raises:
        SyclDeviceCreationError: no device matches.
        ValueError: the text is no filter selector.
        TypeError: `key` is none of these.

    Example:
        >>> usmx.get_device_cached_queue(usmx.SyclDevice()) == usmx.zeros(1).sycl_queue
        True
    """
    return Device.create_device(key).sycl_queue


def lsplatform(verbosity: int = 0) -> None:
    """Print the platforms of this machine.

    Args:
        verbosity: 0 for a line each; 1 for name, version, vendor, back end and number of devices
            of each; 2 for these and its devices. For any other value a warning is given, and 0
            is used.

    Example:
        >>> usmx.lsplatform()  # doctest: +SKIP
        Intel(R) OpenCL OpenCL 3.1 LINUX
    """
    level = checked_verbosity(verbosity)
    for number, platform in enumerate(get_platforms()):
        if level == 0:
            print(one_line(platform))
        else:
            print(f"Platform  {number} ::\n{description(platform, level)}")


def checked_verbosity(verbosity: int) -> int:
    """The value, or 0 with a warning."""
    if isinstance(verbosity, int) and verbosity in _VERBOSITIES:
        return verbosity
    warnings.warn(f"verbosity must be 0, 1 or 2, found {verbosity!r}: 0 is used", stacklevel=3)
    return 0


def one_line(platform: SyclPlatform) -> str:
    """A platform in the one line that verbosity 0 prints."""
    return f"{platform.name} {platform.version}"


def _name_in_sycl(backend):
    """All back ends but OpenCL are extensions."""
    return backend.name if backend.name == "opencl" else f"ext_oneapi_{backend.name}"


def description(platform: SyclPlatform, verbosity: int) -> str:
    """A platform in the lines that the verbosities 1 and 2 print."""
    devices = platform.get_devices()
    lines = [
        f"    Name        {platform.name}",
        f"    Version     {platform.version}",
        f"    Vendor      {platform.vendor}",
        f"    Backend     {_name_in_sycl(platform.backend)}",
        f"    Num Devices {len(devices)}",
    ]
    if verbosity == 2:
        for number, device in enumerate(devices):
            lines += [
                f"      # {number}",
                f"        Name                {device.name}",
                f"        Version             {device.driver_version}",
                f"        Filter string       {device.filter_string}",
            ]
    return "\n".join(lines)


def of_type(devices: list[SyclDevice], device_type: str | types_of_devices) -> list[SyclDevice]:
    """The devices of a type."""
    wanted = _member("device_type", device_type, types_of_devices)
    return [d for d in devices if wanted in (types_of_devices.all, d.device_type)]


def _member(name, wanted, members):
    """The member of usmx's enumeration that a member, of dpctl's too, or a name stands for."""
    text = wanted.name if isinstance(wanted, enum.Enum) else wanted
    if not isinstance(text, str):
        raise TypeError(
            f"{name} must be a member of {members.__name__} or its name, found "
            f"{type(wanted).__name__}"
        )
    if text not in members.__members__:
        raise ValueError(f"{name} must be one of {', '.join(members.__members__)}, found {text!r}")
    return members[text]


def _aspects(argument, names):
    """The names of the attributes."""
    found = [names] if isinstance(names, str) else list(names)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be names, found {type(name).__name__}")
        if not hasattr(SyclDevice, f"has_aspect_{name}"):
            raise AttributeError(f"{argument}: there is no aspect {name!r}")
    return [f"has_aspect_{name}" for name in found]
