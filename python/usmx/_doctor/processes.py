"""How child processes are started."""

import multiprocessing
from collections.abc import Iterator

from usmx._doctor.finding import Finding, note, ok
from usmx._doctor.situation import Situation


def check(_: Situation) -> Iterator[Finding]:
    """Look at the default of ``multiprocessing``."""
    method = multiprocessing.get_start_method()
    if method == "fork":
        yield note(
            "multiprocessing starts child processes by fork here, and the SYCL runtime does not "
            "survive a fork: usmx raises a RuntimeError in such a child if the parent has used it",
            "call multiprocessing.set_start_method('forkserver'), or 'spawn', before the first "
            "child is started",
        )
    else:
        yield ok(f"multiprocessing starts child processes by {method}")
