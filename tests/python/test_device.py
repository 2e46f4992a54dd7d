"""usmx.Device, every `device=`, to_device, and what ``__array_namespace_info__`` says of devices."""

import dpctl
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import KINDS


def test_device_of_an_array_is_its_queue_device_and_context():
    array = usmx.empty(3, sycl_queue=usmx.SyclQueue())
    device = array.device
    assert isinstance(device, usmx.Device)
    assert device.sycl_queue == array.sycl_queue
    assert device.sycl_device == array.sycl_device
    assert device.sycl_context == array.sycl_context


def test_device_has_no_constructor():
    with pytest.raises(TypeError):
        usmx.Device()


def test_devices_are_equal_when_their_queues_are():
    queue = usmx.SyclQueue()
    one, same = usmx.empty(1, sycl_queue=queue).device, usmx.empty(2, sycl_queue=queue).device
    assert one == same
    assert hash(one) == hash(same) == hash(queue)
    assert one == queue
    assert one == dpctl.SyclQueue(queue._get_capsule())
    assert one != usmx.empty(1).device
    assert one != usmx.SyclQueue()
    assert one != "cpu"
    assert one != None  # noqa: E711


def test_device_shows_the_filter_string():
    device = usmx.empty(1).device
    assert repr(device) == f"Device({device.sycl_device.filter_string})"


def test_device_info_is_printed(capsys):
    device = usmx.empty(1).device
    device.print_device_info()
    lines = dict(
        line.strip().split("  ", 1) for line in capsys.readouterr().out.splitlines() if line
    )
    assert {name: text.strip() for name, text in lines.items()} == {
        "Name": device.sycl_device.name,
        "Driver version": device.sycl_device.driver_version,
        "Vendor": device.sycl_device.vendor,
        "Filter string": device.sycl_device.filter_string,
    }


def test_waiting_on_a_device_waits_for_its_queue():
    array = usmx.zeros(3, usm_type="shared")
    dpnp.tensor.asarray(array)[:] = 5
    array.device.wait()
    assert np.asarray(array).tolist() == [5, 5, 5]


def ways_to_say_a_device():
    queue = usmx.SyclQueue()
    default = usmx.SyclDevice()
    cached = usmx.empty(1).sycl_queue
    own = usmx.SyclQueue()
    theirs = dpctl.SyclQueue(own._get_capsule())
    return {
        "None": (None, cached),
        "filter string": (default.filter_string, cached),
        "SyclDevice": (default, cached),
        "SyclQueue": (queue, queue),
        "Device": (usmx.empty(1, sycl_queue=queue).device, queue),
        "dpctl.SyclDevice": (dpctl.SyclDevice(default.filter_string), cached),
        "dpctl.SyclQueue": (theirs, own),
        "dpnp Device": (dpnp.tensor.empty(1, sycl_queue=theirs).device, own),
    }


@pytest.mark.parametrize("way", list(ways_to_say_a_device()))
def test_every_way_to_say_a_device_is_understood(way):
    device, queue = ways_to_say_a_device()[way]
    if way in ("dpctl.SyclQueue", "dpnp Device"):
        queue = usmx.Device.create_device(device).sycl_queue
        assert usmx.Device.create_device(device) == usmx.Device.create_device(queue)
    x = usmx.zeros((2, 3))
    for made in (
        usmx.empty(3, device=device),
        usmx.zeros(3, device=device),
        usmx.ones(3, device=device),
        usmx.full(3, 7, device=device),
        usmx.arange(3, device=device),
        usmx.linspace(0, 1, 3, device=device),
        usmx.eye(3, device=device),
        usmx.asarray([1, 2], device=device),
        usmx.from_numpy(np.ones(3), device=device),
    ):
        assert made.sycl_queue == queue
    if device is not None:
        for made in (
            usmx.empty_like(x, device=device),
            usmx.zeros_like(x, device=device),
            usmx.ones_like(x, device=device),
            usmx.full_like(x, 7, device=device),
        ):
            assert made.sycl_queue == queue


@pytest.mark.parametrize(
    ("device", "error"),
    [
        (5, TypeError),
        (usmx.Device, TypeError),
        ([], TypeError),
        ("CPU", ValueError),
        ("", ValueError),
        ("gpu:77", usmx.SyclDeviceCreationError),
    ],
)
def test_what_is_no_device_is_an_error(device, error):
    with pytest.raises(error):
        usmx.Device.create_device(device)
    with pytest.raises(error):
        usmx.zeros(3, device=device)
    with pytest.raises(error):
        usmx.zeros(3).to_device(device)


def test_asarray_on_the_queue_of_a_device_is_on_that_queue():
    x, other = usmx.ones(3), usmx.empty(1, sycl_queue=usmx.SyclQueue())
    assert usmx.asarray(x, device=other.device).sycl_queue == other.sycl_queue
    assert usmx.asarray(x, device=other.sycl_queue).sycl_queue == other.sycl_queue
    assert usmx.asarray(x, device=x.device) is x
    assert usmx.asarray(other, device=other.sycl_device) is other


