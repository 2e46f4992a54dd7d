"""Extensions that tests compile: each is a folder with a CMakeLists.txt and one module."""

import importlib.util
import subprocess
import sys
from pathlib import Path

CMAKE_DIR = {
    "nanobind": ["--cmake_dir"],
    "pybind11": ["--cmakedir"],
    "usmx": ["config", "--cmake-dir"],
}


def cmake_dir(package):
    """Where CMake finds a package."""
    command = [sys.executable, "-P", "-m", package, *CMAKE_DIR[package]]
    return subprocess.check_output(command, text=True).strip()


def built(source, build, packages, build_type="Debug"):
    """Compile the project in `source`, which needs these packages."""
    configure = ["-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_BUILD_TYPE={build_type}"]
    configure += [f"-D{package}_DIR={cmake_dir(package)}" for package in packages]
    configure += [f"-DPython_EXECUTABLE={sys.executable}"]
    # Half of the compiler's time: nothing for a debugger, nanobind's own sources as one, and garbage
    # that stays, as in usmx's CMakeLists.txt.
    flags = "--param ggc-min-heapsize=524288"
    configure += [f"-DCMAKE_CXX_FLAGS_DEBUG={flags}", "-DCMAKE_UNITY_BUILD=ON"]
    for arguments in (configure, ["--build", build]):
        done = subprocess.run(["cmake", *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def loaded(name, folder):
    """The module of that name in a folder."""
    (path,) = Path(folder).glob(f"{name}.*.so")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
