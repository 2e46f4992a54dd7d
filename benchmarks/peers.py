"""The speed of usmx beside that of dpctl, dpnp and NumPy, on this machine.

Compares usmx with those of the peers that are installed, in one process and in turns. Each row has
the shortest time and the median of the rounds on both sides, and the median of the rounds' ratios:
usmx's time over the peer's. On a busy machine the program stops with exit code 3. A machine is busy
if other processes use more than 5 % of the processors, or if the rounds differ by more than 10 %.
"""

import argparse
import json
import sys
from typing import Any

import usmx
from bench import outputs
from usmx._terminal import did_you_mean, exit_code_of, print_records, tracked
from usmx.cli.devices import why_no_device

NOISY = 3  # the exit code


def main() -> int:
    """Measure what was asked for; the exit code is 2 for bad input, and 3 on a busy machine."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="run a few short rounds only, to see that it works")
    add("--list", action="store_true", help="list the names for --only")
    add(
        "--only",
        action="append",
        metavar="NAME",
        help="measure only this case; may be given several times",
    )
    add(
        "--force",
        action="store_true",
        help="measure on a busy machine, too; the JSON then says that it was busy",
    )
    outputs.add_options(
        parser,
        json="write the times of every round to this file",
        plot="draw the ratios, as PNG or SVG",
    )
    options = parser.parse_args()
    if not options.list and not usmx.get_devices():  # dpctl may end the process where none is
        print(f"peers.py: {why_no_device()}", file=sys.stderr)
        return 2
    from bench.cases import find_makers

    makers = find_makers()
    if options.list:
        print("\n".join(makers))
        return 0
    outputs.check(parser, options)
    for name in options.only or ():
        if name not in makers:
            advice = did_you_mean(name, makers) or "; --list names what there is"
            parser.error(f"there is no {name}{advice}")
    chosen = {name: makers[name] for name in options.only or makers}
    return measure(chosen, options)


def measure(makers: dict[str, Any], options: argparse.Namespace) -> int:
    """Watch the machine before and while the cases are measured."""
    from bench import noise, pairing, report
    from bench import run as runner

    busy = noise.reasons_of_others(noise.watch())
    if busy and not options.force:
        return refuse(busy, "nothing was measured")
    machine = report.machine()
    print(report.machine_text(machine), end="\n\n", flush=True)
    effort = pairing.QUICK if options.quick else pairing.FULL
    start = noise.Clock.now()
    found = runner.measure(makers, effort, tracked)
    seen = noise.Noise.during(start, found.rows)
    show(found)
    write(options, report.values(found.rows, found.steps, effort, machine, seen), found)
    if seen.reasons:
        return 0 if options.force else refuse(seen.reasons, "do not believe these times")
    return 0


def show(found: Any) -> None:
    """Print the tables, and what is missing from them."""
    from bench import report

    if found.rows:
        print_records(report.HEADER, [report.cells(row) for row in found.rows], report.RIGHT)
        print(f"\n{report.summary(found.rows)}")
    if found.steps:
        cells = [report.step_cells(step) for step in found.steps]
        print_records(report.STEP_HEADER, cells, report.STEP_HEADER[1:])
    if found.left_out:
        names = ", ".join(found.left_out)
        print(
            f"\nleft out, because dpctl or dpnp is not installed (pip install dpctl dpnp): {names}"
        )


def write(options: argparse.Namespace, values: dict[str, Any], found: Any) -> None:
    """Write the files that were asked for."""
    if options.json:
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot and (found.rows or found.steps):
        from bench import plot

        plot.figure_of(plot.bars_of(found.rows), found.steps).savefig(options.plot)


def refuse(reasons: list[str], consequence: str) -> int:
    """Say why, in one line."""
    print(
        f"peers.py: the machine is too busy, {consequence}: {'; '.join(reasons)}. "
        "Stop the other processes, or use --force to measure nevertheless.",
        file=sys.stderr,
    )
    return NOISY


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
