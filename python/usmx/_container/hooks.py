"""The Python functions that the native module calls: all of them, given to it at import."""

from usmx import _core
from usmx._container.asynchronous import wait_at_exit
from usmx._container.compute_follows_data import common_queue_of_arguments, common_queue_of_key
from usmx._container.creation import array_of_host_object
from usmx._container.host import host_index, host_value
from usmx._kernels import (
    compile_arguments,
    compile_error,
    compile_progress,
    compile_warnings,
    identity_text,
)
from usmx._text import short_repr

FUNCTIONS = {
    "array_of_host_object": array_of_host_object,
    "common_queue_of_arguments": common_queue_of_arguments,
    "common_queue_of_key": common_queue_of_key,
    "compile_arguments": compile_arguments,
    "compile_error": compile_error,
    "compile_progress": compile_progress,
    "compile_warnings": compile_warnings,
    "host_index": host_index,
    "host_value": host_value,
    "identity_text": identity_text,
    "short_repr": short_repr,
    "wait_at_exit": wait_at_exit,
}

_core._set_hooks(**FUNCTIONS)
