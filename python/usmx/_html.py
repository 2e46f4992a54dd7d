"""How notebooks show devices, and the table that arrays are shown with, too."""

from collections.abc import Iterable
from html import escape
from typing import Any

from usmx._text import size_text

_KINDS = ("device", "shared", "host", "system")


def device_html(device: Any) -> str:
    """Table of a device."""
    kinds = [kind for kind in _KINDS if getattr(device, f"has_aspect_usm_{kind}_allocations")]
    rows = [
        ("device", device_text(device)),
        ("driver", f"{device.vendor} {device.driver_version}"),
        ("memory", size_text(device.global_mem_size)),
        ("compute units", str(device.max_compute_units)),
        ("sub-groups", ", ".join(map(str, device.sub_group_sizes))),
        ("USM kinds", ", ".join(kinds) or "none"),
    ]
    return f"<div>{table(rows)}</div>"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and values, which are escaped."""
    cells = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def device_text(device: Any) -> str:
    """Filter string and name; a sub-device has no filter string."""
    try:
        return f"{device.filter_string}: {device.name}"
    except ValueError:
        return f"sub-device: {device.name}"
