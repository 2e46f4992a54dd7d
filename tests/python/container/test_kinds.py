"""The kind of memory of a new array: named, of the arrays it is made of, of a Device, or the default."""

import threading

import numpy as np
import pytest
import usmx
from helpers import KINDS

# Makers of arrays of which nothing tells the kind.
MAKERS = {
    "arange": lambda **where: usmx.arange(3, **where),
    "arange of dates": lambda **where: usmx.arange(0.0, 1, 0.25, **where),
    "asarray": lambda **where: usmx.asarray([1, 2], **where),
    "asarray of NumPy's": lambda **where: usmx.asarray(np.ones(3), **where),
    "empty": lambda **where: usmx.empty((2, 3), **where),
    "empty of a size": lambda **where: usmx.empty(3, **where),
    "eye": lambda **where: usmx.eye(3, **where),
    "from_numpy": lambda **where: usmx.from_numpy(np.ones(3), **where),
    "full": lambda **where: usmx.full(3, 7, **where),
    "indices": lambda **where: usmx.indices((2, 2), **where),
    "linspace": lambda **where: usmx.linspace(0, 1, 4, **where),
    "ones": lambda **where: usmx.ones(3, **where),
    "random": lambda **where: usmx.random.default_rng(1).random(3, **where),
    "integers": lambda **where: usmx.random.default_rng(1).integers(9, size=3, **where),
    "tril_indices": lambda **where: usmx.tril_indices(3, **where)[0],
    "zeros": lambda **where: usmx.zeros(3, **where),
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def make(request):
    return request.param


@pytest.mark.parametrize("kind", KINDS)
def test_device_of_an_array_brings_its_kind(make, kind):
    device = usmx.empty(1, usm_type=kind).device
    assert make(device=device).usm_type == kind
    other = KINDS[KINDS.index(kind) - 1]
    assert make(device=device, usm_type=other).usm_type == other
    with usmx.using_usm_type(other):
        assert make(device=device).usm_type == kind


@pytest.mark.parametrize("kind", KINDS)
def test_default_is_that_of_the_block(make, kind):
    with usmx.using_usm_type(kind) as given:
        assert given == kind == make().usm_type == make(device=usmx.SyclDevice()).usm_type
        assert make(sycl_queue=usmx.default_queue()).usm_type == kind
    assert make().usm_type == usmx.default_usm_type()


def test_constructor_and_from_dlpack_make_the_default_kind():
    with usmx.using_usm_type("host"):
        assert usmx.USMArray(3).usm_type == "host"
        assert usmx.USMArray(3, buffer="shared").usm_type == "shared"
        assert usmx.from_dlpack(np.ones(3)).usm_type == "host"


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_which_one_is_made_tell_its_kind(kind):
    array = usmx.ones(3, usm_type=kind)
    other = usmx.empty(1, usm_type=KINDS[KINDS.index(kind) - 1]).device
    with usmx.using_usm_type(other.usm_type):
        for made in (
            usmx.zeros_like(array),
            usmx.zeros_like(array, device=other),
            usmx.asarray(array, device=other),
            array.to_device(other),
            array + 1,
            array.copy(),
            usmx.concat([array, array]),
            usmx.asarray([array, array]),
            usmx.full(2, array[0]),
            usmx.linspace(array, array + 1, 3),
        ):
            assert made.usm_type == kind


def test_devices_of_one_queue_are_equal_whatever_their_kind():
    devices = [usmx.empty(1, usm_type=kind).device for kind in KINDS]
    assert [device.usm_type for device in devices] == list(KINDS)
    assert len({*devices, usmx.Device.create_device(None)}) == 1
    assert len({repr(device) for device in devices}) == 1


def test_device_of_no_array_has_no_kind():
    assert usmx.Device.create_device(None).usm_type is None
    device = usmx.empty(1, usm_type="host").device
    assert usmx.Device.create_device(device).usm_type == "host"
    assert usmx.Device.create_device(device.sycl_queue).usm_type is None


def test_default_of_the_process_holds_for_all_threads_outside_of_blocks():
    found = []
    with usmx.using_usm_type("host"):
        assert usmx.set_default_usm_type("shared") is None
        try:
            thread = threading.Thread(target=lambda: found.append(usmx.zeros(2).usm_type))
            thread.start()
            thread.join()
            assert usmx.default_usm_type() == "host"
        finally:
            assert usmx.set_default_usm_type(None) == "shared"
    assert found == ["shared"]
    assert usmx.default_usm_type() == "device"


@pytest.mark.parametrize("function", [usmx.set_default_usm_type, usmx.using_usm_type])
def test_what_is_no_kind_is_an_error(function):
    with pytest.raises(ValueError, match="'usm_type' must be 'device', 'shared' or 'host', found"):
        function("system")
    with pytest.raises(TypeError, match="usm_type"):
        function(3)
