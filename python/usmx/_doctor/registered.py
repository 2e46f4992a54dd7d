"""Whether programs find the CPU device that look for devices before usmx is imported.

usmx shows the driver of its environment to its own process. Whoever looks for devices earlier in
the process, or without usmx, sees the drivers that the system or a variable registers.
"""

import ctypes
from collections.abc import Iterator

from usmx._doctor.finding import Finding, note, ok
from usmx._doctor.situation import Situation

VARIABLE = "OCL_ICD_FILENAMES"


def check(situation: Situation) -> Iterator[Finding]:
    """See whether usmx had to show the driver."""
    driver = value_in_process()
    if driver is None or VARIABLE in situation.environment:
        yield ok("other SYCL programs find the drivers that usmx finds")
        return
    yield note(
        "no driver of OpenCL is registered: usmx shows the CPU driver to its own process alone. A "
        "package that looks for devices before usmx is imported (import ray does that, if dpctl is "
        "installed) finds none, and then usmx finds none in that process either",
        f"import usmx first, or export {VARIABLE}={driver}; Ray's workers need the variable",
    )


def value_in_process() -> str | None:
    """The variable as the drivers see it; Python's ``os.environ`` does not show what usmx sets."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    value: bytes | None = getenv(VARIABLE.encode())
    return None if value is None else value.decode(errors="replace")
