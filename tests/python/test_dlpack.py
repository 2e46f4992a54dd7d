"""DLPack both ways: with dpnp, with NumPy, and with strangers that lie."""

import gc
import threading

import dpctl
import dpnp
import dpnp.tensor
import numpy as np
import pytest
import usmx
from helpers import HOST_KINDS, KINDS, TYPESTRS, capsule_name, make_capsule, output_of
from usmx.testing._tensors import (
    COPIED,
    CPU,
    CUDA,
    ONEAPI,
    READ_ONLY,
    Device,
    LegacyManaged,
    Stranger,
    held_by,
)

# Not negative strides, which dpnp takes from nobody, nor the null pointer of what has no elements.
TO_DPNP = {
    "all": np.s_[...],
    "rows": np.s_[1:],
    "columns": np.s_[:, 1:3],
    "steps": np.s_[::2, ::3],
    "row": np.s_[1],
    "column": np.s_[:, 2],
    "element": np.s_[1, 2],
    "new axis": np.s_[:, None],
}
ALL_KEYS = TO_DPNP | {"nothing": np.s_[2:2], "reversed": np.s_[::-1], "backwards": np.s_[1:, ::-2]}
layouts = pytest.mark.parametrize("key", ALL_KEYS.values(), ids=ALL_KEYS)
OWN = (ONEAPI, usmx.zeros(1).__dlpack_device__()[1])


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=HOST_KINDS)
def reachable(request):
    return request.param


