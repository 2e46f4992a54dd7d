"""Measuring several ways to do one thing, in one process, so that their ratios mean something.

All sides are warmed up; then each round measures every side once, one after the other, and ratios
are taken within a round: what slows the machine down for a while slows down all of them.
"""

import statistics
import subprocess
import sys
import threading
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Work(Protocol):
    """One side: something that can be timed again and again."""

    code: str

    def warm_up(self, block_seconds: float) -> None:
        """Run it for the first times, and decide how often a measurement repeats it."""

    def measure(self) -> float:
        """Seconds that it takes once, averaged over one measurement."""


class Statement:
    """Python code, in a loop of timeit: no function call of the harness is in the time.

    With `threads`, so many run the loop at once; seconds are then those of all over their number.
    """

    def __init__(self, code: str, *, threads: int = 1, **names: object) -> None:
        self.code = code
        self._timer = timeit.Timer(code, globals=names)
        self._threads = threads
        self._repeats = 1

    def warm_up(self, block_seconds: float) -> None:
        """Repeat it until one thread takes that long, the first time left out."""
        self._timer.timeit(1)
        while (elapsed := self._timer.timeit(self._repeats)) < block_seconds:
            shortfall = block_seconds / max(elapsed, 1e-9)
            self._repeats *= 2 + int(min(shortfall, 8))

    def measure(self) -> float:
        """Seconds of one execution."""
        return self._run(self._repeats) / self._repeats / self._threads

    def _run(self, repeats: int) -> float:
        """Seconds of all."""
        if self._threads == 1:
            return self._timer.timeit(repeats)
        threads = [
            threading.Thread(target=self._timer.timeit, args=(repeats,))
            for _ in range(self._threads)
        ]
        start = time.perf_counter()
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return time.perf_counter() - start


class OnceEach:
    """Python code that an object `x` can take part in once only, so that many are made beforehand.

    `prepare(batch)` gives so many, and is not in the time; nor is it what it leaves behind.
    """

    _BATCHES = 8  # in one measurement

    def __init__(
        self, code: str, prepare: Callable[[int], Iterable[object]], *, batch: int, **names: object
    ) -> None:
        self.code = code
        self._prepare = prepare
        self._batch = batch
        self._names = names
        self._timer = timeit.Timer(f"for x in objects:\n    {code}", globals=names)

    def warm_up(self, block_seconds: float) -> None:
        """Run it for the first time. How often it is repeated does not depend on its speed."""
        self.measure()

    def measure(self) -> float:
        """Seconds of one execution, and of its step of the loop over the objects."""
        return sum(self._run() for _ in range(self._BATCHES)) / self._BATCHES / self._batch

    def _run(self) -> float:
        self._names["objects"] = self._prepare(self._batch)
        try:
            return self._timer.timeit(1)
        finally:
            del self._names["objects"]


class InNewProcess:
    """Python code, once in a new process each time, which has done nothing but `before`."""

    _script = "import time\n{}\nstart = time.perf_counter()\n{}\nprint(time.perf_counter() - start)"

    def __init__(self, code: str, *, before: str = "") -> None:
        self.code = code
        self._command = (sys.executable, "-P", "-c", self._script.format(before, code))

    def warm_up(self, block_seconds: float) -> None:
        """Bring the files into the system's cache, and what the code keeps on disk into its own."""
        self.measure()

    def measure(self) -> float:
        """Seconds of the code, the start of the process and `before` not counted."""
        return float(subprocess.run(self._command, check=True, capture_output=True).stdout)


@dataclass(frozen=True)
class Aim:
    """What is to be reached: a share of the peer's time, or a time."""

    ratio: float | None = None
    seconds: float | None = None

    def is_met(self, row: "Row") -> bool:
        """Judge the median ratio, or the shortest time."""
        if self.ratio is not None:
            return row.ratio <= self.ratio
        return self.seconds is not None and min(row.usmx_seconds) <= self.seconds


@dataclass(frozen=True)
class Peer:
    """Somebody else's way to do the same."""

    name: str
    work: Work
    aim: Aim | None = None


@dataclass(frozen=True)
class Case:
    """One thing to do: usmx's way and the others'."""

    title: str
    usmx: Work
    peers: Sequence[Peer]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int
    block_seconds: float


FULL = Effort(rounds=21, block_seconds=5e-3)
QUICK = Effort(rounds=5, block_seconds=5e-4)


@dataclass(frozen=True)
class Row:
    """usmx and one peer: the seconds of each round."""

    case: Case
    peer: Peer
    usmx_seconds: Sequence[float]
    peer_seconds: Sequence[float]

    @property
    def ratio(self) -> float:
        """How usmx's time compares: the median of the rounds' ratios to the peer's time."""
        return statistics.median(self.ratios)

    @property
    def ratio_range(self) -> tuple[float, float]:
        """Where the middle half of the rounds' ratios lies."""
        low, _, high = statistics.quantiles(self.ratios, n=4)
        return low, high

    @property
    def ratios(self) -> list[float]:
        """usmx's time over the peer's, in each round."""
        pairs = zip(self.usmx_seconds, self.peer_seconds, strict=True)
        return [usmx / peer for usmx, peer in pairs]

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is reached; None when there is none."""
        return self.peer.aim.is_met(self) if self.peer.aim else None


def measure_in_turns(works: Sequence[Work], effort: Effort) -> list[tuple[float, ...]]:
    """The seconds of each round, for each of the works."""
    for work in works:
        work.warm_up(effort.block_seconds)
    rounds = [[work.measure() for work in works] for _ in range(effort.rounds)]
    return list(zip(*rounds, strict=True))


def measure(case: Case, effort: Effort) -> list[Row]:
    """One row for each peer."""
    sides = (case.usmx, *(peer.work for peer in case.peers))
    usmx_seconds, *others = measure_in_turns(sides, effort)
    return [
        Row(case, peer, usmx_seconds, seconds)
        for peer, seconds in zip(case.peers, others, strict=True)
    ]
