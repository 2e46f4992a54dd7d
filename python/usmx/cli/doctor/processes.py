"""How child processes are started."""

import multiprocessing
from collections.abc import Iterator

from usmx.cli.doctor.finding import Finding
from usmx.cli.doctor.situation import Situation

CHECK = "processes"


def check(_: Situation) -> Iterator[Finding]:
    """Look at the default of ``multiprocessing``."""
    method = multiprocessing.get_start_method()
    if method == "fork":
        yield Finding(
            CHECK,
            "note",
            "multiprocessing starts child processes by fork here, and the SYCL runtime does not "
            "survive a fork: in such a child usmx raises a RuntimeError if the parent has used it",
            "call multiprocessing.set_start_method('forkserver'), or 'spawn', before the first "
            "child is started",
        )
    else:
        yield Finding(CHECK, "ok", f"multiprocessing starts them by {method}")
