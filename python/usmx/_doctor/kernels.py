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
COMPILERS = (  # advice that brings them
    "reinstall usmx and intel-sycl-rt; for CUDA devices install NVIDIA's compiler: "
    "pip install 'usmx[cuda]'"
)
CACHE = "set USMX_CACHE_DIR to a folder to which you can write"


def check(situation: Situation) -> Iterator[Finding]:
    """Compile one for each device, and run it."""
    if not situation.alone.works:
        return
    seen = situation.kernels
    if seen.failed_step:
        text = f"step {seen.failed_step!r} of trying kernels ended with: {seen.error}"
        yield problem(text, COMPILERS)
    compiled = [each["filter"] for each in seen.kernels if not each["error"]]
    if compiled:
        yield ok(f"a kernel was compiled and run on {', '.join(compiled)}")
    for each in seen.kernels:
        if each["error"]:
            text = f"no kernel can be compiled and run on {each['filter']}: {each['error']}"
            yield problem(text, COMPILERS)


# ---- the cache on disk


def check_cache(situation: Situation) -> Iterator[Finding]:
    """Write a file there, as usmx does."""
    from usmx import _core

    folder = str(_core._kernel_cache_directory())
    if folder in ("", "."):
        yield note("off: kernels are built anew in every process", CACHE)
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield problem(
            f"usmx cannot write to {folder} ({error.strerror}): kernels are built anew in every "
            "process, which takes a tenth of a second to a second",
            CACHE,
        )
        return
    yield ok(folder)


# ---- the compiler of extensions


def check_compiler(situation: Situation) -> Iterator[Finding]:
    """Try the compiler that a build takes on the header that holds all others."""
    command = shlex.split(situation.environment.get("CXX", "")) or ["c++"]
    folder = folder_of_headers()
    if shutil.which(command[0]) is None:
        yield ok(f"there is no {command[0]}, which only extensions need")
        return
    if folder is None:
        yield ok(f"there is no <{HEADER}>, which only extensions need")
        return
    _, said, _ = ran([*command, "--version"])
    version = said.partition("\n")[0] or command[0]
    options = ["-std=c++20", "-w", "-fsyntax-only", f"-I{folder}", "-x", "c++", "-"]
    status, _, errors = ran([*command, *options], f"#include <{HEADER}>\n")
    if status == 0:
        yield ok(f"{version} compiles <{HEADER}>")
        return
    lines = errors.splitlines()
    first_error = next(
        (line for line in lines if "error" in line),
        errors if status is None else f"exit code {status}",
    )
    yield note(
        f"{version} does not compile <{HEADER}> of this runtime, which oneMKL's "
        f"headers include; usmx's do not: {first_error}",
        "build such extensions with g++ 12 to 15 or clang, as by CXX=g++-15",
    )


def folder_of_headers() -> Path | None:
    """The folder of the headers in the runtime's package."""
    try:
        found = [file for file in files("intel-sycl-rt") or () if file.match(f"include/{HEADER}")]
    except PackageNotFoundError:
        found = []
    folders = [Path(file.locate()).resolve().parents[1] for file in found]
    folders.append(Path(sysconfig.get_path("data"), "include"))
    return next((folder for folder in folders if (folder / HEADER).is_file()), None)


def ran(command: Sequence[str], source: str = "") -> tuple[int | None, str, str]:
    """The exit code and both outputs; None and the error where it does not run or end."""
    try:
        done = subprocess.run(
            command, input=source, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        return None, "", str(failed)
    return done.returncode, done.stdout, done.stderr
