"""``python -m usmx devices``: which devices there are."""

import sys

import usmx
from usmx._text import format_table, size_text

HEADER = ("", "filter", "name", "driver", "memory", "local", "USM kinds")
KINDS = ("device", "shared", "host")


def run() -> int:
    """List the devices; the exit code is 2 when there is none."""
    devices = usmx.get_devices()
    if not devices:
        print(f"usmx devices: {why_no_device()}", file=sys.stderr)
        return 2
    default = default_device()
    rows = [describe(device, is_default=device == default) for device in devices]
    print(format_table(HEADER, rows, right=("memory", "local")))
    return 0


def why_no_device() -> str:
    """Get the library's diagnosis, in one line."""
    try:
        usmx.SyclDevice()
    except usmx.SyclDeviceCreationError as error:
        return " ".join(str(error).split())
    return "no device was found"


def default_device() -> "usmx.SyclDevice | None":
    """Ask for the runtime's choice; none when it refuses all that there are."""
    try:
        return usmx.SyclDevice()
    except usmx.SyclDeviceCreationError:
        return None


def describe(device: "usmx.SyclDevice", *, is_default: bool) -> tuple[str, ...]:
    """One row of the table."""
    kinds = [kind for kind in KINDS if getattr(device, f"has_aspect_usm_{kind}_allocations")]
    return (
        "*" if is_default else "",
        device.filter_string,
        device.name,
        f"{device.vendor} {device.driver_version}",
        size_text(device.global_mem_size),
        size_text(device.local_mem_size),
        " ".join(kinds) or "none",
    )
