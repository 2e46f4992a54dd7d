"""Compile extension.c for Python's stable ABI: python tests/abi/compile.py RESULT.so."""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import usmx

HERE = Path(__file__).parent
COMPILER = shlex.split(os.environ.get("CC", "gcc"))
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
STABLE = ["-DPy_LIMITED_API=0x030b0000"]
INCLUDES = [
    f"-I{Path(usmx.__file__).parent / 'include'}",
    f"-isystem{sysconfig.get_path('include')}",
]


def compiled(source: Path, result: Path) -> Path:
    """Compile an extension in C, which links nothing."""
    command = [*COMPILER, *STRICT, *STABLE, *INCLUDES, "-Os", "-s", "-shared", "-fPIC"]
    command += ["-fvisibility=hidden", source, "-o", result]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return result


if __name__ == "__main__":
    compiled(HERE / "extension.c", Path(sys.argv[1]))
