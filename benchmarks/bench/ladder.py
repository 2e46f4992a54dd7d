"""What each step of some work costs: ways to do it of which each does one thing more.

A step that cannot be called by itself is the difference between two that can.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.pairing import Effort, Work, measure_in_turns


@dataclass(frozen=True)
class Rung:
    """Work that does what `beyond` does, by default the rung below, and one step more."""

    step: str
    work: Work
    beyond: "Rung | None" = None


@dataclass(frozen=True)
class Ladder:
    """Something to do, from its first step alone to the whole."""

    title: str
    rungs: Sequence[Rung]


@dataclass(frozen=True)
class Step:
    """The seconds of each round, with the step and without."""

    title: str
    seconds: Sequence[float]
    seconds_before: Sequence[float]

    @property
    def cost(self) -> float:
        """What the step adds: the median of the rounds' differences. Noise can make it negative."""
        pairs = zip(self.seconds, self.seconds_before, strict=True)
        return statistics.median(after - before for after, before in pairs)


def measure(ladder: Ladder, effort: Effort) -> list[Step]:
    """Every rung once in each round, as the sides of a case."""
    works = [rung.work for rung in ladder.rungs]
    times = [(0.0,) * effort.rounds, *measure_in_turns(works, effort)]
    before = [
        number if rung.beyond is None else 1 + ladder.rungs.index(rung.beyond)
        for number, rung in enumerate(ladder.rungs)
    ]
    return [
        Step(rung.step, times[number + 1], times[before[number]])
        for number, rung in enumerate(ladder.rungs)
    ]
