"""Pickles of earlier versions can be read; they were made once, and are never made again."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import usmx

FOLDER = Path(__file__).parent.parent / "pickles_0_1_0"
ARRAYS = {
    "device_array": ("device", True, False),
    "shared_array_fortran": ("shared", True, True),
    "readonly_host_array": ("host", False, False),
}
PROTOCOLS = (2, 5)
if usmx.SyclDevice().filter_string != "opencl:cpu:0":
    pytest.skip("these pickles are of opencl:cpu:0", allow_module_level=True)


def loaded(name, protocol):
    return pickle.loads((FOLDER / f"{name}.{protocol}.pickle").read_bytes())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ARRAYS)
def test_array_of_0_1_0_is_read(name, protocol):
    array = loaded(name, protocol)
    assert (array.usm_type, array.flags.writable, array.flags.fnc) == ARRAYS[name]
    assert np.array_equal(usmx.asnumpy(array), np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ["device", "shared"])
def test_memory_of_0_1_0_is_read(kind, protocol):
    memory = loaded(f"{kind}_memory", protocol)
    assert (memory.get_usm_type(), memory.tobytes()) == (kind, b"abcdef")
