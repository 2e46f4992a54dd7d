"""How arrays are shown: NumPy's text of the elements, the memory, and a table for notebooks."""

import contextvars
import threading
from html import escape
from typing import Any

from usmx._container.host import numpy
from usmx._container.print_options import own_options, print_options
from usmx._core import asnumpy
from usmx._html import device_text, table, type_text
from usmx._text import size_text


def array_repr(array: Any) -> str:
    """``USMArray([...], dtype=..., usm_type=..., device=...)``; fetches only what is shown."""
    with _options_in_force():
        prefix = "USMArray("
        text = _elements(array, prefix)
        tail = ", ".join(_facts(array))
        last_line = text.rsplit("\n", 1)[-1]
        room = numpy.get_printoptions()["linewidth"] - len(last_line) - len(tail) - 3
        separator = ", " if "\n" not in text and room >= len(prefix) else ",\n" + " " * len(prefix)
        return f"{prefix}{text}{separator}{tail})"


def array_str(array: Any) -> str:
    """NumPy's text of the elements.

    As in NumPy, NumPy's options do not apply to 0-d arrays, which are shown as their element.
    usmx's options do.
    """
    if array.ndim == 0 and not own_options():
        return str(asnumpy(array))
    with _options_in_force():
        return _elements(array, "", separator=" ")


def format_array(array: Any, specification: str) -> str:
    """Format as NumPy: a specification is for the element of a 0-d array."""
    if specification == "":
        return str(array)
    if array.ndim == 0:
        return format(array.item(), specification)
    raise TypeError(
        "a format specification needs a 0-dimensional array, found shape "
        f"{array.shape} and {specification!r}"
    )


def _options_in_force():
    """NumPy's options, with usmx's own in their place."""
    formatter = numpy.get_printoptions()["formatter"]  # printoptions() forgets it
    return numpy.printoptions(formatter=formatter, **own_options())


def _facts(array):
    if array.size == 0:
        yield f"shape={array.shape}"
    yield f"dtype={array.dtype}"
    yield f"usm_type='{array.usm_type}'"
    yield f"device={_device_text(array)}"
    if not array.flags.writable:
        yield "readonly=True"


def _elements(array, prefix, separator=", "):
    if array.size == 0:  # NumPy has no array of some shapes, such as (0, 2**62)
        return "[]"
    options = numpy.get_printoptions()
    threshold = options["threshold"]
    if array.size > threshold:
        array = _corners(array, options["edgeitems"])
        threshold = 0
    return numpy.array2string(
        asnumpy(array) if not isinstance(array, numpy.ndarray) else array,
        separator=separator,
        prefix=prefix,
        threshold=threshold,
    )


def _corners(array, edge, axis=0):
    """A small host array that NumPy, told to summarise it, prints as it would print `array`.

    Along each axis longer than that it keeps `edge` elements of either end, and one between them
    for which NumPy writes the dots. The last one is shown even when `edge` is 0.
    """
    if axis == array.ndim:
        return asnumpy(array)
    whole = (slice(None),) * axis
    if array.shape[axis] <= 2 * edge + 1:
        return _corners(array, edge, axis + 1)
    last = array.shape[axis] - max(edge, 1)
    ends = (array[(*whole, slice(None, edge + 1))], array[(*whole, slice(last, None))])
    return numpy.concatenate([_corners(end, edge, axis + 1) for end in ends], axis=axis)


def _device_text(array):
    try:
        return repr(array._own_queue.sycl_device.filter_string)
    except ValueError:
        return repr(array._own_queue.sycl_device)


# ---- notebooks

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
    """Name the owner of the memory: usmx, or the object that it is borrowed from."""
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
