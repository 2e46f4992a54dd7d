"""DLPack's devices, and from_dlpack where `device` is one."""

import dpctl
import numpy as np
import pytest
import usmx
from dpnp import tensor
from helpers import KINDS
from usmx import DLDeviceType

HOST = (DLDeviceType.kDLCPU, 0)


class OlderProducer:
    """Its __dlpack__ is that of versions before 1.0: it knows no `dl_device` and no `copy`."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.fixture
def device():
    return usmx.SyclDevice()


def test_members_are_those_of_dpnp():
    for member in tensor.DLDeviceType:
        assert DLDeviceType[member.name] == member


def test_devices_go_both_ways_and_are_dpnps():
    for index, device in enumerate(usmx.get_devices()):
        pair = usmx.sycl_device_to_dldevice(device)
        assert pair == (14, index)
        assert pair == tensor.sycl_device_to_dldevice(dpctl.SyclDevice(device.filter_string))
        assert usmx.dldevice_to_sycl_device(pair) == device


@pytest.mark.parametrize("wrong", [(1, 0), (2, 0), (14, -1), (14, 99), (14,), (14, 0, 0)])
def test_pair_without_a_device_is_a_value_error(wrong):
    with pytest.raises(ValueError, match="found"):
        usmx.dldevice_to_sycl_device(wrong)


@pytest.mark.parametrize("wrong", [14, [14, 0], "14", (14, "0"), (14.0, 0), None])
def test_what_is_no_pair_of_integers_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="found"):
        usmx.dldevice_to_sycl_device(wrong)


def test_dldevice_of_another_thing_is_a_type_error():
    with pytest.raises(TypeError, match="tuple"):
        usmx.sycl_device_to_dldevice((14, 0))


@pytest.mark.parametrize("make", [usmx.asarray, tensor.asarray])
@pytest.mark.parametrize("kind", KINDS)
def test_array_for_the_host_is_numpys(make, kind):
    numbers = make(np.arange(12.0).reshape(3, 4), usm_type=kind)
    found = usmx.from_dlpack(numbers, device=HOST)
    assert type(found) is np.ndarray
    assert found.tolist() == np.arange(12.0).reshape(3, 4).tolist()


@pytest.mark.usefixtures("strict_host")
def test_array_for_the_host_shares_memory_that_the_host_reaches():
    numbers = usmx.zeros(3, usm_type="shared")
    shared = usmx.from_dlpack(numbers, device=HOST, copy=False)
    copied = usmx.from_dlpack(numbers, device=HOST, copy=True)
    numbers[0] = 5
    assert (shared[0], copied[0]) == (5, 0)
    with pytest.raises(BufferError, match="copy=False"):
        usmx.from_dlpack(usmx.zeros(3), device=HOST, copy=False)


@pytest.mark.parametrize("kind", KINDS)
def test_array_of_an_older_producer_for_the_host_is_numpys(kind):
    numbers = usmx.asarray(np.arange(12.0).reshape(3, 4), usm_type=kind)
    found = usmx.from_dlpack(OlderProducer(numbers), device=HOST)
    assert type(found) is np.ndarray
    assert found.tolist() == np.arange(12.0).reshape(3, 4).tolist()


@pytest.mark.parametrize("make", [np.zeros, lambda n: usmx.zeros(n, usm_type="shared")])
@pytest.mark.usefixtures("strict_host")
def test_array_of_an_older_producer_is_copied_only_where_asked(make):
    numbers = make(3)
    shared = usmx.from_dlpack(OlderProducer(numbers), device=HOST, copy=False)
    copied = usmx.from_dlpack(OlderProducer(numbers), device=HOST, copy=True)
    numbers[0] = 5
    assert (shared[0], copied[0]) == (5, 0)
    with pytest.raises(BufferError, match="copy=False"):
        usmx.from_dlpack(OlderProducer(usmx.zeros(3)), device=HOST, copy=False)


@pytest.mark.parametrize("make", [np.asarray, usmx.asarray, tensor.asarray])
def test_array_for_a_device_is_there(make, device):
    pair = usmx.sycl_device_to_dldevice(device)
    found = usmx.from_dlpack(make([1.0, 2.0]), device=pair)
    assert isinstance(found, usmx.USMArray)
    assert found.sycl_device == device
    assert usmx.asnumpy(found).tolist() == [1, 2]


def test_other_pairs_are_refused():
    for wrong, error in (((2, 0), ValueError), ((14, 99), ValueError), ((14, None), TypeError)):
        with pytest.raises(error, match="found"):
            usmx.from_dlpack(usmx.zeros(1), device=wrong)


@pytest.mark.parametrize("device", [HOST, (DLDeviceType.kDLOneAPI, 0)])
def test_what_has_no_dlpack_is_a_type_error(device):
    with pytest.raises(TypeError, match="__dlpack__, found list"):
        usmx.from_dlpack([1.0], device=device)
