"""Measuring how long the host and a device take."""

from __future__ import annotations

import time
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from usmx._core import SyclEvent, SyclQueue
from usmx.enum_types import event_status_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_FEW_BLOCKS = 64


class HostDeviceDuration(NamedTuple):
    """Times that the host and the device took, in the timer's unit."""

    host_dt: float
    device_dt: float


class _Times:
    """The times of a timer's blocks, which tasks and threads may add at once."""

    def __init__(self) -> None:
        self.blocks: list[tuple[SyclEvent, SyclEvent]] = []
        self._lock = Lock()
        self._host_seconds = 0.0
        self._device_nanoseconds = 0  # of blocks whose events are not kept any more
        self._next_count = _FEW_BLOCKS

    def add(self, first: SyclEvent, last: SyclEvent, host_seconds: float) -> None:
        with self._lock:
            self._host_seconds += host_seconds
            self.blocks.append((first, last))
            if len(self.blocks) >= self._next_count:
                self._count_finished()

    def wait(self) -> tuple[float, int]:
        """Seconds of the host and nanoseconds of the device. Waits for the blocks' commands."""
        SyclEvent.wait_for([event for block in list(self.blocks) for event in block])
        with self._lock:
            self._count_finished()
            return self._host_seconds, self._device_nanoseconds

    def _count_finished(self) -> None:
        """Adds up the blocks whose commands are complete, and keeps the others. Does not wait."""
        unfinished = []
        for first, last in self.blocks:
            if last.execution_status == event_status_type.complete:
                self._device_nanoseconds += last.profiling_info_start - first.profiling_info_end
            else:
                unfinished.append((first, last))
        self.blocks = unfinished
        self._next_count = max(_FEW_BLOCKS, 2 * len(unfinished))


class SyclTimer:
    """Measures blocks of code on a queue that was made with ``property='enable_profiling'``.

    A barrier stands before the block's commands and another one after them, so the device's time
    is the time between the barriers' events. Times of several blocks are added up. If a device's
    clock begins anew between two barriers, the time is wrong: Ponte Vecchio's clock does so each
    350 seconds.

    Args:
        host_timer: a function that gives the host's time in seconds.
        device_timer: None or 'queue_barrier', which is the only way that usmx has.
        time_scale: units in a second: 1e3 gives milliseconds.

    Raises:
        ValueError: `device_timer` is something else.
        TypeError: `host_timer` cannot be called.

    Example:
        >>> queue = usmx.SyclQueue(property='enable_profiling')
        >>> memory = usmx.memory.MemoryUSMDevice(8, queue=queue)
        >>> timer = usmx.SyclTimer(time_scale=1e3)
        >>> with timer(queue):
        ...     queue.memset(memory, 1)
        >>> timer.dt.host_dt > 0
        True
    """

    def __init__(
        self,
        host_timer: Callable[[], float] = time.perf_counter,
        device_timer: str | None = None,
        time_scale: float = 1,
    ) -> None:
        if not callable(host_timer):
            raise TypeError(f"host_timer must be a function, found {type(host_timer).__name__}")
        if device_timer not in (None, "queue_barrier"):
            raise ValueError(
                f"device_timer must be None or 'queue_barrier', found {device_timer!r}"
            )
        self.timer = host_timer
        self.time_scale = time_scale
        self.queue: SyclQueue | None = None
        self._begun: list[tuple[SyclEvent, float]] = []  # all on `queue`
        self._times = _Times()

    def __repr__(self) -> str:
        """Says nothing of times, for which it would have to wait."""
        return f"<usmx.SyclTimer, {'no queue' if self.queue is None else self.queue}>"

    def __call__(self, queue: SyclQueue) -> SyclTimer:
        """Choose the queue of the next block.

        Args:
            queue: a SyclQueue of usmx or dpctl with profiling.

        Returns:
            A timer of that queue, which adds its blocks' times to those of this one. So several
            tasks and threads can measure at once, each with ``with timer(queue):``.

        Raises:
            ValueError: the queue has no profiling.
            TypeError: `queue` is no SyclQueue.
        """
        if not isinstance(queue, SyclQueue):
            raise TypeError(f"queue must be a SyclQueue, found {type(queue).__name__}")
        if not queue.has_enable_profiling:
            raise ValueError("queue must be made with property='enable_profiling'")
        chosen = copy(self)
        chosen.queue = queue
        chosen._begun = []
        return chosen

    def __enter__(self) -> SyclTimer:
        if self.queue is None:
            raise ValueError("a SyclTimer needs a queue: with timer(queue):")
        self._begun.append((self.queue.submit_barrier(), self.timer()))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.queue is None or not self._begun:
            raise RuntimeError("a block of a SyclTimer ends that has not begun")
        first, began = self._begun.pop()
        last = self.queue.submit_barrier()
        self._times.add(first, last, self.timer() - began)

    @property
    def dt(self) -> HostDeviceDuration:
        """The times of all blocks so far: (host_dt, device_dt). Waits for their commands."""
        host_seconds, device_nanoseconds = self._times.wait()
        return HostDeviceDuration(
            host_seconds * self.time_scale, device_nanoseconds * 1e-9 * self.time_scale
        )
