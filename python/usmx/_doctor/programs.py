"""Programs, not a module: each tries something, and prints a line of JSON before each step.

programs.py NAME ARGUMENTS: the step of the last line is the one that failed, or "done".
"""

import ctypes
import importlib
import json
import logging
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

CUDA_DRIVER = "libcuda.so.1"
LEVEL_ZERO_LOADER = "libze_loader.so.1"
KERNEL = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) set(int* x) { *x = 1; }"


class Teller(logging.Handler):
    """Prints a line of JSON at once, since the next step may end the process."""

    def __init__(self) -> None:
        super().__init__()
        self.step = "start"
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning of usmx's; logging calls this."""
        self.warnings.append(record.getMessage())

    def __call__(self, step: str, **values: object) -> None:
        """Tell which step comes next, and what the steps before it have found."""
        self.step = step
        print(json.dumps({"step": step, "warnings": self.warnings, **values}), flush=True)


tell = Teller()


def mapped(*beginnings: str) -> list[str]:
    """List the libraries of this process whose file names begin so."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    fields = [line.split(maxsplit=5) for line in maps.splitlines()]
    paths = {parts[5] for parts in fields if len(parts) == 6}
    return sorted(path for path in paths if path.rpartition("/")[2].startswith(beginnings))


# ---- usmx itself


def imported(name: str, folder: str) -> ModuleType:
    """Import a module, usmx from a folder."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    tell(f"import {name}")
    return importlib.import_module(name)


def use_usmx(folder: str, module: str = "") -> None:
    """Import usmx from a folder, then the module, and copy memory."""
    usmx = imported("usmx", folder)
    if module:
        imported(module, folder)
    tell("devices", runtimes=mapped("libsycl.so", "libsycl-preview.so"))
    found = [
        {
            "filter": device.filter_string,
            "name": device.name,
            "driver": device.driver_version,
            "memory": device.global_mem_size,
        }
        for device in usmx.get_devices()
    ]
    tell("devices", devices=found, threading_libraries=mapped("libtbb.so"))
    usmx.SyclDevice()  # says why there is none
    tell("allocation")
    memory = usmx.memory.MemoryUSMShared(1 << 16)
    tell("copy")
    text = bytes(range(256)) * 256
    memory.copy_from_host(text)
    if bytes(memory.copy_to_host()) != text:
        raise RuntimeError("bytes that were copied to memory and back are not the same")
    if "USMX_CACHE_LIMIT" in os.environ:
        tell("the cache of kernels")
        os.environ["USMX_CACHE_DIR"] = ""  # its files may be many
        usmx._core._list_kernel_cache()  # reads the limit, and warns if it is no size
    tell("done")


def use_kernels(folder: str) -> None:
    """Compile and run a kernel on each device."""
    usmx = imported("usmx", folder)
    kernels: list[dict[str, str]] = []
    for device in usmx.get_devices():
        tell(f"a kernel for {device.filter_string}", kernels=kernels)
        error = ""
        try:
            x = usmx.zeros(1, dtype="i4", device=device.filter_string)
            usmx.Kernel(KERNEL, "set")(1, 1, x)
            if x.item() != 1:
                error = "the kernel has no effect"
        except (usmx.CompileError, RuntimeError) as failed:
            error = str(failed)
        kernels.append({"filter": device.filter_string, "error": error})
    tell("done", kernels=kernels)


def use_products(folder: str) -> None:
    """Multiply matrices on each device by the vendor's library, and find the host's."""
    usmx = imported("usmx", folder)
    core, answer = usmx._core, ("library", "is_found", "text", "install")
    tell("the host's library", products=[])
    host_library = dict(zip(answer[1:], core._find_host_library(), strict=True))
    products: list[dict[str, object]] = []
    device_libraries: list[dict[str, object]] = []
    for device in usmx.get_devices():
        where = {"filter": device.filter_string}
        tell(f"a product on {device.filter_string}", products=products)
        found = dict(zip(answer, core._find_product_library(device), strict=True))
        x = usmx.ones((2, 2), dtype="f4", device=device.filter_string)
        made = core._matmul(x, x, "vendor") if found["is_found"] else None
        is_used = made is not None and float(made[0, 0]) == 2
        products.append({**where, **found, "is_used": is_used})
        for use, find in (
            ("linear algebra", core._find_solver_library),
            ("Fourier transforms", core._find_transform_library),
        ):
            found = dict(zip(answer, find(device), strict=True))
            device_libraries += [{**where, "use": use, **found}] if found["library"] else []
    tell("done", products=products, host_library=host_library, device_libraries=device_libraries)


