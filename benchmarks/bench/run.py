"""Measuring the cases that were asked for, one after the other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bench import ladder, pairing
from bench.ladder import Ladder, Step
from bench.libraries import LibraryMissing
from bench.pairing import Case, Effort, Row

Makers = Mapping[str, Callable[[], Case | Ladder]]


@dataclass
class Results:
    """All rows and steps, and the cases that nothing could be compared with."""

    rows: list[Row] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def measure(
    makers: Makers,
    effort: Effort,
    tracked: Callable[[Sequence[tuple[str, str]]], Iterable[str]],
) -> Results:
    """Each case is made when it is its turn, since some hold arrays of 64 MiB.

    `tracked` gives back the names, and shows which one is being measured.
    """
    found = Results()
    for name in tracked([(name, name) for name in makers]):
        try:
            made = makers[name]()
        except LibraryMissing:
            found.left_out.append(name)
            continue
        if isinstance(made, Ladder):
            found.steps += ladder.measure(made, effort)
        elif made.peers:
            found.rows += pairing.measure(made, effort)
        else:
            found.left_out.append(name)
    return found
