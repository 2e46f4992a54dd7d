"""The installed package serves an outside CMake project: found, built, linked, and running."""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "consumer"


def run(*command, **options):
    finished = subprocess.run(command, capture_output=True, text=True, timeout=280, **options)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer build")  # a path with a space
    cmakedir = run(sys.executable, "-P", "-m", "usmx", "--cmakedir").strip()
    run(
        "cmake",
        "-GNinja",
        f"-S{PROJECT}",
        f"-B{folder}",
        f"-Dusmx_DIR={cmakedir}",
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


def test_extension_in_nested_package_finds_libraries_relative_to_itself(build):
    (module,) = (build / "site-packages/consumer/inner").glob("*.so")
    (paths,) = re.findall(r"\(RPATH\).*\[(.*)\]", run("readelf", "-dW", module))
    here = "/prefix/lib/python3/site-packages/consumer/inner"
    found = [os.path.normpath(path.replace("$ORIGIN", here)) for path in paths.split(":")]
    assert found[:2] == ["/prefix/lib/python3/site-packages/usmx/lib", "/prefix/lib"]
