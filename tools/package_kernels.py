"""Compiles usmx's kernels into one file, which the package has beside usmx-compile.

    package_kernels.py SET LIBRARY MODULE COMPILE_PROGRAMS FILE COMPILER NVRTC

The package's build runs it (cmake/UsmxKernels.cmake). `compile_programs` compiles the kernels that
copy, convert and select, and those of the calls of SET, which is one of ordinary_calls.py, or
"none". The calls are made as programs do, with a compiler that only notes what it is asked for. So
the kernels are those that calls ask for, whatever makes their sources. Where that cannot be done,
since there is no device, no compiler or no NumPy, kernels are compiled when they are first needed.
"""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CHILD_SOCKET, FILES_OF_REQUEST = 4, 3  # src/kernels/compile/child.hpp
NO_ANSWER = "a message ends early"  # the library's error for an empty answer


def staged(folder: Path, library: Path, module: Path) -> Path:
    """The package as it will be installed, but for its compiler. Returns the library."""
    package = folder / "usmx"
    shutil.copytree(
        ROOT / "python/usmx", package, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / module.name).symlink_to(module)
    (package / "lib").mkdir(exist_ok=True)
    copied = package / "lib" / library.name  # no link: it looks for the compiler beside itself
    shutil.copyfile(library, copied)
    compiler = package / "libexec" / "usmx-compile"
    compiler.parent.mkdir()
    notes = shlex.join([sys.executable, "-I", __file__, "--note"])
    compiler.write_text(f"#!/bin/sh\nexec {notes}\n")
    compiler.chmod(0o755)
    return copied


def note_requests() -> None:
    """Take requests as usmx-compile does. Their texts become files; the answers are empty."""
    library = socket.socket(fileno=CHILD_SOCKET)
    while files := socket.recv_fds(library, 1024, FILES_OF_REQUEST)[1]:
        library.send(b"\0")  # the request is taken
        content = Path(f"/proc/self/fd/{files[0]}").read_bytes()
        with tempfile.NamedTemporaryFile(dir=os.environ["USMX_REQUESTS"], delete=False) as file:
            file.write(content)
        for each in files:
            os.close(each)
        library.send(b"\0")


def make_calls(name: str, again: str) -> None:
    """Make the calls of a set, of which each fails when its kernels are compiled.

    If `again` is "1", only those that need several kernels.
    """
    del os.environ["LD_PRELOAD"]  # which is not for the compiler
    import ordinary_calls
    import usmx

    for call in ordinary_calls.SETS[name][int(again)](usmx.empty):
        try:
            call()
        except RuntimeError as error:
            if NO_ANSWER not in str(error):
                raise


def main(
    calls: str,
    library: Path,
    module: Path,
    programs: Path,
    file: Path,
    compiler: Path,
    nvrtc: str,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requests = folder / "requests"
        requests.mkdir()
        environment = {
            **os.environ,
            # The same kernels on every machine: those for CPUs differ from those for GPUs.
            "ONEAPI_DEVICE_SELECTOR": "opencl:cpu",
        }
        # The groups of kernels that copy, alone: the calls are to ask for all of mathematics.
        groups = folder / "groups"
        if file.exists():
            shutil.copyfile(file, groups)
        compile_groups = [programs, requests, groups, compiler, nvrtc]
        subprocess.run(compile_groups, env=environment, check=True, timeout=3600)
        if calls == "none" or not file.exists():
            shutil.copyfile(groups, file)
        if calls == "none":
            return
        compile_all = [programs, requests, file, compiler, nvrtc]
        preloaded = staged(folder, library, module)
        noting = {
            **environment,
            "LD_PRELOAD": str(preloaded),  # else the module finds the library where it was built
            "PYTHONPATH": os.pathsep.join(filter(None, [name, os.environ.get("PYTHONPATH")])),
            "USMX_CACHE_DIR": "",
            "USMX_REQUESTS": str(requests),
        }
        staged_file = folder / "usmx" / "libexec" / "usmx-kernels"
        shutil.copyfile(groups, staged_file)
        again = "0"
        known: set[bytes] | None = None
        try:
            while True:
                make = [sys.executable, __file__, "--call", calls, again]
                subprocess.run(make, env=noting, check=True, timeout=300)
                noted = {request.read_bytes() for request in requests.iterdir()}
                if noted == known:  # nothing is missing, or nothing more can be compiled
                    return
                subprocess.run(compile_all, env=environment, check=True, timeout=900)
                shutil.copyfile(file, staged_file)
                # With what there is now, calls come to their second kernel.
                again, known = "1", noted
        except (OSError, subprocess.SubprocessError) as error:
            print(f"package_kernels: kernels will be compiled when they are first needed: {error}")


if __name__ == "__main__":
    if sys.argv[1] == "--note":
        note_requests()
    elif sys.argv[1] == "--call":
        make_calls(*sys.argv[2:])
    else:
        main(sys.argv[1], *map(Path, sys.argv[2:7]), sys.argv[7])
