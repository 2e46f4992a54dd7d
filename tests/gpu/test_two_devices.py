"""Two devices of one host: copies between them, what refuses, and the thread's current device.

Runs on two GPUs of CUDA, and on the two devices of `tools/level_zero/run bmg CreateMultipleRootDevices=2`. There the
driver ends the process if a kernel gets memory that its device does not reach, as CUDA does.
"""

import contextlib
import ctypes
import gc
import itertools
import os
import threading

import numpy as np
import pytest
import usmx


def pairs():
    devices = usmx.get_devices()
    return [(a, b) for a, b in itertools.permutations(devices, 2) if a.backend == b.backend][:2]


PAIRS = pairs()
if not PAIRS:
    pytest.skip("there are no two devices of one back end", allow_module_level=True)
FIRST, SECOND = PAIRS[0]
IS_CUDA = FIRST.backend == "cuda"
KINDS = ("device", "shared", "host")
TYPES = ("?", "i1", "u2", "f4", "f8", "c16", "f2")
ROUNDS = int(os.environ.get("USMX_TEST_ROUNDS", "2000"))


# ---- copies


def random_view(rng, whole):
    """A view of an array with four dimensions: steps, both directions, axes in any order."""
    key = tuple(
        slice(*sorted(rng.integers(0, n + 1, 2)), rng.integers(1, 4))
        if rng.random() < 0.5
        else slice(None, None, rng.choice([1, -1, 2, -3]))
        for n in whole.shape
    )
    return key, tuple(rng.permutation(4))


@pytest.mark.parametrize("pair", PAIRS, ids=["there", "back"])
def test_random_copies_are_numpys(pair):
    rng = np.random.default_rng()
    for _ in range(ROUNDS):
        shape = tuple(rng.integers(1, 14, 4))
        source_type, type_ = rng.choice(TYPES), rng.choice(TYPES)
        if np.dtype(source_type).kind == "c" and np.dtype(type_).kind != "c":
            type_ = source_type
        host = rng.integers(0, 2 if "?" in (source_type, type_) else 100, shape).astype(source_type)
        a = usmx.asarray(host, device=pair[0], usm_type=rng.choice(KINDS))
        key, axes = random_view(rng, host)
        source, wanted = a[key].transpose(axes), host[key].transpose(axes)
        out_axes = tuple(rng.permutation(4))
        out_shape = tuple(np.array(wanted.shape)[np.argsort(out_axes)])
        out = usmx.zeros(
            tuple(n * 2 for n in out_shape), dtype=type_, device=pair[1], usm_type=rng.choice(KINDS)
        )
        kept = np.zeros(out.shape, type_)
        step = (
            (slice(None, None, 2),) * 4
            if rng.random() < 0.3
            else tuple(slice(0, n) for n in out_shape)
        )
        target = out[step].transpose(out_axes)
        kept[step].transpose(out_axes)[...] = wanted
        how = rng.integers(3)
        if how == 0:
            usmx.copy_async(target, source, casting="unsafe")
        elif how == 1:
            target[...] = source
        else:
            usmx.copyto(target, source, casting="unsafe")
        np.testing.assert_array_equal(
            usmx.asnumpy(out), kept, f"{host.shape} {key} {axes} {out_axes} {how}"
        )


def test_issues_example():
    h = np.arange(1000 * 900, dtype="f4").reshape(1000, 900)
    a = usmx.asarray(h, device=FIRST)
    t = usmx.zeros(a[::2, 1::3].shape, dtype="f4", device=SECOND)
    usmx.copy_async(t, a[::2, 1::3])
    np.testing.assert_array_equal(usmx.asnumpy(t), h[::2, 1::3])
    np.testing.assert_array_equal(usmx.asnumpy(a + 1), h + 1)  # the devices still work
    np.testing.assert_array_equal(usmx.asnumpy(t + 1), h[::2, 1::3] + 1)


def test_chains_of_asynchronous_copies_keep_their_order():
    rng = np.random.default_rng()
    host = rng.integers(0, 1000, (300, 400)).astype("f4")
    a = usmx.asarray(host, device=FIRST)
    b = usmx.empty((400, 300), dtype="f4", device=SECOND)
    c = usmx.empty((300, 400), dtype="f8", device=FIRST)
    for k in range(200):
        usmx.copy_async(b, a.T)
        usmx.fill_async(a, k)
        usmx.copy_async(c, b.T, casting="unsafe")
        usmx.fill_async(b, -1)
        usmx.copy_async(a, c, casting="unsafe")
    np.testing.assert_array_equal(usmx.asnumpy(a), host)


