"""Memory over time, from a log that usmx wrote: docs/memory.md has its format."""

import itertools
import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HEADER = ["time", "thread", "action", "source", "kind", "nbytes", "address", "device"]
HEADER_LINE = (",".join(HEADER) + "\n").encode()
MOST_OF_A_LINE = 1000  # bytes: usmx writes at most 256
MOST_EVENTS = 5_000_000  # beyond some 500 MB of text, drawing takes more memory than it is worth
SOURCES = ("buffer", "pool", "resource")
KINDS = ("device", "shared", "host")
SIGNS = {"allocate": 1, "free": -1, "failure": 0}


class Event(NamedTuple):
    """The values of a line that the curves need."""

    time: float
    action: str
    source: str
    kind: str
    nbytes: int


@dataclass(frozen=True)
class History:
    """The bytes after each event, at seconds since the first one."""

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

    Raises ValueError, which names the file and the line, for a file that is no such log, and for
    one with more than MOST_EVENTS lines. Keeps one line at a time in memory.
    """
    with path.open("rb") as file:
        if file.readline(MOST_OF_A_LINE) != HEADER_LINE:
            raise ValueError(
                f"{path}:1: not a memory log: its first line is not {','.join(HEADER)}"
            )
        for number in itertools.count(2):
            line = file.readline(MOST_OF_A_LINE)
            if len(line) < MOST_OF_A_LINE and not line.endswith(b"\n"):
                return
            if number > MOST_EVENTS + 1:
                raise ValueError(f"{path}:{number}: --plot reads at most {MOST_EVENTS:,} events")
            try:
                yield event(line)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: not a line of a memory log: {error}") from None


def event(line: bytes) -> Event:
    """Check one line, with its end."""
    if not line.endswith(b"\n"):
        raise ValueError(f"it is longer than {MOST_OF_A_LINE:,} bytes")
    row = line.rstrip(b"\r\n").decode(errors="backslashreplace").split(",")
    if len(row) != len(HEADER):
        raise ValueError(f"expected {len(HEADER)} columns, found {len(row)}: {line[:100]!r}")
    time, _, action, source, kind, nbytes, _, _ = row
    check("action", action, SIGNS)
    check("source", source, SOURCES)
    check("kind", kind, KINDS)
    return Event(seconds_of(time), action, source, kind, nbytes_of(nbytes))


def check(column: str, found: str, known: Iterable[str]) -> None:
    """Refuse what the column cannot have."""
    if found not in known:
        raise ValueError(f"{column!r} must be {', '.join(known)}, found {found[:100]!r}")


def seconds_of(text: str) -> float:
    """Seconds since 1970, which may have been long ago but are no infinity."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise ValueError(f"'time' must be a number of seconds, found {text[:100]!r}")
    return seconds


def nbytes_of(text: str) -> int:
    """A number of bytes. What a failed request asked for may be any number that C++ has."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 20 and int(text) < 1 << 64):
        raise ValueError(f"'nbytes' must be a number of bytes, found {text[:100]!r}")
    return int(text)


def history(events: Iterable[Event]) -> History:
    """Add up what comes and goes, in the order of time: threads' lines may be in another."""
    # A few bytes for each event: there may be millions.
    times, changes, kinds, pools = array("d"), array("d"), array("b"), array("b")
    counts = dict.fromkeys(SIGNS, 0)
    for each in events:
        times.append(each.time)
        changes.append(SIGNS[each.action] * each.nbytes)
        kinds.append(KINDS.index(each.kind))
        pools.append(each.source == "pool")
        counts[each.action] += each.source != "pool"
    order = np.argsort(times, kind="stable")
    seconds = np.asarray(times)[order]
    change = np.asarray(changes)[order]
    kind_of = np.asarray(kinds)[order]
    of_pool = np.asarray(pools)[order].astype(bool)
    return History(
        seconds - seconds[:1].sum(),
        {
            kind: sums(np.where(~of_pool & (kind_of == k), change, 0))
            for k, kind in enumerate(KINDS)
        },
        sums(np.where(of_pool, change, 0)),
        counts["allocate"],
        counts["failure"],
    )


def sums(changes: NDArray[np.float64]) -> NDArray[np.int64]:
    """The sum after each change, as long as the sums are exact."""
    after = np.cumsum(changes)
    if np.abs(after).max(initial=0) > 2**53:
        raise ValueError("the blocks of the log add up to more than 2**53 bytes")
    return after.astype(np.int64)


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
