"""usmx.memory: pools, their figures and limits, resources, and what they say in the environment."""

import csv
import functools
import os
import pickle
import subprocess
import sys
import threading
import time

import dpctl
import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, MEMORY_CLASSES, Producer, sub_devices
from usmx import memory
from usmx.cli import memory_log

KIB = 1024
MIB = 1024 * KIB


@pytest.fixture
def pool():
    """The pool of the default device's shared memory, with nothing free; without a limit afterwards."""
    usmx.synchronize()
    found = memory.get_memory_pool("shared")
    found.free_all_blocks()
    yield found
    found.set_limit()


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


# ---- pools


@pytest.mark.parametrize("kind", KINDS)
def test_new_memory_is_in_the_pool_of_its_kind(kind):
    pool = memory.get_memory_pool(kind)
    assert pool.kind == kind
    usmx.synchronize()  # memory that an earlier test used is free before, not in between
    before = pool.used_bytes()
    block = MEMORY_CLASSES[kind](2 * MIB)
    assert pool.used_bytes() - before == 2 * MIB
    del block
    assert pool.used_bytes() == before


def test_total_bytes_are_those_in_use_and_free(pool):
    block = memory.MemoryUSMShared(MIB)
    assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
    free = pool.free_bytes()
    del block
    assert pool.free_bytes() == free + MIB


def test_freed_memory_is_used_again_until_all_free_blocks_are_given_back(pool):
    address = int(memory.MemoryUSMShared(MIB)._pointer)
    assert int(memory.MemoryUSMShared(MIB)._pointer) == address
    assert pool.free_bytes() >= MIB
    pool.free_all_blocks()
    assert pool.free_bytes() < MIB


def test_empty_cache_gives_back_what_all_pools_keep(pool):
    memory.MemoryUSMShared(5 * MIB)
    memory.empty_cache()
    assert pool.free_bytes() < 5 * MIB


def test_memory_beyond_a_limit_is_a_memory_error_with_the_figures(pool):
    pool.set_limit(size=pool.total_bytes() + MIB)
    assert pool.get_limit() == pool.total_bytes() + MIB
    with pytest.raises(MemoryError, match=r"3145728 bytes of USM shared memory on .* limit .* use"):
        memory.MemoryUSMShared(3 * MIB)
    assert memory.MemoryUSMShared(MIB).nbytes == MIB
    pool.set_limit()
    assert pool.get_limit() is None
    assert memory.MemoryUSMShared(3 * MIB).nbytes == 3 * MIB


def test_pool_keeps_no_more_free_memory_than_its_limit(pool):
    blocks = [memory.MemoryUSMShared(MIB) for _ in range(4)]
    before = pool.get_keep_limit()
    assert before >= 64 * MIB
    pool.set_keep_limit(2 * MIB)
    try:
        assert pool.get_keep_limit() == 2 * MIB
        del blocks
        assert pool.free_bytes() >= 4 * MIB
        memory.MemoryUSMShared(1)
        assert pool.free_bytes() < 3 * MIB  # and what is free in slabs
        pool.set_keep_limit(0)
        assert pool.free_bytes() < MIB
    finally:
        pool.set_keep_limit(before)


@pytest.mark.parametrize("size", [-1, None, "4M", 1.5])
def test_keep_limit_is_a_number_of_bytes(pool, size):
    with pytest.raises(ValueError if size == -1 else TypeError, match="size"):
        pool.set_keep_limit(size)


@pytest.mark.parametrize("kind", KINDS)
def test_pickling_gives_back_what_is_free_beyond_the_limit(kind):
    """As engines do that move arrays to disk until the process takes less memory."""
    pool = memory.get_memory_pool(kind)
    kept = usmx.zeros(1000, usm_type=kind)
    before = pool.get_keep_limit()
    pool.set_keep_limit(0)
    try:
        let_go = usmx.empty(4 * MIB, dtype="u1", usm_type=kind)
        del let_go
        assert pool.free_bytes() >= 4 * MIB
        pickle.dumps(kept, 5, buffer_callback=lambda buffer: None)
        assert pool.free_bytes() < 4 * MIB
    finally:
        pool.set_keep_limit(before)


