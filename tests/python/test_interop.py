"""dpctl, dpnp, NumPy and Numba as real counterparts: both ways, without a copy."""

import dpctl
import dpctl.memory
import dpnp
import dpnp.tensor
import numba
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, TYPESTRS, capsule_name

KEYS = {
    "all": np.s_[...],
    "rows": np.s_[1:],
    "columns": np.s_[:, 1:3],
    "steps": np.s_[::2, ::3],
    "row": np.s_[1],
    "column": np.s_[:, 2],
    "element": np.s_[1, 2],
}
REVERSED = {"reversed": np.s_[::-1], "backwards": np.s_[1:, ::-2]}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def sample(typestr="<f4", shape=(4, 6)):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    values = values % 2 if typestr == "|b1" else values
    return values.astype(typestr) * (1 - 2j if "c" in typestr else 1)


def theirs(typestr="<f4", kind="device"):
    """The sample in dpnp's hands."""
    return dpnp.asarray(sample(typestr), usm_type=kind)


def pointer_of(array):
    """The address of element zero, of any of the three's arrays."""
    if isinstance(array, usmx.USMArray):
        return array._pointer
    interface = array.__sycl_usm_array_interface__
    return interface["data"][0] + interface["offset"] * array.itemsize


# ---- dpnp's arrays in usmx


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize("take", [usmx.asarray, usmx.from_usm_array_interface])
def test_dpnp_array_of_every_type_is_viewed(take, kind, typestr):
    array = theirs(typestr, kind)
    view = take(array)
    assert (view.shape, view.dtype, view.usm_type) == (array.shape, array.dtype, kind)
    assert view._pointer == pointer_of(array)
    assert view.sycl_queue is array.sycl_queue
    assert view.base.reference_obj is array
    assert np.array_equal(usmx.asnumpy(view), sample(typestr))


@pytest.mark.parametrize("key", (KEYS | REVERSED).values(), ids=KEYS | REVERSED)
def test_dpnp_view_of_every_layout_is_viewed(kind, key):
    array = theirs(kind=kind)[key]
    view = usmx.asarray(array)
    assert view.shape == array.shape
    assert view._pointer == pointer_of(array)
    assert np.array_equal(usmx.asnumpy(view), sample()[key])


def test_dpnp_tensor_array_is_viewed(kind):
    array = dpnp.tensor.asarray(sample(), usm_type=kind)
    view = usmx.asarray(array)
    assert view._pointer == array._pointer
    assert np.array_equal(usmx.asnumpy(view), sample())


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 5)])
def test_dpnp_array_without_elements_is_viewed(kind, shape):
    view = usmx.asarray(dpnp.empty(shape, usm_type=kind))
    assert (view.shape, view.size) == (shape, 0)


def test_dpnp_0d_array_is_viewed(kind):
    view = usmx.asarray(dpnp.asarray(2.5, usm_type=kind))
    assert (view.shape, float(usmx.asnumpy(view))) == ((), 2.5)


def test_dpnps_writes_are_seen_in_the_view(kind):
    array = theirs(kind=kind)
    view = usmx.asarray(array)
    array += 100
    array.sycl_queue.wait()
    assert np.array_equal(usmx.asnumpy(view), sample() + 100)


def test_writes_through_the_view_are_seen_in_dpnp(kind):
    array = theirs(kind=kind)
    usmx.asarray(array).base.memset(0)
    assert not dpnp.asnumpy(array).any()


def test_result_of_a_dpnp_kernel_is_finished_when_read(kind):
    for step in range(20):
        array = dpnp.full((256, 256), step, dtype="f4", usm_type=kind)
        array = array * 2 + 1
        assert (usmx.asnumpy(usmx.asarray(array)) == 2 * step + 1).all()


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_result_of_a_dpnp_kernel_is_finished_when_numpy_reads_it(kind):
    for step in range(20):
        array = dpnp.full((256, 256), step, dtype="f4", usm_type=kind)
        view = usmx.asarray(array)
        array *= 2
        assert (np.asarray(view) == 2 * step).all()


