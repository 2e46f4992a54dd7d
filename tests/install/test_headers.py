"""What the headers for extensions are to the compilers and binding libraries of their users."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pybind11
import pytest
import usmx

HEADERS = {"nanobind": nanobind.include_dir(), "pybind11": pybind11.get_include()}
MODULE = """
#include <usmx/array.hpp>
#include <{library}/{library}.h>
#include <usmx/python/{library}.hpp>
usmx::array same(const usmx::in<const double, 1>& x) {{ return x.array(); }}
void define({library}::module_& m) {{
  usmx::python::def(m, "same", &same, {library}::arg("x"));
}}
"""
OLD = {
    "nanobind": ("nanobind.h", "#define NB_VERSION_MAJOR 2\n"),
    "pybind11": ("pybind11.h", "#define PYBIND11_VERSION_MAJOR 2\n"),
}


def compiled(source, *options):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", *options]
    command += [f"-I{usmx.get_include()}", f"-isystem{Path(sys.prefix) / 'include'}"]
    command += [f"-isystem{sysconfig.get_path('include')}", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("library", HEADERS)
def test_module_compiles_without_a_warning_and_without_hidden_visibility(library):
    options = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-isystem{HEADERS[library]}"]
    done = compiled(MODULE.format(library=library), *options)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("library", HEADERS)
def test_release_that_does_not_work_is_refused_by_name(library, tmp_path):
    header, versions = OLD[library]
    (tmp_path / library).mkdir()
    (tmp_path / library / header).write_text(versions)
    done = compiled(f"#include <usmx/python/{library}.hpp>\n", f"-I{tmp_path}", "-fmax-errors=1")
    assert done.returncode != 0
    assert f"usmx/python/{library}.hpp needs {library} " in done.stderr


def headers_of(source):
    done = compiled(source, "-M", f"-isystem{nanobind.include_dir()}")
    assert done.returncode == 0, done.stderr
    return {Path(name) for name in done.stdout.replace("\\\n", " ").split()[1:]}


def test_casters_of_nanobind_do_not_read_the_standard_headers_that_take_long():
    theirs = headers_of("#include <nanobind/nanobind.h>\n#include <sycl/queue.hpp>\n")
    ours = {path.name for path in headers_of("#include <usmx/python/nanobind.hpp>\n") - theirs}
    assert "array.hpp" in ours
    assert not {"algorithm", "ranges", "regex"} & ours
