"""Arrays are pickled with class, elements, order, kind, device and read-only flag, and copied."""

import copy
import multiprocessing
import operator
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import dpctl
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, TYPESTRS, names_in, sub_devices
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from leaks import LIMIT, ROUNDS, growth

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
STRUCTURED = np.dtype(
    {"names": ["a", "b:c"], "formats": ["<i4", ("<f8", (2,))], "offsets": [4, 8], "itemsize": 32}
)
HOST_KINDS = ("shared", "host")
VIEWS = {
    "C order": lambda a: a,
    "Fortran order": lambda a: a.T,
    "rows": lambda a: a[1:3],
    "steps": lambda a: a[::2, 1:],
    "reversed": lambda a: a[::-1],
    "0-d": lambda a: a[1, 2],
    "no elements": lambda a: a[:, :0],
    "an axis of 1": lambda a: a[:, None],
}


class Labelled(usmx.USMArray):
    """A subclass with attributes and another constructor."""

    def __init__(self, label):
        super().__init__((2, 3), "i4", "host")
        self.label = [label]
        np.asarray(self)[...] = 7


class Slotted(usmx.USMArray):
    __slots__ = ("label",)


class Stateful(usmx.USMArray):
    def __getstate__(self):
        return [self.label]

    def __setstate__(self, state):
        self.label = f"restored {state[0]}"


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=VIEWS.values(), ids=VIEWS)
def view(request):
    return request.param


@pytest.fixture
def array(kind):
    return usmx.asarray(np.arange(24.0).reshape(4, 6), usm_type=kind)


def pickled(array, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(array, protocol))


def out_of_band(array):
    buffers = []
    stream = pickle.dumps(array, 5, buffer_callback=buffers.append)
    return stream, buffers


def sub_device_queue():
    part = sub_devices()[0]
    return usmx.SyclQueue(dpctl.SyclQueue(dpctl.SyclContext(part), part)._get_capsule())


def assert_same(restored, array):
    assert type(restored) is type(array)
    assert restored.shape == array.shape
    assert restored.dtype == array.dtype
    assert restored.usm_type == array.usm_type
    assert restored.sycl_device == array.sycl_device
    assert usmx.asnumpy(restored).tobytes() == usmx.asnumpy(array).tobytes()


# ---- in the stream


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_array_comes_back(array, view, protocol):
    restored = pickled(view(array), protocol)
    assert_same(restored, view(array))
    assert restored._pointer != view(array)._pointer
    assert restored.flags.writable


def test_pickles_name_only_what_stays_where_it_is(array):
    names = names_in(pickle.dumps(array))
    assert {name for name in names if name.startswith("usmx")} == {
        "usmx._unpickling.restore_array",
        "usmx.USMArray",
    }