# ---- usmx's arrays in dpnp


@pytest.mark.parametrize("typestr", TYPESTRS)
@pytest.mark.parametrize(
    "take", [dpnp.as_usm_ndarray, dpnp.tensor.asarray], ids=["dpnp", "dpnp.tensor"]
)
def test_array_of_every_type_is_viewed_by_dpnp(take, kind, typestr):
    array = usmx.asarray(sample(typestr), usm_type=kind)
    view = take(array)
    assert (view.shape, view.dtype, view.usm_type) == (array.shape, array.dtype, kind)
    assert pointer_of(view) == array._pointer
    assert usmx.SyclQueue(view.sycl_queue._get_capsule()) == array.sycl_queue
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample(typestr))


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize(
    "take", [dpnp.as_usm_ndarray, dpnp.tensor.asarray], ids=["dpnp", "dpnp.tensor"]
)
def test_view_of_every_layout_is_viewed_by_dpnp(take, kind, key):
    array = usmx.asarray(sample(), usm_type=kind)[key]
    view = take(array)
    assert pointer_of(view) == array._pointer
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample()[key])


def test_transposed_view_is_viewed_by_dpnp(kind):
    array = usmx.asarray(sample(), usm_type=kind).T
    view = dpnp.tensor.asarray(array)
    assert pointer_of(view) == array._pointer
    assert view.strides == array.strides == (1, 6)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 5)])
def test_array_without_elements_is_taken_by_dpnp(kind, shape):
    assert dpnp.tensor.asarray(usmx.empty(shape, usm_type=kind)).shape == shape


def test_dpnp_computes_on_usmx_memory(kind):
    array = usmx.asarray(sample(), usm_type=kind)
    view = dpnp.tensor.asarray(array)
    view *= 2
    view.sycl_queue.wait()
    assert np.array_equal(usmx.asnumpy(array), sample() * 2)
    assert float(dpnp.sum(dpnp.asarray(view))) == (sample() * 2).sum()


def test_readonly_array_is_readonly_in_dpnp(kind):
    array = usmx.asarray(sample(), usm_type=kind)
    assert dpnp.tensor.asarray(array).flags.writable
    view = dpnp.tensor.asarray(array.readonly())
    assert view.flags.writable is False
    with pytest.raises(ValueError, match="read"):
        view[0] = 1


def test_dpnp_keeps_usmx_memory_alive(kind):
    view = dpnp.tensor.asarray(usmx.asarray(sample(), usm_type=kind))
    others = [usmx.zeros((4, 6), "f4", usm_type=kind) for _ in range(50)]
    assert np.array_equal(dpnp.tensor.asnumpy(view), sample())
    assert len(others) == 50


# ---- round trips


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_array_comes_back_from_dpnp_at_its_address(kind, key):
    array = usmx.asarray(sample(), usm_type=kind)[key]
    again = usmx.asarray(dpnp.tensor.asarray(array))
    assert again._pointer == array._pointer
    assert again.shape == array.shape
    assert again.sycl_queue == array.sycl_queue
    assert np.array_equal(usmx.asnumpy(again), sample()[key])


def test_array_goes_back_to_dpnp_at_its_address(kind):
    array = theirs(kind=kind)[1:, ::2]
    again = dpnp.tensor.asarray(usmx.asarray(array))
    assert pointer_of(again) == pointer_of(array)
    assert again.sycl_queue == array.sycl_queue


# ---- dpctl's memory


def test_dpctl_memory_is_viewed(kind):
    memory = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(32)
    memory.copy_from_host(bytes(range(32)))
    view = usmx.memory.as_usm_memory(memory)
    assert type(view) is MEMORY_CLASSES[kind]
    assert type(view) is type(MEMORY_CLASSES[kind](memory))
    assert (view._pointer, view.nbytes) == (memory._pointer, 32)
    assert view.reference_obj is memory
    assert view.tobytes() == bytes(range(32))
    view.memset(7)
    assert memory.tobytes() == b"\x07" * 32
    assert usmx.USMArray((8,), "i4", memory).base._pointer == memory._pointer


