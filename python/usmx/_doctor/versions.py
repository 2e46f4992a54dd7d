"""Whether the releases that are installed fit each other, as their own metadata say."""

import importlib.util
from collections.abc import Iterator

from usmx._doctor.finding import Finding, ok, problem
from usmx._doctor.mismatch import command, installed, misfits
from usmx._doctor.situation import Situation

SHOWN = ("intel-sycl-rt", "intel-opencl-rt", "numpy", "dpctl", "dpnp")


def check(situation: Situation) -> Iterator[Finding]:
    """Compare what is installed with what usmx and its peers require."""
    if importlib.util.find_spec("packaging") is None:
        yield problem(
            "the releases cannot be compared without the package packaging",
            "python -m pip install packaging",
        )
        return
    if wrong := [why for _, why in misfits()]:
        yield problem("; ".join(wrong), command())
        return
    shown = [f"{name} {number}" for name in SHOWN if (number := installed(name))]
    yield ok(", ".join(shown))
