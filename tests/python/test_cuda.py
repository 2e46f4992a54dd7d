"""PyTorch and CuPy on the same GPU as usmx: without a copy, and in the order of their streams.

Each of the two is tested where it is installed. What is refused everywhere: test_cuda_dictionary.py.
"""

import gc
import importlib
import threading

import numpy as np
import pytest
import spirv
import usmx
from usmx.testing._tensors import CPU, CUDA, ONEAPI, Device, Stranger

MANAGED = 13
LEGACY, PER_THREAD = 1, 2
DEVICES = [device for device in usmx.get_devices() if device.backend == "cuda"]

if not DEVICES:
    pytest.skip("the SYCL runtime has no CUDA device", allow_module_level=True)

TYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "f2", "f4", "f8", "c8", "c16"]  # both have these
SIZE = 1 << 20
SLOW_CYCLES = 1_000_000_000  # about half a second


class Torch:
    """What the tests need of PyTorch."""

    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.torch.zeros(1, device="cuda")

    def array(self, values):
        return self.torch.from_numpy(np.array(values)).to("cuda")

    def values(self, array):
        return array.cpu().numpy()

    def pointer(self, array):
        return array.data_ptr()

    def stream(self):
        return self.torch.cuda.Stream()

    def using(self, stream):
        return self.torch.cuda.stream(stream)

    def handle(self, stream):
        return stream.cuda_stream

    def is_busy(self, stream):
        return not stream.query()

    def wait(self):
        self.torch.cuda.synchronize()

    def sleep(self):
        self.torch.cuda._sleep(SLOW_CYCLES)

    def fill(self, array, value):
        array.fill_(value)

    def from_dlpack(self, array):
        return self.torch.from_dlpack(array)

    def from_dictionary(self, array):
        return self.torch.as_tensor(array, device="cuda")

    def on_gpu(self, number):
        return self.torch.cuda.device(number)

    def bytes_in_use(self):
        return self.torch.cuda.memory_allocated()


class Cupy:
    """What the tests need of CuPy."""

    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.cupy.zeros(1)
        self.spin = self.cupy.RawKernel(
            'extern "C" __global__ void spin(long long cycles) {'
            " long long start = clock64(); while (clock64() - start < cycles) {} }",
            "spin",
        )
        self.spin((1,), (1,), (1,))  # compiled now

    def array(self, values):
        return self.cupy.asarray(values)

    def values(self, array):
        return self.cupy.asnumpy(array)

    def pointer(self, array):
        return array.data.ptr

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def using(self, stream):
        return stream

    def handle(self, stream):
        return stream.ptr

    def is_busy(self, stream):
        return not stream.done

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def sleep(self):
        self.spin((1,), (1,), (SLOW_CYCLES,))

    def fill(self, array, value):
        array.fill(value)

    def from_dlpack(self, array):
        return self.cupy.from_dlpack(array)

    def from_dictionary(self, array):
        return self.cupy.asarray(array)

    def on_gpu(self, number):
        return self.cupy.cuda.Device(number)

    def bytes_in_use(self):
        return self.cupy.get_default_memory_pool().used_bytes()


def test_module_of_spirv_is_refused_with_the_reason():
    with (
        usmx.using_queue(usmx.SyclQueue("cuda")),
        pytest.raises(usmx.CompileError, match="SPIR-V cannot be compiled for CUDA devices"),
    ):
        usmx.Kernel(spirv.fill_late_module(), "fill_late")


@pytest.fixture(scope="module", params=[Torch, Cupy], ids=["torch", "cupy"])
def library(request):
    name = request.param.__name__.lower()
    pytest.importorskip(name, reason=f"{name} is not installed")
    return request.param()


@pytest.fixture(params=[usmx.from_dlpack, usmx.asarray], ids=["dlpack", "dictionary"])
def take(request):
    return request.param


@pytest.fixture(params=["from_dlpack", "from_dictionary"])
def give(request, library):
    return getattr(library, request.param)


@pytest.fixture
def device():
    """The device of the libraries' arrays, number 0."""
    numbered = {usmx.zeros(1, device=d).__dlpack_device__()[1]: d for d in DEVICES}
    if 0 not in numbered:
        pytest.skip("the SYCL runtime does not have CUDA device 0")
    return numbered[0]


def sample(typestr="f4", shape=(4, 6)):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return values % 2 == 1 if typestr == "b1" else values.astype(typestr)


