"""What the package tells of the place where it is installed."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import usmx
import usmx_cmake


def test_get_include_is_the_folder_of_the_headers():
    assert (Path(usmx.get_include()) / "usmx/array.hpp").is_file()


def test_scikit_build_core_is_led_to_the_cmake_package():
    assert (files(usmx_cmake.usmx) / "lib/cmake/usmx/usmxConfig.cmake").is_file()


def test_leading_it_there_does_not_load_usmx():
    code = "import sys, usmx_cmake; print('usmx' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"False\n"
