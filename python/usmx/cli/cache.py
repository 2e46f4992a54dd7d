"""``python -m usmx cache``: the disk cache of device kernels, and the plans of transforms."""

import json
import os
import sys
from typing import Any

from usmx import _core
from usmx._terminal import print_records
from usmx._text import printable, size_text

HEADER = ("kernels", "device", "size", "last use", "file")
OF_PROGRAMS = "user-"
"""Begins the group of kernels that a program wrote (src/user_kernels/kernel.cpp)."""


def run(*, clear: bool, as_json: bool = False) -> int:
    """Show the cache, or clear it; the exit code is 1 when a file cannot be deleted."""
    if clear:
        return clear_cache()
    if as_json:
        print(json.dumps(values(), indent=1))
        return 0
    print(f"{where()}\n")
    show_entries()
    most, nbytes = _core._max_fourier_plans
    print(
        f"\nPlans of Fourier transforms are in the memory of each process, at most {most} and "
        f"about {size_text(nbytes)}."
    )
    return 0


def is_off() -> bool:
    """Tell whether kernels are not kept."""
    return not os.environ.get("USMX_CACHE_DIR", "on")


def where() -> str:
    """Name the folder, or say why there is none."""
    return "off: USMX_CACHE_DIR is empty" if is_off() else str(_core._kernel_cache_directory())


def values() -> dict[str, Any]:
    """All entries for programs, the latest used first; sizes are in bytes, ages in seconds."""
    return {
        "folder": None if is_off() else str(_core._kernel_cache_directory()),
        "entries": [
            {
                "kernels": printable(group.removeprefix(OF_PROGRAMS)) or None,
                "origin": origin(group),
                "device": printable(device),
                "size": nbytes,
                "age": age,
                "file": printable(path.name),
            }
            for group, device, nbytes, age, path in _core._list_kernel_cache()
        ],
        "fourier_plans": dict(zip(("most", "most_size"), _core._max_fourier_plans, strict=True)),
    }


def show_entries() -> None:
    """Print all entries in a table, the latest used first, and their sum."""
    entries = _core._list_kernel_cache()
    if not entries:
        print("no entries")
        return
    rows = [
        (
            name_text(group),
            printable(device),
            size_text(nbytes),
            age_text(age),
            printable(path.name),
        )
        for group, device, nbytes, age, path in entries
    ]
    total = size_text(sum(nbytes for _, _, nbytes, _, _ in entries))
    print_records(HEADER, rows, right=("size",))
    print(f"\n{count_text(len(entries))}, {total}")


def origin(group: str) -> str | None:
    """Tell whose kernels a file holds: "program", "usmx", or None where it is unreadable."""
    if not group:
        return None
    return "program" if group.startswith(OF_PROGRAMS) else "usmx"


def name_text(group: str) -> str:
    """Name kernels as their program does; usmx's own say so: "axpy", "fill (usmx)"."""
    name = printable(group.removeprefix(OF_PROGRAMS))
    return {"program": name, "usmx": f"{name} (usmx)", None: "unreadable"}[origin(group)]


def clear_cache() -> int:
    """Delete all entries."""
    count = len(_core._list_kernel_cache())
    try:
        nbytes = _core._clear_kernel_cache()
    except RuntimeError as error:
        print(f"usmx cache: {error}", file=sys.stderr)
        return 1
    print(f"deleted {count_text(count)}, {size_text(nbytes)}, from {where()}")
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
