"""``python -m usmx doctor``: looks for what is known to go wrong, and says what to do.

It needs neither a device nor a native module that can be loaded: what may crash or hang runs
in processes of its own.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence

from usmx._doctor import (
    cache,
    compiler,
    cuda,
    devices,
    directory,
    kernels,
    level_zero,
    libraries,
    loading,
    memory,
    processes,
    registered,
    settings,
    versions,
)
from usmx._doctor.finding import Finding
from usmx._doctor.report import as_values, exit_code, print_findings
from usmx._doctor.situation import Situation
from usmx._suggestions import one_of
from usmx._terminal import exit_code_of, tracked

CHECKS: dict[str, Callable[[Situation], Iterator[Finding]]] = {
    loading.CHECK: loading.check,
    versions.CHECK: versions.check,
    directory.CHECK: directory.check,
    devices.CHECK: devices.check,
    registered.CHECK: registered.check,
    level_zero.CHECK: level_zero.check,
    cuda.CHECK: cuda.check,
    libraries.CHECK: libraries.check,
    cache.CHECK: cache.check,
    kernels.CHECK: kernels.check,
    compiler.CHECK: compiler.check,
    settings.CHECK: settings.check,
    memory.HUGE_PAGES: memory.check_huge_pages,
    memory.LIMITS: memory.check_limits,
    processes.CHECK: processes.check,
}


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
    chosen = [(name, CHECKS[name]) for name in options.only or CHECKS]
    findings = [finding for check in tracked(chosen, plain=False) for finding in check(situation)]
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
