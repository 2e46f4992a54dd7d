"""Whether kernels can be compiled, run and kept, and whether extensions can be built."""

import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from usmx._doctor.situation import Finding, Situation, note, ok, problem

HEADER = "sycl/sycl.hpp"
SECONDS = 120


def check(situation: Situation) -> Iterator[Finding]:
    """Compile one for each device, and run it."""
    if not situation.alone.works:
        return
    seen = situation.kernels
    if seen.failed_step:
        yield problem(
            f"step {seen.failed_step!r} of trying kernels ended with: {seen.error}",
            remedy(),
        )
    compiled = [each["filter"] for each in seen.kernels if not each["error"]]
    if compiled:
        yield ok(f"a kernel was compiled and run on {', '.join(compiled)}")
    for each in seen.kernels:
        if each["error"]:
            yield problem(
                f"no kernel can be compiled and run on {each['filter']}: {each['error']}",
                remedy(),
            )


def remedy() -> str:
    """Advice that brings the compilers."""
    return (
        "reinstall usmx and intel-sycl-rt; for CUDA devices install NVIDIA's compiler: "
        "pip install 'usmx[cuda]'"
    )


# ---- the cache on disk


def check_cache(situation: Situation) -> Iterator[Finding]:
    """Write a file there, as usmx does."""
    from usmx import _core

    folder = str(_core._kernel_cache_directory())
    if folder in ("", "."):
        yield note("off: kernels are built anew in every process", cache_remedy())
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield problem(
            f"usmx cannot write to {folder} ({error.strerror}): kernels are built anew in every "
            "process, which takes a tenth of a second to a second",
            cache_remedy(),
        )
        return
    yield ok(folder)


def cache_remedy() -> str:
    """How to get a cache."""
    return "set USMX_CACHE_DIR to a folder to which you can write"


# ---- the compiler of extensions


def check_compiler(situation: Situation) -> Iterator[Finding]:
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
    """The folder of the headers in the runtime's package."""
    try:
        found = [file for file in files("intel-sycl-rt") or () if file.match(f"include/{HEADER}")]
    except PackageNotFoundError:
        found = []
    folders = [Path(file.locate()).resolve().parents[1] for file in found]
    folders.append(Path(sysconfig.get_path("data"), "include"))
    return next((folder for folder in folders if (folder / HEADER).is_file()), None)


def complaint(command: Sequence[str], folder: Path) -> str:
    """The compiler's first words about a file that includes the header; empty if it takes it."""
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
