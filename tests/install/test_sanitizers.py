"""A C++ program under the address sanitizer, as the CMake package sets up its tests."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from extension_builds import cmake_dir
from helpers import run
from sharing import shared_folder

pytestmark = [
    pytest.mark.slow,  # a program is compiled
    pytest.mark.skipif(shutil.which("ctest") is None, reason="there is no CMake"),
]

PAGE = Path(__file__).parents[2] / "docs/how-to/wrong-number.md"
PROGRAM = """
#include <iostream>
#include <usmx/copy/host_data.hpp>
#include <usmx/copy/values.hpp>
#include <usmx/runtime.hpp>

int main() try {
  const auto a = usmx::from_host(usmx::default_queue(), {1.0, 2.0, 3.0});
  usmx::fill(a.slice(0), 5.0);
  std::cout << usmx::to_vector(a)[0] << '\\n';
} catch (const std::exception& error) {
  std::cout << error.what() << '\\n';
  return 1;
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project of the page, built; a second test of it has no environment."""

    def make(folder):
        folder.mkdir()
        (lines,) = re.findall(r"```text\n(find_package\(usmx.*?)```", PAGE.read_text(), re.DOTALL)
        start = "cmake_minimum_required(VERSION 3.24)\nproject(sums LANGUAGES CXX)\n"
        end = "add_test(NAME bare COMMAND sums_test)\n"
        (folder / "CMakeLists.txt").write_text(start + lines + end)
        (folder / "sums_test.cpp").write_text(PROGRAM)
        build = folder / "build"
        run("cmake", "-GNinja", "-S", folder, "-B", build, f"-Dusmx_DIR={cmake_dir('usmx')}")
        run("cmake", "--build", build)

    return shared_folder(tmp_path_factory, "sanitized", make) / "build"


def run_test(project, name, monkeypatch):
    for variable in ("LD_LIBRARY_PATH", "LSAN_OPTIONS", "OCL_ICD_FILENAMES"):
        monkeypatch.delenv(variable, raising=False)
    command = ["ctest", "--test-dir", project, "-R", f"^{name}$", "--verbose", "--timeout", "120"]
    return subprocess.run([*map(str, command)], capture_output=True, text=True)


def test_program_finds_its_device_and_leaks_nothing(project, monkeypatch):
    done = run_test(project, "sums_test", monkeypatch)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^1: 5$", done.stdout, re.MULTILINE)


def test_program_without_the_environment_says_what_is_missing(project, monkeypatch):
    done = run_test(project, "bare", monkeypatch)
    assert done.returncode != 0
    assert "no SYCL device was found" in done.stdout
    assert re.search(r"set LD_LIBRARY_PATH=/\S+, since a sanitizer's dlopen", done.stdout)
    assert "usmx_sanitize_environment" in done.stdout


def test_name_of_no_test_is_an_error_of_cmake(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(sums LANGUAGES CXX)\n"
        "find_package(usmx CONFIG REQUIRED)\nusmx_sanitize_environment(nothing)\n"
    )
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-Dusmx_DIR={cmake_dir('usmx')}"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode != 0
    assert "there is no test nothing" in done.stderr
