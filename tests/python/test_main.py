"""``python -m usmx``: the commands' frame, and `devices`. The demo: test_demo.py."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import usmx
from usmx._cache import age_text
from usmx._text import format_table, size_text


def run(*arguments, **environment):
    command = [sys.executable, "-P", "-m", "usmx", *arguments]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_version_is_the_packages():
    assert run("--version").stdout == f"usmx {usmx.__version__}\n"


def test_cmakedir_holds_the_cmake_package():
    folder = run("--cmakedir").stdout.strip()
    assert (Path(folder) / "usmxConfig.cmake").is_file()


def test_includes_lead_to_usmx_and_sycl():
    options = run("--includes").stdout.split()
    assert all(option.startswith("-I") for option in options)
    folders = [Path(option[2:]) for option in options]
    assert (folders[0] / "usmx/array.hpp").is_file()
    assert any((folder / "sycl/sycl.hpp").is_file() for folder in folders)


@pytest.mark.parametrize("command", [(), ("devices",), ("cache",), ("demo",)])
def test_help_is_there(command):
    result = run(*command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith("usage: python -m usmx")
    assert result.stderr == ""


def test_help_loads_neither_numpy_nor_the_demo():
    code = (
        "import sys; from usmx.__main__ import make_parser; make_parser().format_help();"
        "print([m for m in ('numpy', 'dpnp', 'usmx._demo') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert result.stdout == "[]\n"


def test_no_command_prints_help_and_is_an_error():
    result = run()
    assert result.returncode == 2
    assert "devices" in result.stdout


def test_an_unknown_command_is_an_error():
    assert run("fly").returncode == 2


def test_devices_lists_every_device_and_marks_the_default_one():
    result = run("devices")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    devices = usmx.get_devices()
    assert len(lines) == 2 + len(devices)
    assert all(d.filter_string in line for d, line in zip(devices, lines[2:], strict=True))
    assert [line.startswith("*") for line in lines[2:]].count(True) == 1


def test_devices_says_why_there_is_none():
    result = run("devices", ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("usmx devices: ")
    assert len(result.stderr.splitlines()) == 1


def test_cache_tells_its_folder_and_that_it_is_empty(tmp_path):
    result = run("cache", USMX_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stdout) == (0, f"{tmp_path}\n\nno entries\n")


def test_cache_lists_entries_and_clears_them_and_nothing_else(tmp_path):
    (tmp_path / "copy-1234.kernels").write_bytes(b"x" * 1536)
    (tmp_path / "notes.txt").write_text("mine")
    lines = run("cache", USMX_CACHE_DIR=str(tmp_path)).stdout.splitlines()
    assert lines[0] == str(tmp_path)
    assert lines[4].split(maxsplit=1)[0] == "unreadable"
    assert lines[4].endswith("s ago   copy-1234.kernels")
    assert lines[-1] == "1 entry, 1.5 KiB"
    result = run("cache", "--clear", USMX_CACHE_DIR=str(tmp_path))
    assert result.stdout == f"deleted 1 entry, 1.5 KiB, from {tmp_path}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_cache_says_that_it_is_off():
    assert run("cache", USMX_CACHE_DIR="").stdout.startswith(
        "off: USMX_CACHE_DIR is set to nothing"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s ago"), (59.9, "59 s ago"), (60, "1 min ago"), (7200, "2 h ago"), (9e5, "10 d ago")],
)
def test_ages_are_readable(seconds, text):
    assert age_text(seconds) == text


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**20, "1 MiB"),
        (2**30, "1 GiB"),
        (5 * 2**40, "5120 GiB"),
    ],
)
def test_sizes_are_readable(nbytes, text):
    assert size_text(nbytes) == text


def test_table_aligns_columns():
    table = format_table(("name", "n"), [("a", "1"), ("long name", "23")], right=("n",))
    assert table.splitlines() == [
        "name        n",
        "---------  --",
        "a           1",
        "long name  23",
    ]


def test_table_without_rows_has_its_header():
    assert format_table(("a", "b"), []) == "a  b\n-  -"