@given(
    hnp.arrays(
        st.sampled_from([np.dtype(t) for t in TYPESTRS]),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    st.sampled_from(KINDS),
    st.sampled_from(PROTOCOLS),
    st.booleans(),
)
def test_every_type_and_shape_comes_back(host, kind, protocol, transposed):
    array = usmx.asarray(host, usm_type=kind)
    array = array.transpose() if transposed else array
    restored = pickled(array, protocol)
    assert_same(restored, array)
    assert restored.flags.fnc == array.flags.fnc


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_order_is_kept_and_gaps_are_not(array, protocol):
    assert pickled(array.T, protocol).strides == array.T.strides
    assert pickled(array[::2], protocol).flags.c_contiguous
    assert pickled(array[::2, ::2].T, protocol).flags.c_contiguous


def test_only_the_view_is_written():
    large = usmx.zeros((1000, 1000), usm_type="shared")
    assert len(pickle.dumps(large[5, :10])) < 500


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_structured_array_comes_back(kind, protocol):
    host = np.zeros((2, 3), STRUCTURED)
    host["a"], host["b:c"] = np.arange(6).reshape(2, 3), 2.5
    restored = pickled(usmx.asarray(host, usm_type=kind), protocol)
    assert restored.dtype == STRUCTURED
    assert np.array_equal(usmx.asnumpy(restored)["a"], host["a"])
    assert np.array_equal(usmx.asnumpy(restored)["b:c"], host["b:c"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_read_only_array_stays_read_only(array, view, protocol):
    restored = pickled(view(array).readonly(), protocol)
    assert_same(restored, view(array))
    assert not restored.flags.writable


def test_array_comes_back_on_usmx_own_queue_of_its_device(kind):
    restored = pickled(usmx.empty(3, usm_type=kind, sycl_queue=usmx.SyclQueue()))
    assert restored.sycl_queue == usmx.empty(3).sycl_queue


@pytest.mark.slow
def test_array_comes_back_in_another_process(array):
    code = "import pickle, sys; a = pickle.load(sys.stdin.buffer); print(a.usm_type, a[1].tolist())"
    result = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(array.T),
        capture_output=True,
        check=True,
    )
    assert result.stdout.decode().strip() == f"{array.usm_type} {array.T[1].tolist()}"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_array_goes_to_a_new_process_and_a_view_comes_back(array, method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as processes:
        row = processes.submit(operator.itemgetter(2), array.readonly()).result()
    assert_same(row, array[2])
    assert not row.flags.writable


def test_array_on_an_absent_device_comes_to_the_default_one_with_a_warning(array):
    here = usmx.SyclDevice().filter_string
    elsewhere = pickle.dumps(array, 0).replace(here.encode(), b"cuda:gpu:77")
    with pytest.warns(
        RuntimeWarning, match="USMArray was pickled on device 'cuda:gpu:77'.*" + here
    ):
        restored = pickle.loads(elsewhere)
    assert_same(restored, array)


def test_array_on_a_sub_device_is_a_value_error(kind):
    array = usmx.empty(3, usm_type=kind, sycl_queue=sub_device_queue())
    with pytest.raises(ValueError, match="an array on a sub-device cannot be pickled"):
        pickle.dumps(array)


@pytest.mark.parametrize("order", ["C", "F"])
def test_view_of_a_dpnp_array_is_pickled_as_usmx_own(kind, order):
    import dpnp.tensor as dpt

    theirs = dpt.reshape(dpt.arange(6, usm_type=kind), (2, 3), order=order)
    restored = pickled(usmx.asarray(theirs))
    assert restored.tolist() == dpt.asnumpy(theirs).tolist()
    assert restored.base.reference_obj is None


# ---- out of band


@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("view", ["C order", "Fortran order", "rows", "an axis of 1"])
def test_buffer_of_a_contiguous_host_accessible_array_is_its_memory(array, view):
    array = VIEWS[view](array)
    _, [buffer] = out_of_band(array)
    with buffer.raw() as raw:
        assert np.frombuffer(raw, "u1").ctypes.data == array._pointer
        assert raw.nbytes == array.nbytes
        assert not raw.readonly


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_buffer_of_a_read_only_array_is_read_only(array):
    stream, [buffer] = out_of_band(array.readonly())
    with buffer.raw() as raw:
        assert raw.readonly
    assert not pickle.loads(stream, buffers=[buffer]).flags.writable


def test_other_arrays_are_packed_for_their_buffer(array):
    views = [array[::2], array[:, 1:]]
    for view in [*views, array] if array.usm_type == "device" else views:
        _, [buffer] = out_of_band(view)
        with buffer.raw() as raw:
            assert raw.tobytes() == usmx.asnumpy(view).tobytes()
            assert np.frombuffer(raw, "u1").ctypes.data != view._pointer


@pytest.mark.parametrize("transport", [bytes, bytearray, memoryview, np.frombuffer])
def test_buffer_of_the_host_is_copied_into_new_memory(array, view, transport):
    stream, [buffer] = out_of_band(view(array))
    content = bytearray(buffer.raw())
    received = content if view(array).size == 0 else transport(content)
    restored = pickle.loads(stream, buffers=[received])
    assert_same(restored, view(array))
    assert restored.flags.fnc == view(array).flags.fnc
    assert restored.flags.writable
    content[:] = bytes(len(content))
    assert_same(restored, view(array))


@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("view", ["C order", "Fortran order", "rows"])
def test_array_is_made_in_the_senders_own_buffer(array, view):
    array = VIEWS[view](array)
    stream, buffers = out_of_band(array)
    restored = pickle.loads(stream, buffers=buffers)
    assert_same(restored, array)
    assert restored._pointer == array._pointer
    assert restored.strides == array.strides
    np.asarray(restored)[0, 0] = -1
    assert array.item(0) == -1


@pytest.mark.parametrize("kind", HOST_KINDS)
@pytest.mark.parametrize("wrap", [lambda m: m, memoryview, pickle.PickleBuffer])
def test_array_is_made_in_usm_that_the_elements_were_received_into(array, kind, wrap):
    stream, [buffer] = out_of_band(array)
    received = MEMORY_CLASSES[kind](array.nbytes, queue=usmx.SyclQueue())
    received.copy_from_host(buffer)
    restored = pickle.loads(stream, buffers=[wrap(received)])
    assert_same(restored, array)
    assert restored._pointer == received._pointer
    assert restored.sycl_queue == received.sycl_queue
    assert restored.flags.writable


@pytest.mark.parametrize("kind", HOST_KINDS)
def test_array_in_received_usm_keeps_it_alive(array, kind):
    stream, [buffer] = out_of_band(array)
    received = usmx.asarray(np.frombuffer(buffer.raw()), usm_type=kind)
    address, queue = received._pointer, received.sycl_queue
    restored = pickle.loads(stream, buffers=[received])
    assert restored._pointer == received._pointer
    del received
    assert usmx.memory.get_usm_type(address, queue) == kind
    assert_same(restored, array)
    del restored
    usmx.synchronize()
    assert usmx.memory.get_usm_type(address, queue) == "unknown"


def test_usm_that_does_not_fit_is_copied_from():
    array = usmx.asarray(np.arange(4.0), usm_type="shared")
    stream, [buffer] = out_of_band(array)
    large = usmx.memory.MemoryUSMShared(64)
    large.copy_from_host(bytes(1) + bytes(buffer))
    for received in (
        usmx.asarray(array, usm_type="host"),  # of another kind
        memoryview(large)[1:33],  # a part, not aligned
        usmx.USMArray(32, "u1", large, offset=1),  # not aligned
    ):
        restored = pickle.loads(stream, buffers=[received])
        assert_same(restored, array)
        assert restored.flags.writable
        assert not large._pointer <= restored._pointer < large._pointer + 64


def test_array_in_read_only_usm_is_read_only():
    array = usmx.asarray(np.arange(4.0), usm_type="shared")
    stream, [buffer] = out_of_band(array)
    restored = pickle.loads(stream, buffers=[memoryview(buffer.raw().obj).toreadonly()])
    assert restored._pointer == array._pointer
    assert not restored.flags.writable
    assert array.flags.writable


@pytest.mark.parametrize("nbytes", [0, 8, 200])
def test_buffer_of_another_size_is_a_value_error(array, nbytes):
    stream, _ = out_of_band(array)
    with pytest.raises(ValueError, match=f"expected 192 bytes, found {nbytes}"):
        pickle.loads(stream, buffers=[bytes(nbytes)])


def test_buffer_waits_for_work_on_the_array():
    import dpnp.tensor as dpt

    array = usmx.zeros(1 << 16, usm_type="shared")
    there = dpt.asarray(array)
    ones = dpt.ones(1 << 16, sycl_queue=there.sycl_queue)
    for value in range(1, 10):
        there[...] = dpt.cumulative_sum(ones) * value
        _, [buffer] = out_of_band(array)
        assert np.frombuffer(buffer.raw())[-1] == value * (1 << 16)


# ---- subclasses


@pytest.mark.parametrize("protocol", PROTOCOLS[2:])
def test_subclass_keeps_its_class_and_attributes(protocol):
    restored = pickled(Labelled("mine"), protocol)
    assert type(restored) is Labelled
    assert restored.label == ["mine"]
    assert restored.tolist() == [[7] * 3] * 2
    assert restored.flags.writable


def test_subclass_in_received_usm_keeps_its_class():
    array = Labelled("mine")
    stream, buffers = out_of_band(array)
    restored = pickle.loads(stream, buffers=buffers)
    assert (type(restored), restored.label) == (Labelled, ["mine"])
    assert restored._pointer == array._pointer


def test_read_only_subclass_in_fortran_order():
    base = usmx.asarray(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    array = Slotted((2, 3), "f8", base.readonly(), order="F")
    array.label = "mine"
    restored = pickled(array)
    assert_same(restored, array)
    assert restored.label == "mine"
    assert restored.strides == array.strides
    assert not restored.flags.writable


def test_subclass_may_say_what_its_state_is():
    array = Stateful(4)
    array.label = "mine"
    for made in (pickled(array), copy.copy(array), copy.deepcopy(array)):
        assert made.label == "restored mine"


# ---- copy.copy and copy.deepcopy


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_is_new_memory_of_the_same_kind_on_the_same_queue(kind, view, make):
    host = np.arange(24.0).reshape(4, 6)
    array = view(usmx.asarray(host, usm_type=kind, sycl_queue=usmx.SyclQueue()))
    made = make(array)
    assert_same(made, array)
    assert made.sycl_queue == array.sycl_queue
    assert made._pointer != array._pointer
    assert made.flags.fnc == array.flags.fnc
    made.base.memset(0)
    assert not usmx.asnumpy(made).any()
    assert np.array_equal(usmx.asnumpy(array), view(host))


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_on_a_sub_device_stays_there(kind, make):
    array = usmx.zeros(4, usm_type=kind, sycl_queue=sub_device_queue())
    assert make(array).sycl_queue == array.sycl_queue


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_of_a_read_only_array_is_writable(array, make):
    assert make(array.readonly()).flags.writable


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copy_of_a_structured_array_has_its_elements(kind, make):
    host = np.zeros(3, STRUCTURED)
    host["a"] = [1, 2, 3]
    made = make(usmx.asarray(host, usm_type=kind))
    assert made.dtype == STRUCTURED
    assert usmx.asnumpy(made)["a"].tolist() == [1, 2, 3]


def test_shallow_copy_shares_the_attributes_of_a_subclass_and_a_deep_one_does_not():
    array = Labelled("mine")
    assert copy.copy(array).label is array.label
    deep = copy.deepcopy(array)
    assert type(deep) is Labelled
    assert deep.label == array.label
    assert deep.label is not array.label


def test_deep_copy_copies_each_object_once():
    array = usmx.zeros(3)
    deep = copy.deepcopy([array, array])
    assert deep[0] is deep[1]
    assert deep[0] is not array


# ---- all of them


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [pickled, copy.copy, copy.deepcopy, lambda a: pickle.loads(out_of_band(a)[0], buffers=[a])],
    ids=["pickle", "copy", "deepcopy", "out of band"],
)
def test_nothing_is_left_behind(make):
    array = Labelled("mine")
    assert growth(lambda: make(array), ROUNDS // 3) < LIMIT
