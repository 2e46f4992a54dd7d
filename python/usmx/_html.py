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


def queue_html(queue: Any) -> str:
    """Table of a queue."""
    rows = [
        ("queue", "in order" if queue.is_in_order else "out of order"),
        ("device", device_text(queue.sycl_device)),
        ("profiling", "yes" if queue.has_enable_profiling else "no"),
    ]
    return f"<div>{table(rows)}</div>"


def memory_html(memory: Any) -> str:
    """Table of a memory object; looks at no byte, and does not wait."""
    owner = memory.reference_obj
    rows = [
        ("memory", f"{size_text(memory.nbytes)} of kind {memory.get_usm_type()}"),
        ("device", device_text(memory.sycl_device)),
        ("owner", "usmx" if owner is None else type_text(owner)),
    ]
    return f"<div>{table(rows)}</div>"


def kernel_html(kernel: Any) -> str:
    """Table of what a kernel was made of."""
    given = {name: value for name, value in kernel._written.items() if value not in (None, "", ())}
    source = given.pop("source", "")
    text = source if isinstance(source, str) else f"{len(source)} bytes of SPIR-V"
    rows = [
        ("kernel", repr(kernel)),
        *((name, str(value)) for name, value in given.items() if value),
    ]
    return f"<div>{table(rows)}<pre>{escape(text)}</pre></div>"


def type_text(value: Any) -> str:
    """The name of an object's class, with its module."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


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