# ---- drivers, without the SYCL runtime


def loaded(step: str, library: str) -> ctypes.CDLL | None:
    """The library; None, and told, where it cannot be loaded."""
    tell(step)
    try:
        return ctypes.CDLL(library)
    except OSError as error:
        tell(step, error=str(error))
        return None


def use_cuda() -> None:
    """Load the driver's library, start it, and count the devices."""
    driver = loaded("load", CUDA_DRIVER)
    if driver is None:
        return
    tell("start")
    if result := driver.cuInit(0):
        name = ctypes.c_char_p()
        driver.cuGetErrorName(result, ctypes.byref(name))
        text = (name.value or b"an unknown error").decode()
        tell("start", error=f"cuInit returned {result}, {text}")
        return
    count = ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    tell("done", device_count=count.value)


def loader_version(loader: ctypes.CDLL) -> list[int]:
    """Its release, which it knows once it has started; zeros of one that is too old to tell."""
    if not hasattr(loader, "zelLoaderGetVersions"):
        return [0, 0, 0]
    # zel_component_version_t of ze_loader.h, which does not change: 64 bytes with the name, the
    # version of the specification, and the three numbers.
    layout = struct.Struct("64s4x3i")
    kind = ctypes.c_char * layout.size
    for each in listed(loader.zelLoaderGetVersions, kind, ctypes.c_size_t):
        name, *numbers = layout.unpack(each.raw)
        if name.partition(b"\0")[0] == b"loader":
            return numbers
    return []


def listed(
    function: Callable[..., int], kind: type, count_type: type, *arguments: object
) -> ctypes.Array:
    """The items that a function lists which is asked twice: how many, and which."""
    count = count_type()
    function(*arguments, ctypes.byref(count), None)
    found = (kind * count.value)()
    function(*arguments, ctypes.byref(count), found)
    return found


def handles(function: Callable[..., int], *arguments: object) -> list[ctypes.c_void_p]:
    """The drivers or devices that a function lists."""
    found = listed(function, ctypes.c_void_p, ctypes.c_uint32, *arguments)
    return [ctypes.c_void_p(each) for each in found]


def driver_version(loader: ctypes.CDLL, driver: ctypes.c_void_p) -> str:
    """Its release, as the SYCL runtime writes it: that of the interface, and the build."""
    interface = ctypes.c_uint32()
    loader.zeDriverGetApiVersion(driver, ctypes.byref(interface))
    # ze_driver_properties_t of ze_api.h, which does not change: its type is 1, and its version the
    # ninth word.
    properties = (ctypes.c_uint32 * 10)(1)
    loader.zeDriverGetProperties(driver, ctypes.byref(properties))
    build = properties[8] & 0xFFFF
    return f"{interface.value >> 16}.{interface.value & 0xFFFF}.{build}"


def use_level_zero() -> None:
    """Load the loader, start it, and list the drivers and their devices."""
    loader = loaded("loader", LEVEL_ZERO_LOADER)
    if loader is None:
        return
    tell("start", loader=mapped(LEVEL_ZERO_LOADER))
    result = loader.zeInit(0) & 0xFFFFFFFF
    tell("start", loader_version=loader_version(loader))
    if result:
        tell("start", error=f"zeInit returned {result:#x}")
        return
    tell("drivers")
    drivers = [
        {
            "version": driver_version(loader, driver),
            "devices": len(handles(loader.zeDeviceGet, driver)),
        }
        for driver in handles(loader.zeDriverGet)
    ]
    tell("done", drivers=drivers)


PROGRAMS: dict[str, Callable[..., None]] = {
    "usmx": use_usmx,
    "kernels": use_kernels,
    "products": use_products,
    "cuda": use_cuda,
    "level_zero": use_level_zero,
}


def main(name: str, *arguments: str) -> None:
    """Run one, and tell of an error as of everything else."""
    logging.getLogger("usmx").addHandler(tell)
    try:
        PROGRAMS[name](*arguments)
    except BaseException as error:
        tell(tell.step, error=f"{type(error).__name__}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main(*sys.argv[1:])
