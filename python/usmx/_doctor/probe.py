"""Trying usmx in a process of its own, where it may fail, crash or hang."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from typing import Any

PROGRAMS = Path(__file__).with_name("programs.py")
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


def probe(environment: Mapping[str, str], module: str = "", seconds: float = SECONDS) -> Probe:
    """Import usmx, then the module, list the devices, and copy an array."""
    return run_program("usmx", environment, package_folder(), module, seconds=seconds)


def probe_kernels(environment: Mapping[str, str]) -> Probe:
    """Compile a kernel for each device, which the disk cache must not have, and run it."""
    return run_program("kernels", {**environment, "USMX_CACHE_DIR": ""}, package_folder())


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
        output, ending = ran.stdout, ending_text(ran.returncode)
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode(errors="replace")
        ending = f"the process did not end within {seconds} s"
    return Probe(**understood(output, ending))


def working_directory() -> Path | None:
    """The working folder of this process; None if it was deleted."""
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
