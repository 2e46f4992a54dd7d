"""The installed package serves an outside CMake project: found, built, linked, and running."""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from extension_builds import cmake_dir
from helpers import run

PROJECT = Path(__file__).parent / "consumer"
FINDER = """
[build-system]
requires = ["scikit-build-core", "usmx"]
build-backend = "scikit_build_core.build"
[project]
name = "finder"
version = "1"
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer build")  # a path with a space
    run(
        "cmake",
        "-GNinja",
        f"-S{PROJECT}",
        f"-B{folder}",
        f"-Dusmx_DIR={cmake_dir('usmx')}",
        f"-DCMAKE_INSTALL_PREFIX={folder / 'site-packages'}",
    )
    run("cmake", "--build", folder)
    run("cmake", "--install", folder)
    return folder


@pytest.mark.slow
def test_program_prints_version_and_devices(build):
    lines = run(build / "consumer").splitlines()
    assert lines[0] == f"usmx {version('usmx')}"
    assert any(re.match(r"opencl:cpu:\d+ ", line) for line in lines[1:]), lines


@pytest.mark.slow
def test_extension_in_nested_package_finds_libraries_relative_to_itself(build):
    (module,) = (build / "site-packages/consumer/inner").glob("*.so")
    (paths,) = re.findall(r"\(RPATH\).*\[(.*)\]", run("readelf", "-dW", module))
    here = "/prefix/lib/python3/site-packages/consumer/inner"
    found = [os.path.normpath(path.replace("$ORIGIN", here)) for path in paths.split(":")]
    assert found[:2] == ["/prefix/lib/python3/site-packages/usmx/lib", "/prefix/lib"]


@pytest.mark.slow
def test_program_builds_by_pkg_config_alone(tmp_path):
    options = run(sys.executable, "-P", "-m", "pkgconf", "--cflags", "--libs", "usmx").split()
    warnings = ["-Wall", "-Wextra", "-Werror"]
    program = tmp_path / "consumer"
    run("c++", "-std=c++20", *warnings, PROJECT / "main.cpp", *options, "-o", program)
    assert run(program).startswith(f"usmx {version('usmx')}\n")


def configure(folder, package, *settings):
    """Make a wheel of a project that compiles nothing and has to find a package."""
    text = f"cmake_minimum_required(VERSION 3.24)\nproject(finder LANGUAGES NONE)\n{package}\n"
    (folder / "CMakeLists.txt").write_text(text)
    (folder / "pyproject.toml").write_text(FINDER)
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    command += [*settings, "-w", folder, folder]
    return subprocess.run(command, capture_output=True, text=True, timeout=280)


@pytest.mark.slow
def test_wheel_finds_the_package_without_a_path_wherever_python_does(tmp_path):
    # not below the folders of this environment, where CMake looks in any case
    package = "find_package(usmx CONFIG REQUIRED COMPONENTS onemkl_blas)"
    done = configure(tmp_path, package, "--config-settings=search.site-packages=false")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_component_that_is_not_there_is_named(tmp_path):
    done = configure(tmp_path, "find_package(usmx CONFIG REQUIRED COMPONENTS onemkl_nothing)")
    assert done.returncode != 0
    assert "found no component onemkl_nothing" in done.stdout + done.stderr
