"""Trying usmx in a process of its own, where it may fail, crash or hang."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from typing import Any

PROGRAM = Path(__file__).with_name("probe_program.py")
KERNELS_PROGRAM = Path(__file__).with_name("kernels_program.py")
CUDA_PROGRAM = Path(__file__).with_name("cuda_program.py")
LEVEL_ZERO_PROGRAM = Path(__file__).with_name("level_zero_program.py")
SECONDS = 120


@dataclass(frozen=True)
class Probe:
    """What a process saw; the values of steps that it did not reach are empty."""

    failed_step: str = ""
    error: str = ""
    runtimes: list[str] = field(default_factory=list)
    threading_libraries: list[str] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def works(self) -> bool:
        """Whether memory was allocated and copied."""
        return not self.failed_step


@dataclass(frozen=True)
class Kernels:
    """What a process saw that compiles a kernel for each device; an empty error is none."""

    failed_step: str = ""
    error: str = ""
    kernels: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class LevelZero:
    """What a process saw of Level Zero, without the SYCL runtime."""

    failed_step: str = ""
    error: str = ""
    loader: list[str] = field(default_factory=list)
    loader_version: list[int] = field(default_factory=list)
    drivers: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Cuda:
    """What a process saw of CUDA's driver, without the SYCL runtime."""

    failed_step: str = ""
    error: str = ""
    devices: int = 0


def probe(environment: Mapping[str, str], module: str = "", seconds: float = SECONDS) -> Probe:
    """Import usmx, then the module, list the devices, and copy an array."""
    # The log of a program that the user has run is not written over.
    variables = {name: value for name, value in environment.items() if name != "USMX_MEMORY_LOG"}
    return Probe(**run_program(PROGRAM, [package_folder(), module], variables, seconds))


def probe_kernels(environment: Mapping[str, str]) -> Kernels:
    """Compile a kernel for each device, which the disk cache must not have, and run it."""
    variables = {name: value for name, value in environment.items() if name != "USMX_MEMORY_LOG"}
    variables["USMX_CACHE_DIR"] = ""
    return Kernels(**run_program(KERNELS_PROGRAM, [package_folder()], variables, SECONDS))


def probe_level_zero(environment: Mapping[str, str]) -> LevelZero:
    """Load its loader, start its drivers, and list their devices."""
    return LevelZero(**run_program(LEVEL_ZERO_PROGRAM, [], environment, SECONDS))


def probe_cuda(environment: Mapping[str, str]) -> Cuda:
    """Load CUDA's driver, start it, and count its devices."""
    return Cuda(**run_program(CUDA_PROGRAM, [], environment, SECONDS))


def unloadable(library: Path) -> str:
    """Why the loader does not take a library, in its words; empty if it does."""
    program = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program, str(library)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = ran.stderr.splitlines()[-1:] if ran.returncode else []
    return "".join(last).removeprefix("OSError: ")


def package_folder() -> str:
    """The folder that holds the package usmx."""
    return str(Path(__file__).parents[2])


def run_program(
    program: Path, arguments: Sequence[str], environment: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """Run a program of this folder; the values that it told, and which step failed, and how."""
    try:
        ran = subprocess.run(
            [sys.executable, "-P", str(program), *arguments],
            cwd=working_directory() or program.parent,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        output, ending = ran.stdout, ending_text(ran.returncode)
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        ending = f"the process did not end within {seconds} s"
    return understood(output, ending)


def working_directory() -> Path | None:
    """Where this process works; None if the folder was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def ending_text(status: int) -> str:
    """How a process that did not say that it is done has ended."""
    if status < 0:
        return f"the process died of {Signals(-status).name}"
    return f"the process ended with exit code {status}"


def understood(output: str, ending: str) -> dict[str, Any]:
    """Put together the lines of JSON that a program prints after each step."""
    steps = [json.loads(line) for line in output.splitlines() if line.startswith('{"step"')]
    values = {name: value for step in steps for name, value in step.items() if name != "step"}
    last = steps[-1]["step"] if steps else "start"
    if last != "done" and "error" not in values:
        values["error"] = ending
    return {"failed_step": "" if last == "done" else last, **values}