def test_masks_and_integers_of_the_same_device_go_to_the_other():
    rng = np.random.default_rng()
    host = rng.random((200, 30))
    for device, other in PAIRS:
        a = usmx.asarray(host, device=device)
        mask = host[:, 0] > 0.5
        out = a[usmx.asarray(mask, device=device)].to_device(other)
        np.testing.assert_array_equal(usmx.asnumpy(out), host[mask])
        b = usmx.zeros((200, 30), device=other)
        b[usmx.asarray(mask, device=other)] = usmx.asarray(host[mask], device=other)
        np.testing.assert_array_equal(usmx.asnumpy(b)[mask], host[mask])


KERNEL = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) add_one(float* x) { x[usmx::global_id()] += 1; }
"""


def test_kernel_for_one_device_refuses_what_it_does_not_reach_and_uses_the_rest():
    kernel = usmx.Kernel(KERNEL, "add_one")
    far = usmx.zeros(64, dtype="f4", device=SECOND)
    queue = usmx.get_device_cached_queue(FIRST)
    if FIRST.can_access_peer(SECOND):
        kernel(64, None, far, queue=queue).wait()
        assert (usmx.asnumpy(far) == 1).all()
    else:
        with pytest.raises(ValueError, match="expected memory in reach of"):
            kernel(64, None, far, queue=queue)


# ---- what others of the process see of the current device


class Current:
    """CUDA's current context of the thread, by the driver itself."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.contexts = []
        for number in range(2):
            context = ctypes.c_void_p()
            assert self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), number) == 0
            self.contexts.append(context.value)

    def set(self, number):
        context = None if number is None else self.contexts[number]
        assert self.cuda.cuCtxSetCurrent(ctypes.c_void_p(context)) == 0

    def now(self):
        context = ctypes.c_void_p()
        assert self.cuda.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value


def tried(call):
    with contextlib.suppress(Exception), np.errstate(all="ignore"):
        return call()


def calls_on(device):
    """Every public function and method, with arguments of that device: some of them fit."""
    queue = usmx.get_device_cached_queue(device)
    a = usmx.asarray(np.arange(1.0, 13).reshape(3, 4), device=device)
    n = usmx.asarray(np.arange(12).reshape(3, 4) % 3, device=device)
    m = n > 1
    new = usmx.SyclQueue(device)
    forms = {
        "(a)": (a,),
        "(a, a)": (a, a),
        "(n, n)": (n, n),
        "([a, a])": ([a, a],),
        "(m, a, a)": (m, a, a),
        "(shape)": ((3, 4),),
        "()": (),
        "(a, 0)": (a, 0),
        "(a, n)": (a, n),
        "(a, shape)": (a, (4, 3)),
        "(device)": (device,),
        "(queue)": (queue,),
        "(0, 9)": (0, 9),
        "(n)": (n,),
        "(a, 'f4')": (a, "f4"),
    }
    skipped = {
        "to_dpctl",
        "to_dpnp",
        "set_default_queue",
        "load",
        "from_shared_memory",
        "save",
        "savez",
        "Kernel",
        "KernelModule",
    }
    functions = [(name, getattr(usmx, name)) for name in dir(usmx) if not name.startswith("_")]
    for name, function in functions:
        if callable(function) and name not in skipped and not isinstance(function, type(usmx)):
            for form, given in forms.items():
                for more in (
                    ({}, {"device": device}) if form in ("()", "(shape)", "(0, 9)") else ({},)
                ):
                    yield (
                        f"usmx.{name}{form}{more and ' on the device'}",
                        lambda f=function, g=given, m=more: f(*g, **m),
                    )
    for thing, text in (
        (a, "array"),
        (n, "integers"),
        (queue, "queue"),
        (new, "new queue"),
        (device, "device"),
        (queue.sycl_context, "context"),
        (usmx.memory.MemoryUSMDevice(256, queue=queue), "memory"),
        (usmx.random, "random"),
        (usmx.utils, "utils"),
    ):
        for name in dir(thing):
            if name.startswith("__") and name not in (
                "__dlpack__",
                "__cuda_array_interface__",
                "__repr__",
                "__hash__",
                "__sycl_usm_array_interface__",
                "__dlpack_device__",
            ):
                continue
            yield f"{text}.{name}", lambda t=thing, n=name: getattr(t, n)
            if name not in ("dump", "tofile", "submit_barrier"):
                for given in ((), (a,), (2,), ((4, 3),), ("f4",)):
                    yield (
                        f"{text}.{name}{given}",
                        lambda t=thing, n=name, g=given: getattr(t, n)(*g),
                    )
    for text, operation in {
        "a + a": lambda: a + a,
        "a @ a.T": lambda: a @ a.T,
        "a[1:]": lambda: a[1:],
        "a[m]": lambda: a[m],
        "a[n]": lambda: a[n],
        "a[0] = 1": lambda: a.__setitem__(0, 1),
        "a[m] = 2": lambda: a.__setitem__(m, 2),
        "repr(a)": lambda: repr(a),
        "float(a[0, 0])": lambda: float(a[0, 0]),
        "list(a)": lambda: list(a),
        "np.asarray(shared)": lambda: np.asarray(usmx.zeros(4, device=device, usm_type="shared")),
        "new array": lambda: usmx.empty((1 << 20,), device=device),
        "gc": lambda: gc.collect(),
        "large and gone": lambda: usmx.empty((1 << 26,), device=device).size,
        "kernel": lambda: usmx.Kernel(KERNEL, "add_one")(
            12, None, a.astype("f4"), queue=queue
        ).wait(),
        "element-wise": lambda: usmx.ElementwiseKernel("T x", "T y", "y = x + 1")(a),
        "reduction": lambda: usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(a),
        "synchronize": lambda: usmx.synchronize(),
        "profiling queue": lambda: usmx.SyclQueue(device, property="enable_profiling"),
        "to host": lambda: usmx.asnumpy(a.T),
        "from host": lambda: usmx.asarray(np.ones((5, 5)), device=device),
        "copy_async": lambda: usmx.copy_async(a, a[::-1]).wait(),
        "fill_async": lambda: usmx.fill_async(a, 1).wait(),
        "to_device": lambda: a.to_device(FIRST),
        "event": lambda: queue.submit_barrier().wait(),
    }.items():
        yield text, operation


