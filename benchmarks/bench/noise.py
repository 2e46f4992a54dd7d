"""Whether the machine was quiet enough for times to mean something.

Two things are asked. Did others use the processors meanwhile, as the kernel counts it? Did the
rounds of one measurement differ, however that came about?
"""

import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.pairing import Row

MOST_BY_OTHERS = 0.05  # of the time of all processors
MOST_SPREAD = 0.10  # half of the rounds lie within so much of the median; of the median row
WATCHED_SECONDS = 1.0


@dataclass(frozen=True)
class Clock:
    """Seconds of processor time since the machine was started, and of this process."""

    available: float
    used: float
    own: float

    @classmethod
    def now(cls) -> "Clock":
        """Read it."""
        line = Path("/proc/stat").read_text(encoding="utf-8").partition("\n")[0]
        ticks = [int(field) for field in line.split()[1:9]]  # what guests use is in `user`
        idle = ticks[3] + ticks[4]
        second = os.sysconf("SC_CLK_TCK")
        own = os.times()
        return cls(sum(ticks) / second, (sum(ticks) - idle) / second, sum(own[:4]))

    def share_of_others_since(self, start: "Clock") -> float:
        """How much of the processors others have had, 0 to 1."""
        others = (self.used - start.used) - (self.own - start.own)
        return max(others, 0.0) / max(self.available - start.available, 1e-9)


def watch(seconds: float = WATCHED_SECONDS) -> float:
    """What others use of the processors while this process does nothing."""
    start = Clock.now()
    time.sleep(seconds)
    return Clock.now().share_of_others_since(start)


def spread(seconds: Sequence[float]) -> float:
    """The range of the middle half of the rounds, over their median."""
    low, middle, high = statistics.quantiles(seconds, n=4)
    return (high - low) / middle


@dataclass(frozen=True)
class Noise:
    """What was seen while rows were measured."""

    by_others: float
    spread: float

    @classmethod
    def during(cls, start: Clock, rows: Sequence[Row]) -> "Noise":
        """Judge what was measured since the start."""
        spreads = [spread(row.usmx_seconds) for row in rows]
        return cls(
            Clock.now().share_of_others_since(start), statistics.median(spreads) if rows else 0.0
        )

    @property
    def reasons(self) -> list[str]:
        """Why the times are not to be believed; none where they are."""
        return [*reasons_of_others(self.by_others), *reasons_of_spread(self.spread)]


def reasons_of_others(share: float) -> list[str]:
    """The same for the processors' time alone."""
    if share <= MOST_BY_OTHERS:
        return []
    return [f"other processes use {share:.0%} of the processors (at most {MOST_BY_OTHERS:.0%})"]


def reasons_of_spread(found: float) -> list[str]:
    """The same for the differences of the rounds."""
    if found <= MOST_SPREAD:
        return []
    return [f"half of the rounds differ by {found:.0%} and more (at most {MOST_SPREAD:.0%})"]
