"""Measuring what a call costs: the host's time, the time until its work is done, the device's."""

from __future__ import annotations

import math
import os
import time
from operator import index
from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._core import SyclQueue, USMArray
from usmx._sycl_timer import SyclTimer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsIndex

_OF_PROGRAMS = "user-"  # begins the names of kernels that were compiled from source


class BenchmarkResult(NamedTuple):
    """Times that `usmx.benchmark` measured; lists have an entry for each repetition, in seconds."""

    name: str
    host_times: list[float]
    times: list[float]
    device_times: list[float] | None
    compiled: tuple[str, ...] | None

    def __str__(self) -> str:
        kinds = {"host": self.host_times, "until done": self.times, "device": self.device_times}
        parts = [
            f"{kind} {_time_text(sorted(found)[len(found) // 2])} (least {_time_text(min(found))})"
            for kind, found in kinds.items()
            if found
        ]
        text = f"{self.name}: {', '.join(parts)}; {len(self.times)} times"
        return f"{text}; compiled {', '.join(self.compiled)}" if self.compiled else text

    def __repr__(self) -> str:
        return str(self)


def benchmark(
    func: Callable[..., object],
    *args: Any,
    n_repeat: SupportsIndex = 1000,
    n_warmup: SupportsIndex = 10,
    max_duration: float = 1,
    name: str | None = None,
    queue: SyclQueue | None = None,
) -> BenchmarkResult:
    """Measure how long a call takes on the host, and how long until its work is done.

    A call that computes returns before its work is done, so `%timeit` measures the host's part
    alone. This function calls ``func(*args)`` to warm up, which compiles what has to be compiled,
    and then measures it again and again. After each call it waits for `queue` and for all queues
    that usmx keeps. If `queue` has profiling, it then measures the device's time in as many calls
    more, between two barriers.

    Args:
        func: what to measure.
        args: its arguments. For keywords, give a lambda.
        n_repeat: how many calls are measured at most; at least one is.
        n_warmup: how many calls come before these.
        max_duration: seconds after which no other call is made, for each of the parts: to warm up,
            to measure, and to measure the device. May be infinity.
        name: what the result calls the function; None for its own name.
        queue: a SyclQueue on which `func` works; None for that of the first array in `args`, else
            the queue of new arrays.

    Returns:
        A result that prints the medians and the least times, with lists of seconds:
        ``host_times`` until the call returned, ``times`` until its work was done, and
        ``device_times``, None unless the queue has ``property='enable_profiling'``. ``compiled``
        has the names of the kernels that the disk cache got meanwhile, so those that were compiled
        or built, of another process too; None where the disk cache is off.

    Raises:
        TypeError: `func` cannot be called, `queue` is no SyclQueue, a number is none, or the only
            argument is a tuple of one array: arguments are given one by one.
        ValueError: a number is too small.

    Example:
        >>> x = usmx.ones(1000)
        >>> found = usmx.benchmark(usmx.sin, x, n_repeat=5)
        >>> len(found.times), found.name, found.device_times
        (5, 'sin', None)
        >>> all(host <= done for host, done in zip(found.host_times, found.times))
        True
    """
    if not callable(func):
        raise TypeError(f"benchmark: func must be a function, found {type(func).__name__}")
    if len(args) == 1 and _is_tuple_of_an_array(args[0]):  # CuPy's form
        raise TypeError(
            "benchmark: the arguments must be given one by one, benchmark(f, a), found a tuple of "
            "one array, benchmark(f, (a,)); for a function of such a tuple give a lambda"
        )
    if not (isinstance(name, str) or name is None):
        raise TypeError(f"benchmark: name must be a str or None, found {type(name).__name__}")
    repeats = _count("n_repeat", n_repeat, 1)
    warm_ups = _count("n_warmup", n_warmup, 0)
    seconds = _seconds(max_duration)
    chosen = _queue_of(args, queue)

    def repeated(count: int, measure: Callable[[], Any]) -> list[Any]:
        end = time.perf_counter() + seconds
        found: list[Any] = []
        while len(found) < count and (not found or time.perf_counter() < end):
            found.append(measure())
        return found

    def finish() -> None:
        chosen.wait()
        _core.synchronize()

    def host() -> tuple[float, float]:
        began = time.perf_counter()
        result = func(*args)  # kept until the times are taken
        returned = time.perf_counter()
        finish()
        done = time.perf_counter()
        del result
        return returned - began, done - began

    def device() -> float:
        timer = SyclTimer()(chosen)
        with timer:
            func(*args)
        return timer.dt.device_dt

    kept = _kept_kernels()
    finish()
    repeated(warm_ups, host)
    pairs = repeated(repeats, host)
    device_times = repeated(repeats, device) if chosen.has_enable_profiling else None
    finish()
    return BenchmarkResult(
        str(getattr(func, "__name__", type(func).__name__)) if name is None else name,
        [host_time for host_time, _ in pairs],
        [done for _, done in pairs],
        device_times,
        _new_kernels(kept),
    )


def _is_tuple_of_an_array(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 1 and isinstance(given[0], USMArray)


def _count(name: str, given: SupportsIndex, least: int) -> int:
    try:
        count = index(given)
    except TypeError:
        found = type(given).__name__
        raise TypeError(f"benchmark: {name} must be an integer, found {found}") from None
    if count < least:
        raise ValueError(f"benchmark: {name} must be at least {least}, found {count}")
    return count


def _seconds(given: float) -> float:
    if not (hasattr(given, "__float__") or hasattr(given, "__index__")):
        raise TypeError(f"benchmark: max_duration must be a number, found {type(given).__name__}")
    try:
        seconds = float(given)
    except OverflowError:  # a long integer
        seconds = math.inf if given > 0 else -math.inf
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"benchmark: max_duration must be at least 0, found {seconds}")
    return seconds


def _queue_of(args: tuple[Any, ...], given: SyclQueue | None) -> SyclQueue:
    if given is None:
        arrays = (each for each in args if isinstance(each, USMArray))
        first = next(arrays, None)
        return _core.default_queue() if first is None else first.sycl_queue
    if not isinstance(given, SyclQueue):
        raise TypeError(f"benchmark: queue must be a SyclQueue, found {type(given).__name__}")
    return given


def _kept_kernels() -> set[str] | None:
    """The files of the disk cache, `<group>-<hash>.kernels`; None where there is no cache."""
    if not os.environ.get("USMX_CACHE_DIR", "on"):
        return None
    try:
        return {path.name for path in _core._kernel_cache_directory().glob("*.kernels")}
    except OSError:  # a folder that cannot be read is not used
        return None


def _new_kernels(before: set[str] | None) -> tuple[str, ...] | None:
    after = _kept_kernels()
    if before is None or after is None:
        return None
    groups = {name.rpartition("-")[0].removeprefix(_OF_PROGRAMS) for name in after - before}
    return tuple(sorted(groups))


def _time_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
