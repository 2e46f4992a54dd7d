"""Packages beside usmx: all in a process must use one SYCL runtime; libraries that are optional."""

import importlib.util
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

from usmx._doctor.situation import Finding, Probe, Situation, note, ok, problem

KNOWN = ("dpctl", "dpnp", "torch")
# Packages of Python, and what they are for.
PACKAGES = {
    "dpctl": "queues and devices are its objects",
    "dpnp": "usmx.to_dpnp makes its arrays",
    "rich": "commands print tables and colours",
    "matplotlib": "the demo and the memory command draw",
}
# Packages that find usmx by an entry point: its group.
FINDERS = {"dask": "dask.sizeof", "pytest": "pytest11", "pkgconf": "pkg_config"}


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


# ---- what usmx uses if it is installed


def check_optional(situation: Situation) -> Iterator[Finding]:
    """Multiply matrices on each device; look for the packages, and how others find usmx."""
    if situation.alone.works:
        yield from products(situation)
    found = [name for name in PACKAGES if importlib.util.find_spec(name) is not None]
    missing = [f"{name} ({use})" for name, use in PACKAGES.items() if name not in found]
    text = f"found {', '.join(found) or 'no optional package'}"
    yield ok(f"{text}; without {', '.join(missing)}" if missing else text)
    for package, group in FINDERS.items():
        if importlib.util.find_spec(package) is None:
            continue
        if any(each.name == "usmx" for each in entry_points(group=group)):
            yield ok(f"{package} finds usmx by its entry point in {group}")
        else:
            yield note(
                f"{package} does not find usmx: its metadata name no entry point in {group}",
                "reinstall usmx into the environment of this Python: python -m pip install usmx",
            )


def products(situation: Situation) -> Iterator[Finding]:
    """Say which library multiplies matrices on each device."""
    seen = situation.products
    if seen.failed_step:
        yield note(f"step {seen.failed_step!r} of multiplying matrices ended with: {seen.error}")
    for each in seen.products:
        where, library, text = each["filter"], each["library"], each["text"]
        if not library:
            yield ok(f"usmx's own kernels multiply matrices on {where}: {text}")
        elif each["is_used"]:
            yield ok(f"{library} multiplies matrices on {where}: {text}")
        else:
            yield note(
                f"usmx's own kernels multiply matrices on {where}, several times slower than "
                f"{library}, which cannot be used: {text}",
                each["install"],
            )
    if host := seen.host_library:
        work, text = "linear algebra and Fourier transforms", host["text"]
        yield (
            ok(f"oneMKL computes {work} on the host: {text}")
            if host["is_found"]
            else note(
                f"NumPy computes {work}, and waits for them, without oneMKL, which cannot be used: "
                f"{text}",
                host["install"],
            )
        )
    for each in seen.device_libraries:
        work, library, text = f"{each['use']} on {each['filter']}", each["library"], each["text"]
        yield (
            ok(f"{library} computes {work}: {text}")
            if each["is_found"]
            else note(
                f"{work} raise an error without {library}, which cannot be used: {text}",
                each["install"],
            )
        )