def test_limit_can_be_a_share_of_the_devices_memory(pool):
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == usmx.SyclDevice().global_mem_size // 2


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan")])
def test_fraction_outside_of_its_range_is_rejected(pool, fraction):
    with pytest.raises(ValueError, match="between 0 and 1"):
        pool.set_limit(fraction=fraction)


@pytest.mark.parametrize(
    "limit", [{"size": 0}, {"size": None}, {"fraction": 0}, {"fraction": 0.0}, {}]
)
def test_limit_of_0_is_none_as_in_cupy(pool, limit):
    pool.set_limit(size=1)
    pool.set_limit(**limit)
    assert pool.get_limit() is None
    assert usmx.zeros(4 * MIB, dtype="u1", usm_type=pool.kind).nbytes == 4 * MIB


def test_size_and_fraction_together_are_rejected(pool):
    with pytest.raises(ValueError, match="both"):
        pool.set_limit(size=1, fraction=0.5)


def test_negative_limit_is_rejected(pool):
    with pytest.raises(ValueError, match="-1"):
        pool.set_limit(size=-1)


def test_peaks_are_kept_until_they_are_reset(pool):
    memory.reset_peak_memory_stats("shared")
    before = memory.memory_stats("shared")
    memory.MemoryUSMShared(MIB)
    after = memory.memory_stats("shared")
    assert after["used_bytes.peak"] == before["used_bytes.current"] + MIB
    assert after["used_bytes.current"] == before["used_bytes.current"]
    assert after["total_bytes.peak"] >= before["total_bytes.current"] + MIB
    memory.reset_peak_memory_stats("shared")
    assert memory.memory_stats("shared")["used_bytes.peak"] == before["used_bytes.current"]


def test_pool_is_not_found_where_new_memory_comes_from_another_resource():
    plain = memory.PlainResource("shared")
    for ask in (memory.get_memory_pool, memory.memory_stats, memory.reset_peak_memory_stats):
        with (
            memory.using_memory_resource(plain),
            pytest.raises(ValueError, match="another resource"),
        ):
            ask("shared")
    assert memory.get_memory_pool("shared").kind == "shared"


def test_pool_is_a_resource():
    pool = memory.get_memory_pool("host")
    assert isinstance(pool, memory.MemoryResource)
    assert pool == memory.get_memory_resource("host")
    assert memory.StatisticsResource(pool).kind == "host"


def test_some_of_the_devices_memory_is_free():
    free, total = memory.mem_get_info()
    assert 0 < free <= total == usmx.SyclDevice().global_mem_size


def test_dead_block_is_refused_at_import():
    array = usmx.empty(100, usm_type="shared")
    producer = type("Forgetful", (), {})()
    producer.__sycl_usm_array_interface__ = dict(array.__sycl_usm_array_interface__)
    assert usmx.asarray(producer).shape == (100,)
    del array
    with pytest.raises(ValueError, match="not USM memory"):
        usmx.asarray(producer)


def test_byte_of_a_neighbour_is_refused_at_import():
    array = usmx.empty(100, dtype="u1", usm_type="shared")
    producer = type("Greedy", (), {})()
    producer.__sycl_usm_array_interface__ = {**array.__sycl_usm_array_interface__, "shape": (101,)}
    with pytest.raises(ValueError, match="not all inside"):
        usmx.asarray(producer)


# ---- resources


def test_memory_in_a_with_block_comes_from_the_resource_and_returns_to_it():
    before = memory.get_memory_resource("host")
    counting = memory.StatisticsResource(memory.PlainResource("host"))
    with memory.using_memory_resource(counting) as used:
        assert used is counting
        assert memory.get_memory_resource("host") == counting
        block = memory.MemoryUSMHost(1000)
    assert memory.get_memory_resource("host") == before
    memory.MemoryUSMHost(1000)
    assert counting.counts()["bytes.current"] == 1000
    assert counting.counts()["blocks.total"] == 1
    del block
    assert counting.counts()["bytes.current"] == 0


def test_with_block_that_raises_restores_the_resource():
    before = memory.get_memory_resource("host")
    with pytest.raises(KeyError), memory.using_memory_resource(memory.PlainResource("host")):
        raise KeyError
    assert memory.get_memory_resource("host") == before