class Wrapper:
    """A producer of nobody's library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def sample(typestr="<f4", shape=(4, 6)):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if typestr == "|b1":
        return values % 2 == 1
    values = values.astype(typestr)
    return values * values.dtype.type(1 - 2j) if "c" in typestr else values


def mine(typestr="<f4", kind="device"):
    return usmx.asarray(sample(typestr), usm_type=kind)


def theirs(typestr="<f4", kind="device"):
    return dpnp.tensor.asarray(sample(typestr), usm_type=kind)


def queue_of_another_context():
    device = dpctl.SyclDevice()
    return usmx.SyclQueue(dpctl.SyclQueue(dpctl.SyclContext([device]), device)._get_capsule())


def bytes_in_use():
    return usmx.memory.memory_stats()["used_bytes.current"]


def address(array):
    return array._pointer


# ---- with dpnp


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_array_of_every_type_is_viewed_by_dpnp(kind, typestr):
    array = mine(typestr, kind)
    view = dpnp.tensor.from_dlpack(array)
    assert (view.shape, view.dtype, view.usm_type) == (array.shape, array.dtype, kind)
    assert address(view) == address(array)
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample(typestr))


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_dpnp_array_of_every_type_is_viewed(kind, typestr):
    array = theirs(typestr, kind)
    view = usmx.from_dlpack(array)
    assert (view.shape, view.dtype, view.usm_type) == (array.shape, array.dtype, kind)
    assert address(view) == address(array)
    assert np.array_equal(usmx.asnumpy(view), sample(typestr))


@pytest.mark.parametrize("key", TO_DPNP.values(), ids=TO_DPNP)
def test_view_of_every_layout_is_viewed_by_dpnp(kind, key):
    array = mine(kind=kind)[key]
    view = dpnp.tensor.from_dlpack(array)
    assert (view.shape, address(view)) == (array.shape, address(array))
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample()[key])


@layouts
def test_dpnp_view_of_every_layout_is_viewed(kind, key):
    array = theirs(kind=kind)[key]
    view = usmx.from_dlpack(array)
    assert view.shape == array.shape
    if array.size:
        assert address(view) == address(array)
    assert np.array_equal(usmx.asnumpy(view), sample()[key])


def test_view_of_a_dpnp_array_is_on_its_queue(kind):
    queue = dpctl.SyclQueue()
    array = dpnp.tensor.asarray(sample(), usm_type=kind, sycl_queue=queue)
    assert usmx.from_dlpack(array).sycl_queue == queue


def test_result_of_a_dpnp_kernel_is_finished_when_read(kind):
    for step in range(20):
        array = dpnp.full((256, 256), step, dtype="f4", usm_type=kind) * 2 + 1
        assert (usmx.asnumpy(usmx.from_dlpack(array)) == 2 * step + 1).all()


def test_writes_of_dpnp_are_seen_once_its_queue_has_finished(kind):
    array = mine(kind=kind)
    view = dpnp.tensor.from_dlpack(array)
    view += 100
    view.sycl_queue.wait()
    assert np.array_equal(usmx.asnumpy(array), sample() + 100)


def test_read_only_array_is_read_only_in_dpnp_and_back(kind):
    array = mine(kind=kind).readonly()
    view = dpnp.tensor.from_dlpack(array)
    assert view.flags.writable is False
    assert usmx.from_dlpack(view).flags.writable is False
    assert usmx.from_dlpack(array).flags.writable is False


def test_dpnp_keeps_the_memory_alive(kind):
    view = dpnp.tensor.from_dlpack(mine(kind=kind))
    others = [usmx.zeros((4, 6), "f4", usm_type=kind) for _ in range(50)]
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample())
    assert len(others) == 50


def test_view_keeps_dpnps_memory_alive(kind):
    view = usmx.from_dlpack(theirs(kind=kind))
    gc.collect()
    others = [dpnp.tensor.zeros((4, 6), dtype="f4", usm_type=kind) for _ in range(50)]
    assert np.array_equal(usmx.asnumpy(view), sample())
    assert len(others) == 50


# ---- there and back


def strides_of(array):
    """Those that say something: not along axes of one element."""
    pairs = zip(array.shape, array.strides, strict=True)
    return [stride for extent, stride in pairs if extent > 1]


@layouts
def test_array_comes_back_as_it_was(kind, key):
    array = mine(kind=kind)[key]
    for again in (usmx.from_dlpack(array), usmx.from_dlpack(Wrapper(array))):
        assert type(again) is usmx.USMArray
        assert (again.shape, again.usm_type) == (array.shape, kind)
        assert again.sycl_queue == array.sycl_queue
        if array.size:
            assert (strides_of(again), address(again)) == (strides_of(array), address(array))
        assert np.array_equal(usmx.asnumpy(again), sample()[key])


def test_memory_of_an_array_that_came_back_is_freed_with_the_last_view():
    before = bytes_in_use()
    array = usmx.empty(1 << 20, "u1")
    views = [usmx.from_dlpack(Wrapper(usmx.from_dlpack(array))) for _ in range(3)]
    del array
    assert bytes_in_use() > before
    del views
    usmx.synchronize()
    assert bytes_in_use() == before


# ---- the arguments of __dlpack__


def test_device_is_the_place_among_all_devices():
    kind, number = usmx.zeros(3).__dlpack_device__()
    assert kind == ONEAPI
    assert usmx.get_devices()[number] == usmx.SyclDevice()
    assert dpnp.tensor.zeros(3).__dlpack_device__() == (kind, number)


@pytest.mark.parametrize(
    ("max_version", "name"),
    [
        (None, "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ([1, 3], "dltensor_versioned"),
        ((7, 0), "dltensor_versioned"),
    ],
)
def test_capsule_is_of_the_generation_that_is_asked_for(max_version, name):
    assert capsule_name(usmx.zeros(3).__dlpack__(max_version=max_version)) == name


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_version": 1}, TypeError),
        ({"max_version": (1,)}, ValueError),
        ({"max_version": ("1", "0")}, TypeError),
        ({"dl_device": 14}, TypeError),
        ({"dl_device": (ONEAPI, 99)}, BufferError),
        ({"dl_device": (CUDA, 0)}, BufferError),
        ({"dl_device": (CPU, 1)}, BufferError),
        ({"dl_device": (*OWN, 0)}, BufferError),
        ({"copy": 1}, TypeError),
        ({"stream": "default"}, TypeError),
        ({"stream": True}, TypeError),
        ({"stream": 1.0}, TypeError),
    ],
)
def test_arguments_that_are_none_are_refused(arguments, error):
    (name,) = arguments
    with pytest.raises(error, match=name):
        usmx.zeros(3).__dlpack__(**arguments)


def test_arguments_are_given_by_name():
    with pytest.raises(TypeError):
        usmx.zeros(3).__dlpack__(None)


@pytest.mark.parametrize(
    "stream",
    [None, -1, 0, 1, 2, 1 << 40, usmx.SyclQueue(), dpctl.SyclQueue()],
    ids=["None", "-1", "0", "1", "2", "address", "usmx", "dpctl"],
)
def test_stream_may_be_none_an_integer_or_a_queue(stream):
    array = mine()
    assert held_by(array.__dlpack__(max_version=(1, 3), stream=stream)).tensor.data == address(
        array
    )


def test_capsule_of_a_queue_is_a_stream_and_stays_usable():
    capsule = usmx.SyclQueue()._get_capsule()
    usmx.zeros(3).__dlpack__(stream=capsule)
    assert capsule_name(capsule) == "SyclQueueRef"


def test_stream_of_another_context_is_refused():
    queue = queue_of_another_context()
    with pytest.raises(ValueError, match="context"):
        usmx.zeros(3).__dlpack__(stream=queue)


def test_work_of_the_consumer_on_its_stream_is_waited_for():
    array = usmx.zeros(1 << 20, "f4")
    view = dpnp.tensor.from_dlpack(array)
    array.__dlpack__(stream=view.sycl_queue)
    for _ in range(20):
        view += 1
    assert (usmx.asnumpy(array) == 20).all()


def test_memory_of_another_context_is_refused():
    queue = queue_of_another_context()
    array = usmx.zeros(3, usm_type="shared", sycl_queue=queue)
    for call in (array.__dlpack__, array.__dlpack_device__):
        with pytest.raises(BufferError, match="default context"):
            call()
    assert capsule_name(array.__dlpack__(dl_device=(CPU, 0))) == "dltensor"


def test_legacy_capsule_of_a_read_only_array_is_refused():
    with pytest.raises(BufferError, match="read-only"):
        mine().readonly().__dlpack__()
    assert capsule_name(mine().readonly().__dlpack__(copy=True)) == "dltensor"


def test_structured_array_is_refused():
    array = usmx.zeros(3, np.dtype([("x", "f4"), ("y", "i2")]))
    with pytest.raises(BufferError, match="structured"):
        array.__dlpack__()


def test_flags_say_read_only_and_copied(strict_host):
    def flags(array, **arguments):
        return held_by(array.__dlpack__(max_version=(1, 3), **arguments)).flags

    array = mine()
    assert flags(array) == flags(array, copy=False) == 0
    assert flags(array.readonly()) == READ_ONLY
    assert flags(array.readonly(), copy=True) == flags(array, dl_device=(CPU, 0)) == COPIED


def test_copy_has_memory_of_its_own(kind):
    array = mine(kind=kind)[::-1, ::2]
    copied = usmx.from_dlpack(Wrapper(array), copy=True)
    asked = held_by(array.__dlpack__(max_version=(1, 3), copy=True))
    assert asked.tensor.data != address(array) != address(copied)
    assert (copied.usm_type, copied.flags.writable) == (kind, True)
    assert np.array_equal(usmx.asnumpy(copied), sample()[::-1, ::2])


def test_array_without_elements_points_to_its_memory_on_oneapi_and_nowhere_on_the_host():
    array = usmx.zeros((3, 0), usm_type="shared")
    tensor = held_by(array.__dlpack__(max_version=(1, 0))).tensor
    on_oneapi = array.__dlpack_device__()[0] == 14
    assert tensor.data == (array.base._pointer if on_oneapi else None)
    assert tensor.strides
    on_host = held_by(array.__dlpack__(max_version=(1, 0), dl_device=(CPU, 0))).tensor
    assert on_host.data is None


def test_dpnp_takes_a_tensor_without_elements():
    taken = dpnp.from_dlpack(usmx.zeros((3, 0), "i4"))
    assert (taken.shape, taken.dtype) == ((3, 0), "i4")


@pytest.mark.parametrize("key", [np.s_[::-1, ::-1][:1], np.s_[:1], np.s_[:, :1], np.s_[3:2]])
def test_strides_that_say_nothing_are_normal_ones(key):
    array = mine()[::-1, ::-2][key]
    tensor = held_by(array.__dlpack__(max_version=(1, 0))).tensor
    strides = tensor.strides[: array.ndim]
    compact = usmx.empty(array.shape).strides
    for axis, extent in enumerate(array.shape):
        if array.size == 0:
            assert strides[axis] == compact[axis]
        elif extent == 1:
            assert strides[axis] > 0
        else:
            assert strides[axis] == array.strides[axis]


def test_capsule_that_nobody_takes_lets_the_memory_go():
    before = bytes_in_use()
    capsules = [usmx.empty(1 << 16).__dlpack__(max_version=v) for v in (None, (1, 0))]
    assert bytes_in_use() > before
    del capsules
    assert bytes_in_use() == before


# ---- with NumPy


@layouts
def test_numpy_views_memory_that_the_host_reaches(reachable, key):
    array = mine(kind=reachable)[key]
    for view in (
        np.from_dlpack(array, device="cpu"),
        np.from_dlpack(array, device="cpu", copy=False),
    ):
        assert np.array_equal(view, sample()[key])
        if array.size:
            assert view.ctypes.data == address(array)
            assert view.flags.writeable
    view[...] = 0
    assert not usmx.asnumpy(array).any()


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_numpy_views_every_type(reachable, typestr):
    view = np.from_dlpack(mine(typestr, reachable), device="cpu")
    assert view.dtype == np.dtype(typestr)
    assert np.array_equal(view, sample(typestr))


def test_numpy_is_given_a_copy_of_device_memory(strict_host):
    array = mine()[::-1]
    copied = np.from_dlpack(array, device="cpu")
    assert np.array_equal(copied, sample()[::-1])
    with pytest.raises(BufferError, match="copy=False"):
        np.from_dlpack(array, device="cpu", copy=False)


def test_numpy_sees_a_read_only_array_as_one(reachable):
    view = np.from_dlpack(mine(kind=reachable).readonly(), device="cpu")
    assert not view.flags.writeable


def test_numpy_keeps_the_memory_alive(reachable):
    view = np.from_dlpack(mine(kind=reachable), device="cpu")
    others = [usmx.zeros((4, 6), "f4", usm_type=reachable) for _ in range(50)]
    assert np.array_equal(view, sample())
    assert len(others) == 50


@pytest.mark.parametrize("typestr", TYPESTRS)
def test_numpy_array_of_every_type_is_copied(typestr):
    array = sample(typestr)
    copied = usmx.from_dlpack(array)
    assert (copied.usm_type, copied.dtype) == ("device", array.dtype)
    assert np.array_equal(usmx.asnumpy(copied), array)


@layouts
def test_numpy_view_of_every_layout_is_copied(key):
    array = np.asarray(sample()[key])
    assert np.array_equal(usmx.asnumpy(usmx.from_dlpack(array)), array)


def test_copy_of_a_numpy_array_keeps_the_order_of_its_axes():
    assert usmx.from_dlpack(sample().T).strides == (1, 6)


def test_host_memory_is_copied_to_the_device_asked_for():
    queue = usmx.SyclQueue()
    assert usmx.from_dlpack(sample(), device=queue).sycl_queue == queue


def test_host_memory_without_a_copy_is_refused():
    with pytest.raises(ValueError, match="copy=False"):
        usmx.from_dlpack(sample(), copy=False)


def test_array_that_is_there_already_is_not_copied():
    array = mine()
    view = usmx.from_dlpack(array, device=array.sycl_queue, copy=False)
    assert address(view) == address(array)


def test_array_on_another_queue_is_a_copy_or_refused():
    array, queue = mine(), usmx.SyclQueue()
    copied = usmx.from_dlpack(array, device=queue)
    assert copied.sycl_queue == queue
    assert address(copied) != address(array)
    with pytest.raises(ValueError, match="copy=False"):
        usmx.from_dlpack(array, device=queue, copy=False)


# ---- strangers


@pytest.fixture(scope="module")
def memory():
    return usmx.memory.MemoryUSMShared(96)


def test_stranger_is_viewed_and_let_go_once(memory):
    stranger = Stranger(memory._pointer, (3, 4), byte_offset=0, device=Device(*OWN))
    view = usmx.from_dlpack(stranger)
    assert capsule_name(stranger.capsule) == "used_dltensor_versioned"
    assert (view.shape, view.dtype, address(view)) == ((3, 4), "<f8", memory._pointer)
    assert stranger.deleted == 0
    del view
    assert stranger.deleted == 1


def test_legacy_stranger_is_viewed_and_let_go_once(memory):
    stranger = Stranger(memory._pointer, (12,), structure=LegacyManaged, device=Device(*OWN))
    view = usmx.from_dlpack(stranger)
    assert capsule_name(stranger.capsule) == "used_dltensor"
    del view
    assert stranger.deleted == 1


def test_stranger_of_the_host_is_copied_and_let_go_once():
    values = sample("<f8")
    stranger = Stranger(values.ctypes.data, (4, 6), device=Device(CPU, 0))
    assert np.array_equal(usmx.asnumpy(usmx.from_dlpack(stranger)), values)
    assert stranger.deleted == 1


def test_misaligned_memory_of_the_host_is_copied():
    raw = np.zeros(97, "u1")
    raw[1:].view("<f8")[...] = np.arange(12)
    stranger = Stranger(raw.ctypes.data, (12,), device=Device(CPU, 0), byte_offset=1)
    assert np.array_equal(usmx.asnumpy(usmx.from_dlpack(stranger)), np.arange(12))


def test_view_is_let_go_on_any_thread(memory):
    stranger = Stranger(memory._pointer, (12,), device=Device(*OWN))
    views = [usmx.from_dlpack(stranger)]
    thread = threading.Thread(target=views.clear)
    thread.start()
    thread.join()
    usmx.synchronize()
    assert stranger.deleted == 1


def test_capsule_is_taken_once(memory):
    stranger = Stranger(memory._pointer, (12,), device=Device(*OWN))
    view = usmx.from_dlpack(stranger)
    with pytest.raises(ValueError, match="used_dltensor_versioned"):
        usmx.from_dlpack(stranger)
    del view
    assert stranger.deleted == 1


HOSTILE = {
    "version 0": ({"major": 0}, BufferError, "1.x"),
    "version 2": ({"major": 2}, BufferError, "2.3"),
    "ROCm": ({"device": Device(10, 0)}, BufferError, "device type 10"),
    "no such CUDA device": (
        {"device": Device(CUDA, 99)},
        BufferError,
        "CUDA memory of device 99: the SYCL runtime has no .*CUDA device here, found devices: ",
    ),
    "no such device": ({"device": Device(ONEAPI, 99)}, ValueError, "99"),
    "device -1": ({"device": Device(ONEAPI, -1)}, ValueError, "-1"),
    "ndim -1": ({"ndim": -1}, ValueError, "ndim"),
    "ndim 65": ({"ndim": 65}, ValueError, "ndim"),
    "no shape": ({"shape": None, "ndim": 1}, ValueError, "shape"),
    "too many elements": ({"shape": (13,)}, ValueError, "inside"),
    "negative shape": ({"shape": (-1,)}, ValueError, "-1"),
    "wrapping shape": ({"shape": (2**62, 4)}, ValueError, "elements"),
    "wrapping strides": ({"shape": (2,), "strides": (2**62,)}, ValueError, "bytes"),
    "far offset": ({"byte_offset": 2**64 - 8}, ValueError, "address space"),
    "misaligned": ({"shape": (2,), "byte_offset": 4}, ValueError, "aligned"),
    "no memory": ({"data": None}, ValueError, "null"),
    "no USM": ({"data": 4096}, ValueError, "USM"),
    "bfloat16": ({"code": 4, "bits": 16}, BufferError, "type code 4"),
    "float128": ({"code": 2, "bits": 128}, BufferError, "128 bits"),
}


@pytest.mark.parametrize(("changes", "error", "part"), HOSTILE.values(), ids=HOSTILE)
def test_tensor_that_lies_is_refused_and_let_go_once(memory, changes, error, part):
    valid = {"data": memory._pointer, "shape": (12,), "device": Device(*OWN)}
    stranger = Stranger(**(valid | changes))
    with pytest.raises(error, match=part):
        usmx.from_dlpack(stranger)
    assert stranger.deleted == 1


class Answer:
    """A producer that answers as it is told to."""

    def __init__(self, answer):
        self.answer = answer

    def __dlpack__(self, **_):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("name", ["dltensor_", "used_dltensor", "SyclQueueRef", None])
def test_capsules_of_other_names_are_refused(name):
    with pytest.raises(ValueError, match="dltensor"):
        usmx.from_dlpack(Answer(make_capsule(name)))


@pytest.mark.parametrize("answer", [None, 3, "capsule"])
def test_producer_without_a_capsule_is_refused(answer):
    with pytest.raises(TypeError, match="capsule"):
        usmx.from_dlpack(Answer(answer))


@pytest.mark.parametrize("x", [None, 3, [1, 2], object(), make_capsule("dltensor")])
def test_object_without_dlpack_is_refused(x):
    with pytest.raises(TypeError, match="__dlpack__"):
        usmx.from_dlpack(x)


@pytest.mark.parametrize("error", [BufferError("full"), RuntimeError("late"), TypeError("odd")])
def test_error_of_the_producer_passes_through(error):
    with pytest.raises(type(error), match=str(error)):
        usmx.from_dlpack(Answer(error))


class OldProducer:
    """Knows no arguments, as before version 1.0."""

    def __dlpack__(self):
        return mine().__dlpack__()


def test_old_producer_is_asked_without_arguments():
    assert np.array_equal(usmx.asnumpy(usmx.from_dlpack(OldProducer())), sample())
    assert usmx.from_dlpack(OldProducer(), copy=False).shape == (4, 6)


class Queued(Wrapper):
    """A producer that says where it works."""

    def __init__(self, array, queue):
        super().__init__(array)
        self.sycl_queue = queue


def test_view_is_on_the_queue_of_its_producer():
    queue = usmx.SyclQueue()
    assert usmx.from_dlpack(Queued(theirs(), queue)).sycl_queue == queue


@pytest.mark.parametrize("queue", [None, 3, "queue"])
def test_what_is_no_queue_of_a_producer_does_not_count(queue):
    array = mine()
    assert usmx.from_dlpack(Queued(array, queue)).sycl_queue == array.sycl_queue


def test_producer_that_works_in_another_context_is_viewed_on_usmxs_queue():
    queue = queue_of_another_context()
    view = usmx.from_dlpack(Queued(theirs(), queue))
    assert view.sycl_queue == usmx.zeros(1).sycl_queue


def test_producer_that_made_a_copy_is_refused_where_none_may_be(memory):
    stranger = Stranger(memory._pointer, (12,), flags=COPIED, device=Device(*OWN))
    with pytest.raises(ValueError, match="copy=False"):
        usmx.from_dlpack(stranger, copy=False)
    assert stranger.deleted == 1


@pytest.mark.parametrize("copy", [1, "no"])
def test_copy_must_be_a_bool_or_none(copy):
    with pytest.raises(TypeError, match="copy"):
        usmx.from_dlpack(mine(), copy=copy)


@pytest.mark.slow
def test_views_and_capsules_that_outlive_the_interpreter_do_no_harm():
    code = """
import sys, numpy as np, usmx
class Keeper:
    pass
keeper = Keeper()
keeper.self = keeper
keeper.mine = usmx.zeros(1000, usm_type="shared")
keeper.capsules = [keeper.mine.__dlpack__(max_version=v) for v in (None, (1, 0))]
keeper.numpys = np.from_dlpack(keeper.mine, device="cpu")
keeper.view = usmx.from_dlpack(keeper.mine)
import dpnp.tensor
keeper.dpnps = dpnp.tensor.from_dlpack(keeper.mine)
keeper.back = usmx.from_dlpack(keeper.dpnps)
sys.kept_for_ever = keeper
print("done")
"""
    assert output_of(code) == "done"
