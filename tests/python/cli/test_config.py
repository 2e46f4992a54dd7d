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


@pytest.mark.parametrize("option", ["--cflags", "--libs"])
def test_pkg_config_gives_the_same_options(option):
    # without a path: the entry point of the package tells it
    printed = subprocess.check_output([sys.executable, "-P", "-m", "pkgconf", option, "usmx"])
    assert list(resolved(printed.decode())) == config(option)[0].split()


def test_no_option_is_an_error():
    result = run_usmx("config")
    assert result.returncode == 2
    assert "expected at least one option, found none" in result.stderr