class CudaProducer:
    """An object of nobody's library: the dictionary, and what keeps the memory alive."""

    def __init__(self, owner, **changes):
        self.__cuda_array_interface__ = dict(owner.__cuda_array_interface__) | changes
        self.owner = owner


class DlpackProducer:
    """Notes what it is asked for."""

    def __init__(self, array, accepted=("max_version", "stream", "copy", "dl_device")):
        self.array = array
        self.accepted = accepted
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        self.asked.append(arguments)
        if not set(arguments) <= set(self.accepted):
            raise TypeError("unexpected keyword argument")
        return self.array.__dlpack__(**arguments)


# ---- theirs as usmx's


@pytest.mark.parametrize("typestr", TYPES)
def test_array_of_every_type_is_viewed(library, take, device, typestr):
    theirs = library.array(sample(typestr))
    mine = take(theirs)
    assert mine._pointer == library.pointer(theirs)
    assert (mine.shape, mine.dtype, mine.usm_type) == ((4, 6), np.dtype(typestr), "device")
    assert mine.sycl_device == device
    assert np.array_equal(usmx.asnumpy(mine), sample(typestr))


LAYOUTS = {
    "rows": np.s_[1:],
    "columns": np.s_[:, 1:3],
    "steps": np.s_[::2, ::3],
    "row": np.s_[1],
    "element": np.s_[1, 2],
    "nothing": np.s_[2:2],
}


@pytest.mark.parametrize("key", LAYOUTS.values(), ids=LAYOUTS)
def test_view_of_every_layout_is_viewed(library, take, key):
    mine = take(library.array(sample())[key])
    assert np.array_equal(usmx.asnumpy(mine), sample()[key])


def test_transposed_array_is_viewed(library, take):
    mine = take(library.array(sample()).T)
    assert mine.strides == (1, 6)
    assert np.array_equal(usmx.asnumpy(mine), sample().T)


def test_repeated_elements_are_viewed(library, take):
    theirs = library.array(np.array([[1], [2]], "f4"))
    repeated = (
        theirs.expand(2, 3)
        if hasattr(theirs, "expand")
        else importlib.import_module("cupy").broadcast_to(theirs, (2, 3))
    )
    assert take(repeated).tolist() == [[1, 1, 1], [2, 2, 2]]


# Not by DLPack: CuPy 14.2 divides the bytes as unsigned numbers, so that -12 is 2**62 - 3 elements.
def test_negative_strides_of_cupy_are_viewed():
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    mine = usmx.asarray(cupy.asarray(sample())[::-1, ::-2])
    assert mine.strides == (-6, -2)
    assert np.array_equal(usmx.asnumpy(mine), sample()[::-1, ::-2])


def test_managed_memory_of_cupy_is_shared(take):
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
        theirs = cupy.arange(6, dtype="f4")
    mine = take(theirs)
    assert (mine.usm_type, mine._pointer) == ("shared", theirs.data.ptr)
    assert mine.tolist() == [0, 1, 2, 3, 4, 5]


def test_structured_array_of_cupy_is_viewed():
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    dtype = np.dtype([("x", "f4"), ("y", "i4")])
    theirs = cupy.zeros(3, dtype)
    mine = usmx.asarray(theirs)
    assert (mine.dtype, mine._pointer) == (dtype, theirs.data.ptr)


def test_what_usmx_writes_is_theirs(library, take):
    theirs = library.array(sample())
    library.wait()
    take(theirs)[:] = 7
    assert np.array_equal(library.values(theirs), np.full((4, 6), 7, "f4"))


def test_view_keeps_their_memory(library, take):
    gc.collect()
    before = library.bytes_in_use()
    mine = take(library.array(np.ones(SIZE, "f4")))
    gc.collect()
    assert library.bytes_in_use() >= before + 4 * SIZE
    assert usmx.asnumpy(mine).min() == 1
    del mine
    usmx.synchronize()
    gc.collect()
    assert library.bytes_in_use() == before


def test_memory_object_covers_their_bytes(library):
    theirs = library.array(sample())
    memory = usmx.memory.as_usm_memory(theirs)
    assert (memory._pointer, memory.nbytes) == (library.pointer(theirs), 96)


def test_copy_is_usmxs_own(library, take):
    theirs = library.array(sample())
    mine = take(theirs, copy=True)
    assert mine._pointer != library.pointer(theirs)
    assert np.array_equal(usmx.asnumpy(mine), sample())


def test_read_only_flag_is_kept(library):
    theirs = library.array(sample())
    data = theirs.__cuda_array_interface__["data"]
    mine = usmx.asarray(CudaProducer(theirs, data=(data[0], True)))
    with pytest.raises(ValueError, match="read-only"):
        mine[0] = 1


