"""``python -m usmx cache``: the disk cache of device kernels."""

import os
import sys

from usmx import _core
from usmx._terminal import print_table
from usmx._text import printable, size_text

HEADER = ("kernels", "device", "size", "last use", "file")


def run(*, clear: bool) -> int:
    """Show the cache, or clear it; the exit code is 1 when a file cannot be deleted."""
    if clear:
        return clear_cache()
    print(f"{where()}\n")
    show_entries()
    return 0


def where() -> str:
    """Name the folder, or say why there is none."""
    if not os.environ.get("USMX_CACHE_DIR", "on"):
        return "off: USMX_CACHE_DIR is empty"
    return str(_core._kernel_cache_directory())


def show_entries() -> None:
    """Print all entries in a table, the latest used first, and their sum."""
    entries = _core._list_kernel_cache()
    if not entries:
        print("no entries")
        return
    rows = [
        (
            printable(group) or "unreadable",
            printable(device),
            size_text(nbytes),
            age_text(age),
            printable(path.name),
        )
        for group, device, nbytes, age, path in entries
    ]
    total = size_text(sum(nbytes for _, _, nbytes, _, _ in entries))
    print_table(HEADER, rows, right=("size",))
    print(f"\n{count_text(len(entries))}, {total}")


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
