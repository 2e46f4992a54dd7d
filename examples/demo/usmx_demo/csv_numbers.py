"""Reads the user's numbers for ``--csv``. No NumPy here."""

from __future__ import annotations

import csv
import itertools
import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from usmx_demo.error import DemoError


@dataclass(frozen=True)
class Numbers:
    """Rows of equal length, one after the other."""

    values: array[float]  # at run time a type without parameters until Python 3.12
    columns: int

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.values) // self.columns


def read_csv(path: Path) -> Numbers:
    """Read at least two rows of finite numbers; a first line without any number is a header."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return parse(file, str(path))
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.start + 1].hex()
        raise DemoError(f"{path}: expected UTF-8 text, found the byte 0x{found}") from None
    except OSError as error:
        raise DemoError(f"cannot read {path}: {error.strerror}") from None


def parse(lines: Iterator[str], name: str) -> Numbers:
    """Numbers in the text of a file; `name` is for messages."""
    values = array("d")
    columns = None
    for line, cells in split(lines, name):
        if columns is None:
            columns = len(cells)
            if not any(map(is_number, cells)):
                continue
        if len(cells) != columns:
            raise DemoError(f"{name}, line {line}: expected {columns} columns, found {len(cells)}")
        values.extend(
            to_number(cell, f"{name}, line {line}, column {column}")
            for column, cell in enumerate(cells, start=1)
        )
    rows = len(values) // (columns or 1)
    if rows < 2:
        raise DemoError(f"{name}: expected at least 2 rows of numbers, found {rows}")
    return Numbers(values, columns or 1)


def split(lines: Iterator[str], name: str) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells of the lines that are not blank."""
    first = next(lines, "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(itertools.chain([first], lines), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if len(cells) > 1 or "".join(cells).strip():
                yield reader.line_num, cells
    except csv.Error as error:
        raise DemoError(f"{name}, line {reader.line_num}: {error}") from None


def is_number(cell: str) -> bool:
    """Whether it reads as a number, NaN and infinity included."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def to_number(cell: str, where: str) -> float:
    """Return the finite number in a cell."""
    if not is_number(cell):
        raise DemoError(f"{where}: expected a number, found {shorten(cell)!r}")
    number = float(cell)
    if not math.isfinite(number):
        raise DemoError(f"{where}: expected a finite number, found {shorten(cell)!r}")
    return number


def shorten(text: str, length: int = 40) -> str:
    """Return the beginning of it."""
    return text if len(text) <= length else text[:length] + "..."
