"""Measure usmx against dpctl, dpnp and NumPy, in pairs, in one process.

python benchmarks/run.py [--quick] [--only NAME]... [--json FILE] [--plot FILE.png]
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pairing
from pairing import Case, Row

NEEDED = "dpctl dpnp numpy"
EPILOG = (
    "Each row: the shortest time and the median of the rounds on both sides, and the median of the "
    "rounds' ratios, usmx's time over the peer's. Names for --only: "
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 2 when something that it needs is missing."""
    try:
        makers = find_cases()
    except ImportError as error:
        print(f"benchmarks: {error}; install with: pip install {NEEDED}", file=sys.stderr)
        return 2
    options = parse(arguments, tuple(makers))
    import report

    effort = pairing.QUICK if options.quick else pairing.FULL
    machine = report.machine()
    print(report.machine_text(machine), end="\n\n", flush=True)
    rows = measure_all([makers[name] for name in options.only or makers], effort)
    print(report.table(rows))
    if options.json:
        values = report.values(rows, effort, machine)
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        import plot

        plot.save(rows, options.plot)
    return 0


def find_cases() -> dict[str, Callable[[], Case]]:
    """All cases by name, in the order of the table; ImportError when a peer is missing."""
    import cases_copy
    import cases_exchange
    import cases_memory
    import cases_package
    import cases_views

    modules = (cases_exchange, cases_views, cases_memory, cases_copy, cases_package)
    return {make.__name__.replace("_", "-"): make for module in modules for make in module.CASES}


def parse(arguments: Sequence[str] | None, names: tuple[str, ...]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/run.py",
        description="Measures usmx against dpctl, dpnp and NumPy, in pairs, in one process.",
        epilog=EPILOG + ", ".join(names),
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="a few short rounds: to see that it works")
    add(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help="measure this one only; may be given several times",
    )
    add("--json", type=Path, metavar="FILE", help="write every round's times there")
    add("--plot", type=Path, metavar="FILE.png", help="draw the ratios there")
    options = parser.parse_args(arguments)
    for file in filter(None, (options.json, options.plot)):
        if not file.absolute().parent.is_dir():
            parser.error(f"there is no directory {file.parent}")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib; install with: pip install matplotlib")
    return options


def measure_all(makers: Sequence[Callable[[], Case]], effort: pairing.Effort) -> list[Row]:
    """One case after the other, each made when it is its turn: some hold 64 MiB arrays."""
    rows = []
    for number, make in enumerate(makers, start=1):
        case = make()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number}/{len(makers)} {case.title}", end="", file=sys.stderr)
        rows += pairing.measure(case, effort)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return rows


if __name__ == "__main__":
    sys.exit(main())
