"""Dask takes arrays as they are: sizes, dask.array, what is sent between processes."""

import subprocess
import sys

import dask
import dask.array as da
import numpy as np
import pytest
import usmx
from dask.sizeof import sizeof
from helpers import KINDS, MEMORY_CLASSES, run_python


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


# ---- sizes


def test_dask_is_told_the_bytes_of_the_elements(kind):
    array = usmx.zeros((100, 10), usm_type=kind)
    assert sizeof(array) == 8000
    assert sizeof(array[:50]) == 4000
    assert sizeof(array.T) == 8000
    assert sizeof(usmx.zeros((3, 0), usm_type=kind)) == 0


def test_repeated_elements_of_a_broadcast_count_once(kind):
    row = usmx.zeros(10, usm_type=kind)
    assert sizeof(usmx.broadcast_to(row, (1000, 10))) == 80
    assert sizeof(usmx.broadcast_to(row, (0, 10))) == 0


def test_dask_is_told_the_bytes_of_a_memory_object(kind):
    assert sizeof(MEMORY_CLASSES[kind](4096)) == 4096


def test_subclass_has_the_size_of_its_elements():
    class Labelled(usmx.USMArray):
        pass

    assert sizeof(Labelled(1000, "f8")) == 8000


def test_dask_does_not_load_usmx():
    code = "import sys, dask.sizeof; print(dask.sizeof.sizeof([1]) > 0, 'usmx' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"True False\n"


@pytest.fixture
def with_broken_usmx(tmp_path):
    """The beginning of a program whose usmx cannot be imported."""
    package = tmp_path / "usmx"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('broken')")
    return f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"


@pytest.mark.slow
def test_broken_usmx_does_not_break_dask(with_broken_usmx):
    code = f"""{with_broken_usmx}
import dask.array, dask.sizeof
print(dask.sizeof.sizeof([1]) > 0, dask.array.ones(3).sum().compute())
try:
    import usmx
except ImportError as error:
    print(error)
"""
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"True 3.0\nbroken\n"


# ---- dask.array over usmx's chunks


@pytest.fixture
def chunked(kind):
    """A matrix of Dask's in chunks of usmx's, and the same of NumPy's."""
    host = np.arange(48.0).reshape(8, 6)
    return da.from_array(usmx.asarray(host, usm_type=kind), chunks=(3, 4), asarray=False), host


STEPS = {
    "as it is": lambda x: x,
    "slice": lambda x: x[1:7:2, ::-1],
    "index array": lambda x: x[[5, 0, 2]],
    "rechunk": lambda x: x.rechunk((8, 1)) if isinstance(x, da.Array) else x,
    "transpose": lambda x: x.T,
    "moveaxis": lambda x: np.moveaxis(x[None], 0, -1),
    "reshape": lambda x: x.reshape((2, 4, 6)),
    "ravel": lambda x: x.ravel(),
    "expand and squeeze": lambda x: x[:, None].squeeze(axis=1),
    "take": lambda x: np.take(x, [1, 3], axis=1),
    "flip": lambda x: np.flip(x, 0),
    "roll": lambda x: np.roll(x, 2, axis=0),
    "real": lambda x: x.real,
}
JOINS = {
    "concatenate": lambda library, x: library.concatenate([x, x], axis=1),
    "stack": lambda library, x: library.stack([x, x]),
    "broadcast": lambda library, x: library.broadcast_to(x, (2, 8, 6)),
    "repeat": lambda library, x: library.repeat(x, 2, axis=1),
    "tile": lambda library, x: library.tile(x, (2, 1)),
    "pad": lambda library, x: library.pad(x, 1, constant_values=7),
}


def assert_computes(lazy, expected, kind):
    found = lazy.compute(scheduler="threads")
    assert type(found) is usmx.USMArray
    assert found.usm_type == kind
    assert np.array_equal(usmx.asnumpy(found), expected)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_dask_moves_chunks_and_gives_usm_arrays_back(chunked, kind, step):
    lazy, host = chunked
    assert_computes(step(lazy), step(host), kind)


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
def test_dask_joins_chunks_and_gives_usm_arrays_back(chunked, kind, join):
    lazy, host = chunked
    assert_computes(join(da, lazy), join(np, host), kind)


@pytest.mark.parametrize("value", [5, np.arange(6.0)], ids=["number", "array"])
def test_dask_assigns_to_chunks(chunked, kind, value):
    lazy, host = chunked
    lazy[2] = host[2] = value
    assert_computes(lazy, host, kind)


COMPUTES = {
    "operators": lambda x: -x * x + 1,
    "comparison": lambda x: x > 3,
    "sum": lambda x: x.sum(),
    "sum along an axis": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(),
    "var": lambda x: x.var(axis=0, ddof=1),
    "max": lambda x: x.max(axis=0),
    "argmax": lambda x: x.argmax(axis=1),
    "product of matrices": lambda x: x @ x.T,
    "tensordot": lambda x: da.tensordot(x, x, axes=([0], [0])),
    "where": lambda x: da.where(x > 3, x, 0),
    "ufunc": da.sin,
    "clip": lambda x: da.clip(x, 2, 9),
    "cumsum": lambda x: x.cumsum(axis=0),
    "any": lambda x: (x > 5).any(axis=0),
    "mask": lambda x: x[x > 5],
}