def test_memory_is_viewed_by_dpctl(kind):
    memory = MEMORY_CLASSES[kind](32)
    memory.copy_from_host(bytes(range(32)))
    view = dpctl.memory.as_usm_memory(memory)
    assert view.get_usm_type() == kind
    assert (view._pointer, view.nbytes) == (memory._pointer, 32)
    assert view.reference_obj is memory
    assert view.tobytes() == bytes(range(32))
    view.memset(7)
    assert memory.tobytes() == b"\x07" * 32
    same_kind = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")
    assert same_kind(memory)._pointer == memory._pointer


@pytest.mark.parametrize("key", (KEYS | REVERSED).values(), ids=KEYS | REVERSED)
def test_elements_of_an_array_are_bytes_in_dpctl(kind, key):
    array = usmx.asarray(sample(), usm_type=kind)[key]
    mine = usmx.memory.as_usm_memory(array)
    view = dpctl.memory.as_usm_memory(mine)
    assert (view._pointer, view.nbytes) == (mine._pointer, mine.nbytes)
    assert view.tobytes() == mine.tobytes()


def test_memory_is_copied_between_the_two(kind):
    theirs = getattr(dpctl.memory, f"MemoryUSM{kind.capitalize()}")(8)
    mine = MEMORY_CLASSES[kind](8)
    mine.copy_from_host(b"abcdefgh")
    theirs.copy_from_device(mine)
    assert theirs.tobytes() == b"abcdefgh"
    theirs.copy_from_host(b"ABCDEFGH")
    mine.copy_from_device(theirs)
    assert mine.tobytes() == b"ABCDEFGH"
    assert MEMORY_CLASSES["host"](theirs, copy=True).tobytes() == b"ABCDEFGH"


# ---- SYCL objects


def test_devices_are_dpctls_in_dpctls_order():
    mine, other = usmx.get_devices(), dpctl.get_devices()
    assert [device.filter_string for device in mine] == [device.filter_string for device in other]
    for ours, dpctls in zip(mine, other, strict=True):
        assert ours.name == dpctls.name
        assert ours.vendor == dpctls.vendor
        assert ours.driver_version == dpctls.driver_version
        assert ours.max_compute_units == dpctls.max_compute_units
        assert ours.sub_group_sizes == dpctls.sub_group_sizes
        assert ours.global_mem_size == dpctls.global_mem_size
        assert ours.local_mem_size == dpctls.local_mem_size
        assert (ours.is_cpu, ours.is_gpu) == (dpctls.is_cpu, dpctls.is_gpu)
        for name in (
            "fp16",
            "fp64",
            "usm_device_allocations",
            "usm_shared_allocations",
            "usm_host_allocations",
        ):
            aspect = f"has_aspect_{name}"
            assert getattr(ours, aspect) == getattr(dpctls, aspect)


def test_default_device_is_dpctls():
    assert usmx.SyclDevice().filter_string == dpctl.SyclDevice().filter_string


def test_default_context_is_dpctls():
    assert usmx.SyclContext(dpctl.SyclQueue().sycl_context._get_capsule()) == usmx.SyclContext()
    assert dpctl.SyclContext(usmx.SyclContext()._get_capsule()) == dpctl.SyclQueue().sycl_context


@pytest.mark.parametrize("name", ["SyclQueue", "SyclContext"])
def test_capsules_go_both_ways(name):
    mine, other = getattr(usmx, name)(), getattr(dpctl, name)()
    to_dpctl, to_usmx = mine._get_capsule(), other._get_capsule()
    assert capsule_name(to_dpctl) == capsule_name(to_usmx) == f"{name}Ref"
    in_dpctl, in_usmx = getattr(dpctl, name)(to_dpctl), getattr(usmx, name)(to_usmx)
    assert capsule_name(to_dpctl) == capsule_name(to_usmx) == f"used_{name}Ref"
    assert getattr(usmx, name)(in_dpctl._get_capsule()) == mine
    assert getattr(dpctl, name)(in_usmx._get_capsule()) == other
    del to_dpctl, to_usmx  # each destructor frees what it holds under the new name, too
    assert getattr(usmx, name)(in_dpctl._get_capsule()) == mine


