"""``python -m usmx cache``."""

import json
import os
import struct

import pytest
from helpers import run_usmx as run
from usmx.cli.cache import age_text

PLANS = "\nPlans of Fourier transforms are in the memory of each process, at most 64 and about 256 MiB.\n"


def test_cache_tells_its_folder_and_that_it_is_empty(tmp_path):
    result = run("cache", USMX_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stdout) == (0, f"{tmp_path}\n\nno entries\n{PLANS}")


def test_cache_lists_entries_and_clears_them_and_nothing_else(tmp_path):
    (tmp_path / "copy-1234.kernels").write_bytes(b"x" * 1536)
    (tmp_path / "notes.txt").write_text("mine")
    lines = run("cache", USMX_CACHE_DIR=str(tmp_path)).stdout.splitlines()
    assert lines[0] == str(tmp_path)
    assert lines[4].split(maxsplit=1)[0] == "unreadable"
    assert lines[4].endswith("s ago   copy-1234.kernels")
    assert lines[-3] == "1 entry, 1.5 KiB"
    result = run("cache", "--clear", USMX_CACHE_DIR=str(tmp_path))
    assert result.stdout == f"deleted 1 entry, 1.5 KiB, from {tmp_path}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_what_is_no_entry_neither_hangs_nor_kills_the_command(tmp_path):
    os.mkfifo(tmp_path / "pipe.kernels")
    with (tmp_path / "large.kernels").open("wb") as file:
        file.truncate(8 << 40)
    (tmp_path / os.fsdecode(b"name-\xff\x1b.kernels")).write_bytes(b"x")
    result = run("cache", USMX_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(f"\n2 entries, 8192 GiB\n{PLANS}")
    assert r"name-\udcff\x1b.kernels" in result.stdout


def entry(group, device):
    """A whole file, as src/kernels/cache_files.cpp writes it."""
    key = group + b"\0" + device + b"\0rest\0"
    return b"usmxkrn1" + struct.pack("<3Q", len(key), 0, checksum(key, b"")) + key


def checksum(key, content):
    return hash_of(key) ^ rotated(hash_of(content))


def rotated(word):
    return (word << 1 | word >> 63) & (2**64 - 1)


def hash_of(text):
    odd = 0x9E3779B97F4A7C15
    value = len(text) * odd % 2**64
    for start in range(0, len(text), 8):
        word = int.from_bytes(text[start : start + 8], "little")
        value = (value ^ word) * odd % 2**64
        value ^= value >> 32
    return value


def test_key_that_is_no_text_is_shown_escaped(tmp_path):
    (tmp_path / "copy-1.kernels").write_bytes(entry(b"co\xffpy", b"a \x1b[31m device"))
    result = run("cache", USMX_CACHE_DIR=str(tmp_path))
    assert (result.returncode, result.stderr) == (0, "")
    assert r"co\udcffpy (usmx)  a \x1b[31m device" in result.stdout


def test_json_has_folder_and_entries(tmp_path):
    (tmp_path / "copy-1.kernels").write_bytes(entry(b"copy", b"a device"))
    (tmp_path / "copy-2.kernels").write_bytes(b"x" * 1536)
    found = json.loads(run("cache", "--json", USMX_CACHE_DIR=str(tmp_path)).stdout)
    assert found["folder"] == str(tmp_path)
    by_file = {each["file"]: each for each in found["entries"]}
    assert (by_file["copy-1.kernels"]["kernels"], by_file["copy-1.kernels"]["device"]) == (
        "copy",
        "a device",
    )
    assert (by_file["copy-2.kernels"]["kernels"], by_file["copy-2.kernels"]["size"]) == (None, 1536)
    off = json.loads(run("cache", "--json", USMX_CACHE_DIR="").stdout)
    assert off == {
        "folder": None,
        "entries": [],
        "fourier_plans": {"most": 64, "most_size": 256 << 20},
    }


def test_cache_says_that_it_is_off():
    assert run("cache", USMX_CACHE_DIR="").stdout.startswith("off: USMX_CACHE_DIR is empty")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s ago"), (59.9, "59 s ago"), (60, "1 min ago"), (7200, "2 h ago"), (9e5, "10 d ago")],
)
def test_ages_are_readable(seconds, text):
    assert age_text(seconds) == text


def test_kernels_are_called_as_their_program_calls_them(tmp_path):
    (tmp_path / "user-axpy-1.kernels").write_bytes(entry(b"user-axpy", b"device"))
    (tmp_path / "fill-2.kernels").write_bytes(entry(b"fill", b"device"))
    table = run("cache", USMX_CACHE_DIR=str(tmp_path)).stdout
    lines = {line.split("  ")[0] for line in table.splitlines() if ".kernels" in line}
    assert lines == {"axpy", "fill (usmx)"}
    entries = json.loads(run("cache", "--json", USMX_CACHE_DIR=str(tmp_path)).stdout)["entries"]
    assert {(e["kernels"], e["origin"]) for e in entries} == {("axpy", "program"), ("fill", "usmx")}


def test_half_an_option_deletes_nothing(tmp_path):
    (tmp_path / "fill-2.kernels").write_bytes(entry(b"fill", b"device"))
    result = run("cache", "--clea", USMX_CACHE_DIR=str(tmp_path))
    assert result.returncode == 2
    assert "did you mean --clear?" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["fill-2.kernels"]