@pytest.mark.parametrize("function", COMPUTES.values(), ids=COMPUTES)
def test_chunks_compute(function):
    host = np.arange(24.0).reshape(4, 6)
    lazy = da.from_array(usmx.asarray(host), chunks=(2, 3), asarray=False)
    found = function(lazy).compute(scheduler="sync")
    assert type(found) is usmx.USMArray
    expected = function(da.from_array(host, chunks=(2, 3))).compute(scheduler="sync")
    np.testing.assert_allclose(usmx.asnumpy(found), expected, 1e-14)


# ---- the array backend


@pytest.fixture
def backend():
    with dask.config.set({"array.backend": "usmx"}):
        yield


CREATIONS = {
    "ones": lambda: da.ones((3, 4), chunks=2),
    "zeros of integers": lambda: da.zeros(5, dtype="i4", chunks=2),
    "full": lambda: da.full((2, 3), 7, chunks=2),
    "arange": lambda: da.arange(7, chunks=3),
    "arange of floats": lambda: da.arange(1.0, 2.0, 0.1, chunks=4),
    "no dimension": lambda: da.ones(()),
    "like another": lambda: da.ones_like(da.zeros((3, 4), chunks=2)),
}


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("create", CREATIONS.values(), ids=CREATIONS)
def test_backend_creates_what_numpys_creates(create):
    lazy = create()
    assert type(lazy._meta) is usmx.USMArray
    with dask.config.set({"array.backend": "numpy"}):
        expected = create()
    assert (lazy.chunks, lazy.dtype) == (expected.chunks, expected.dtype)
    assert_computes(lazy, expected.compute(), "device")


@pytest.mark.usefixtures("backend")
def test_backend_makes_empty_arrays_of_a_kind_and_device(kind):
    device = usmx.SyclDevice().filter_string
    lazy = da.empty((4, 6), chunks=3, usm_type=kind, device=device)
    assert_computes(lazy.map_blocks(usmx.zeros_like), np.zeros((4, 6)), kind)


@pytest.mark.usefixtures("backend")
def test_chunks_of_the_backend_can_be_written_to():
    assert da.ones(4, chunks=4).compute().flags.writable


@pytest.mark.usefixtures("backend")
def test_backend_keeps_the_library_and_the_kind_of_a_model(kind):
    assert da.ones_like(da.from_array(usmx.zeros(3, usm_type=kind))).compute().usm_type == kind
    assert type(da.ones_like(da.from_array(np.zeros(3))).compute()) is np.ndarray


def test_chunks_move_to_the_backend_and_back(kind):
    host = np.arange(12.0).reshape(3, 4)
    moved = da.from_array(host, chunks=2).to_backend("usmx", usm_type=kind)
    assert_computes(moved, host, kind)
    assert moved.to_backend("usmx") is moved
    back = moved.to_backend("numpy").compute()
    assert type(back) is np.ndarray
    assert np.array_equal(back, host)


def test_percentiles_of_the_backends_chunks_are_those_of_numpys_chunks():
    chunked = da.from_array(np.arange(100.0) ** 2, chunks=30)
    expected = da.percentile(chunked, [25, 50]).compute()
    found = da.percentile(chunked.to_backend("usmx"), [25, 50]).compute()
    np.testing.assert_allclose(usmx.asnumpy(usmx.asarray(found)), expected)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize(
    "make",
    [
        lambda: da.random.default_rng(1),
        lambda: da.random.RandomState(1),
        lambda: da.random.random(3),
    ],
)
def test_random_numbers_of_the_backend_are_refused_with_what_to_do(make):
    with pytest.raises(NotImplementedError, match="usmx makes no random numbers.*to_backend"):
        make()


@pytest.mark.slow
def test_broken_usmx_breaks_the_backend_alone(with_broken_usmx):
    code = f"""{with_broken_usmx}
import dask, dask.array as da
print(da.ones(3).sum().compute())
with dask.config.set({{"array.backend": "usmx"}}):
    try:
        da.ones(3)
    except ImportError as error:
        print(error)
"""
    assert subprocess.check_output([sys.executable, "-P", "-c", code]) == b"3.0\nbroken\n"


# ---- between processes


@pytest.mark.slow
def test_workers_send_arrays_to_each_other():
    code = """
import dask
import dask.array as da
import usmx
from dask.distributed import Client, LocalCluster

def total(array):
    return array.usm_type, float(usmx.asnumpy(array).sum())

if __name__ == "__main__":
    arrays = [usmx.full(1000, 2.0, usm_type=kind) for kind in ("device", "shared", "host")]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        first, second = client.scheduler_info(n_workers=-1)["workers"]
        made = [client.scatter(array, workers=[first]) for array in arrays]
        there = [client.submit(total, each, workers=[second]) for each in made]
        print(client.gather(there, errors="raise"))
        print([total(each) for each in client.gather(made)])

        with dask.config.set({"array.backend": "usmx"}):
            chunked = da.arange(6, chunks=3, usm_type="host")
        print(chunked[::-1].compute().usm_type, chunked.to_backend("numpy").compute())
"""
    sent = str([(kind, 2000.0) for kind in KINDS])
    result = run_python(code)
    assert result.stdout.splitlines() == [sent, sent, "host [0 1 2 3 4 5]"], result.stderr


