"""The Python functions that the native module calls: all of them, given to it at import."""

from importlib import import_module

from usmx import _core
from usmx._container.conversion import array_astype, to_device
from usmx._container.creation import asnumpy
from usmx._container.indexing import host_index, host_value
from usmx._container.info import array_namespace
from usmx._container.manipulation import reshape
from usmx._text import short_repr


def _on_first_call(module, name):
    """The function, whose module and what that imports no program needs before."""
    found = None

    def function(*args, **kwargs):
        nonlocal found
        if found is None:
            found = getattr(import_module(module), name)
        return found(*args, **kwargs)

    return function


FUNCTIONS = {
    "array_astype": _core._naming_keywords(array_astype),
    "array_html": _on_first_call("usmx._container.html", "array_html"),
    "array_namespace": array_namespace,
    "array_repr": _on_first_call("usmx._container.formatting", "array_repr"),
    "array_str": _on_first_call("usmx._container.formatting", "array_str"),
    "asnumpy": asnumpy,
    "call_numpy_function": _on_first_call("usmx._container.numpy_functions", "call_numpy_function"),
    "copy_array": _on_first_call("usmx._container.array_pickling", "copy_array"),
    "copy_memory": _on_first_call("usmx._memory_pickling", "copy_memory"),
    "device_html": _on_first_call("usmx._container.html", "device_html"),
    "format_array": _on_first_call("usmx._container.formatting", "format_array"),
    "host_index": host_index,
    "host_value": host_value,
    "reduce_array": _on_first_call("usmx._container.array_pickling", "reduce_array"),
    "reduce_memory": _on_first_call("usmx._memory_pickling", "reduce_memory"),
    "reshape": reshape,
    "short_repr": short_repr,
    "to_device": _core._naming_keywords(to_device),
}

_core._set_hooks(**FUNCTIONS)
