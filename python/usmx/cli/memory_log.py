"""Memory over time, from a log that usmx wrote: docs/memory.md has its format."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HEADER = ["time", "thread", "action", "source", "kind", "nbytes", "address", "device"]
KINDS = ("device", "shared", "host")
SIGNS = {"allocate": 1, "free": -1, "failure": 0}


class Event(NamedTuple):
    """What the curves need of a line."""

    time: float
    action: str
    source: str
    kind: str
    nbytes: int


@dataclass(frozen=True)
class History:
    """What there was after each event, in bytes, at seconds since the first one."""

    seconds: NDArray[np.float64]
    used: dict[str, NDArray[np.int64]]  # by kind
    pools: NDArray[np.int64]  # what pools had of the resources below, in use and free
    allocations: int
    failures: int

    @property
    def total(self) -> NDArray[Any]:
        """Bytes in use, of all kinds."""
        return np.sum(list(self.used.values()), axis=0)

    @property
    def peak(self) -> int:
        """The first event after which most bytes were in use."""
        return int(np.argmax(self.total))


def read(path: Path) -> Iterator[Event]:
    """Read the events of a log; a last line that is cut off, since the disk was full, is left out.

    Raises ValueError for a file that is no such log.
    """
    with path.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if line.endswith("\n"))
        rows = csv.reader(lines)
        if next(rows, None) != HEADER:
            raise ValueError(
                f"{path} is not a memory log: its first line is not {','.join(HEADER)}"
            )
        for row in rows:
            yield event(row, path)


def event(row: list[str], path: Path) -> Event:
    """Check one line."""
    if len(row) != len(HEADER) or row[2] not in SIGNS or row[4] not in KINDS:
        raise ValueError(f"{path} is not a memory log: it has the line {','.join(row)[:100]!r}")
    time, _, action, source, kind, nbytes, _, _ = row
    return Event(float(time), action, source, kind, int(nbytes))


def history(events: Iterable[Event]) -> History:
    """Add up what comes and goes, in the order of time: threads' lines may be in another."""
    ordered = sorted(events, key=lambda each: each.time)
    times = np.array([each.time for each in ordered], dtype=np.float64)
    changes = np.array([SIGNS[each.action] * each.nbytes for each in ordered], dtype=np.int64)
    of_pool = np.array([each.source == "pool" for each in ordered], dtype=bool)
    kinds = np.array([each.kind for each in ordered], dtype=str)
    actions = [each.action for each in ordered if each.source != "pool"]
    return History(
        times - times[:1].sum(),
        {kind: np.cumsum(np.where(~of_pool & (kinds == kind), changes, 0)) for kind in KINDS},
        np.cumsum(np.where(of_pool, changes, 0)),
        actions.count("allocate"),
        actions.count("failure"),
    )


def thinned(every: History, most: int) -> History:
    """Leave out events: of each stretch one stays, that with most bytes in use, and the last."""
    count = len(every.seconds)
    if count <= most:
        return every
    total = every.total
    stretches = np.array_split(np.arange(count), most - 1)
    kept = np.append([part[np.argmax(total[part])] for part in stretches], count - 1)
    return History(
        every.seconds[kept],
        {kind: values[kept] for kind, values in every.used.items()},
        every.pools[kept],
        every.allocations,
        every.failures,
    )