@pytest.mark.slow
def test_workers_spill_and_run_out_of_memory_as_with_numpy():
    """One cluster for all: it takes seconds to start. Spilling by Dask's count of managed bytes."""
    code = """
import dask
import numpy as np
import usmx
from dask.distributed import Client, LocalCluster

BLOCKS, NBYTES = 6, 8 << 20

def make(kind, number):
    if kind == "numpy":
        return np.full(NBYTES, number, "u1")
    return usmx.full(NBYTES, number, dtype="u1", usm_type=kind)

def in_memory(dask_worker):
    return sum(str(key).startswith("make") for key in dask_worker.data.fast)

def first(block):
    return int(usmx.asnumpy(block)[0]) if isinstance(block, usmx.USMArray) else int(block[0])

def limited(nbytes):
    pool = usmx.memory.get_memory_pool("shared")
    pool.set_limit(size=pool.used_bytes() + nbytes)
    try:
        return usmx.empty(2 * nbytes, dtype="u1", usm_type="shared")
    finally:
        pool.set_limit()

if __name__ == "__main__":
    memory = {"target": 0.05, "spill": False, "pause": False, "terminate": False}
    with (
        dask.config.set({f"distributed.worker.memory.{name}": value for name, value in memory.items()}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="640MiB") as cluster,
        Client(cluster) as client,
    ):
        one, _ = client.scheduler_info(n_workers=-1)["workers"]
        counts = {}
        for kind in ("numpy", "device", "shared", "host"):
            made = client.map(make, [kind] * BLOCKS, range(BLOCKS), workers=[one])
            client.gather(client.map(first, made, workers=[one]))
            counts[kind] = client.run(in_memory, workers=[one])[one]
            assert client.gather(client.map(first, made, workers=[one])) == list(range(BLOCKS))
            del made
        print(0 < counts["numpy"] < BLOCKS or counts, len(set(counts.values())) == 1 or counts)

        try:
            client.submit(limited, 1 << 20, workers=[one]).result()
        except MemoryError as error:
            print(type(error).__name__)
        print(client.submit(sum, [1, 2], workers=[one]).result())
"""
    result = run_python(code)
    assert result.stdout.splitlines() == ["True True", "USMAllocationError", "3"], (
        result.stdout + result.stderr
    )


@pytest.mark.slow
def test_worker_that_cannot_make_what_it_receives_fails_the_task():
    code = """
import os
import pickle
import usmx
from dask.distributed import Client, LocalCluster
from helpers import KINDS

NBYTES = 1 << 20

def make(kind):
    return usmx.full(NBYTES, 1, dtype="u1", usm_type=kind)

def total(array):
    return int(usmx.asnumpy(array).sum())

def fill_pool(kind):
    pool = usmx.memory.get_memory_pool(kind)
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 1024)

def empty_pool(kind):
    usmx.memory.get_memory_pool(kind).set_limit()

class Elsewhere:
    def __init__(self, array):
        self.array = array

    def __reduce__(self):
        here = self.array.sycl_device.filter_string.encode()
        return pickle.loads, (pickle.dumps(self.array, 0).replace(here, b"cuda:gpu:77"),)

def made_elsewhere():
    return Elsewhere(usmx.arange(3))

def name(device):
    os.environ["USMX_UNPICKLE_ON"] = device

if __name__ == "__main__":
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        one, other = client.scheduler_info(n_workers=-1)["workers"]

        def moved(make, *arguments):
            made = client.submit(make, *arguments, workers=[one], pure=False)
            there = client.submit(total, made, workers=[other], pure=False)
            try:
                return there.result(timeout=240)
            except (MemoryError, RuntimeError) as error:
                return f"{type(error).__name__}: {str(error).partition(': ')[0]}"

        for kind in KINDS:
            client.run(fill_pool, kind, workers=[other])
            print("receiver without", kind, moved(make, kind))
            client.run(empty_pool, kind, workers=[other])
            print("receiver with", kind, moved(make, kind))

        client.run(fill_pool, "host", workers=[one])
        print("sender without host", moved(make, "device"))

        print("no name", moved(made_elsewhere))
        for device in ("cuda:gpu:78", usmx.SyclDevice().filter_string):
            client.run(name, device, workers=[other])
            print("another name", moved(made_elsewhere))
"""
    expected = []
    for kind in KINDS:
        failed = "USMAllocationError: USMArray could not be unpickled"
        expected.append(f"receiver without {kind} {failed}")
        expected.append(f"receiver with {kind} 1048576")
    expected.append("sender without host 1048576")
    expected.append("no name 3")
    expected.append("another name SyclDeviceCreationError: USMArray could not be unpickled")
    expected.append("another name 3")
    result = run_python(code)
    assert result.stdout.splitlines() == expected, result.stdout + result.stderr