# ---- the order of work on their streams


def test_work_on_their_stream_comes_first(library, take):
    stream = library.stream()
    theirs = library.array(np.zeros(SIZE, "f4"))
    library.wait()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
        mine = take(theirs)
    assert usmx.asnumpy(mine).min() == 7


def test_work_on_the_default_stream_comes_first(library, take):
    theirs = library.array(np.zeros(SIZE, "f4"))
    library.sleep()
    library.fill(theirs, 7)
    assert usmx.asnumpy(take(theirs)).min() == 7


def test_import_does_not_wait_for_their_stream(library):
    stream = library.stream()
    theirs = library.array(np.zeros(SIZE, "f4"))
    library.wait()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
        mine = usmx.from_dlpack(theirs)
        assert library.is_busy(stream)
    assert usmx.asnumpy(mine).min() == 7
    assert not library.is_busy(stream)


def test_asynchronous_copy_comes_after_their_stream(library):
    stream = library.stream()
    theirs = library.array(np.zeros(SIZE, "f4"))
    result = usmx.zeros(SIZE, "f4", device=usmx.asarray(theirs).device)
    library.wait()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
        usmx.copy_async(result, usmx.from_dlpack(theirs)).wait()
    assert usmx.asnumpy(result).min() == 7


def test_stream_of_a_dictionary_is_followed(library):
    stream = library.stream()
    theirs = library.array(np.zeros(SIZE, "f4"))
    library.wait()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
    mine = usmx.asarray(CudaProducer(theirs, version=3, stream=library.handle(stream)))
    assert library.is_busy(stream)
    assert usmx.asnumpy(mine).min() == 7


@pytest.mark.parametrize("stream", [LEGACY, PER_THREAD, None])
def test_named_stream_of_a_dictionary_is_taken(library, stream):
    theirs = library.array(sample())
    library.wait()
    mine = usmx.asarray(CudaProducer(theirs, version=3, stream=stream))
    assert np.array_equal(usmx.asnumpy(mine), sample())


def test_dictionary_without_words_for_streams_is_waited_for(library):
    stream = library.stream()
    theirs = library.array(np.zeros(SIZE, "f4"))
    library.wait()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
    mine = usmx.asarray(CudaProducer(theirs, version=2))
    assert not library.is_busy(stream)
    assert usmx.asnumpy(mine).min() == 7


def test_importing_again_follows_what_they_did_to_usmxs_memory(library, device):
    mine = usmx.zeros(SIZE, "f4", device=device)
    theirs = library.from_dlpack(mine)
    stream = library.stream()
    with library.using(stream):
        library.sleep()
        library.fill(theirs, 7)
        usmx.from_dlpack(theirs)
    assert usmx.asnumpy(mine).min() == 7


def test_producer_is_asked_to_come_before_the_legacy_default_stream(device):
    producer = DlpackProducer(usmx.arange(3, device=device))
    usmx.from_dlpack(producer, copy=False)
    assert producer.asked == [{"max_version": (1, 3), "copy": False, "stream": LEGACY}]


def test_producer_that_knows_no_version_is_asked_for_the_stream_alone(device):
    producer = DlpackProducer(usmx.arange(3, device=device), accepted=["stream"])
    assert usmx.from_dlpack(producer).tolist() == [0, 1, 2]
    assert producer.asked[1:] == [{"stream": LEGACY}]


# ---- usmx's as theirs


@pytest.mark.parametrize("typestr", TYPES)
@pytest.mark.parametrize("kind", ["device", "shared"])
def test_array_of_every_type_is_theirs(library, give, device, kind, typestr):
    mine = usmx.asarray(sample(typestr), device=device, usm_type=kind)
    theirs = give(mine)
    assert library.pointer(theirs) == mine._pointer
    assert np.array_equal(library.values(theirs), sample(typestr))


@pytest.mark.parametrize("key", [np.s_[1:], np.s_[::2, ::3], np.s_[:, 2], np.s_[1, 2]])
def test_view_of_every_layout_is_theirs(library, give, device, key):
    mine = usmx.asarray(sample(), device=device)[key]
    theirs = give(mine)
    assert library.pointer(theirs) == mine._pointer
    assert np.array_equal(library.values(theirs), sample()[key])


def test_what_they_write_is_usmxs(library, give, device):
    mine = usmx.zeros((4, 6), "f4", device=device)
    library.fill(give(mine), 7)
    library.wait()
    assert usmx.asnumpy(mine).min() == 7


