"""The folder in which the process works."""

from collections.abc import Iterator

from usmx._doctor.finding import Finding
from usmx._doctor.probe import working_directory
from usmx._doctor.situation import Situation

CHECK = "directory"


def check(_: Situation) -> Iterator[Finding]:
    """See whether it is still there."""
    found = working_directory()
    if found is None:
        yield Finding(
            CHECK,
            "problem",
            "the working directory was deleted: the OpenCL CPU driver hangs there, or finds no "
            "device (the checks below ran in another directory)",
            "change to a directory that exists",
        )
    else:
        yield Finding(CHECK, "ok", f"the working directory is {found}")
