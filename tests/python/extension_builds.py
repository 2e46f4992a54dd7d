"""Extensions that tests compile, by CMake or as a wheel."""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import nanobind
from sharing import shared_folder

CMAKE_DIR = {
    "nanobind": ["--cmake_dir"],
    "pybind11": ["--cmakedir"],
    "usmx": ["config", "--cmake-dir"],
}
# Half of the compiler's time: nothing for a debugger, the sources of a target as one, and garbage that
# stays, as in usmx's CMakeLists.txt.
QUICK = {
    "CMAKE_CXX_FLAGS_DEBUG": "--param ggc-min-heapsize=524288",
    "CMAKE_UNITY_BUILD": "ON",
}
# nanobind's own part, which every project would compile for itself. It is made after project().
NANOBIND = """
add_library(nanobind-static STATIC EXCLUDE_FROM_ALL "{object}")
set_target_properties(nanobind-static PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(nanobind-static PUBLIC "{python}" "{nanobind}")
target_compile_features(nanobind-static PUBLIC cxx_std_17)
"""


def cmake_dir(package):
    """Where CMake finds a package."""
    command = [sys.executable, "-P", "-m", package, *CMAKE_DIR[package]]
    return subprocess.check_output(command, text=True).strip()


def ran(command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def compile_nanobind(folder):
    folder.mkdir()
    root = Path(nanobind.include_dir()).parent
    python = sysconfig.get_path("include")
    command = [
        os.environ.get("CXX", "c++"),
        "-std=c++17",
        "-fPIC",
        "-fvisibility=hidden",
        "-DNB_BUILD",
    ]
    command += ["-fno-strict-aliasing", f"-I{python}", f"-I{root}/include"]
    command += [f"-I{root}/ext/robin_map/include", "-c", root / "src/nb_combined.cpp"]
    ran([*command, "-o", folder / "nanobind.o"])
    text = NANOBIND.format(object=folder / "nanobind.o", python=python, nanobind=root / "include")
    (folder / "nanobind.cmake").write_text(text)


def quick(tmp_path_factory):
    """What CMake is told for a quick build that has all that the project says."""
    folder = shared_folder(tmp_path_factory, "libnanobind", compile_nanobind)
    return QUICK | {"CMAKE_PROJECT_INCLUDE": str(folder / "nanobind.cmake")}


def quick_environment(tmp_path_factory):
    """The same for the back ends that make wheels."""
    definitions = (f"{name}={value}" for name, value in quick(tmp_path_factory).items())
    return os.environ | {
        "SKBUILD_CMAKE_BUILD_TYPE": "Debug",
        "SKBUILD_CMAKE_DEFINE": ";".join(definitions),
        "CFLAGS": "-O0 -g0",  # setuptools takes those of Python
    }


def built(source, build, packages, definitions=QUICK, build_type="Debug"):
    """Compile the project in `source`, which needs these packages."""
    configure = ["cmake", "-G", "Ninja", "-S", source, "-B", build]
    configure += [f"-D{package}_DIR={cmake_dir(package)}" for package in packages]
    definitions = definitions | {
        "CMAKE_BUILD_TYPE": build_type,
        "Python_EXECUTABLE": sys.executable,
    }
    ran(configure + [f"-D{name}={value}" for name, value in definitions.items()])
    ran(["cmake", "--build", build])


def wheel_of(project, folder, environment):
    """The wheel of a project, which its back end makes as pip has it made."""
    text = (project / "pyproject.toml").read_text("utf-8")
    backend = tomllib.loads(text)["build-system"]["build-backend"]
    code = f"import {backend} as backend; backend.build_wheel({str(folder)!r})"
    ran([sys.executable, "-P", "-c", code], cwd=project, env=environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpack(wheel, folder):
    """Put a wheel where Python finds it, as pip does."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def loaded(name, folder):
    """The module of that name in a folder."""
    (path,) = Path(folder).glob(f"{name}.*.so")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