def test_pending_work_of_usmx_is_finished_for_them(library, give, device):
    mine = usmx.zeros(64 * SIZE, "f4", device=device)
    for value in range(20):
        usmx.fill_async(mine, value)
    stream = library.stream()
    with library.using(stream):
        assert library.values(give(mine)).min() == 19


def test_their_view_keeps_usmxs_memory(library, device):
    gc.collect()
    usmx.synchronize()  # nothing of other tests waits to be let go
    mine = usmx.asarray(np.ones(SIZE, "f4"), device=device)
    in_use = usmx.memory.memory_stats("device", device=device)["used_bytes.current"]
    theirs = library.from_dlpack(mine)
    del mine
    gc.collect()
    assert usmx.memory.memory_stats("device", device=device)["used_bytes.current"] == in_use
    assert library.values(theirs).min() == 1
    del theirs
    gc.collect()
    usmx.synchronize()
    assert usmx.memory.memory_stats("device", device=device)["used_bytes.current"] < in_use


def test_there_and_back_is_the_same_memory(library, device):
    mine = usmx.asarray(sample(), device=device)
    again = usmx.from_dlpack(library.from_dlpack(mine))
    assert again._pointer == mine._pointer
    assert np.array_equal(usmx.asnumpy(again), sample())


# ---- what usmx says of its memory


def test_dictionary_says_what_the_array_is(device):
    mine = usmx.asarray(sample(), device=device)[1:, ::-2]
    said = mine.__cuda_array_interface__
    assert said == {
        "shape": (3, 3),
        "typestr": "<f4",
        "data": (mine._pointer, False),
        "strides": (24, -8),
        "version": 3,
        "stream": None,
    }
    assert np.array_equal(usmx.asnumpy(usmx.asarray(CudaProducer(mine))), sample()[1:, ::-2])


def test_dictionary_of_no_elements_has_a_null_pointer(device):
    assert usmx.zeros((0, 3), device=device).__cuda_array_interface__["data"] == (0, False)


def test_dictionary_of_a_read_only_array_says_so(device):
    said = usmx.zeros(3, device=device).readonly().__cuda_array_interface__
    assert said["data"][1] is True


def test_contiguous_array_has_no_strides(device):
    assert usmx.zeros((2, 3), device=device).__cuda_array_interface__["strides"] is None


def test_fields_of_a_structured_array_are_described(device):
    dtype = np.dtype([("x", "f4"), ("y", "i4")])
    said = usmx.zeros(3, dtype, device=device).__cuda_array_interface__
    assert (said["typestr"], said["descr"]) == ("|V8", dtype.descr)


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_device_of_dlpack_is_cudas(device, kind):
    assert usmx.zeros(3, usm_type=kind, device=device).__dlpack_device__() == (CUDA, 0)


def test_array_is_handed_out_on_every_device_that_it_is_on(device):
    place = (ONEAPI, usmx.get_devices().index(device))
    array = usmx.zeros(3, usm_type="shared", device=device)
    for wanted in (None, (CUDA, 0), (MANAGED, 0), place, (CPU, 0)):
        again = usmx.from_dlpack(Wrapped(array, wanted))
        assert again._pointer == array._pointer


class Wrapped:
    """An array that goes out for one device."""

    def __init__(self, array, dl_device):
        self.array = array
        self.dl_device = dl_device

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments | {"dl_device": self.dl_device})


@pytest.mark.parametrize("wanted", [(CUDA, 99), (MANAGED, 99), (ONEAPI, 99), (CUDA + 2**32, 0)])
def test_array_is_not_handed_out_on_devices_that_there_are_not(device, wanted):
    with pytest.raises(BufferError, match=r"dl_device must be \(2, 0\)"):
        usmx.zeros(3, device=device).__dlpack__(dl_device=wanted)


def test_managed_memory_is_made_for_who_asks_for_it(device):
    array = usmx.asarray(sample(), device=device)
    managed = usmx.from_dlpack(Wrapped(array, (MANAGED, 0)))
    assert managed.usm_type == "shared"
    assert np.array_equal(usmx.asnumpy(managed), sample())
    with pytest.raises(BufferError, match="copy=False cannot be met"):
        array.__dlpack__(dl_device=(MANAGED, 0), copy=False)


def test_numpy_gets_a_copy_of_device_memory(device):
    array = usmx.asarray(sample(), device=device)
    assert np.array_equal(np.from_dlpack(array, device="cpu"), sample())


