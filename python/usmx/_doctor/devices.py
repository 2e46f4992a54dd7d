"""Whether there is a device that works; if not, which variable or which missing file is to blame.

A variable is blamed by trial: usmx finds its device in a process without it.
"""

import ctypes
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from usmx._doctor.situation import Finding, Probe, Situation, note, ok, problem, unloadable
from usmx._text import size_text

CPU_DRIVER = "libintelocl.so"
# Debian's packages of what the driver needs and pip does not bring.
SYSTEM_PACKAGES = {
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libz.so.1": "zlib1g",
}
OPENCL_DRIVERS = "OCL_ICD_FILENAMES"
# Variables that decide which drivers and devices are found, and from where libraries come, and what
# to do about each.
ADVICE = {
    "ONEAPI_DEVICE_SELECTOR": "unset it, or set it to a back end and a kind of device that "
    "exist, such as ONEAPI_DEVICE_SELECTOR=opencl:cpu",
    OPENCL_DRIVERS: "unset it, and usmx finds the CPU driver of its environment; or set "
    "it to the full paths of the drivers, separated by ':'",
    "OCL_ICD_VENDORS": "unset it, or set it to a folder whose *.icd files have the full "
    "paths of drivers",
    "SYCL_DEVICE_ALLOWLIST": "unset it",
    "LD_LIBRARY_PATH": "unset it, or remove the folder with these libraries from it",
    "LD_PRELOAD": "unset it",
}
# Libraries that the runtime and its driver would take in the place of their own.
RIVALS = ("libOpenCL.so*", "libtbb.so*", "libsycl.so*", "libur_*.so*", "libsvml.so*")
# Variables that hide devices from the SYCL runtime.
SELECTORS = ("ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_ALLOWLIST")


def check(situation: Situation) -> Iterator[Finding]:
    """List the devices, or find what is in the way."""
    alone = situation.alone
    if alone.works:
        texts = (
            f"{each['filter']}, {each['name']}, driver {each['driver']}, "
            f"{size_text(each['memory'])}"
            for each in alone.devices
        )
        yield ok("; ".join(texts))
        return
    blamed = list(blamed_variables(situation))
    yield from blamed or [without_variables(alone)]


def blamed_variables(situation: Situation) -> Iterator[Finding]:
    """Try each variable that is set, and then all of them: two may be in the way."""
    present = [name for name in ADVICE if name in situation.environment]
    alone = [name for name in present if situation.without(name).works]
    together = present if not alone and situation.without(*present).works else []
    for name in alone or together:
        value = situation.environment[name]
        yield problem(
            f"{what_fails(situation.alone)} because of {name}={value!r}{detail(name, value)}",
            ADVICE[name],
        )


def what_fails(seen: Probe) -> str:
    """Tell how far it came, in a few words."""
    return "the device does not work" if seen.devices else "no device is found"


def detail(name: str, value: str) -> str:
    """The fault of the value, where it can be seen."""
    parts = [Path(part) for part in value.split(":")]
    if name == OPENCL_DRIVERS:
        missing = [str(path) for path in parts if not path.is_file()]
        return f": there is no file {', '.join(missing)}" if value and missing else ""
    if name == "OCL_ICD_VENDORS" and not any(Path(value).glob("*.icd")):
        return ": it is not a folder with files *.icd"
    if name == "LD_LIBRARY_PATH":
        found = [
            str(file) for path in parts for pattern in RIVALS for file in sorted(path.glob(pattern))
        ]
        return f": it leads to {', '.join(found)}" if found else ""
    return ""


def without_variables(seen: Probe) -> Finding:
    """No variable is to blame: a driver is missing, or cannot work where it lies."""
    folder = Path(seen.runtimes[0]).parent if seen.runtimes else Path()
    driver = folder / CPU_DRIVER
    if not seen.devices and not driver.is_file():
        return problem(
            f"no device is found: the system registers no driver, and {driver} does not exist",
            "install the CPU driver: python -m pip install intel-opencl-rt; or the driver of your "
            "GPU (docs/how-to/gpus.md)",
        )
    if not seen.devices and (why := unloadable(driver)):
        library = Path(why.partition(":")[0]).name
        remedy = "python -m pip install --force-reinstall intel-sycl-rt intel-opencl-rt"
        if package := SYSTEM_PACKAGES.get(library):
            remedy = f"install {library} with the system's package manager (Debian: {package})"
        return problem(f"no device is found: {driver} cannot be loaded: {why}", remedy)
    if any(letter.isspace() for letter in str(folder)):
        return problem(
            f"the device does not work: the path of its driver, {folder}, contains a space. "
            "Intel's OpenCL CPU driver cannot create a context from such a path",
            "make the environment in a folder whose path has no space",
        )
    return problem(
        f"{what_fails(seen)}; step {seen.failed_step!r} ended with: {seen.error}",
        "if this text does not help, report it with the output of: python -m usmx doctor --json",
    )


# ---- what other programs find


def check_registered(situation: Situation) -> Iterator[Finding]:
    """See whether programs find the CPU device that look for devices before usmx is imported.

    usmx shows the driver of its environment to its own process. Whoever looks for devices earlier
    in the process, or without usmx, sees the drivers that the system or a variable registers.
    """
    driver = value_in_process()
    if driver is None or OPENCL_DRIVERS in situation.environment:
        yield ok("other SYCL programs find the drivers that usmx finds")
        return
    yield note(
        "no driver of OpenCL is registered: usmx shows the CPU driver to its own process alone. A "
        "package that looks for devices before usmx is imported (import ray does that, if dpctl is "
        "installed) finds none, and then usmx finds none in that process either",
        f"import usmx first, or export {OPENCL_DRIVERS}={driver}; Ray's workers need the variable",
    )


def value_in_process(name: str = OPENCL_DRIVERS) -> str | None:
    """A variable as the drivers see it; Python's ``os.environ`` does not show what usmx sets."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    value: bytes | None = getenv(name.encode())
    return None if value is None else value.decode(errors="replace")


# ---- what the checks of the GPUs' back ends have in common


def unusable(situation: Situation) -> Callable[[str, str], Finding]:
    """A GPU that cannot be used is a problem where nothing else can be."""
    return note if situation.alone.works else problem


def hidden_by(
    names: Iterable[str], situation: Situation, back_end: str, effect: str, to_name: str
) -> Iterator[Finding]:
    """Find variables that hide a GPU: without them, usmx finds it."""
    given = [name for name in names if name in situation.environment]
    if given and situation.without(*given).shows(back_end):
        values = " and ".join(f"{name}={situation.environment[name]!r}" for name in given)
        yield note(f"{values} {effect}", f"unset {' and '.join(given)}, or let it name {to_name}")


def hidden_by_selectors(situation: Situation, back_end: str, title: str) -> Iterator[Finding]:
    """Find selectors of devices that hide a GPU."""
    effect = f"hides the GPU of {title}"
    yield from hidden_by(SELECTORS, situation, back_end, effect, f"{back_end}:gpu, too")
