"""How notebooks show arrays: a table of their properties, and some of the elements."""

import contextvars
import threading
from html import escape
from typing import Any

from usmx._container.formatting import array_str
from usmx._container.print_options import print_options
from usmx._html import device_text, table, type_text
from usmx._text import size_text

_ELEMENTS = {"threshold": 100, "edgeitems": 2}
_LINES = 20
_PATIENCE = 2.0  # seconds


def array_html(array: Any) -> str:
    """Table of an array; fetches only the elements that are shown, and does not wait long."""
    queue = array._own_queue
    memory = array.base
    rows = [
        ("shape", str(array.shape)),
        ("dtype", str(array.dtype)),
        ("usm_type", array.usm_type + ("" if array.flags.writable else ", read-only")),
        ("device", device_text(queue.sycl_device)),
        ("queue", "in order" if queue.is_in_order else "out of order"),
        ("memory", f"{size_text(array.nbytes)} of {size_text(memory.nbytes)}"),
        ("owner", _owner_text(memory)),
    ]
    return f"<div>{table(rows)}<pre>{escape(_elements_in_time(array))}</pre></div>"


def _owner_text(memory):
    """Who frees the memory: usmx, or the object that it is borrowed from."""
    owner = memory.reference_obj
    if owner is None:
        return "usmx"
    return type_text(owner)


def _elements_in_time(array):
    """The elements, or a sentence if work on them does not end soon."""
    found = []
    context = contextvars.copy_context()  # holds the options for printing
    reader = threading.Thread(
        target=lambda: found.append(context.run(_outcome, array)), daemon=True
    )
    reader.start()
    reader.join(_PATIENCE)
    if not found:
        return f"(work on this array is not finished after {_PATIENCE:g} s)"
    text, error = found[0]
    if error is not None:
        raise error
    return text


def _outcome(array):
    try:
        return _short_text(array), None
    except Exception as error:
        return "", error


def _short_text(array):
    with print_options(**_ELEMENTS):
        lines = array_str(array).splitlines()
    return "\n".join([*lines[:_LINES], *(["..."] if len(lines) > _LINES else [])])
