"""The process: its folder, how it starts children, its huge pages and limits of memory."""

import multiprocessing
import os
import resource
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.situation import Finding, Situation, note, ok, problem, working_directory
from usmx._text import size_text

SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
CGROUPS = Path("/sys/fs/cgroup")


def check_directory(_: Situation) -> Iterator[Finding]:
    """See whether it is still there."""
    found = working_directory()
    if found is None:
        yield problem(
            "the working directory was deleted: the OpenCL CPU driver hangs there, or finds no "
            "device (the checks below ran in another directory)",
            "change to a directory that exists",
        )
    else:
        yield ok(f"the working directory is {found}")


def check_children(_: Situation) -> Iterator[Finding]:
    """Look at the default of ``multiprocessing``."""
    method = multiprocessing.get_start_method()
    if method == "fork":
        yield note(
            "multiprocessing starts child processes by fork here, and the SYCL runtime does not "
            "survive a fork: usmx raises a RuntimeError in such a child if the parent has used it",
            "call multiprocessing.set_start_method('forkserver'), or 'spawn', before the first "
            "child is started",
        )
    else:
        yield ok(f"multiprocessing starts child processes by {method}")


# ---- memory, of the process and of the container that it runs in


def check_huge_pages(_: Situation) -> Iterator[Finding]:
    """Look at both switches: that of the system and that of the process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    setting = SETTING.read_text(encoding="utf-8") if SETTING.is_file() else ""
    if "[never]" in setting:
        whose, remedy = "the system", f"as root: echo madvise > {SETTING}"
    elif "THP_enabled:\t0" in status:
        whose = "this process"
        remedy = "find the program that starts it and calls prctl(PR_SET_THP_DISABLE)"
    else:
        yield ok(setting.strip() or "the kernel does not tell")
        return
    yield note(
        f"transparent huge pages are off for {whose}: the first use of new memory takes "
        "about twice as long",
        remedy,
    )


def check_limits(situation: Situation) -> Iterator[Finding]:
    """Name each limit that lies below what a device of host memory says it has."""
    devices = [] if situation.import_error else situation.alone.devices
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = max((d["memory"] for d in devices if ":cpu:" in d["filter"]), default=machine)
    findings = [
        note(
            f"{name} allows {size_text(nbytes)}, less than the {size_text(most)} that "
            f"the device says it has: {outcome}",
            "set a lower limit for the pools, such as USMX_POOL_LIMIT=4G, so that a lack of memory "
            "raises a MemoryError; or raise this limit",
        )
        for name, nbytes, outcome in limits()
        if nbytes < most
    ]
    yield from findings or [ok("none below the memory of the machine")]


def limits() -> Iterator[tuple[str, int, str]]:
    """Name, bytes, and what happens beyond, of each limit that is set."""
    if (nbytes := control_group_limit()) is not None:
        yield "the control group (container)", nbytes, "beyond it the kernel kills the process"
    for name, which in (("ulimit -v", resource.RLIMIT_AS), ("ulimit -d", resource.RLIMIT_DATA)):
        soft, _ = resource.getrlimit(which)
        if soft != resource.RLIM_INFINITY:
            yield name, soft, "drivers and libraries also need address space, and fail without it"


def control_group_limit() -> int | None:
    """The smallest limit of the process's control group and those above it."""
    found: list[int] = []
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            found += values_upwards(CGROUPS, path, "memory.max")
        elif "memory" in controllers.split(","):
            found += values_upwards(CGROUPS / "memory", path, "memory.limit_in_bytes")
    return min(found, default=None)


def values_upwards(root: Path, path: str, name: str) -> Iterator[int]:
    """Read a file of a control group and of all above it; in a container its own is the root."""
    folder = root / path.lstrip("/")
    for each in (folder, *folder.parents):
        if each.is_relative_to(root) and (each / name).is_file():
            text = (each / name).read_text(encoding="utf-8").strip()
            if text.isdecimal():
                yield int(text)