def test_resources_can_be_stacked():
    plain = memory.PlainResource("shared")
    limited = memory.LimitingResource(memory.PoolResource(plain), 10_000)
    with memory.using_memory_resource(memory.StatisticsResource(limited)) as counting:
        block = usmx.zeros(1000, usm_type="shared")
        with pytest.raises(MemoryError, match="10000 bytes, of which 8000"):
            usmx.zeros(1000, usm_type="shared")
        assert limited.used_bytes() == 8000
        assert counting.counts()["failures"] > 0
        del block
        assert usmx.zeros(1000, usm_type="shared").shape == (1000,)


# ---- pools that the program makes


@pytest.fixture
def own_pool():
    """A pool of the program's on counted memory, and what counts."""
    counting = memory.StatisticsResource(memory.PlainResource("shared"))
    return memory.PoolResource(counting), counting


def test_own_pool_has_all_that_usmxs_pools_have():
    assert issubclass(memory.PoolResource, memory.MemoryPool)
    for name in ("free_all_blocks", "set_limit", "statistics", "used_bytes", "reset_peak"):
        assert getattr(memory.PoolResource, name) is getattr(memory.MemoryPool, name)


def test_own_pool_tells_what_it_has(own_pool):
    pool, counting = own_pool
    with memory.using_memory_resource(pool):
        block = memory.MemoryUSMShared(MIB)
    assert pool.kind == "shared"
    assert pool.used_bytes() == MIB
    assert pool.total_bytes() == counting.counts()["bytes.current"]
    del block
    assert (pool.used_bytes(), pool.free_bytes()) == (0, pool.total_bytes())
    assert pool.statistics()["used_bytes.peak"] == MIB
    pool.reset_peak()
    assert pool.statistics()["used_bytes.peak"] == 0


def test_own_pool_gives_back_what_nobody_uses(own_pool):
    pool, counting = own_pool
    with memory.using_memory_resource(pool):
        memory.MemoryUSMShared(MIB)
    assert counting.counts()["blocks.current"] == 1
    pool.free_all_blocks()
    assert counting.counts()["blocks.current"] == 0
    assert pool.total_bytes() == 0


def test_own_pool_keeps_its_limit(own_pool):
    pool, _ = own_pool
    assert pool.get_limit() is None
    pool.set_limit(size=2 * MIB)
    with memory.using_memory_resource(pool):
        assert memory.MemoryUSMShared(2 * MIB).nbytes == 2 * MIB
        with pytest.raises(MemoryError, match=r"limit is 2097152 bytes"):
            memory.MemoryUSMShared(3 * MIB)
    pool.set_limit(fraction=0.25)
    assert pool.get_limit() == usmx.SyclDevice().global_mem_size // 4


def test_empty_cache_reaches_own_pools_on_top_of_each_other(own_pool):
    lower, counting = own_pool
    upper = memory.PoolResource(lower)
    with memory.using_memory_resource(upper):
        memory.MemoryUSMShared(MIB)
    assert (upper.free_bytes(), counting.counts()["blocks.current"]) == (MIB, 1)
    memory.empty_cache()
    assert (upper.free_bytes(), lower.free_bytes()) == (0, 0)
    assert counting.counts()["blocks.current"] == 0


def test_memory_of_a_pool_that_was_dropped_goes_back():
    counting = memory.StatisticsResource(memory.PlainResource("shared"))
    with memory.using_memory_resource(memory.PoolResource(counting)):
        kept = memory.MemoryUSMShared(MIB)
        memory.MemoryUSMShared(2 * MIB)
    assert counting.counts()["blocks.current"] == 2
    del kept
    assert counting.counts()["blocks.current"] == 0


def queue_of_another_context():
    device = dpctl.SyclDevice()
    return dpctl.SyclQueue(dpctl.SyclContext([device]), device)


def queue_of_a_sub_device():
    return dpctl.SyclQueue(sub_devices()[0])


