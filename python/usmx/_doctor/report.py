"""The findings as text for people and as values for programs."""

import platform
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from usmx._doctor.situation import Finding, State
from usmx._terminal import print_styled
from usmx._text import printable

WIDTH = 100
STYLES: dict[State, str] = {"ok": "green", "note": "yellow", "problem": "bold red"}


def print_findings(findings: Sequence[Finding]) -> None:
    """Print a paragraph for each finding, with colours on a terminal, and how many are problems."""
    check = max((len(finding.check) for finding in findings), default=0)
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    for finding in findings:
        print_styled(paragraph(finding, check, width), finding.state, STYLES[finding.state])
    print(f"\n{summary(findings)}")


def paragraph(finding: Finding, check: int, width: int) -> str:
    """State, subject, what was found, and below it what to do."""
    head = f"{finding.state:<7}  {finding.check:<{check}}  "
    lines = wrapped(finding.found, width, head, " " * len(head))
    if finding.remedy:
        lines += wrapped(finding.remedy, width, " " * len(head) + "-> ", " " * (len(head) + 3))
    return "\n".join(lines)


def wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    """Lines that break between words alone: paths and commands stay whole."""
    return textwrap.wrap(
        printable(text),
        width,
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
    """The report in types that json.dumps takes."""
    return {
        "usmx": own_version(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "problems": count(findings, "problem"),
        "findings": [vars(finding) for finding in findings],
    }


def own_version() -> str | None:
    """The version as pip has it: the native module may not be there to ask."""
    try:
        return version("usmx")
    except PackageNotFoundError:
        return None
