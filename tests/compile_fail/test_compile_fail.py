"""What must not compile does not, for the reason that its source names.

Each source compiles without the wrong line (-DWRONG): so it is this line that is refused. All of them
are one program, each in a namespace of its own: the compiler reads SYCL's headers once.
"""

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a compiler reads SYCL's headers

HERE = Path(__file__).parent
SOURCES = sorted(HERE.glob("*.cpp"))
PROGRAM = '#include "headers.hpp"\n' + "".join(
    f'namespace {source.stem} {{\n#include "{source.name}"\n}}\n' for source in SOURCES
)
COMPILE = ["g++", "-std=c++20", "-fsyntax-only", "-Werror=deprecated-declarations", "-x", "c++"]
COMPILE += ["-I", HERE, "-I", HERE.parents[1] / "include", "-isystem", Path(sys.prefix) / "include"]


@pytest.fixture(scope="module")
def compiled():
    """What the compiler says to all sources."""

    @functools.cache
    def by(*options):
        command = [str(part) for part in (*COMPILE, *options, "-")]
        return subprocess.run(command, input=PROGRAM, capture_output=True, text=True, timeout=240)

    return by


def errors_by_source(said):
    """Each error is about the source that was named last: with the error, or as the place that led to it."""
    found, source = {}, None
    for line in said.splitlines():
        if named := re.search(r"(\w+)\.cpp:", line):
            source = named[1]
        if " error: " in line:
            found.setdefault(source, []).append(line)
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_wrong_line_alone_is_refused_for_its_reason(source, compiled):
    right = compiled()
    assert right.returncode == 0, right.stderr
    wrong = compiled("-DWRONG")
    (reason,) = re.findall(r"^// Error: (.*)$", source.read_text("utf-8"), re.MULTILINE)
    assert wrong.returncode != 0
    errors = errors_by_source(wrong.stderr).get(source.stem, [])
    assert re.search(reason, "\n".join(errors)), wrong.stderr
