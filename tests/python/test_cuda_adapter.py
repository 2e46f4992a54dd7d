"""usmx names the folder of the package usmx-cuda to the SYCL runtime, and keeps what the user has named.

libusmx does it when it is loaded. Here a copy of it lies beside a package that has a file with the adapter's name.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from usmx._installed import part

VARIABLE = "UR_ADAPTERS_SEARCH_PATH"
SAY = f"""
import ctypes, sys
ctypes.CDLL(sys.argv[1])
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv({VARIABLE.encode()!r}))
"""


def named(packages, **variables):
    """The variable in a process that has loaded the library of these packages."""
    library = packages / "usmx/lib/libusmx.so.1"
    library.parent.mkdir(parents=True, exist_ok=True)
    if not library.exists():
        shutil.copyfile(part("lib/libusmx.so.1"), library)
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE} | variables
    environment["LD_LIBRARY_PATH"] = str(Path(sys.prefix) / "lib")
    ran = subprocess.run(
        [sys.executable, "-P", "-c", SAY, library],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return eval(ran.stdout)


@pytest.fixture
def packages(tmp_path):
    folder = tmp_path / "usmx_cuda"
    folder.mkdir()
    (folder / "libur_adapter_cuda.so.0").touch()
    return tmp_path


def test_folder_of_the_package_is_named(packages):
    assert named(packages) == os.fsencode(packages / "usmx_cuda")


@pytest.mark.parametrize("own", ["", "/mine", "/mine,/yours"])
def test_value_of_the_users_is_kept(packages, own):
    assert named(packages, **{VARIABLE: own}) == own.encode()


def test_package_without_the_adapter_is_not_named(packages):
    (packages / "usmx_cuda/libur_adapter_cuda.so.0").unlink()
    assert named(packages) != os.fsencode(packages / "usmx_cuda")


def test_folder_whose_name_the_variable_has_no_words_for_is_not_named(packages):
    with_comma = packages / "a,b"
    with_comma.mkdir()
    shutil.copytree(packages / "usmx_cuda", with_comma / "usmx_cuda")
    assert named(with_comma) is None
    with_colon = packages / "a:b"
    with_colon.mkdir()
    shutil.copytree(packages / "usmx_cuda", with_colon / "usmx_cuda")
    assert named(with_colon) == b'"' + os.fsencode(with_colon / "usmx_cuda") + b'"'
