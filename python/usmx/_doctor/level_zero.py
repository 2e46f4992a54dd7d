"""Whether Level Zero, the back end of Intel's GPUs, can be used where there is such a GPU."""

import os
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.devices import hidden_by_selectors, unusable
from usmx._doctor.situation import Finding, Situation, note, ok, problem

LOADER = "libze_loader.so.1"
CARDS = Path("/sys/class/drm")
INTEL = "0x8086"
# The oldest loader that the SYCL runtime 2026 names for itself.
OLDEST_LOADER = (1, 8, 0)
HIERARCHY = "ZE_FLAT_DEVICE_HIERARCHY"
HIERARCHIES = {
    "FLAT": "each tile of a card is a device of its own",
    "COMPOSITE": "a card is one device, and its tiles are its sub-devices",
    "COMBINED": "each tile of a card is a device of its own, which knows its card",
}
# The variable that hides devices from Level Zero itself.
MASK = "ZE_AFFINITY_MASK"


def check(situation: Situation) -> Iterator[Finding]:
    """Look at the cards, the loader, the driver, and what the SYCL runtime makes of them."""
    cards = dict(intel_cards())
    seen = situation.level_zero
    if not cards and not seen.loader:
        yield ok("there is no Intel GPU, and no loader of Level Zero")
        return
    found = [
        *devices_files(cards, situation),
        *(list(loader(situation)) or driver(situation)),
        *other_loaders(situation),
        *hierarchy(situation),
    ]
    drivers = ", ".join(f"{each['version']} with {each['devices']}" for each in seen.drivers)
    yield from found or [
        ok(
            f"{seen.loader[0]} {'.'.join(map(str, seen.loader_version))}; drivers and their "
            f"devices: {drivers}"
        )
    ]


def intel_cards() -> Iterator[tuple[str, Path]]:
    """Find Intel's GPUs as Linux names them, and the files by which a program reaches them."""
    for card in sorted(CARDS.glob("renderD*")):
        try:
            vendor = (card / "device/vendor").read_text(encoding="utf-8").strip()
            lines = (card / "uevent").read_text(encoding="utf-8").splitlines()
        except OSError:
            continue
        for line in lines:
            if vendor == INTEL and line.startswith("DEVNAME="):
                yield card.name, Path("/dev", line.removeprefix("DEVNAME="))


def devices_files(cards: dict[str, Path], situation: Situation) -> Iterator[Finding]:
    """See whether this user may open them."""
    for card, file in cards.items():
        if not file.exists():
            yield unusable(situation)(
                f"this machine has an Intel GPU ({card}), but there is no {file}: the container "
                "that this runs in has not got it",
                "start the container with --device /dev/dri",
            )
        elif not os.access(file, os.R_OK | os.W_OK):
            try:
                group = file.group()
            except KeyError:  # it has no name here
                group = str(file.stat().st_gid)
            yield unusable(situation)(
                f"this user may not open {file}, the Intel GPU",
                f"add the user to the group of that file ({group}), and log in anew",
            )


def loader(situation: Situation) -> Iterator[Finding]:
    """See whether there is one, of a release that the SYCL runtime takes."""
    seen = situation.level_zero
    if not seen.loader:
        yield unusable(situation)(
            "this machine has an Intel GPU, and Level Zero's loader cannot be loaded: "
            f"{seen.error}",
            "install it from your distribution (libze1 in Debian and Ubuntu), with the GPU's "
            "driver (libze-intel-gpu1); docs/how-to/gpus.md has the commands",
        )
    elif seen.loader_version and tuple(seen.loader_version) < OLDEST_LOADER:
        oldest = ".".join(map(str, OLDEST_LOADER))
        yield unusable(situation)(
            f"Level Zero's loader {seen.loader[0]} is older than the {oldest} "
            "that the SYCL runtime wants",
            "install a newer one, with the GPU's driver; if another program brought this one, "
            "remove its folder from LD_LIBRARY_PATH",
        )


def driver(situation: Situation) -> Iterator[Finding]:
    """See whether there is one, and whether the SYCL runtime shows its devices."""
    seen = situation.level_zero
    if situation.alone.shows("level_zero"):
        return
    if not any(each["devices"] for each in seen.drivers):
        yield without_devices(situation)
        return
    if hidden := [*hidden_by_selectors(situation, "level_zero", "Level Zero")]:
        yield from hidden
        return
    versions = ", ".join(each["version"] for each in seen.drivers)
    yield unusable(situation)(
        f"Level Zero's driver {versions} has a GPU, which the SYCL runtime does not take: the "
        "driver is older than the runtime wants, or one that it refuses",
        "install the newest driver (libze-intel-gpu1 in Debian and Ubuntu); UR_LOG_LEVEL_ZERO="
        "'level:info;output:stderr' lets the runtime say what it refuses",
    )


def without_devices(situation: Situation) -> Finding:
    """The loader has found nothing: say why, if that can be seen."""
    mask = situation.environment.get(MASK)
    if mask is not None and any(
        each["devices"] for each in situation.level_zero_without(MASK).drivers
    ):
        return note(
            f"{MASK}={mask!r} hides the GPU from Level Zero",
            f"unset {MASK}, or let it name devices that exist",
        )
    error = situation.level_zero.error
    return unusable(situation)(
        f"Level Zero's loader finds no driver that works ({error})"
        if error
        else "Level Zero's driver finds no device",
        "install the GPU's driver (libze-intel-gpu1 in Debian and Ubuntu), and see that "
        "/dev/dri can be opened; docs/how-to/gpus.md has the commands",
    )


def other_loaders(situation: Situation) -> Iterator[Finding]:
    """Find loaders on the library path besides the one that is loaded, or the one that it hides."""
    if "LD_LIBRARY_PATH" not in situation.environment:
        return
    used = {Path(path).resolve() for path in situation.level_zero.loader}
    folders = filter(None, situation.environment["LD_LIBRARY_PATH"].split(":"))
    found = [Path(folder, LOADER) for folder in folders]
    others = [str(file) for file in found if file.is_file() and file.resolve() not in used]
    if not others:
        without = situation.level_zero_without("LD_LIBRARY_PATH").loader
        others = [path for path in without if path not in situation.level_zero.loader]
    if others:
        yield note(
            f"there are two loaders of Level Zero: {' and '.join(map(str, used))} is used, and not "
            f"{', '.join(others)}",
            "keep the one that came with the GPU's driver, and remove the other one's folder from "
            "LD_LIBRARY_PATH",
        )


def hierarchy(situation: Situation) -> Iterator[Finding]:
    """Say what the variable does."""
    value = situation.environment.get(HIERARCHY)
    if value is None:
        return
    if value not in HIERARCHIES:
        yield problem(
            f"{HIERARCHY}={value!r} has no meaning",
            f"unset it, or set it to {', '.join(HIERARCHIES)}",
        )
    elif value != "FLAT":
        yield note(f"{HIERARCHY}={value}: {HIERARCHIES[value]}")
