"""What the documents say about wheels of extensions: run paths by hand, and a library beside the module."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import usmx
from environments import make_environment
from extension_builds import built, quick
from helpers import run, run_usmx

ROOT = Path(__file__).parents[2]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
MODULE = """
#include <usmx/array.hpp>
#include <usmx/python/exchanged.hpp>
#include <usmx/runtime.hpp>

static PyObject* three(PyObject*, PyObject*) {
  return usmx::python::give(usmx::empty({3}, usmx::float32, usmx::default_queue()));
}
static PyMethodDef methods[] = {{"three", three, METH_NOARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_native", nullptr, -1, methods};
PyMODINIT_FUNC PyInit__native() { return PyModule_Create(&module); }
"""
SOLVER = """
#include <usmx/array.hpp>
std::ptrdiff_t twice(const usmx::array& x) { return 2 * x.size(); }
"""
BINDINGS = """
#include <nanobind/nanobind.h>
#include <usmx/python/nanobind.hpp>
std::ptrdiff_t twice(const usmx::array& x);
NB_MODULE(_native, m) {
  usmx::python::import_usmx();
  usmx::python::def(m, "twice", &twice, nanobind::arg("x"));
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(mine LANGUAGES CXX)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(nanobind 3.0 CONFIG REQUIRED)
find_package(usmx CONFIG REQUIRED)
nanobind_add_module(_native NB_STATIC src/bindings.cpp)
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def environment(tmp_path):
    """A new one, where usmx and the SYCL runtime lie as pip puts them; its interpreter."""
    python = make_environment(tmp_path / "environment")
    (packages,) = (tmp_path / "environment").glob("lib/python*/site-packages")
    (packages / "usmx").symlink_to(Path(usmx.__file__).parent)
    for library in Path(sys.prefix, "lib").glob("*.so*"):
        (tmp_path / "environment/lib" / library.name).symlink_to(library)
    return python, packages


def printed_by(environment, code):
    python, _ = environment
    done = subprocess.run([python, "-P", "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["mine", "mine/inner"])
def test_options_of_a_wheel_link_a_module_that_finds_its_libraries(environment, folder, tmp_path):
    _, packages = environment
    source = tmp_path / "module.cpp"
    source.write_text(MODULE)
    flags = run_usmx("config", "--cflags", "--libs", "--wheel", folder).stdout.split()
    flags += ["-I", sysconfig.get_path("include"), "-std=c++20", "-shared", "-fPIC"]
    for place in (folder, "mine/another/place"):
        (packages / place).mkdir(parents=True)
        run("g++", source, *flags, "-o", packages / place / f"_native{SUFFIX}")
    # Before usmx is imported, so that nothing else has loaded the libraries.
    code = "import {0}._native as m; print(m.three().shape)"
    assert printed_by(environment, code.format(folder.replace("/", "."))) == "(3,)\n"
    assert "libusmx.so" in printed_by(environment, code.format("mine.another.place"))


def test_library_beside_the_module_is_found(environment, tmp_path, tmp_path_factory):
    document = (ROOT / "docs/extension-authors.md").read_text("utf-8")
    (recipe,) = re.findall(r"```text\n(add_library\(solver .*?)```", document, re.DOTALL)
    project, build = tmp_path / "project", tmp_path / "build"
    (project / "src").mkdir(parents=True)
    (project / "src/bindings.cpp").write_text(BINDINGS)
    (project / "src/solver.cpp").write_text(SOLVER)
    (project / "CMakeLists.txt").write_text(PROJECT + recipe)
    _, packages = environment
    built(project, build, ["usmx", "nanobind"], quick(tmp_path_factory))
    run("cmake", "--install", build, "--prefix", packages / "mine")
    shutil.rmtree(build)
    code = "import usmx, mine._native as m; print(m.twice(usmx.zeros(4)))"
    assert printed_by(environment, code) == "8\n"
