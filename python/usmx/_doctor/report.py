"""The findings as text for people and as values for programs."""

import platform
import textwrap
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from usmx._doctor.finding import Finding
from usmx._text import printable

WIDTH = 100


def as_text(findings: Sequence[Finding]) -> str:
    """A paragraph for each finding, and how many want something to be done."""
    width = max(len(finding.check) for finding in findings)
    return "\n".join([*(paragraph(finding, width) for finding in findings), "", summary(findings)])


def paragraph(finding: Finding, width: int) -> str:
    """State, subject, what was found, and below it what to do."""
    head = f"{finding.state:<7}  {finding.check:<{width}}  "
    lines = wrapped(finding.found, head, " " * len(head))
    if finding.remedy:
        lines += wrapped(finding.remedy, " " * len(head) + "-> ", " " * (len(head) + 3))
    return "\n".join(lines)


def wrapped(text: str, first: str, others: str) -> list[str]:
    """Lines that break between words alone: paths and commands stay whole."""
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def summary(findings: Sequence[Finding]) -> str:
    """The last line."""
    problems, notes = (count(findings, state) for state in ("problem", "note"))
    if problems:
        return f"{problems} problem{'s' * (problems > 1)}: follow the arrows, and run this again."
    return "No problem was found." + (" The notes are good to know." if notes else "")


def count(findings: Sequence[Finding], state: str) -> int:
    """How many findings have that state."""
    return sum(finding.state == state for finding in findings)


def exit_code(findings: Sequence[Finding]) -> int:
    """1 where there is a problem."""
    return int(count(findings, "problem") > 0)


def as_values(findings: Sequence[Finding]) -> dict[str, Any]:
    """For json.dumps."""
    return {
        "usmx": own_version(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "problems": count(findings, "problem"),
        "findings": [vars(finding) for finding in findings],
    }


def own_version() -> str | None:
    """As pip has it: the native module may not be there to ask."""
    try:
        return version("usmx")
    except PackageNotFoundError:
        return None
