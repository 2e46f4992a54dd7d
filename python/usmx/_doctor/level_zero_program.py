"""A program, not a module: asks Level Zero's loader what is there, without the SYCL runtime.

It prints a line of JSON before each step, as probe_program.py does. Structures and numbers are
those of ze_api.h and ze_loader.h, which do not change.
"""

import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path

LOADER = "libze_loader.so.1"


class DriverProperties(ctypes.Structure):
    """``ze_driver_properties_t``."""

    _fields_ = [
        ("stype", ctypes.c_uint32),
        ("pNext", ctypes.c_void_p),
        ("uuid", ctypes.c_uint8 * 16),
        ("driverVersion", ctypes.c_uint32),
    ]
    stype: int
    pNext: int | None
    uuid: ctypes.Array[ctypes.c_uint8]
    driverVersion: int


class ComponentVersion(ctypes.Structure):
    """``zel_component_version_t``."""

    _fields_ = [
        ("name", ctypes.c_char * 64),
        ("spec_version", ctypes.c_uint32),
        ("numbers", ctypes.c_int * 3),
    ]
    name: bytes
    spec_version: int
    numbers: ctypes.Array[ctypes.c_int]


def tell(step: str, **values: object) -> None:
    """Print a line at once, since the next step may end the process."""
    print(json.dumps({"step": step, **values}), flush=True)


def mapped(beginning: str) -> list[str]:
    """List the libraries of this process whose file names begin so."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    paths = {line.split(maxsplit=5)[5] for line in maps.splitlines() if line.count("/")}
    return sorted(path for path in paths if path.rpartition("/")[2].startswith(beginning))


def loader_version(loader: ctypes.CDLL) -> list[int]:
    """Its release, which it knows once it has started; zeros of one that is too old to tell."""
    if not hasattr(loader, "zelLoaderGetVersions"):
        return [0, 0, 0]
    count = ctypes.c_size_t()
    loader.zelLoaderGetVersions(ctypes.byref(count), None)
    components = (ComponentVersion * count.value)()
    loader.zelLoaderGetVersions(ctypes.byref(count), components)
    found = [list(each.numbers) for each in components if each.name == b"loader"]
    return found[0] if found else []


def handles(function: Callable[..., int], *arguments: object) -> list[ctypes.c_void_p]:
    """What a function lists that is asked twice: how many, and which."""
    count = ctypes.c_uint32()
    function(*arguments, ctypes.byref(count), None)
    found = (ctypes.c_void_p * count.value)()
    function(*arguments, ctypes.byref(count), found)
    return [ctypes.c_void_p(each) for each in found]


def driver_version(loader: ctypes.CDLL, driver: ctypes.c_void_p) -> str:
    """Its release, as the SYCL runtime writes it: that of the interface, and the build."""
    interface = ctypes.c_uint32()
    loader.zeDriverGetApiVersion(driver, ctypes.byref(interface))
    properties = DriverProperties(stype=1)
    loader.zeDriverGetProperties(driver, ctypes.byref(properties))
    build = properties.driverVersion & 0xFFFF
    return f"{interface.value >> 16}.{interface.value & 0xFFFF}.{build}"


def main() -> int:
    """Load, start, list."""
    tell("loader")
    try:
        loader = ctypes.CDLL(LOADER)
    except OSError as error:
        tell("loader", error=str(error))
        return 1
    tell("start", loader=mapped(LOADER))
    result = loader.zeInit(0) & 0xFFFFFFFF
    tell("start", loader_version=loader_version(loader))
    if result:
        tell("start", error=f"zeInit returned {result:#x}")
        return 1
    tell("drivers")
    drivers = [
        {
            "version": driver_version(loader, driver),
            "devices": len(handles(loader.zeDeviceGet, driver)),
        }
        for driver in handles(loader.zeDriverGet)
    ]
    tell("done", drivers=drivers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
