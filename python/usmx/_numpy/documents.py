"""Parts of docstrings that many functions of this room have in common, written once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from usmx._functions import code_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ARRAY = """\
an array: a USMArray or any other producer of ``__sycl_usm_array_interface__``. A
    number, lists and a NumPy array are copied to the current queue."""
_OPERAND = """\
an array or a number, which is broadcast together with the other one."""
_ARGUMENTS = {
    **dict.fromkeys(("a", "ar", "p", "x", "z"), _ARRAY),
    **dict.fromkeys(("a1", "a2", "x1", "x2"), _OPERAND),
    "atol": "the distance that is close for any size.",
    "rtol": "the distance that is close, as a part of the size of `b`.",
    "order": "the order of the elements in memory: 'C', 'F', 'A' or 'K'.",
    "axis": "an axis, or a tuple of axes where there may be several. None means all.",
    "axes": "an axis, or a sequence of axes.",
    "correction": "what is taken from the number of elements before it divides.",
    "ddof": "another name of `correction`.",
    "device": "where a new array is: a filter string, a SyclDevice, a SyclQueue or a Device.",
    "dtype": "the element type of the result.",
    "initial": "a number that is joined to each result.",
    "keepdims": "whether the axes stay, with one element.",
    "mean": "the mean along these axes, if it is known, as `keepdims` gives it.",
    "out": "where the result is written: an array of its shape. By default a new array.",
    "sycl_queue": "the queue of a new array.",
    "usm_type": "the kind of memory of a new array: 'device', 'shared' or 'host'.",
    "where": "a mask: only elements where it holds count.",
}
_ENTRY = re.compile(r"^ +([\w, ]+): ", re.MULTILINE)


def complete(function: Callable[..., Any]) -> None:
    """Add the arguments that the docstring does not explain, and what an array is as a result."""
    text = function.__doc__
    if text is None or "Example:" not in text:
        return
    indent = re.search(r"^( *)Example:", text, re.MULTILINE)[1]  # type: ignore[index]
    explained = _explained(text)
    entries = [
        f"{indent}    {name}: {_ARGUMENTS[name]}\n".replace("\n    ", f"\n{indent}        ")
        for name in _names_of(function)
        if name not in explained and name in _ARGUMENTS
    ]
    text = _with_arguments(text, indent, entries)
    if function.__annotations__.get("return") == "USMArray" and "Returns:" not in text:
        result = "`out`, or a new USMArray" if "out" in function.__annotations__ else "A USMArray"
        text = _before_the_rest(text, indent, f"Returns:\n{indent}    {result}.")
    function.__doc__ = text


def _names_of(function):
    code = code_of(function)
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[:count]


def _explained(text):
    section = text.partition("Args:")[2].partition("\n\n")[0]
    return {name for entry in _ENTRY.findall(section) for name in entry.split(", ")}


def _with_arguments(text, indent, entries):
    if not entries:
        return text
    lines = "".join(entries)
    if "Args:\n" in text:
        return text.replace("Args:\n", f"Args:\n{lines}", 1)
    return _before_the_rest(text, indent, f"Args:\n{lines}".rstrip("\n"))


def _before_the_rest(text, indent, section):
    """The text with a section before those that come after it."""
    for following in ("Returns:", "Raises:", "Example:"):
        if section.startswith("Returns:") and following == "Returns:":
            continue
        mark = f"{indent}{following}\n"
        if mark in text:
            return text.replace(mark, f"{indent}{section}\n\n{mark}", 1)
    return text
