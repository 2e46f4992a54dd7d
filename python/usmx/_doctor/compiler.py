"""Whether the C++ compiler takes the headers of the SYCL runtime. Only extensions need one."""

import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from usmx._doctor.finding import Finding, note, ok
from usmx._doctor.situation import Situation

HEADER = "sycl/sycl.hpp"
SECONDS = 120


def check(situation: Situation) -> Iterator[Finding]:
    """Try the compiler that a build takes on the header that holds all others."""
    command = shlex.split(situation.environment.get("CXX", "")) or ["c++"]
    folder = folder_of_headers()
    if shutil.which(command[0]) is None:
        yield ok(f"there is no {command[0]}, which only extensions need")
    elif folder is None:
        yield ok(f"there is no <{HEADER}>, which only extensions need")
    elif first_error := complaint(command, folder):
        yield note(
            f"{version_of(command)} does not compile <{HEADER}> of this runtime, which oneMKL's "
            f"headers include; usmx's do not: {first_error}",
            "build such extensions with g++ 12 to 15 or clang, as by CXX=g++-15",
        )
    else:
        yield ok(f"{version_of(command)} compiles <{HEADER}>")


def folder_of_headers() -> Path | None:
    """Where the runtime's package has its headers."""
    try:
        found = [file for file in files("intel-sycl-rt") or () if file.match(f"include/{HEADER}")]
    except PackageNotFoundError:
        found = []
    folders = [Path(file.locate()).resolve().parents[1] for file in found]
    folders.append(Path(sysconfig.get_path("data"), "include"))
    return next((folder for folder in folders if (folder / HEADER).is_file()), None)


def complaint(command: Sequence[str], folder: Path) -> str:
    """What the compiler says first of a file that includes the header; empty if it takes it."""
    options = ["-std=c++20", "-w", "-fsyntax-only", f"-I{folder}", "-x", "c++", "-"]
    try:
        done = subprocess.run(
            [*command, *options],
            input=f"#include <{HEADER}>\n",
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        return str(failed)
    if done.returncode == 0:
        return ""
    lines = done.stderr.splitlines()
    return next((line for line in lines if "error" in line), f"exit code {done.returncode}")


def version_of(command: Sequence[str]) -> str:
    """The first line that it says of itself."""
    try:
        said = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    return said.partition("\n")[0] or command[0]
