"""The folder in which the process works."""

from collections.abc import Iterator

from usmx._doctor.finding import Finding, ok, problem
from usmx._doctor.probe import working_directory
from usmx._doctor.situation import Situation


def check(_: Situation) -> Iterator[Finding]:
    """See whether it is still there."""
    found = working_directory()
    if found is None:
        yield problem(
            "the working directory was deleted: the OpenCL CPU driver hangs there, or finds no "
            "device (the checks below ran in another directory)",
            "change to a directory that exists",
        )
    else:
        yield ok(f"the working directory is {found}")