@pytest.mark.parametrize("other", [queue_of_another_context, queue_of_a_sub_device])
@pytest.mark.parametrize("stacked", [False, True])
def test_pool_of_another_context_or_device_is_refused(own_pool, other, stacked):
    pool, _ = own_pool
    resource = memory.LimitingResource(pool, MIB) if stacked else pool
    queue = other()
    before = memory.get_memory_resource("shared", queue)
    with pytest.raises(
        ValueError, match=r"a pool of .* in context 0x.* a queue of .* in context 0x"
    ):
        memory.set_memory_resource(resource, queue)
    assert memory.get_memory_resource("shared", queue) == before
    with pytest.raises(ValueError, match="a pool of"):
        memory.PoolResource(resource, queue)


# ---- other resources


def test_tracking_names_the_line_that_allocated_what_is_alive():
    tracking = memory.TrackingResource(memory.get_memory_resource("shared"))
    with memory.using_memory_resource(tracking):
        kept = usmx.zeros(10, usm_type="shared")
        usmx.zeros(20, usm_type="shared")
    ((address, nbytes, place),) = tracking.live_blocks()
    assert address == kept.usm_data._pointer
    assert nbytes == 80
    assert place.startswith(f"{__file__}:")
    assert place.endswith(" in test_tracking_names_the_line_that_allocated_what_is_alive")


def test_log_has_a_line_for_each_allocation_free_and_failure(tmp_path):
    path = tmp_path / "memory.csv"
    counting = memory.StatisticsResource(memory.PlainResource("shared"))
    with memory.using_memory_resource(memory.LoggingResource(counting, path)):
        block = memory.MemoryUSMShared(1000)
        with pytest.raises(MemoryError):
            memory.MemoryUSMShared(1 << 60)
        address = f"{block._pointer:#x}"
        del block
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["action"] for line in lines].count("failure") == counting.counts()["failures"] > 0
    first, last = lines[0], lines[-1]
    assert (first["action"], last["action"]) == ("allocate", "free")
    for line in (first, last):
        assert line["thread"] == str(threading.get_native_id())
        assert (line["source"], line["kind"], line["nbytes"]) == ("resource", "shared", "1000")
        assert line["address"] == address
        assert line["device"] == usmx.SyclDevice().filter_string
        assert float(line["time"]) == pytest.approx(time.time(), abs=100)


def test_log_into_no_folder_is_rejected(tmp_path):
    path = tmp_path / "none" / "memory.csv"
    with pytest.raises(ValueError, match=r"none/memory\.csv': No such file"):
        memory.LoggingResource(memory.PlainResource("shared"), path)


def test_several_logs_may_be_written_to_a_device():
    plain = memory.PlainResource("shared")
    logs = [memory.LoggingResource(plain, os.devnull) for _ in range(3)]
    with memory.using_memory_resource(logs[0]), memory.using_memory_resource(logs[1]):
        assert usmx.asnumpy(usmx.ones(3, usm_type="shared")).tolist() == [1, 1, 1]


def test_two_logs_of_one_file_are_refused(tmp_path):
    plain = memory.PlainResource("shared")
    first = memory.LoggingResource(plain, tmp_path / "memory.csv")
    with pytest.raises(ValueError, match="another log"):
        memory.LoggingResource(first, tmp_path / "memory.csv")


STACKED = """
import os, threading
import usmx
from usmx import memory

WRAPS = [
    lambda x: memory.LimitingResource(x, 1 << 20),
    memory.StatisticsResource,
    memory.TrackingResource,
    memory.FailingResource,
    lambda x: memory.LoggingResource(x, os.devnull),
    memory.PoolResource,
]

def stack(wrap):
    top, count = memory.PlainResource("host"), 1
    try:
        while count < 200_000:
            top, count = wrap(top), count + 1
    except ValueError as error:
        assert "at most 16 memory resources" in str(error), error
        return top, count
    raise SystemExit("no error")

def use():
    for wrap in WRAPS:
        top, count = stack(wrap)
        assert count == 16, count
        if wrap is not memory.FailingResource:
            with memory.using_memory_resource(top):
                assert usmx.asnumpy(usmx.ones(10, usm_type="host")).sum() == 10
        assert str(top).startswith("<"), top
        del top

usmx.zeros(3)
threading.stack_size(512 << 10)
thread = threading.Thread(target=use)
thread.start()
thread.join()
print("done")
"""


