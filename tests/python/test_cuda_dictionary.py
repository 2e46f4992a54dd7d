"""``__cuda_array_interface__`` where no device of CUDA's is needed: what is refused, and in which words.

What such memory is then good for: test_cuda.py.
"""

import collections
import re
import types

import numpy as np
import pytest
import usmx

REACHES = [d for d in usmx.get_devices() if d.backend == "cuda"]


class CudaProducer:
    """An object of nobody's library: the dictionary alone. `...` removes an entry."""

    def __init__(self, interface=None, /, **changes):
        valid = {"shape": (3, 4), "typestr": "<f4", "data": (4096, False), "version": 3}
        given = valid | changes if interface is None else interface
        if isinstance(given, dict):
            given = {key: value for key, value in given.items() if value is not ...}
        self.__cuda_array_interface__ = given


class OnHost:
    """As PyTorch's tensors on the CPU: the class has the property, the object has not."""

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("not on such a device")

    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0)


REFUSED = {
    "no mapping": ({"interface": [1]}, TypeError, "__cuda_array_interface__ must be a dict"),
    "no version": ({"version": ...}, ValueError, "__cuda_array_interface__ .* key 'version'"),
    "version 1": ({"version": 1}, ValueError, "'version' must be 2 or 3, found 1"),
    "version 4": ({"version": 4}, ValueError, "'version' must be 2 or 3, found 4"),
    "version True": ({"version": True}, TypeError, "'version'"),
    "version text": ({"version": "3"}, TypeError, "'version'"),
    "no shape": ({"shape": ...}, ValueError, "'shape'"),
    "shape number": ({"shape": 3}, TypeError, "'shape'"),
    "shape of floats": ({"shape": (3.0,)}, TypeError, "'shape'"),
    "negative shape": ({"shape": (-1,)}, ValueError, "'shape'"),
    "wrapping shape": ({"shape": (2**40, 2**40)}, ValueError, "number of elements"),
    "65 dimensions": ({"shape": (1,) * 65}, ValueError, "'shape' must have at most 64"),
    "no typestr": ({"typestr": ...}, ValueError, "'typestr'"),
    "typestr bytes": ({"typestr": b"<f4"}, TypeError, "'typestr'"),
    "other byte order": ({"typestr": ">f4"}, ValueError, "'typestr'"),
    "objects": ({"typestr": "|O"}, ValueError, "'typestr'"),
    "fields of a plain type": ({"descr": [("", "<f8")]}, ValueError, "'descr'"),
    "structured without fields": ({"typestr": "|V8"}, ValueError, "'descr'"),
    "no data": ({"data": ...}, ValueError, "'data'"),
    "data None": ({"data": None}, TypeError, "'data'"),
    "data number": ({"data": 4096}, TypeError, "'data'"),
    "data of one": ({"data": (4096,)}, ValueError, "'data' must have 2"),
    "negative pointer": ({"data": (-1, False)}, ValueError, r"'data\[0\]'"),
    "pointer of 65 bits": ({"data": (2**64, False)}, ValueError, r"'data\[0\]'"),
    "flag of text": ({"data": (4096, "no")}, TypeError, "'data'"),
    "null pointer": ({"data": (0, False)}, ValueError, "null"),
    "end of the address space": ({"data": (2**64 - 4, False)}, ValueError, "address space"),
    "strides of one": ({"strides": (4,)}, ValueError, "'strides' must have 2"),
    "strides of floats": ({"strides": (16.0, 4.0)}, TypeError, "'strides'"),
    "strides of parts": ({"strides": (16, 3)}, ValueError, "'strides' must be multiples of the 4"),
    "wrapping strides": ({"strides": (2**63 - 4, 4)}, ValueError, "represent|at most|byte|stride"),
    "mask": ({"mask": CudaProducer()}, ValueError, "'mask'"),
    "stream 0": ({"stream": 0}, ValueError, "'stream'.* found 0"),
    "stream -1": ({"stream": -1}, ValueError, "'stream'"),
    "stream of 65 bits": ({"stream": 2**64}, ValueError, "'stream'"),
    "stream True": ({"stream": True}, TypeError, "'stream'"),
    "stream text": ({"stream": "1"}, TypeError, "'stream'"),
}


@pytest.mark.parametrize(("changes", "error", "part"), REFUSED.values(), ids=REFUSED)
def test_entry_that_breaks_a_rule_is_refused_by_name(changes, error, part):
    with pytest.raises(error, match=part):
        usmx.asarray(CudaProducer(changes.pop("interface", None), **changes))


@pytest.mark.parametrize("key", ["descr", "strides", "stream", "mask"])
@pytest.mark.parametrize("value", [None, ...])
def test_entry_that_may_be_missing_may_be_none(key, value):
    given = CudaProducer(shape=(2**50,), **{key: value})
    with pytest.raises(ValueError, match="CUDA"):  # nothing before the memory is asked for
        usmx.asarray(given)


@pytest.mark.skipif(bool(REACHES), reason="the SYCL runtime has a CUDA device")
@pytest.mark.parametrize(
    "take",
    [
        usmx.asarray,
        usmx.from_usm_array_interface,
        usmx.memory.as_usm_memory,
        usmx.asnumpy,
        lambda producer: usmx.asarray([producer]),
        lambda producer: usmx.asarray(producer, dtype="f8"),
    ],
)
@pytest.mark.parametrize("shape", [(3,), (0,)])
def test_without_such_a_device_the_error_says_so_and_what_is_there(take, shape):
    found = ", ".join(device.filter_string for device in usmx.get_devices())
    with pytest.raises(ValueError, match=f"no CUDA device here, found devices: {found}"):
        take(CudaProducer(shape=shape))


def test_other_mappings_are_read():
    valid = CudaProducer(version=1).__cuda_array_interface__
    for mapping in (types.MappingProxyType(valid), collections.UserDict(valid)):
        with pytest.raises(ValueError, match="found 1"):
            usmx.asarray(CudaProducer(mapping))


def test_dictionary_of_sycl_comes_first():
    array = usmx.arange(3)
    producer = CudaProducer({})
    producer.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__
    producer.owner = array
    assert usmx.asarray(producer)._pointer == array._pointer


def test_property_that_raises_attribute_error_is_no_dictionary():
    assert usmx.asarray(OnHost()).tolist() == [0, 1, 2]


def test_other_error_of_the_property_passes_through():
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("needs its gradient")

    with pytest.raises(RuntimeError, match="needs its gradient"):
        usmx.asarray(Broken())


def test_array_elsewhere_has_no_such_attribute():
    on_cpu = [device for device in usmx.get_devices() if device.backend != "cuda"]
    if not on_cpu:
        pytest.skip("all devices are CUDA's")
    array = usmx.zeros(3, device=on_cpu[0])
    assert not hasattr(array, "__cuda_array_interface__")
    place = re.escape(on_cpu[0].filter_string)
    with pytest.raises(AttributeError, match=f"CUDA devices, found memory of .*{place}"):
        array.__cuda_array_interface__  # noqa: B018
