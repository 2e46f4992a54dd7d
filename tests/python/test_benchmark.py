"""usmx.benchmark: how often it calls, what it measures, and what it says of it."""

import math
import re
import time
import uuid

import pytest
import usmx


def counted():
    calls = []
    return calls, lambda *args: calls.append(args)


def test_calls_are_warmed_up_and_measured():
    calls, function = counted()
    found = usmx.benchmark(function, 3, "a", n_repeat=7, n_warmup=2)
    assert calls == [(3, "a")] * 9
    assert len(found.times) == len(found.host_times) == 7


@pytest.mark.parametrize("max_duration", [0, 0.01])
def test_a_call_is_measured_however_long_it_takes_and_no_other_after_the_limit(max_duration):
    calls = []
    found = usmx.benchmark(
        lambda: calls.append(time.sleep(0.02)), n_warmup=5, max_duration=max_duration
    )
    assert (len(calls), len(found.times)) == (2, 1)


def test_no_call_warms_up_if_none_is_asked_for():
    calls, function = counted()
    usmx.benchmark(function, n_repeat=1, n_warmup=0, max_duration=math.inf)
    assert len(calls) == 1


def test_host_time_ends_before_the_work_does():
    found = usmx.benchmark(usmx.sin, usmx.ones(100_000), n_repeat=5, n_warmup=1)
    pairs = zip(found.host_times, found.times, strict=True)
    assert all(0 < host <= done for host, done in pairs)
    assert found.device_times is None


def test_device_time_is_that_of_a_queue_with_profiling():
    queue = usmx.SyclQueue(property="enable_profiling")
    a = usmx.ones(1 << 20, sycl_queue=queue)
    for found in (
        usmx.benchmark(usmx.sqrt, a, n_repeat=3, n_warmup=1),
        usmx.benchmark(lambda: usmx.sqrt(a), n_repeat=3, n_warmup=1, queue=queue),
    ):
        assert len(found.device_times) == len(found.times) == 3
        assert all(seconds > 0 for seconds in found.device_times)
        assert "device " in str(found)


@pytest.mark.slow
def test_kernels_that_were_compiled_are_named_once():
    name = f"k{uuid.uuid4().hex}"
    kernel = usmx.ElementwiseKernel("T x", "T y", f"y = x + {name.count('a')}", name)
    a = usmx.ones(3)
    found = usmx.benchmark(kernel, a, n_repeat=1)
    assert name in found.compiled
    assert name in str(found)
    assert name not in usmx.benchmark(kernel, a, n_repeat=1).compiled


def test_without_a_disk_cache_nothing_is_said_of_compiling(monkeypatch):
    monkeypatch.setenv("USMX_CACHE_DIR", "")
    found = usmx.benchmark(len, "abc", n_repeat=1)
    assert found.compiled is None
    assert "compiled" not in repr(found)


def test_result_names_the_function_and_its_times():
    found = usmx.benchmark(len, "abc", n_repeat=4)
    number = r"[\d.e+-]+ (ns|µs|ms|s)"
    times = rf"host {number} \(least {number}\), until done {number} \(least {number}\); 4 times"
    assert re.match(f"len: {times}", str(found))
    assert usmx.benchmark(len, "abc", n_repeat=1, name="other").name == "other"

    class Callable:
        def __call__(self):
            pass

    assert usmx.benchmark(Callable(), n_repeat=1).name == "Callable"


def test_errors_of_the_function_are_its_own():
    with pytest.raises(ZeroDivisionError):
        usmx.benchmark(lambda: 1 // 0)


@pytest.mark.parametrize(
    ("kwargs", "error", "said"),
    [
        ({"n_repeat": 0}, ValueError, "n_repeat must be at least 1, found 0"),
        ({"n_repeat": 1.5}, TypeError, "n_repeat must be an integer, found float"),
        ({"n_warmup": -1}, ValueError, "n_warmup must be at least 0, found -1"),
        ({"max_duration": math.nan}, ValueError, "max_duration must be at least 0, found nan"),
        ({"max_duration": -(10**400)}, ValueError, "max_duration must be at least 0, found"),
        ({"max_duration": "1 s"}, TypeError, "max_duration must be a number, found str"),
        ({"max_duration": None}, TypeError, "max_duration must be a number, found NoneType"),
        ({"name": 3}, TypeError, "name must be a str or None, found int"),
        ({"queue": "cpu"}, TypeError, "queue must be a SyclQueue, found str"),
    ],
)
def test_wrong_arguments_are_refused_before_a_call(kwargs, error, said):
    calls, function = counted()
    with pytest.raises(error, match=re.escape(said)):
        usmx.benchmark(function, **kwargs)
    assert calls == []
    with pytest.raises(TypeError, match="func must be a function, found int"):
        usmx.benchmark(3)


def test_cupys_tuple_of_arguments_is_refused():
    a = usmx.ones(3)
    with pytest.raises(TypeError, match=r"one by one, benchmark\(f, a\), found a tuple"):
        usmx.benchmark(usmx.sum, (a,))
    for function, given in ((usmx.concatenate, (a, a)), (usmx.zeros, (3,)), (usmx.sum, [a])):
        assert len(usmx.benchmark(function, given, n_repeat=1, n_warmup=0).times) == 1
