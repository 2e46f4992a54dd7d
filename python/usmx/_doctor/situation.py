"""The situation that the checks look at: the environment, and what works in processes of their own.

There usmx, a driver or a library may fail, crash or hang.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from signal import Signals
from typing import Any, Literal

PROGRAMS = Path(__file__).with_name("programs.py")
FOLDER = str(Path(__file__).parents[2])  # holds the package usmx
SECONDS = 120


@dataclass(frozen=True)
class Probe:
    """Facts that a process saw; the values of steps that it did not reach are empty."""

    failed_step: str = ""
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    # of usmx
    runtimes: list[str] = field(default_factory=list)
    threading_libraries: list[str] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    # of kernels, one for each device; an empty error is none
    kernels: list[dict[str, str]] = field(default_factory=list)
    # of products of matrices, one for each device
    products: list[dict[str, Any]] = field(default_factory=list)
    # of linear algebra and Fourier transforms: by the host, and by devices' own libraries
    host_library: dict[str, Any] = field(default_factory=dict)
    device_libraries: list[dict[str, Any]] = field(default_factory=list)
    # of CUDA's driver, without the SYCL runtime
    device_count: int = 0
    # of Level Zero, without the SYCL runtime
    loader: list[str] = field(default_factory=list)
    loader_version: list[int] = field(default_factory=list)
    drivers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def works(self) -> bool:
        """Whether all steps were done."""
        return not self.failed_step

    def shows(self, back_end: str) -> list[str]:
        """The devices of a back end that usmx found."""
        filters = [device["filter"] for device in self.devices]
        return [each for each in filters if each.startswith(f"{back_end}:")]


def probe(environment: Mapping[str, str], module: str = "", seconds: float = SECONDS) -> Probe:
    """Import usmx, then the module, list the devices, and copy an array."""
    return run_program("usmx", environment, FOLDER, module, seconds=seconds)


def run_program(
    name: str, environment: Mapping[str, str], *arguments: str, seconds: float = SECONDS
) -> Probe:
    """Run one of programs.py; the values that it told, and which step failed, and how."""
    # The log of a program that the user has run is not written over.
    variables = {k: value for k, value in environment.items() if k != "USMX_MEMORY_LOG"}
    try:
        ran = subprocess.run(
            [sys.executable, "-P", str(PROGRAMS), name, *arguments],
            cwd=working_directory() or PROGRAMS.parent,
            env=variables,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        output, ending = ran.stdout, f"the process ended with exit code {ran.returncode}"
        if ran.returncode < 0:
            ending = f"the process died of {Signals(-ran.returncode).name}"
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        ending = f"the process did not end within {seconds} s"
    steps = [json.loads(line) for line in output.splitlines() if line.startswith('{"step"')]
    values = {name: value for step in steps for name, value in step.items() if name != "step"}
    last = steps[-1]["step"] if steps else "start"
    if last == "done":
        return Probe(**values)
    return Probe(**{"failed_step": last, "error": ending, **values})


def working_directory() -> Path | None:
    """The working folder of this process; None if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def unloadable(library: Path) -> str:
    """Why the loader does not take a library, in its words; empty if it does."""
    program = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    command = [sys.executable, "-P", "-c", program, str(library)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    last = ran.stderr.splitlines()[-1:] if ran.returncode else []
    return "".join(last).removeprefix("OSError: ")


@dataclass(frozen=True)
class Situation:
    """The situation in which the doctor was called."""

    modules: tuple[str, ...]  # that the user asks about
    import_error: BaseException | None  # of ``import usmx`` here

    @cached_property
    def environment(self) -> dict[str, str]:
        """The variables that the user has set, without those that usmx set for its own process."""
        return dict(os.environ)

    @cached_property
    def alone(self) -> Probe:
        """How usmx works by itself."""
        return probe(self.environment)

    def without(self, *variables: str) -> Probe:
        """How it works where these variables are not set."""
        return probe(self._variables_without(*variables))

    def together_with(self, module: str) -> Probe:
        """How it works once this module is imported too."""
        return probe(self.environment, module)

    @cached_property
    def kernels(self) -> Probe:
        """A process in which a kernel, which the disk cache must not have, is compiled and run."""
        return run_program("kernels", {**self.environment, "USMX_CACHE_DIR": ""}, FOLDER)

    @cached_property
    def products(self) -> Probe:
        """The answer of a process that asks whose library multiplies matrices."""
        return run_program("products", self.environment, FOLDER)

    @cached_property
    def cuda(self) -> Probe:
        """The answer of CUDA's driver, without the SYCL runtime."""
        return run_program("cuda", self.environment)

    @cached_property
    def level_zero(self) -> Probe:
        """The answer of Level Zero, without the SYCL runtime."""
        return run_program("level_zero", self.environment)

    def level_zero_without(self, variable: str) -> Probe:
        """The answer of Level Zero where this variable is not set."""
        return run_program("level_zero", self._variables_without(variable))

    def _variables_without(self, *variables: str) -> dict[str, str]:
        return {k: v for k, v in self.environment.items() if k not in variables}


State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One sentence about one thing, and what to do about it where something is to be done.

    A *problem* keeps usmx from working or from working as it was told to. A *note* is good to know.
    The table of checks adds the check's name.
    """

    check: str
    state: State
    found: str
    remedy: str = ""


ok = partial(Finding, "", "ok")
note = partial(Finding, "", "note")
problem = partial(Finding, "", "problem")