@pytest.mark.skipif(not IS_CUDA, reason="a thread of this back end has no current device")
@pytest.mark.parametrize("number", [0, 1, None], ids=["first", "second", "none"])
def test_every_public_function_leaves_the_threads_current_device(number):
    changed = []
    made = 0

    def look():
        nonlocal made
        current = Current()
        current.set(number)
        for text, call in calls_on(FIRST if number == 1 else SECOND):
            before = current.now()
            kept = tried(call)
            made += 1
            if current.now() != before:
                changed.append(text)
            current.set(number)
            del kept
            if current.now() != before:
                changed.append(f"the end of the result of {text}")
                current.set(number)

    thread = threading.Thread(target=look)  # which has no context yet
    thread.start()
    thread.join()
    print(f"{made} calls")
    assert made > 1000
    assert not changed, f"{len(changed)} of {made}: {changed[:40]}"


@pytest.mark.skipif(not IS_CUDA, reason="CUDA's libraries")
def test_cupy_and_pytorch_go_on_where_they_were():
    cupy = pytest.importorskip("cupy")
    torch = pytest.importorskip("torch")
    h = np.arange(12.0)
    for current, other in ((0, SECOND), (1, FIRST)):
        with cupy.cuda.Device(current), torch.cuda.device(current):
            b = usmx.asarray(h, device=other)
            (b + 1).sum()
            del b
            assert cupy.cuda.runtime.getDevice() == current
            assert int(cupy.arange(3).device.id) == current
            assert torch.zeros(3, device="cuda").device.index == current


@pytest.mark.skipif(not IS_CUDA, reason="CUDA's pools")
def test_memory_that_does_not_follow_peer_access_is_copied_all_the_same():
    cupy = pytest.importorskip("cupy")
    rng = np.random.default_rng()
    host = rng.random((300, 400))
    for number, other in ((0, SECOND), (1, FIRST)):
        with (
            cupy.cuda.Device(number),
            cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc),
        ):
            a = usmx.asarray(cupy.asarray(host))
            b = usmx.zeros((200, 150), device=other)
            usmx.copy_async(b, a[::2, ::2].T)
            np.testing.assert_array_equal(usmx.asnumpy(b), host[::2, ::2].T)
            a[::2, ::2] = usmx.asarray(host[1::2, 1::2], device=other)
            np.testing.assert_array_equal(usmx.asnumpy(a[::2, ::2]), host[1::2, 1::2])
            del a


# ---- arrays of others, of the device that is not the thread's current one


