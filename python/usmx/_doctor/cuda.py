"""Whether CUDA, the back end of NVIDIA's GPUs, can be used where there is such a GPU."""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor import versions
from usmx._doctor.devices import hidden_by, hidden_by_selectors, unusable, value_in_process
from usmx._doctor.situation import Finding, Situation, note, ok, unloadable

CARDS = Path("/sys/bus/pci/devices")
NVIDIA, DISPLAYS = "0x10de", "0x03"  # the vendor, and how the class of a display begins
CONTROL = Path("/dev/nvidiactl")
ADAPTER = "libur_adapter_cuda.so.0"
PACKAGE, MODULE = "usmx-cuda", "usmx_cuda"  # which has the adapter
FOLDERS = "UR_ADAPTERS_SEARCH_PATH"  # where the runtime looks for adapters first; usmx sets it
ADAPTERS = (FOLDERS, "UR_ADAPTERS_FORCE_LOAD")  # where it looks, and what it loads and no other
MASK = "CUDA_VISIBLE_DEVICES"


def check(situation: Situation) -> Iterator[Finding]:
    """Look at the cards, the driver, the adapter, and what the SYCL runtime makes of them."""
    release = versions.installed(PACKAGE)
    if not (has_card() or CONTROL.exists()):
        suffix = f"; {PACKAGE} {release} is installed" if release else ""
        yield ok(f"there is no NVIDIA GPU{suffix}")
    elif shown := situation.alone.shows("cuda"):
        suffix = f", by {PACKAGE} {release}" if release else ""
        yield ok(f"the SYCL runtime shows {', '.join(shown)}{suffix}")
    else:
        yield next(faults(situation))


def has_card() -> bool:
    """Whether Linux knows a display of NVIDIA's."""
    for card in CARDS.glob("*"):
        try:
            vendor, kind = ((card / name).read_text().strip() for name in ("vendor", "class"))
        except OSError:
            continue
        if vendor == NVIDIA and kind.startswith(DISPLAYS):
            return True
    return False


def faults(situation: Situation) -> Iterator[Finding]:
    """Whatever keeps the GPU from being found, the most basic first."""
    yield from device_file(situation)
    yield from driver(situation)
    yield from adapter(situation)
    yield from hidden_by_selectors(situation, "cuda", "CUDA")
    yield unusable(situation)(
        "CUDA's driver and the SYCL runtime's adapter are there, and the runtime shows no device",
        "UR_LOG_CUDA='level:info;output:stderr' lets the adapter say why",
    )


def device_file(situation: Situation) -> Iterator[Finding]:
    """See whether this user may open the GPU."""
    if not CONTROL.exists():
        yield unusable(situation)(
            f"this machine has an NVIDIA GPU, but there is no {CONTROL}: its kernel driver is not "
            "loaded, or the container that this runs in has not got the GPU",
            "install NVIDIA's driver and try nvidia-smi; start a container with --gpus all",
        )
    elif not os.access(CONTROL, os.R_OK | os.W_OK):
        yield unusable(situation)(
            f"this user may not open {CONTROL}, the NVIDIA GPU",
            "ask the administrator for access to /dev/nvidia*",
        )


def driver(situation: Situation) -> Iterator[Finding]:
    """See whether CUDA's library can be loaded and started, and finds a device."""
    seen = situation.cuda
    if seen.failed_step == "load":
        yield unusable(situation)(
            f"this machine has an NVIDIA GPU, and CUDA's driver cannot be loaded: {seen.error}",
            "install NVIDIA's driver (libcuda1 in Debian); in a container, set "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        )
    elif seen.device_count == 0 and MASK in situation.environment:
        value = situation.environment[MASK]
        yield note(
            f"{MASK}={value!r} hides the GPU from CUDA",
            f"unset {MASK}, or let it name devices that exist",
        )
    elif seen.error:
        yield unusable(situation)(
            f"CUDA's driver does not start: {seen.error}",
            "reboot if the driver was updated since the last start: nvidia-smi says whether its "
            "library and its kernel module fit each other",
        )


def package_folder() -> Path | None:
    """The package's folder."""
    spec = importlib.util.find_spec(MODULE)
    folders = spec.submodule_search_locations if spec else None
    return Path(next(iter(folders))) if folders else None


def adapter(situation: Situation) -> Iterator[Finding]:
    """See whether the SYCL runtime's part for CUDA is there, fits, is found, can be loaded."""
    runtimes = situation.alone.runtimes
    beside = (Path(runtimes[0]).parent if runtimes else Path()) / ADAPTER
    folder = package_folder()
    if folder is None and not beside.exists():
        yield unusable(situation)(
            f"the SYCL runtime has no adapter for NVIDIA GPUs: {PACKAGE} is not installed, and "
            f"there is no {beside}",
            f"python -m pip install {PACKAGE}, or its wheel (docs/how-to/gpus.md says how it is "
            "made)",
        )
    if folder is not None:
        if wrong := [why for _, why in versions.misfits((PACKAGE,))]:
            yield unusable(situation)("; ".join(wrong), versions.command())
        if value_in_process(FOLDERS) is None:
            yield unusable(situation)(
                f"{PACKAGE} is in {folder}, and usmx looks for it beside its own package and in "
                "the environment of the SYCL runtime",
                f"install {PACKAGE} into that environment, or export {FOLDERS}={folder}",
            )
    effect = "keeps the SYCL runtime from its adapter for NVIDIA GPUs"
    to_name = f"{folder or beside.parent}, too, after a comma"
    yield from hidden_by(ADAPTERS, situation, "cuda", effect, to_name)
    if why := unloadable(beside if folder is None else folder / ADAPTER):
        yield unusable(situation)(
            f"the SYCL runtime's adapter for NVIDIA GPUs cannot be loaded: {why}",
            f"install it again: python -m pip install --force-reinstall {PACKAGE}",
        )