@pytest.mark.slow
def test_stack_of_too_many_resources_is_refused():
    """One that is not runs on a thread with a small stack."""
    result = run(STACKED)
    assert result.stdout == "done\n", result.stderr[-2000:]


def test_failures_on_purpose_are_memory_errors_after_which_usmx_works():
    failing = memory.FailingResource(memory.PlainResource("shared"), after=1)
    with memory.using_memory_resource(failing):
        assert usmx.zeros(10, usm_type="shared").shape == (10,)
        with pytest.raises(MemoryError, match="on purpose"):
            usmx.zeros(10, usm_type="shared")
    assert usmx.zeros(10, usm_type="shared").shape == (10,)


def test_resource_that_is_initialized_while_its_initializer_runs_stays_as_it_is():
    class Again:
        def __index__(self):
            made.__init__(memory.PlainResource("host"), 5)
            return 7

    made = memory.LimitingResource.__new__(memory.LimitingResource)
    with pytest.raises(RuntimeError, match="ran twice"):
        made.__init__(memory.PlainResource("shared"), Again())
    assert made.kind == "host"


def test_two_null_functions_are_no_resource():
    with pytest.raises(ValueError, match="null"):
        memory.FunctionResource("shared", 0, 0)


def test_resource_of_another_kind_than_memory_is_rejected():
    with pytest.raises(ValueError, match="unknown"):
        memory.PlainResource("unknown")


def test_resources_are_equal_to_themselves_only():
    plain = memory.PlainResource("host")
    assert plain == plain
    assert plain != memory.PlainResource("host")
    assert plain != "host"


# ---- the environment, and exhausted memory


def test_pools_can_be_off():
    code = (
        "import usmx; a = usmx.empty(10); print(usmx.memory.get_memory_pool().total_bytes(), "
        "usmx.asnumpy(usmx.zeros(3)))"
    )
    result = run(code, USMX_POOL="off")
    assert result.stdout == "0 [0. 0. 0.]\n", result.stderr


def test_first_limit_can_be_in_the_environment():
    code = "import usmx; print(usmx.memory.get_memory_pool().get_limit())"
    assert run(code, USMX_POOL_LIMIT="3M").stdout == f"{3 * MIB}\n"
    assert run(code, USMX_POOL_LIMIT="0").stdout == "None\n"
    nonsense = run(code, USMX_POOL_LIMIT="much")
    assert nonsense.stdout == "None\n"
    assert "USMX_POOL_LIMIT must be a number of bytes" in nonsense.stderr


def test_free_memory_that_pools_keep_can_be_in_the_environment():
    code = """
import usmx
pool = usmx.memory.get_memory_pool()
blocks = [usmx.empty(1 << 20, dtype="u1") for _ in range(16)]
del blocks
usmx.synchronize()
kept = pool.free_bytes() >> 20
usmx.empty(10)  # gives back what is beyond
print(kept, pool.free_bytes() >> 20)
"""
    assert run(code, USMX_POOL_KEEP="4M").stdout == "16 4\n"
    assert run(code, USMX_POOL_KEEP="0").stdout == "16 0\n"
    assert run(code).stdout == "16 16\n"
    assert "USMX_POOL_KEEP must be a number of bytes" in run(code, USMX_POOL_KEEP="few").stderr


ALLOCATING = """
import os
import threading
import usmx

def allocate(number):
    for size in range(1, 200):
        usmx.memory.MemoryUSMHost(size * 100 + number)

kept = usmx.memory.MemoryUSMDevice(3 << 20)
threads = [threading.Thread(target=allocate, args=(number,)) for number in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
stats = [usmx.memory.memory_stats(kind) for kind in ("device", "host")]
sizes = (each[name] for each in stats for name in ("total_bytes.current", "total_bytes.peak"))
print(*sizes, flush=True)  # os._exit writes nothing more
{end}
"""


