"""``python -m usmx doctor``: looks for what is known to go wrong, and says what to do.

It needs neither a device nor a native module that can be loaded: what may crash or hang runs
in processes of its own.
"""

import argparse
import json
import platform
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from usmx._doctor import (
    cuda,
    devices,
    kernels,
    level_zero,
    libraries,
    process,
    settings,
    versions,
)
from usmx._doctor.situation import Finding, Situation, State
from usmx._terminal import exit_code_of, one_of, print_styled, tracked
from usmx._text import printable

CHECKS: dict[str, Callable[[Situation], Iterator[Finding]]] = {
    "import": versions.check_import,
    "versions": versions.check,
    "directory": process.check_directory,
    "devices": devices.check,
    "registered": devices.check_registered,
    "level-zero": level_zero.check,
    "cuda": cuda.check,
    "packages": libraries.check,
    "optional": libraries.check_optional,
    "cache": kernels.check_cache,
    "kernels": kernels.check,
    "compiler": kernels.check_compiler,
    "settings": settings.check,
    "huge-pages": process.check_huge_pages,
    "limits": process.check_limits,
    "processes": process.check_children,
}
# The checks that need usmx to be imported, here or in a process of their own.
OF_USMX = (
    "devices", "registered", "level-zero", "cuda", "packages", "optional", "cache", "kernels",
)  # fmt: skip
WIDTH = 100
STYLES: dict[State, str] = {"ok": "green", "note": "yellow", "problem": "bold red"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument(
        "--only",
        metavar="CHECK",
        action="append",
        type=one_of(CHECKS),
        help=f"run only this check; may be given several times ({', '.join(CHECKS)})",
    )
    parser.add_argument(
        "--import",
        dest="modules",
        metavar="MODULE",
        action="append",
        default=[],
        help="also check whether usmx works in one process with this module; may be given several "
        "times (dpctl, dpnp and torch are always checked if they are installed)",
    )


def run(options: argparse.Namespace, import_error: BaseException | None = None) -> int:
    """Print what was found; the exit code is 1 where something is wrong."""
    situation = Situation(tuple(options.modules), import_error)
    names = [n for n in options.only or CHECKS if import_error is None or n not in OF_USMX]
    findings = [
        replace(finding, check=name)
        for name in tracked([(name, name) for name in names], plain=False)
        for finding in CHECKS[name](situation)
    ]
    problems, notes = (sum(each.state == s for each in findings) for s in ("problem", "note"))
    if options.json:
        report = {
            "usmx": versions.installed("usmx"),
            "python": platform.python_version(),
            "system": platform.platform(),
            "problems": problems,
            "findings": [vars(finding) for finding in findings],
        }
        print(json.dumps(report, indent=1))
        return int(problems > 0)
    print_findings(findings)
    if problems:
        s = "s" * (problems > 1)
        print(f"\n{problems} problem{s}: follow the arrows, and run this again.")
    else:
        print("\nNo problem was found." + " The notes are good to know." * (notes > 0))
    return int(problems > 0)


def run_without_core(arguments: Sequence[str], import_error: BaseException) -> int:
    """Run where ``import usmx`` has failed, and the other commands are out of reach."""
    parser = argparse.ArgumentParser(prog="python -m usmx doctor")
    add_options(parser)
    return exit_code_of(lambda: run(parser.parse_args(arguments), import_error))


def print_findings(findings: Sequence[Finding]) -> None:
    """Print a paragraph for each: state, subject, what was found, and below it what to do."""
    check = max((len(finding.check) for finding in findings), default=0)
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    for finding in findings:
        head = f"{finding.state:<7}  {finding.check:<{check}}  "
        lines = wrapped(finding.found, width, head)
        if finding.remedy:
            lines += wrapped(finding.remedy, width, " " * len(head) + "-> ")
        print_styled("\n".join(lines), finding.state, STYLES[finding.state])


def wrapped(text: str, width: int, first: str) -> list[str]:
    """Lines that break between words alone: paths and commands stay whole."""
    return textwrap.wrap(
        printable(text),
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
