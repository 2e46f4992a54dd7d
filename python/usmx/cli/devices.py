"""``python -m usmx devices``: lists the devices."""

import enum
import json
import sys
from typing import Any

import usmx
from usmx._core import _device_descriptors
from usmx._terminal import print_records
from usmx._text import size_text

HEADER = ("", "filter", "name", "driver", "memory", "local", "sub-groups", "USM kinds")
KINDS = ("device", "shared", "host", "system")


def run(*, as_json: bool = False) -> int:
    """List the devices; the exit code is 2 when there is none."""
    found = usmx.get_devices()
    if not found:
        print(f"usmx devices: {why_no_device()}", file=sys.stderr)
        return 2
    default = default_device()
    devices = [values(device, is_default=device == default) for device in found]
    if as_json:
        print(json.dumps({"devices": devices}, indent=1))
    else:
        print_records(HEADER, [cells(device) for device in devices], right=("memory", "local"))
    return 0


def why_no_device() -> str:
    """Get the library's diagnosis, in one line."""
    try:
        usmx.SyclDevice()
    except usmx.SyclDeviceCreationError as error:
        return " ".join(str(error).split())
    return "no device was found"


def default_device() -> "usmx.SyclDevice | None":
    """Ask for the runtime's choice; None if it refuses all devices."""
    try:
        return usmx.SyclDevice()
    except usmx.SyclDeviceCreationError:
        return None


def values(device: "usmx.SyclDevice", *, is_default: bool) -> dict[str, Any]:
    """All that is known of a device; sizes are in bytes."""
    return {
        "filter": device.filter_string,
        "default": is_default,
        "name": device.name,
        "vendor": device.vendor,
        "driver_version": device.driver_version,
        "backend": device.backend.name,
        "type": device.device_type.name,
        "compute_units": device.max_compute_units,
        "sub_group_sizes": device.sub_group_sizes,
        "global_memory": device.global_mem_size,
        "free_memory": free_memory(device),
        "local_memory": device.local_mem_size,
        "usm_kinds": [k for k in KINDS if getattr(device, f"has_aspect_usm_{k}_allocations")],
        "fp16": device.has_aspect_fp16,
        "fp64": device.has_aspect_fp64,
        "descriptors": {name: plain(getattr(device, name)) for name in _device_descriptors},
    }


def plain(value: Any) -> Any:
    """The value of a descriptor in types that JSON can hold."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, bytes):
        return value.hex()
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def free_memory(device: "usmx.SyclDevice") -> int | None:
    """Bytes that no process uses; None if the device does not tell."""
    try:
        free, _ = usmx.memory.mem_get_info(device)
    except ValueError:
        return None
    return free


def cells(device: dict[str, Any]) -> tuple[str, ...]:
    """One row of the table."""
    return (
        "*" if device["default"] else "",
        device["filter"],
        device["name"],
        f"{device['vendor']} {device['driver_version']}",
        size_text(device["global_memory"]),
        size_text(device["local_memory"]),
        " ".join(map(str, device["sub_group_sizes"])),
        " ".join(device["usm_kinds"]) or "none",
    )