@pytest.mark.parametrize("end", ["", "os._exit(0)"])
def test_log_of_a_process_agrees_with_its_statistics_however_it_ends(tmp_path, end):
    result = run(ALLOCATING.format(end=end), USMX_MEMORY_LOG=str(tmp_path / "memory-%p.csv"))
    (path,) = tmp_path.glob("memory-*.csv")
    every = memory_log.history(memory_log.read(path))
    assert every.allocations == 1 + 4 * 199
    assert every.used["host"][-1] == 0
    assert every.used["device"].max() == 3 << 20
    # The pools never gave anything back.
    device, device_peak, host, host_peak = map(int, result.stdout.split())
    assert every.pools[-1] == every.pools.max() == device + host == device_peak + host_peak
    if end:
        assert every.used["device"][-1] == 3 << 20


def test_process_without_memory_leaves_no_log(tmp_path):
    run("import usmx", USMX_MEMORY_LOG=str(tmp_path / "memory.csv"))
    assert list(tmp_path.iterdir()) == []


def test_log_that_cannot_be_written_is_a_warning(tmp_path):
    result = run("import usmx; usmx.zeros(3)", USMX_MEMORY_LOG=str(tmp_path / "none" / "x.csv"))
    assert result.returncode == 0
    assert "none/x.csv': No such file" in result.stderr


def test_full_disk_ends_the_log_and_not_the_process():
    code = "import usmx; print([usmx.zeros(3).shape for _ in range(3)][0])"
    result = run(code, USMX_MEMORY_LOG="/dev/full")
    assert result.stdout == "(3,)\n"
    assert result.stderr.count("memory log '/dev/full' ends here") == 1


CHILD = """
import subprocess, sys, usmx
kept = usmx.zeros(3)
code = "import usmx; usmx.zeros(3)"
print(subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True).stderr)
"""


def test_log_of_a_living_process_is_not_overwritten_by_its_child(tmp_path):
    path = tmp_path / "memory.csv"
    assert "another log is being written there" in run(CHILD, USMX_MEMORY_LOG=str(path)).stdout
    assert memory_log.history(memory_log.read(path)).allocations == 1


LEAKING = """
import ctypes
import usmx
kept = usmx.zeros(10, usm_type="shared")
let_go = usmx.zeros(20, usm_type="shared")
if {leak}:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
"""


def test_leak_report_names_what_is_alive_at_exit_and_where_it_was_made():
    errors = run(LEAKING.format(leak=True), USMX_LEAK_REPORT="1").stderr
    line = "usmx: 80 bytes of shared memory are alive at exit: <string>:4 in <module>"
    assert line in errors
    assert errors.endswith("usmx: blocks that are alive at exit: 1\n")


def test_leak_report_of_a_program_without_leaks_names_none():
    errors = run(LEAKING.format(leak=False), USMX_LEAK_REPORT="1").stderr
    assert errors == "usmx: blocks that are alive at exit: 0\n"


WAITING = """
import numpy as np
import usmx
target = usmx.zeros(4_000_000, usm_type="shared")
source = usmx.ones(4_000_000, usm_type="shared")
for _ in range(50):
    usmx.copy_async(target, source)
del target, source
"""


def test_leak_report_counts_no_block_that_only_waits_for_its_work():
    errors = run(WAITING, USMX_LEAK_REPORT="1").stderr
    assert errors == "usmx: blocks that are alive at exit: 0\n"


def test_without_asking_there_is_no_leak_report():
    assert "alive at exit" not in run(LEAKING.format(leak=True)).stderr


EXHAUSTED = """
import resource
import usmx
usmx.asnumpy(usmx.zeros(10))  # NumPy's threads take half of what is allowed below
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), resource.RLIM_INFINITY))
kept = []
try:
    while True:
        kept.append(usmx.empty(2 << 20, usm_type="shared"))
except MemoryError as error:
    text = str(error)
    assert "16777216 bytes of USM shared memory" in text, text
    assert "bytes in use" in text, text
count = len(kept)
assert count > 3, count
kept.clear()
assert usmx.asnumpy(usmx.zeros(2 << 20, usm_type="host")).sum() == 0
usmx.memory.empty_cache()
again = [usmx.empty(2 << 20, usm_type="shared") for _ in range(count // 2)]
assert usmx.asnumpy(usmx.ones(5, usm_type="shared")).sum() == 5
print("works on")
"""


def test_exhausted_address_space_is_a_memory_error_after_which_usmx_works():
    result = run(EXHAUSTED)
    assert result.stdout == "works on\n", result.stderr


