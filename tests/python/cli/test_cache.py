"""``python -m usmx cache``."""

import pytest
from helpers import run_usmx as run
from usmx.cli.cache import age_text


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
