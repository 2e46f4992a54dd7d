"""The headers suit every compiler that is here, under each C++ standard that it knows."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest
import usmx

HEADERS = Path(usmx.get_include())
MDSPAN = Path(__file__).parent / "standards/mdspan.cpp"
NEWEST_GXX, OLDEST_CLANG, NEWEST_CLANG = 16, 19, 21
OTHERS = [f"g++-{version}" for version in range(13, NEWEST_GXX + 1)]
OTHERS += [f"clang++-{version}" for version in range(OLDEST_CLANG, NEWEST_CLANG + 1)]
FOUND = [name for name in OTHERS if shutil.which(name)]
FIRST_WITH_26 = 14  # of g++; clang has it from 17 on
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# For kernels' compiler; and one library's casters alone, since the other's have the same names.
NOT_FOR_ALL = (
    "usmx/kernel.hpp",
    "usmx/kernel_complex.hpp",
    "usmx/kernel_cuda.hpp",
    "usmx/kernel_groups.hpp",
    "usmx/kernel_math.hpp",
    "usmx/python/pybind11.hpp",
)
HAS_NO_MDSPAN = 77


def knows_26(compiler):
    version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=True)
    return int(version.stdout.split(".")[0]) >= FIRST_WITH_26


def cases():
    """The default compiler takes CI's time; the others are where a person has installed them."""
    for compiler in ["g++", *FOUND]:
        for standard in ["20", "23", *(["26"] if knows_26(compiler) else [])]:
            marks = [pytest.mark.slow] if compiler == "g++" else []
            yield pytest.param(compiler, standard, marks=marks)


def all_headers():
    names = (str(path.relative_to(HEADERS)) for path in sorted(HEADERS.glob("usmx/**/*.hpp")))
    return "".join(f"#include <{name}>\n" for name in names if name not in NOT_FOR_ALL)


def of_others():
    folders = [Path(sys.prefix, "include"), sysconfig.get_path("include"), nanobind.include_dir()]
    return [f"-isystem{folder}" for folder in folders]


@pytest.mark.parametrize(("compiler", "standard"), list(cases()))
def test_all_headers_compile_without_a_warning(compiler, standard):
    command = [compiler, f"-std=c++{standard}", "-fsyntax-only", *WARNINGS, f"-I{HEADERS}"]
    command += [*of_others(), "-x", "c++", "-"]
    done = subprocess.run(command, input=all_headers(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def libraries():
    """Each compiler with its own library, and clang with its other one, which had std::mdspan first."""
    yield from ([name] for name in ["g++", *FOUND])
    for name in FOUND:
        if name.startswith("clang") and preprocessed([name, "-stdlib=libc++"]).returncode == 0:
            yield [name, "-stdlib=libc++"]


def preprocessed(command):
    """The macros that <version> defines."""
    command = [*command, "-std=c++23", "-dM", "-E", "-x", "c++", "-"]
    return subprocess.run(command, input="#include <version>\n", capture_output=True, text=True)


@pytest.mark.parametrize("command", list(libraries()), ids=" ".join)
def test_views_go_to_mdspan_and_back_where_there_is_one(command, tmp_path):
    program = tmp_path / "mdspan"
    options = ["-std=c++23", *WARNINGS, f"-I{HEADERS}", "-o", program]
    done = subprocess.run([*command, *options, MDSPAN], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    is_there = "__cpp_lib_mdspan" in preprocessed(command).stdout
    assert subprocess.run([program], check=False).returncode == (0 if is_there else HAS_NO_MDSPAN)