# ---- work under way


TRIES = 300
COUNT = 40_000  # doubles: work on them takes longer than what comes after it
ROWS = 64  # a power of two: sums and products with its inverse are exact


def unheld(array):
    """The same memory for dpnp, which would keep the array itself alive until its work is done."""
    return dpnp.as_usm_ndarray(Producer(dict(array.__sycl_usm_array_interface__)))


@functools.cache
def factors(queue, shape):
    return dpnp.full(shape, 1 / ROWS, sycl_queue=queue)


def fill_by_usmx(array):
    usmx.fill_async(array, 1.0)


def copy_of_the_host(array):
    usmx.copy_async(array, np.ones(COUNT))


def sum_by_dpnp(array):
    result = unheld(array)
    dpnp.sum(factors(result.sycl_queue, (ROWS, COUNT)), axis=0, out=result)


def product_by_onemkl(array):
    result = dpnp.reshape(unheld(array), (1, COUNT), copy=False)
    ones = dpnp.ones((1, ROWS), sycl_queue=result.sycl_queue)
    dpnp.matmul(ones, factors(result.sycl_queue, (ROWS, COUNT)), out=result)


@pytest.mark.slow
@pytest.mark.parametrize(
    "start_work", [fill_by_usmx, copy_of_the_host, sum_by_dpnp, product_by_onemkl]
)
def test_block_is_never_handed_out_while_work_on_it_runs(start_work):
    """Not to the host, nor to another queue."""
    queue = usmx.SyclQueue()
    for k in range(TRIES):
        array = usmx.empty(COUNT, usm_type="shared", sycl_queue=queue if k % 2 else None)
        start_work(array)
        del array
        other = usmx.empty(COUNT, usm_type="shared", sycl_queue=None if k % 2 else queue)
        if k % 3 == 0:
            usmx.fill_async(other, 7.0).wait()
        view = np.asarray(other)
        view[:] = 7.0
        queue.wait()
        usmx.synchronize()
        assert (view == 7.0).all()


def copy_by_usmx(source):
    target = usmx.empty(COUNT, usm_type="shared", sycl_queue=usmx.SyclQueue())
    usmx.copy_async(target, source)
    return target


def copy_by_dpnp(source):
    return dpnp.copy(unheld(source))


def sums_by_onemkl(source):
    row = dpnp.reshape(unheld(source), (1, COUNT), copy=False)
    return dpnp.matmul(row, factors(row.sycl_queue, (COUNT, ROWS)))


@pytest.mark.slow
@pytest.mark.parametrize("start_reading", [copy_by_usmx, copy_by_dpnp, sums_by_onemkl])
def test_block_that_is_read_is_never_handed_out(start_reading):
    for k in range(TRIES):
        source = usmx.full(COUNT, float(k), usm_type="shared")
        result = start_reading(source)
        del source
        np.asarray(usmx.empty(COUNT, usm_type="shared"))[:] = -1.0
        numbers = usmx.asnumpy(result)
        assert (numbers == (k if numbers.size == COUNT else k * COUNT / ROWS)).all()


# ---- memory that waits for work


