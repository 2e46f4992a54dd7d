"""Measure usmx against dpctl, dpnp and NumPy, in pairs, in one process, and its own steps.

python benchmarks/run.py [--quick] [--only NAME]... [--json FILE] [--plot PICTURE]
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence

import ladder
import outputs
import pairing
from ladder import Ladder, Step
from pairing import Case, Row

NEEDED = "dpctl dpnp numpy"
EPILOG = (
    "Each row: the shortest time and the median of the rounds on both sides, and the median of the "
    "rounds' ratios, usmx's time over the peer's. Each step: what it adds to the time of those "
    "before it. Names for --only: "
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 2 when something that it needs is missing."""
    try:
        makers = find_makers()
    except ImportError as error:
        print(f"benchmarks: {error}; install with: pip install {NEEDED}", file=sys.stderr)
        return 2
    options = parse(arguments, tuple(makers))
    import report

    effort = pairing.QUICK if options.quick else pairing.FULL
    machine = report.machine()
    print(report.machine_text(machine), end="\n\n", flush=True)
    rows, steps = measure_all([makers[name] for name in options.only or makers], effort)
    print(report.tables(rows, steps))
    if options.json:
        values = report.values(rows, steps, effort, machine)
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        import plot

        plot.save(rows, steps, options.plot)
    return 0


def find_makers() -> dict[str, Callable[[], Case | Ladder]]:
    """What there is to measure, by name, in the report's order; ImportError without a peer."""
    import cases_copy
    import cases_exchange
    import cases_memory
    import cases_package
    import cases_steps
    import cases_views

    modules = (
        cases_exchange,
        cases_views,
        cases_memory,
        cases_copy,
        cases_package,
        cases_steps,
    )
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
    outputs.add_options(
        parser, json="write every round's times there", plot="draw the ratios there"
    )
    return outputs.parse(parser, arguments)


def measure_all(
    makers: Sequence[Callable[[], Case | Ladder]], effort: pairing.Effort
) -> tuple[list[Row], list[Step]]:
    """One after the other, each made when it is its turn: some hold 64 MiB arrays."""
    rows: list[Row] = []
    steps: list[Step] = []
    for number, make in enumerate(makers, start=1):
        made = make()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{number}/{len(makers)} {made.title}", end="", file=sys.stderr)
        if isinstance(made, Ladder):
            steps += ladder.measure(made, effort)
        else:
            rows += pairing.measure(made, effort)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return rows, steps


if __name__ == "__main__":
    sys.exit(main())