# ---- to_device


def queue_of_another_context():
    """On the same device."""
    context = dpctl.SyclContext([dpctl.SyclDevice(usmx.SyclDevice().filter_string)])
    return usmx.SyclQueue(usmx.SyclContext(context._get_capsule()), usmx.SyclDevice())


def test_to_device_where_the_array_is_gives_the_array():
    x = usmx.ones(3)
    assert x.to_device(x.device) is x
    assert x.to_device(x.sycl_queue) is x
    assert x.to_device(x.sycl_device) is x
    assert x.to_device(x.sycl_device.filter_string, stream=None) is x


@pytest.mark.parametrize("kind", KINDS)
def test_to_another_queue_of_the_device_the_memory_stays(kind):
    x = usmx.asarray(np.arange(12.0).reshape(3, 4), usm_type=kind)[::-1, ::2]
    queue = usmx.SyclQueue()
    moved = x.to_device(queue, stream=queue)
    assert moved.sycl_queue == queue
    assert (moved._pointer, moved.strides, moved.usm_type) == (x._pointer, x.strides, kind)
    assert usmx.asnumpy(moved).tolist() == [[8, 10], [4, 6], [0, 2]]
    assert moved.flags.writable
    assert not x.readonly().to_device(queue).flags.writable


def test_memory_on_another_queue_outlives_the_first_array():
    moved = usmx.full(1000, 7).to_device(usmx.SyclQueue())
    again = [usmx.zeros(1000, "i8") for _ in range(20)]
    assert usmx.asnumpy(moved).tolist() == [7] * 1000
    assert len(again) == 20


@pytest.mark.parametrize("kind", KINDS)
def test_to_another_context_the_view_alone_is_copied(kind):
    queue = queue_of_another_context()
    x = usmx.asarray(np.arange(12, dtype="f4").reshape(3, 4), usm_type=kind)
    view = x.T[1:, ::-1]
    moved = view.to_device(queue)
    assert (moved.sycl_queue, moved.sycl_context) == (queue, queue.sycl_context)
    assert moved._pointer != view._pointer
    assert (moved.usm_type, moved.dtype, moved.shape) == (kind, view.dtype, view.shape)
    assert moved.base.nbytes == view.nbytes
    assert np.array_equal(usmx.asnumpy(moved), usmx.asnumpy(view))
    back = moved.to_device(x.device)
    assert back.sycl_queue == x.sycl_queue
    assert np.array_equal(usmx.asnumpy(back), usmx.asnumpy(view))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_to_device_of_arrays_with_one_element_or_none(shape):
    x = usmx.full(shape, 3, "i2")
    for queue in (usmx.SyclQueue(), queue_of_another_context()):
        moved = x.to_device(queue)
        assert (moved.shape, moved.sycl_queue) == (shape, queue)
        assert usmx.asnumpy(moved).tolist() == np.full(shape, 3).tolist()


def test_stream_is_a_queue():
    with pytest.raises(TypeError, match="stream must be a SyclQueue or None, found int"):
        usmx.ones(3).to_device("cpu", stream=5)


# ---- inspection


def test_inspection_says_what_there_is():
    info = usmx.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert usmx.zeros((1,) * 64).ndim == 64
    assert info.default_device() == usmx.zeros(1).device
    assert [each.sycl_device for each in info.devices()] == usmx.get_devices()
    assert isinstance(info.devices(), tuple)
    assert usmx.zeros(1).device in info.devices()
    assert info.devices() + [None] == (*info.devices(), None)  # noqa: RUF005  # as SciPy's tests
    with pytest.raises(TypeError):
        info.devices() + None


def test_default_types_are_those_of_new_arrays():
    found = usmx.__array_namespace_info__().default_dtypes()
    theirs = dpnp.tensor.__array_namespace_info__().default_dtypes()
    assert found == theirs
    assert usmx.empty(1).dtype == found["real floating"]
    assert usmx.asarray(1j).dtype == found["complex floating"]
    assert usmx.arange(3).dtype == found["integral"]


@pytest.mark.parametrize("kind", [None, "bool", "integral", ("real floating", "bool"), "numeric"])
def test_types_of_a_device_are_those_of_the_array_api(kind):
    found = usmx.__array_namespace_info__().dtypes(kind=kind)
    assert found == dpnp.tensor.__array_namespace_info__().dtypes(kind=kind)
    for name, dtype in found.items():
        assert usmx.empty(1, dtype).dtype == np.dtype(name)


def test_inspection_takes_every_device():
    info = usmx.__array_namespace_info__()
    for device, _ in ways_to_say_a_device().values():
        assert info.dtypes(device=device) == info.dtypes()
        assert info.default_dtypes(device=device) == info.default_dtypes()
    with pytest.raises(TypeError, match="device must be"):
        info.dtypes(device=5)
    with pytest.raises(ValueError, match="'foo'"):
        info.dtypes(kind="foo")
