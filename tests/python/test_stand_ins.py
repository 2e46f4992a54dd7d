"""What cannot be unpickled for want of memory or of a device: every use of it raises, nothing hangs."""

import contextlib
import pickle
import warnings

import pytest
import usmx
from every_use import USES, shared
from helpers import KINDS, MEMORY_CLASSES

NBYTES = 1 << 20


@contextlib.contextmanager
def full_pool(kind):
    """No memory of this kind for what is larger than a few bytes."""
    pool = usmx.memory.get_memory_pool(kind)
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 1024)
    try:
        yield
    finally:
        pool.set_limit()


def stand_in_of(pickled, kind="shared"):
    with (
        full_pool(kind),
        pytest.warns(RuntimeWarning, match="every use of what stands for it raises"),
    ):
        return pickle.loads(pickled)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def stand_in():
    """Of an array of six numbers, which `USES` touch."""
    here = shared.sycl_device.filter_string.encode()
    stream = pickle.dumps(shared, 0).replace(here, b"cuda:gpu:77")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USMX_UNPICKLE_ON", "cuda:gpu:78")
        with pytest.warns(RuntimeWarning, match="cuda:gpu:78"):
            return pickle.loads(stream)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_raises_the_error_of_unpickling(stand_in, use):
    with pytest.raises(usmx.SyclDeviceCreationError, match="cuda:gpu:78"):
        use(stand_in)


def test_array_without_memory_raises_the_error_of_the_allocation(kind):
    stand_in = stand_in_of(pickle.dumps(usmx.ones(NBYTES, dtype="u1", usm_type=kind)), kind)
    assert isinstance(stand_in, usmx.USMArray)
    with pytest.raises(usmx.USMAllocationError, match=f"{NBYTES} bytes of USM {kind} memory"):
        usmx.asnumpy(stand_in)


def test_memory_object_without_memory_raises_the_error_of_the_allocation(kind):
    stand_in = stand_in_of(pickle.dumps(MEMORY_CLASSES[kind](NBYTES)), kind)
    assert isinstance(stand_in, MEMORY_CLASSES[kind])
    with pytest.raises(usmx.USMAllocationError, match=f"{NBYTES} bytes of USM {kind} memory"):
        stand_in.tobytes()


def test_its_warning_says_what_is_lacking_and_where_it_was_unpickled():
    pickled = pickle.dumps(usmx.ones(NBYTES, dtype="u1"))
    with full_pool("device"), pytest.warns(RuntimeWarning) as caught:
        pickle.loads(pickled)
    assert "USMArray could not be unpickled: cannot allocate" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_pickled_again_it_is_what_was_pickled_first(kind):
    array = usmx.full(NBYTES, 7, dtype="u1", usm_type=kind)
    again = pickle.loads(pickle.dumps(stand_in_of(pickle.dumps(array), kind)))
    assert usmx.array_equal(again, array)


@pytest.mark.parametrize("make", [usmx.SyclDevice, usmx.SyclQueue, usmx.Device.create_device])
def test_device_queue_and_place_raise_where_the_device_is_missing(make, monkeypatch):
    here = usmx.SyclDevice()
    original = make(here)
    monkeypatch.setattr("usmx._unpickling._get_devices", list)
    with pytest.warns(RuntimeWarning, match=here.filter_string):
        stand_in = pickle.loads(pickle.dumps(original))
    for use in (
        lambda: stand_in.sycl_context,
        lambda: usmx.zeros(3, device=stand_in),
        lambda: usmx.SyclQueue(stand_in),
    ):
        with pytest.raises(usmx.SyclDeviceCreationError, match="does not exist here"):
            use()


def test_device_memory_is_pickled_where_the_pool_of_host_memory_is_full():
    array = usmx.full(NBYTES, 7, dtype="u1", usm_type="device")
    buffers = []
    with full_pool("host"), warnings.catch_warnings(action="error"):
        stream = pickle.dumps(array, 5, buffer_callback=buffers.append)
    assert usmx.array_equal(pickle.loads(stream, buffers=buffers), array)
