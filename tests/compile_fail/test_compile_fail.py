"""What must not compile does not, for the reason that its source names.

Each source compiles without the wrong line (-DWRONG): so it is this line that is refused.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a compiler reads SYCL's headers

HERE = Path(__file__).parent
SOURCES = sorted(HERE.glob("*.cpp"))
COMPILE = [
    "g++",
    "-std=c++20",
    "-fmax-errors=3",
    "-Werror=deprecated-declarations",
    "-I",
    HERE.parents[1] / "include",
]
COMPILE += ["-isystem", Path(sys.prefix) / "include"]


def compiled(*arguments):
    command = [str(part) for part in (*COMPILE, *arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def precompiled(tmp_path_factory):
    """A folder where the compiler finds the sources' common header, read already."""
    folder = tmp_path_factory.mktemp("precompiled")
    done = compiled("-x", "c++-header", HERE / "headers.hpp", "-o", folder / "headers.hpp.gch")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_wrong_line_alone_is_refused_for_its_reason(source, precompiled):
    check = ("-fsyntax-only", "-I", precompiled, "-include", "headers.hpp", source)
    right = compiled(*check)
    assert right.returncode == 0, right.stderr
    wrong = compiled("-DWRONG", *check)
    (reason,) = re.findall(r"^// Error: (.*)$", source.read_text("utf-8"), re.MULTILINE)
    assert wrong.returncode != 0
    errors = [line for line in wrong.stderr.splitlines() if " error: " in line]
    assert re.search(reason, "\n".join(errors)), wrong.stderr