@pytest.mark.parametrize("first", [usmx, dpctl], ids=["usmx", "dpctl"])
@pytest.mark.parametrize("second", [usmx, dpctl], ids=["usmx", "dpctl"])
def test_capsule_is_taken_once_whoever_takes_it(first, second):
    capsule = usmx.SyclQueue()._get_capsule()
    first.SyclQueue(capsule)
    with pytest.raises((ValueError, TypeError, dpctl.SyclQueueCreationError)):
        second.SyclQueue(capsule)


@pytest.mark.parametrize(
    "given", ["in_order", "enable_profiling", ("in_order", "enable_profiling")]
)
def test_properties_of_a_queue_are_seen_by_dpctl(given):
    mine = usmx.SyclQueue(property=given)
    other = dpctl.SyclQueue(mine._get_capsule())
    assert other.is_in_order is ("in_order" in given)
    assert other.has_enable_profiling is ("enable_profiling" in given)


def test_memory_on_a_queue_of_dpctl(kind):
    queue = dpctl.SyclQueue()
    for array in (
        usmx.empty(3, usm_type=kind, sycl_queue=queue),
        usmx.zeros(3, usm_type=kind, device=queue),
        usmx.asarray([1, 2, 3], usm_type=kind, sycl_queue=queue),
        usmx.USMArray(3, buffer=kind, buffer_ctor_kwargs={"queue": queue}),
    ):
        assert dpctl.SyclQueue(array.sycl_queue._get_capsule()) == queue
        assert dpnp.tensor.asarray(array).sycl_queue == queue


def test_dpctl_allocates_on_a_queue_of_usmx(kind):
    queue = usmx.SyclQueue()
    array = dpnp.zeros(3, usm_type=kind, sycl_queue=dpctl.SyclQueue(queue._get_capsule()))
    assert queue == usmx.asarray(array).sycl_queue


def test_array_of_another_context_goes_both_ways(kind):
    device = dpctl.SyclDevice()
    queue = dpctl.SyclQueue(dpctl.SyclContext([device]), device)
    array = usmx.asarray(sample(), usm_type=kind, sycl_queue=queue)
    assert array.sycl_context != usmx.SyclContext()
    view = dpnp.tensor.asarray(array)
    assert (pointer_of(view), view.sycl_queue) == (array._pointer, queue)
    again = usmx.asarray(view)
    assert np.array_equal(usmx.asnumpy(again), sample())
    moved = usmx.asarray(again, device=usmx.SyclDevice())
    assert moved.sycl_context == usmx.SyclContext()
    assert np.array_equal(usmx.asnumpy(moved), sample())


# ---- NumPy and Numba on the same memory


@numba.njit
def fill_and_sum(numbers, value):
    total = 0.0
    for i in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            total += numbers[i, j]
            numbers[i, j] = value
    return total


@pytest.mark.parametrize("kind", ["shared", "host"])
@pytest.mark.parametrize("key", [np.s_[...], np.s_[::-1, 1::2]])
def test_numba_reads_and_writes_the_same_memory(kind, key):
    array = usmx.asarray(sample("<f8"), usm_type=kind)
    view = np.asarray(array[key])
    assert fill_and_sum(view, 5.0) == sample("<f8")[key].sum()
    expected = sample("<f8")
    expected[key] = 5.0
    assert np.array_equal(usmx.asnumpy(array), expected)


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_numbers_go_through_everyone_without_a_copy(kind):
    array = dpnp.asarray(sample("<f8"), usm_type=kind)
    mine = usmx.asarray(array)
    host = np.asarray(mine)
    back = dpnp.tensor.asarray(usmx.asarray(mine))
    assert {pointer_of(array), mine._pointer, host.ctypes.data, pointer_of(back)} == {mine._pointer}
    host += 1
    back += 1
    back.sycl_queue.wait()
    assert np.array_equal(dpnp.asnumpy(array), sample("<f8") + 2)