class PyTorch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")

    def numbers(self, host, number):
        return self.torch.from_numpy(host).to(f"cuda:{number}")

    def current(self, number):
        return self.torch.cuda.device(number)

    def stream(self, number):
        return self.torch.cuda.stream(self.torch.cuda.Stream(number))

    def now(self):
        return self.torch.cuda.current_device()


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")

    def numbers(self, host, number):
        with self.cupy.cuda.Device(number):
            return self.cupy.asarray(host)

    def current(self, number):
        return self.cupy.cuda.Device(number)

    def stream(self, number):
        with self.cupy.cuda.Device(number):
            return self.cupy.cuda.Stream(non_blocking=True)

    def now(self):
        return self.cupy.cuda.runtime.getDevice()


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        if len(self.jax.devices()) < 2 or self.jax.devices()[0].platform != "gpu":
            pytest.skip("this JAX has no two GPUs")

    def numbers(self, host, number):
        return self.jax.device_put(host, self.jax.devices()[number])

    def current(self, number):
        return self.jax.default_device(self.jax.devices()[number])

    def stream(self, number):
        return contextlib.nullcontext()

    def now(self):
        return Current().now()


TAKEN = {
    "from_dlpack": usmx.from_dlpack,
    "asarray": usmx.asarray,
    "from_dlpack(copy=False)": lambda t: usmx.from_dlpack(t, copy=False),
}


@pytest.fixture(params=[PyTorch, CuPy, Jax])
def library(request):
    if not IS_CUDA:
        pytest.skip("CUDA's libraries")
    return request.param()


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN.keys())
@pytest.mark.parametrize("with_stream", [False, True], ids=["", "stream"])
def test_arrays_of_the_device_that_is_not_current_are_taken(library, take, with_stream):
    host = np.arange(12, dtype="f4")
    for number, current in itertools.product((0, 1), repeat=2):
        theirs = library.numbers(host, number)
        block = library.stream(current) if with_stream else contextlib.nullcontext()
        with library.current(current), block:
            before = library.now()
            a = take(theirs)
            assert library.now() == before
        assert a.sycl_device.get_device_id() == (FIRST, SECOND)[number].get_device_id()
        np.testing.assert_array_equal(usmx.asnumpy(a), host)


def test_kernels_take_arrays_of_the_device_that_is_not_current(library):
    if isinstance(library, Jax):
        pytest.skip("JAX's arrays are read-only")
    kernel = usmx.Kernel(KERNEL, "add_one")
    host = np.arange(12, dtype="f4")
    for number, current in ((0, 1), (1, 0)):
        theirs = library.numbers(host, number)
        with library.current(current), library.stream(current):
            a = usmx.from_dlpack(theirs)
            kernel(12, None, theirs, queue=a.sycl_queue).wait()
        np.testing.assert_array_equal(usmx.asnumpy(a), host + 1)


