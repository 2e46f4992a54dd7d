"""``python -m usmx doctor``: looks for what is known to go wrong, and says what to do.

It needs neither a device nor a native module that can be loaded: what may crash or hang runs
in processes of its own.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from usmx._doctor import (
    cuda,
    devices,
    kernels,
    level_zero,
    libraries,
    optional,
    process,
    settings,
    versions,
)
from usmx._doctor.report import as_values, exit_code, print_findings
from usmx._doctor.situation import Finding, Situation
from usmx._terminal import exit_code_of, one_of, tracked

CHECKS: dict[str, Callable[[Situation], Iterator[Finding]]] = {
    "import": versions.check_import,
    "versions": versions.check,
    "directory": process.check_directory,
    "devices": devices.check,
    "registered": devices.check_registered,
    "level-zero": level_zero.check,
    "cuda": cuda.check,
    "packages": libraries.check,
    "optional": optional.check,
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
    "devices",
    "registered",
    "level-zero",
    "cuda",
    "packages",
    "optional",
    "cache",
    "kernels",
)


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
    if options.json:
        print(json.dumps(as_values(findings), indent=1))
    else:
        print_findings(findings)
    return exit_code(findings)


def run_without_core(arguments: Sequence[str], import_error: BaseException) -> int:
    """Run where ``import usmx`` has failed, and the other commands are out of reach."""
    parser = argparse.ArgumentParser(prog="python -m usmx doctor")
    add_options(parser)
    return exit_code_of(lambda: run(parser.parse_args(arguments), import_error))