WAITING_FOR_DPNP = """
import sys
import dpnp
import dpnp.tensor as dpt
import usmx
from usmx import memory

which = sys.argv[1]
x = dpnp.ones((1000, 1000))
numbers, some, queue = dpt.ones(1_000_000), dpt.arange(1000), x.sycl_queue
if which == "limit":
    memory.get_memory_pool().set_limit(size=40 << 20)
dropped = [usmx.empty(4_000_000, sycl_queue=queue) for _ in range(1 if which == "limit" else 12)]
for a in dropped:
    a.__sycl_usm_array_interface__  # others may work on it from now on
usmx.empty(10)
queue.wait()
product = dpnp.matmul(x, x)
selected = numbers[some]  # its operands are let go by a task that takes the interpreter lock
dropped.clear()
del a
if which == "small":
    usmx.empty(10)
elif which == "large":
    for size in range(5_000_000, 8_000_000, 600_000):
        usmx.empty(size)
else:
    usmx.empty(2_000_000, sycl_queue=queue)
print("done")
"""


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("which", ["small", "large", "limit"])
def test_allocation_that_waits_for_dpnps_work_lets_the_work_end(which):
    done = subprocess.run(
        [sys.executable, "-P", "-c", WAITING_FOR_DPNP, which],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.stdout == "done\n", done.stderr


def peak_of(action):
    """The most bytes that the pool of shared memory had during an action."""
    found = memory.get_memory_pool("shared")
    usmx.synchronize()
    memory.empty_cache()
    found.reset_peak()
    action()
    return found.statistics()["total_bytes.peak"]


@pytest.mark.slow
def test_blocks_of_unfinished_copies_are_used_again_on_their_queue(pool):
    source = usmx.ones(512 * KIB, usm_type="shared")

    def copy_again_and_again():
        for _ in range(1500):
            made = usmx.empty(512 * KIB, usm_type="shared")
            usmx.copy_async(made, source)
            del made

    assert peak_of(copy_again_and_again) <= source.nbytes + 4 * 4 * MIB


@pytest.mark.slow
def test_memory_that_waits_is_bounded_where_every_size_differs(pool):
    source = usmx.ones(512 * KIB, usm_type="shared")
    before = memory.get_pending_limit()
    memory.set_pending_limit(32 * MIB)

    def copy_into_all_sizes():
        for size in range(10_000, 500_000, 1000):
            made = usmx.empty(size, usm_type="shared")
            usmx.copy_async(made, source[:size])
            del made
            assert pool.used_bytes() <= (32 + 4 + 4 + 1) * MIB

    try:
        peak_of(copy_into_all_sizes)
    finally:
        memory.set_pending_limit(before)


def test_pending_limit_must_be_a_number_of_bytes():
    before = memory.get_pending_limit()
    assert before == 256 * MIB
    memory.set_pending_limit(5)
    assert memory.get_pending_limit() == 5
    memory.set_pending_limit(before)
    with pytest.raises(ValueError, match="'nbytes' must not be negative, found -1"):
        memory.set_pending_limit(-1)
    with pytest.raises(TypeError, match="'nbytes' must be a number of bytes"):
        memory.set_pending_limit("1G")


PENDING_LIMIT = "from usmx import memory; print(memory.get_pending_limit())"


@pytest.mark.parametrize(
    ("value", "limit", "warning"),
    [("3M", 3 * MIB, ""), ("0", 0, ""), ("much", 256 * MIB, "USMX_PENDING_LIMIT must be")],
)
def test_pending_limit_of_the_environment(value, limit, warning):
    done = run(PENDING_LIMIT, USMX_PENDING_LIMIT=value)
    assert int(done.stdout) == limit
    assert warning in done.stderr
    assert bool(warning) == bool(done.stderr)


UNLOCKED_SITES = """
import numpy as np
import usmx
from usmx import memory

usmx.zeros(1, usm_type="shared")
tracking = memory.TrackingResource(memory.PlainResource("shared"))
memory.set_memory_resource(tracking)
a = usmx.ones((3, 3), usm_type="shared")
made = [
    usmx.empty(3, usm_type="shared"),
    usmx.zeros(3, usm_type="shared"),
    usmx.USMArray(3, buffer="shared"),
    memory.MemoryUSMShared(64),
    memory.MemoryUSMShared(a, copy=True),
    usmx.copy(a),
    usmx.asarray(np.ones(3), usm_type="shared"),
    a[[0, 1]],
    usmx.nonzero(a)[0],
    a.imag,
    usmx.empty_like(a),
]
sites = {site.split(":")[-1] for _, _, site in tracking.live_blocks()}
print(sites)
"""


def test_call_sites_are_named_although_memory_is_allocated_without_the_interpreter_lock():
    done = run(UNLOCKED_SITES)
    assert "native code" not in done.stdout, done.stdout + done.stderr
    assert "in <module>" in done.stdout, done.stdout + done.stderr


IN_A_CHILD = """
import os
import usmx
from usmx import memory

usmx.empty(1 << 20)
child = os.fork()
if child == 0:
    memory.empty_cache()
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


def test_forked_child_empties_no_cache():
    assert run(IN_A_CHILD).stdout == "0\n"
