"""``python -m usmx config``: what a build is told."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import usmx
from helpers import run_usmx


def config(*options):
    result = run_usmx("config", *options)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_version_is_the_packages():
    assert config("--version") == [usmx.__version__]


def test_cmake_dir_holds_the_cmake_package():
    (folder,) = config("--cmake-dir")
    assert (Path(folder) / "usmxConfig.cmake").is_file()


def test_pkg_config_dir_holds_the_file_of_pkg_config():
    (folder,) = config("--pkg-config-dir")
    assert (Path(folder) / "usmx.pc").is_file()


def test_cflags_lead_to_the_headers_of_usmx_and_sycl():
    options = config("--cflags")[0].split()
    folders = [Path(option.removeprefix("-I").removeprefix("-isystem")) for option in options]
    assert (folders[0] / "usmx/array.hpp").is_file()
    assert any((folder / "sycl/sycl.hpp").is_file() for folder in folders)


def test_values_come_one_a_line_in_the_order_of_their_options():
    assert config("--libs", "--version") == [*config("--libs"), usmx.__version__]


def resolved(options):
    """The options, without folders that do not exist, and without `..`."""
    for option in options.replace("-isystem ", "-isystem").split():
        name, folder = re.fullmatch(r"([^/]*)(/.*)?", option).groups()
        if folder is None or Path(folder).is_dir():
            yield name + (os.path.realpath(folder) if folder else "")


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--cflags", "--libs"])
def test_pkg_config_gives_the_same_options(option):
    # without a path: the entry point of the package tells it
    printed = subprocess.check_output([sys.executable, "-P", "-m", "pkgconf", option, "usmx"])
    assert list(resolved(printed.decode())) == config(option)[0].split()


def run_paths(folder):
    """The folders where the loader looks, for an extension in a folder of site-packages."""
    (options,) = config("--libs", "--wheel", folder)
    return [option.split(",")[2] for option in options.split() if "rpath" in option]


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".", "mine", "mine/inner/", "a/../mine"])
def test_run_paths_of_a_wheel_are_relative_and_those_of_cmake(folder):
    site_packages = Path("/prefix/lib/python3.11/site-packages")
    origin = os.path.normpath(site_packages / folder)
    found = [os.path.normpath(path.replace("$ORIGIN", origin)) for path in run_paths(folder)]
    assert found == [f"{site_packages}/usmx/lib", "/prefix/lib", f"{site_packages}/lib"]
    assert all(path.startswith("$ORIGIN/") for path in run_paths(folder))


def test_options_of_a_wheel_have_no_absolute_run_path():
    (options,) = config("--libs", "--wheel", "mine")
    assert "-Wl,--disable-new-dtags" in options.split()
    assert "-rpath,/" not in options
    kept = [option for option in config("--libs")[0].split() if "-rpath" not in option]
    assert options.split()[: len(kept)] == kept


def test_extension_that_is_linked_for_a_wheel_names_no_folder_of_this_machine(tmp_path):
    (options,) = config("--libs", "--wheel", "mine")
    (tmp_path / "mine.c").write_text("int nothing(void) { return 0; }\n")
    command = ["gcc", "-shared", "-fPIC", "mine.c", "-o", "mine.so", "-Wl,--no-as-needed"]
    subprocess.run([*command, *options.split()], cwd=tmp_path, check=True)
    linked = (tmp_path / "mine.so").read_bytes()
    assert b"libusmx.so.1" in linked
    assert b"$ORIGIN/../usmx/lib" in linked
    assert os.fsencode(sys.prefix) not in linked


def test_wheel_without_libs_is_an_error():
    result = run_usmx("config", "--cflags", "--wheel", "mine")
    assert result.returncode == 2
    assert "--wheel: expected --libs beside it" in result.stderr


def test_no_option_is_an_error():
    result = run_usmx("config")
    assert result.returncode == 2
    assert "expected at least one option, found none" in result.stderr