@pytest.mark.parametrize("stream", [None, -1, LEGACY, PER_THREAD])
def test_streams_of_dlpack_are_taken(device, stream):
    usmx.zeros(3, device=device).__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", [0, -2, -(2**40)])
def test_integers_that_are_no_streams_are_refused(device, stream):
    with pytest.raises(ValueError, match=f"'stream'.* found {stream}"):
        usmx.zeros(3, device=device).__dlpack__(stream=stream)


# ---- strangers


@pytest.mark.parametrize("device_type", [CUDA, MANAGED])
def test_tensor_is_let_go_once(device, device_type):
    kind = "shared" if device_type == MANAGED else "device"
    mine = usmx.asarray(np.arange(12.0), device=device, usm_type=kind)
    stranger = Stranger(mine._pointer, (12,), device=Device(device_type, 0))
    view = usmx.from_dlpack(stranger)
    assert (view.usm_type, view.tolist()) == (kind, list(range(12)))
    assert stranger.deleted == 0
    thread = threading.Thread(target=[view].clear)
    del view
    thread.start()
    thread.join()
    del thread
    gc.collect()
    usmx.synchronize()
    assert stranger.deleted == 1


HOSTILE = {
    "another number": ({"device": Device(CUDA, 99)}, BufferError, "device 99"),
    "negative number": ({"device": Device(CUDA, -1)}, BufferError, "device -1"),
    "too many elements": ({"shape": (2**40,)}, ValueError, "inside"),
    "misaligned": ({"shape": (2,), "byte_offset": 4}, ValueError, "aligned"),
    "no memory": ({"data": None}, ValueError, "null"),
    "nobody's memory": ({"data": 4096}, ValueError, "USM"),
}


@pytest.mark.parametrize(("changes", "error", "part"), HOSTILE.values(), ids=HOSTILE)
def test_tensor_that_lies_is_refused_and_let_go_once(device, changes, error, part):
    mine = usmx.zeros(12, "f8", device=device)
    valid = {"data": mine._pointer, "shape": (12,), "device": Device(CUDA, 0)}
    stranger = Stranger(**(valid | changes))
    with pytest.raises(error, match=part):
        usmx.from_dlpack(stranger)
    assert stranger.deleted == 1


def test_elements_beyond_the_allocation_are_refused(library):
    theirs = library.array(sample())
    with pytest.raises(ValueError, match="not all inside"):
        usmx.asarray(CudaProducer(theirs, shape=(2**40,), strides=None))


def test_elements_before_the_allocation_are_refused(library):
    theirs = library.array(sample())
    changes = {"shape": (2,), "strides": (-(2**40),)}
    with pytest.raises(ValueError, match="USM|not all inside"):
        usmx.asarray(CudaProducer(theirs, **changes))


def test_memory_of_the_host_is_refused(device):
    values = np.zeros(12, "f4")
    mine = usmx.zeros(12, "f4", device=device)
    with pytest.raises(ValueError, match="'data' must point to memory of a CUDA device"):
        usmx.asarray(CudaProducer(mine, data=(values.ctypes.data, False)))


def test_misaligned_element_is_refused(device):
    mine = usmx.zeros(12, "f4", device=device)
    with pytest.raises(ValueError, match="aligned to 4 bytes"):
        usmx.asarray(CudaProducer(mine, shape=(2,), data=(mine._pointer + 1, False)))


def test_no_elements_need_no_memory(device):
    mine = usmx.zeros(12, "f4", device=device)
    empty = usmx.asarray(CudaProducer(mine, shape=(0, 3), data=(0, False)))
    assert (empty.shape, usmx.SyclDevice(empty.sycl_device).backend) == ((0, 3), "cuda")


def test_threads_take_their_arrays_at_the_same_time(library, take):
    with library.on_gpu(0):
        theirs = [library.array(np.full(1000, n, "f4")) for n in range(8)]
        library.wait()
    right = []

    def work(n):
        with library.on_gpu(0):
            found = [usmx.asnumpy(take(theirs[n])) for _ in range(100)]
        right.append(all(array.min() == n == array.max() for array in found))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 8


@pytest.mark.skipif(len(DEVICES) < 2, reason="there is one CUDA device")
def test_array_on_another_gpu_is_on_its_device(library, take):
    with library.on_gpu(1):
        theirs = library.array(sample())
        mine = take(theirs)
    assert mine.__dlpack_device__() == (CUDA, 1)
    assert mine._pointer == library.pointer(theirs)
    assert np.array_equal(usmx.asnumpy(mine), sample())
