"""Whether ``import usmx`` works."""

import platform
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.finding import Finding, ok, problem
from usmx._doctor.mismatch import command, other_runtime
from usmx._doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    """Say from where usmx was imported, or why it was not."""
    failed = situation.import_error
    if failed is None:
        folder = Path(__file__).parents[1]
        yield ok(f"usmx is loaded from {folder}, by Python {platform.python_version()}")
        return
    yield problem(f"import usmx fails: {failed}", remedy(str(failed)))


def remedy(message: str) -> str:
    """What helps against the reasons that the loader gives."""
    if other_runtime() is not None:
        return command()
    if "libsycl" in message:
        return (
            "install the SYCL runtime into the environment of this Python: "
            "python -m pip install intel-sycl-rt intel-opencl-rt"
        )
    return "reinstall usmx into the environment of this Python: python -m pip install usmx"
