"""<usmx/usmx.hpp> has all headers for programs, and the header of kernels says only that it is none of these."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

INCLUDE = Path(__file__).parents[2] / "include"
KERNELS = re.compile(r"usmx/kernel\w*\.hpp")


def test_one_header_includes_every_other_one_for_programs():
    text = (INCLUDE / "usmx/usmx.hpp").read_text("utf-8")
    included = set(re.findall(r'^#include "(.*)"$', text, re.MULTILINE))
    short_names = {"usmx/usmx.hpp", "usmx/array.hpp", "usmx/array_view.hpp", "usmx/runtime.hpp"}
    headers = {str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.hpp")} - short_names
    assert included == {
        name
        for name in headers
        if not name.startswith("usmx/python/") and not KERNELS.fullmatch(name)
    }


@pytest.mark.slow  # a compiler reads SYCL's headers
def test_one_header_leaves_out_the_whole_of_sycl():
    options = ["-std=c++20", f"-I{INCLUDE}", f"-isystem{Path(sys.prefix) / 'include'}"]
    command = ["g++", *options, "-M", "-x", "c++", "-"]
    said = subprocess.run(
        command, input="#include <usmx/usmx.hpp>\n", capture_output=True, text=True, check=True
    )
    assert "usmx/compute/operators.hpp" in said.stdout
    assert "/sycl/sycl.hpp" not in said.stdout


def test_header_of_kernels_is_one_error_on_the_host():
    command = ["g++", "-std=c++20", f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++", "-"]
    said = subprocess.run(
        command, input="#include <usmx/kernel.hpp>\n", capture_output=True, text=True
    )
    (error,) = [line for line in said.stderr.splitlines() if "error:" in line]
    assert "host code includes usmx/user_kernels/kernel.hpp" in error
