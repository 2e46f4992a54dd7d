"""``python -m usmx cache``: the disk cache of device kernels, and the plans of transforms."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from usmx import _core
from usmx._terminal import print_records
from usmx._text import printable, size_text

HEADER = ("kernels", "device", "size", "last use", "file")
OF_PROGRAMS = "user-"
"""Begins the group of kernels that a program wrote (src/user_kernels/kernel.cpp)."""


def run(*, clear: bool, as_json: bool = False) -> int:
    """Show the cache, or clear it; the exit code is 1 when a file cannot be deleted."""
    is_off = not os.environ.get("USMX_CACHE_DIR", "on")
    folder = None if is_off else str(_core._kernel_cache_directory())
    where = folder or "off: USMX_CACHE_DIR is empty"
    if clear:
        return clear_cache(where)
    found = [entry(*each) for each in _core._list_kernel_cache()]
    most, nbytes = _core._max_fourier_plans
    if as_json:
        plans = {"most": most, "most_size": nbytes}
        values = {"folder": folder, "entries": found, "fourier_plans": plans}
        print(json.dumps(values, indent=1))
        return 0
    print(f"{where}\n")
    if found:
        print_records(HEADER, list(map(row, found)), right=("size",))
        print(f"\n{count_text(len(found))}, {size_text(sum(each['size'] for each in found))}")
    else:
        print("no entries")
    print(
        f"\nPlans of Fourier transforms are in the memory of each process, at most {most} and "
        f"about {size_text(nbytes)}."
    )
    return 0


def entry(group: str, device: str, nbytes: int, age: float, path: Path) -> dict[str, Any]:
    """A file for programs; its size is in bytes, its age in seconds."""
    origin = None  # it is unreadable
    if group:
        origin = "program" if group.startswith(OF_PROGRAMS) else "usmx"
    return {
        "kernels": printable(group.removeprefix(OF_PROGRAMS)) or None,
        "origin": origin,
        "device": printable(device),
        "size": nbytes,
        "age": age,
        "file": printable(path.name),
    }


def row(of: dict[str, Any]) -> tuple[str, ...]:
    """A file in the table. Kernels have their program's name; usmx's own say so: "fill (usmx)"."""
    suffix = " (usmx)" if of["origin"] == "usmx" else ""
    name = f"{of['kernels'] or ''}{suffix}" if of["origin"] else "unreadable"
    return name, of["device"], size_text(of["size"]), age_text(of["age"]), of["file"]


def clear_cache(where: str) -> int:
    """Delete all entries."""
    count = len(_core._list_kernel_cache())
    try:
        nbytes = _core._clear_kernel_cache()
    except RuntimeError as error:
        print(f"usmx cache: {error}", file=sys.stderr)
        return 1
    print(f"deleted {count_text(count)}, {size_text(nbytes)}, from {where}")
    return 0


def count_text(count: int) -> str:
    """Count entries in words: "1 entry"."""
    return f"{count} {'entry' if count == 1 else 'entries'}"


def age_text(seconds: float) -> str:
    """Time since then in its largest unit: "5 min ago"."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return f"{max(int(seconds), 0)} s ago"
