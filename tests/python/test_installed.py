"""What the package tells of the place where it is installed."""

import subprocess
import sys
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import usmx
import usmx_cmake


def test_get_include_is_the_folder_of_the_headers():
    assert (Path(usmx.get_include()) / "usmx/array.hpp").is_file()


def test_scikit_build_core_is_led_to_the_cmake_package():
    assert (files(usmx_cmake.usmx) / "lib/cmake/usmx/usmxConfig.cmake").is_file()


def test_licences_of_what_is_linked_in_are_installed():
    installed = {path.name: path for path in distribution("usmx").files or ()}
    for name, words in {"nanobind.txt": "Wenzel Jakob", "robin-map.txt": "MIT License"}.items():
        assert words in installed[name].read_text()


def test_leading_it_there_does_not_load_usmx():
    code = "import sys, usmx_cmake; print('usmx' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"False\n"
