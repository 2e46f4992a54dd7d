"""Packages that ``python -m usmx demo`` needs beyond usmx itself: finds what is missing.

It is installed only when the user says so.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from usmx._installed import example

EXTENSION = "usmx_pca"
INSTALL = "python -m usmx demo --install"
SIZE = "1.9 GB"  # of all that the demo needs and usmx does not


class SetupError(Exception):
    """Something that the demo needs is missing; the message is one line for people."""


@dataclass(frozen=True)
class Step:
    """One command that installs something that is missing."""

    why: str
    command: list[str]


def ensure(*, install: bool) -> None:
    """Install what is missing; SetupError when that fails, or when `install` is False."""
    steps = missing_steps()
    if not steps:
        return
    if not install:
        raise SetupError(
            f"{'; '.join(step.why for step in steps)}; install up to {SIZE} into {sys.prefix} "
            f"with: {INSTALL}"
        )
    check_tools()
    print(announcement(steps), file=sys.stderr, flush=True)
    for step in steps:
        run(step)
    importlib.invalidate_caches()
    left = missing_steps()
    if left:
        raise SetupError(f"after installing, still {left[0].why}")


def missing_steps() -> list[Step]:
    """List the commands that are still to be run, in this order."""
    steps = []
    packages = missing_requirements()
    if packages:
        names = ", ".join(map(name_of, packages))
        steps.append(Step(f"missing packages: {names}", pip_install(*packages)))
    if not has_module(EXTENSION):
        why = f"missing native extension {EXTENSION}, to be built with g++"
        # Not isolated and without dependencies: it is to be built against the usmx that is running.
        sources = str(example("pca"))
        steps.append(Step(why, pip_install("--no-build-isolation", "--no-deps", sources)))
    return steps


def announcement(steps: list[Step]) -> str:
    """Say what the steps will do, before the first one."""
    tasks = "\n".join(f"  - {step.why}" for step in steps)
    return (
        f"usmx demo: pip now installs into {sys.prefix}, with all that they require (up to {SIZE} "
        f"if nothing of it is there):\n{tasks}"
    )


def pip_install(*arguments: str) -> list[str]:
    """Make the command for the environment that is running."""
    return [sys.executable, "-m", "pip", "install", *arguments]


def missing_requirements() -> list[str]:
    """List what the extra 'demo' requires and is not installed at all."""
    try:
        requirements = importlib.metadata.requires("usmx") or []
    except importlib.metadata.PackageNotFoundError:
        raise SetupError(
            "usmx is not installed as a package, so its requirements are unknown"
        ) from None
    of_demo = [
        r.partition(";") for r in requirements if re.search(r"extra\s*==\s*['\"]demo['\"]", r)
    ]
    return [spec.strip() for spec, _, _ in of_demo if not is_installed(name_of(spec))]


def name_of(requirement: str) -> str:
    """'dpnp' of 'dpnp>=0.20'."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def is_installed(package: str) -> bool:
    """Whether pip has installed it here, in whatever version."""
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def has_module(name: str) -> bool:
    """Whether it could be imported; it is not."""
    return importlib.util.find_spec(name) is not None


def check_tools() -> None:
    """SetupError when something is missing that pip cannot install."""
    if not has_module("pip"):
        raise SetupError("pip is missing in this environment; add it with: python -m ensurepip")
    if has_module(EXTENSION):
        return
    compilers = shlex.split(os.environ.get("CXX", ""))[:1] or ["c++", "g++", "clang++"]
    if not any(map(shutil.which, compilers)):
        raise SetupError(
            f"the extension {EXTENSION} must be built, and none of the C++ compilers "
            f"{', '.join(compilers)} was found; install one (Debian: apt install g++) and run again"
        )
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.is_file():
        raise SetupError(
            f"the extension {EXTENSION} must be built, and {header} was not found; "
            "install Python's headers (Debian: apt install python3-dev) and run again"
        )


def run(step: Step) -> None:
    """Run one command; it and its output go to stderr."""
    print(f"usmx demo: {step.why}\n  $ {shlex.join(step.command)}", file=sys.stderr, flush=True)
    status = subprocess.run(step.command, stdout=sys.stderr, check=False).returncode
    if status != 0:
        raise SetupError(f"exit code {status} of: {shlex.join(step.command)}")
