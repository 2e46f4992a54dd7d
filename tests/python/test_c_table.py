"""The table of C functions, called with null pointers: an error each, or nothing where the header allows null."""

import pytest
from helpers import output_of

# Without a place for the answer or the object, these have nothing to do.
REFUSING = [
    "as_array",
    "from_array",
    "as_queue",
    "from_queue",
    "as_context",
    "from_context",
    "as_device",
    "from_device",
    "as_event",
    "from_event",
    "retain",
    "view_of",
    "allocate",
    "adopt",
    "record",
    "wait",
    "wait_event",
    "as_array_for",
    "make_ready",
    "pending_events",
    "record_read",
    "record_write",
    "allocate_bytes",
    "allocate_for",
]
DOING_NOTHING = [
    "release",
    "free_queue",
    "free_context",
    "free_device",
    "free_event",
    "last_error",
    "free_events",
    "free_bytes",
    "release_object",
]
CODE = """
import ctypes, re
from pathlib import Path
import usmx
header = Path(usmx.get_include(), "usmx", "c_api.h").read_text()
table = header[header.index("struct usmx_api {"):]
names = re.findall(r"^  \\S.*?\\(\\*(\\w+)\\)\\(", table[:table.index("\\n};")], re.MULTILINE)
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
capsule = usmx._core._c_api
ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
name = ctypes.pythonapi.PyCapsule_GetName(ctypes.py_object(capsule))
first = ctypes.pythonapi.PyCapsule_GetPointer(ctypes.py_object(capsule), name) + 16
functions = {
    name: ctypes.PYFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 6)(
        ctypes.c_void_p.from_address(first + 8 * k).value
    )
    for k, name in enumerate(names)
}
def code_of_last_error():
    return functions["last_error"](*[None] * 6)
for name, function in functions.items():
    if name in ("accept", "set_error"):
        continue
    try:
        result = function(*[None] * 6) or 0
        print(name, "ValueError" if result & 0xffffffff in (0, 0xffffffff) and name in NOTING else "nothing")
    except ValueError:
        print(name, "ValueError")
"""


@pytest.mark.slow
def test_null_is_a_value_error_or_nothing():
    said = dict(
        line.split() for line in output_of(CODE.replace("NOTING", repr(REFUSING))).splitlines()
    )
    assert said == dict.fromkeys(REFUSING, "ValueError") | dict.fromkeys(DOING_NOTHING, "nothing")
