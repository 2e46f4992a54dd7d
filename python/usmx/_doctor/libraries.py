"""Whether other packages share a process with usmx: all must use one SYCL runtime."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.probe import Probe
from usmx._doctor.situation import Finding, Situation, note, ok, problem

KNOWN = ("dpctl", "dpnp", "torch")


def check(situation: Situation) -> Iterator[Finding]:
    """Look at the packages that are known to use SYCL, and those that the user names."""
    if not situation.alone.works:
        return
    yield from of_library_path(situation)
    installed = [name for name in KNOWN if importlib.util.find_spec(name) is not None]
    for module in dict.fromkeys((*installed, *situation.modules)):
        yield judged(module, situation.together_with(module))


def of_library_path(situation: Situation) -> Iterator[Finding]:
    """Find the runtimes that oneAPI's setvars.sh, for instance, offers to all programs."""
    own = {Path(path).resolve().parent for path in situation.alone.runtimes}
    parts = filter(None, situation.environment.get("LD_LIBRARY_PATH", "").split(":"))
    folders = [Path(part) for part in parts if Path(part).resolve() not in own]
    others = [str(file) for each in folders for file in sorted(each.glob("libsycl.so.[0-9]"))]
    if others:
        yield note(
            f"LD_LIBRARY_PATH leads to another SYCL runtime, {', '.join(others)}: packages without "
            "a run path of their own load it, and then there are two in one process",
            "remove the folder from LD_LIBRARY_PATH, or do not source oneAPI's setvars.sh, if such "
            "packages run in one process with usmx",
        )


def judged(module: str, seen: Probe) -> Finding:
    """The finding about usmx in a process that imported the module."""
    if len(seen.runtimes) > 1:
        return problem(
            f"{module} brings a second SYCL runtime into the process: "
            f"{' and '.join(seen.runtimes)}; a queue of one crashes in the other, so usmx refuses "
            "the arrays of such packages",
            f"install a release of {module} for the same runtime as usmx (libsycl.so.9, "
            "intel-sycl-rt 2026), or use it in a process of its own",
        )
    if seen.failed_step == f"import {module}":
        return problem(
            f"import {module} fails beside usmx: {seen.error}",
            f"try it alone (python -c 'import {module}'); if that fails too, reinstall it",
        )
    if not seen.works:
        libraries = f" (mapped: {', '.join(seen.threading_libraries)})"
        return problem(
            f"no device works once {module} is imported: {seen.error}"
            f"{libraries if seen.threading_libraries else ''}",
            f"import usmx and call usmx.get_devices() before {module} is imported",
        )
    return ok(f"{module} and usmx work in one process, with one SYCL runtime")
