"""Whether CUDA, the back end of NVIDIA's GPUs, can be used where there is such a GPU."""

import os
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.devices import hidden_by_selectors, unusable
from usmx._doctor.probe import Probe
from usmx._doctor.situation import Finding, Situation, note, ok

CARDS = Path("/sys/bus/pci/devices")
NVIDIA, DISPLAYS = "0x10de", "0x03"  # the vendor, and how the class of a display begins
CONTROL = Path("/dev/nvidiactl")
ADAPTER = "libur_adapter_cuda.so.0"
MASK = "CUDA_VISIBLE_DEVICES"


def check(situation: Situation) -> Iterator[Finding]:
    """Look at the cards, the driver, the adapter, and what the SYCL runtime makes of them."""
    if not (has_card() or CONTROL.exists()):
        yield ok("there is no NVIDIA GPU")
        return
    shown = cuda_devices(situation.alone)
    if shown:
        yield ok(f"the SYCL runtime shows {', '.join(shown)}")
        return
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


def cuda_devices(probe: Probe) -> list[str]:
    """The devices of CUDA that usmx found in that process."""
    return [d["filter"] for d in probe.devices if d["filter"].startswith("cuda:")]


def faults(situation: Situation) -> Iterator[Finding]:
    """Whatever keeps the GPU from being found, the most basic first."""
    yield from device_file(situation)
    yield from driver(situation)
    yield from adapter(situation)
    yield from hidden_by_selectors(situation, "CUDA", "cuda:gpu", cuda_devices)
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


def adapter(situation: Situation) -> Iterator[Finding]:
    """See whether the SYCL runtime has its part for CUDA."""
    folder = Path(situation.alone.runtimes[0]).parent if situation.alone.runtimes else Path()
    if not (folder / ADAPTER).exists():
        yield unusable(situation)(
            f"the SYCL runtime has no adapter for NVIDIA GPUs: there is no {folder / ADAPTER}, and "
            "the packages on PyPI do not bring it",
            "put the adapter of the runtime's release there (docs/how-to/gpus.md says where it "
            "comes from)",
        )