def test_threads_take_arrays_of_all_devices(library):
    host = np.arange(12, dtype="f4")
    wrong = []

    def work(current):
        with library.current(current):
            before = library.now()
            for k in range(200):
                number = k % 2
                a = usmx.from_dlpack(library.numbers(host + k, number))
                if (
                    library.now() != before
                    or a.sycl_device.get_device_id() != (FIRST, SECOND)[number].get_device_id()
                    or not (usmx.asnumpy(a) == host + k).all()
                ):
                    wrong.append((current, k))

    threads = [threading.Thread(target=work, args=(k % 2,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not IS_CUDA, reason="a thread of this back end has no current device")
@pytest.mark.parametrize("number", [0, 1, None], ids=["first", "second", "none"])
def test_producers_device_is_current_while_it_answers(number):
    current = Current()

    class Looks:
        def __init__(self, of):
            self.array = usmx.asarray(np.arange(3.0), device=PAIRS[0][of])
            self.of = of
            self.seen = []

        def __dlpack_device__(self):
            return (2, self.of)

        def __dlpack__(self, **arguments):
            self.seen.append(current.now())
            current.set(1 - self.of)  # what others make current meanwhile is undone
            return self.array.__dlpack__(**arguments)

    class Describes(Looks):
        __dlpack__ = None

        @property
        def __cuda_array_interface__(self):
            self.seen.append(current.now())
            current.set(1 - self.of)
            return self.array.__cuda_array_interface__

    class Fails(Looks):
        def __dlpack__(self, **arguments):
            raise ZeroDivisionError

    def look():
        current.set(number)
        before = current.now()
        for of in (0, 1):
            for kind, take in ((Looks, usmx.from_dlpack), (Describes, usmx.asarray)):
                producer = kind(of)
                np.testing.assert_array_equal(usmx.asnumpy(take(producer)), [0, 1, 2])
                found.append((set(producer.seen), {current.contexts[of]}, current.now(), before))
            with pytest.raises(ZeroDivisionError):
                usmx.from_dlpack(Fails(of))
            found.append((0, 0, current.now(), before))

    found = []
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert len(found) == 6
    for seen, expected, after, before in found:
        assert (seen, after) == (expected, before)


# ---- the table: what copies, what views, what refuses (docs/how-to/several-devices.md)


def outcome(call, a):
    """Say "view" of the bytes of `a`, "copy" of its numbers, or the error's class."""
    try:
        result = call()
    except Exception as error:
        return type(error).__name__
    if hasattr(result, "usm_data"):
        assert (usmx.asnumpy(result) == usmx.asnumpy(a)).all()
        return "view" if result.usm_data._pointer == a.usm_data._pointer else "copy"
    return "copy"


def test_table():
    h = np.arange(12.0)
    a = usmx.asarray(h, device=FIRST)
    queue = usmx.get_device_cached_queue(SECOND)
    target = usmx.memory.MemoryUSMDevice(a.nbytes, queue=queue)
    found = {
        "a.to_device(second)": outcome(lambda: a.to_device(SECOND), a),
        "a.to_device(first)": outcome(lambda: a.to_device(FIRST), a),
        "asarray(a, device=second)": outcome(lambda: usmx.asarray(a, device=SECOND), a),
        "asarray(a, device=second, copy=False)": outcome(
            lambda: usmx.asarray(a, device=SECOND, copy=False), a
        ),
        "from_dlpack(a, device=second)": outcome(lambda: usmx.from_dlpack(a, device=SECOND), a),
        "from_dlpack(a, device=second, copy=False)": outcome(
            lambda: usmx.from_dlpack(a, device=SECOND, copy=False), a
        ),
        "a.__dlpack__(dl_device=second)": outcome(
            lambda: a.__dlpack__(
                dl_device=usmx.sycl_device_to_dldevice(SECOND), max_version=(1, 1)
            ),
            a,
        ),
        "a.__dlpack__(dl_device=second, copy=False)": outcome(
            lambda: a.__dlpack__(
                dl_device=usmx.sycl_device_to_dldevice(SECOND), max_version=(1, 1), copy=False
            ),
            a,
        ),
        "memory.copy_from_device(a.usm_data)": outcome(
            lambda: target.copy_from_device(a.usm_data), a
        ),
        "second_queue.memcpy(memory, a)": outcome(
            lambda: queue.memcpy(target, a.usm_data, a.nbytes), a
        ),
        "first_queue.memcpy(memory, a)": outcome(
            lambda: a.sycl_queue.memcpy(target, a.usm_data, a.nbytes), a
        ),
        "concat([a, b])": outcome(lambda: usmx.concat([a, a.to_device(SECOND)]), a),
        "a + b": outcome(lambda: a + a.to_device(SECOND), a),
        "take(a, b)": outcome(lambda: usmx.take(a, usmx.zeros(3, dtype="i8", device=SECOND)), a),
        "b[...] = a": outcome(lambda: usmx.zeros(12, device=SECOND).__setitem__(..., a), a),
        "copyto(b, a)": outcome(lambda: usmx.copyto(usmx.zeros(12, device=SECOND), a), a),
    }
    for text, what in found.items():
        print(f"  {text:50} {what}")
    assert (np.frombuffer(target.copy_to_host()) == h).all()


def test_commands_of_a_queue_on_memory_of_the_other_device():
    """memset, fill, prefetch and copies that a queue is given for memory that is not its device's."""
    for device, other in PAIRS:
        queue = usmx.get_device_cached_queue(device)
        for kind in ("Device", "Shared", "Host"):
            memory = getattr(usmx.memory, f"MemoryUSM{kind}")(
                4096, queue=usmx.get_device_cached_queue(other)
            )
            queue.memset(memory, 7, 4096)
            assert (np.frombuffer(memory.copy_to_host(), "u1") == 7).all()
            queue.fill_async(memory, 3).wait()
            assert (np.frombuffer(memory.copy_to_host(), "u1") == 3).all()
            queue.memset_async(memory, 9, 4096).wait()
            assert (np.frombuffer(memory.copy_to_host(), "u1") == 9).all()
