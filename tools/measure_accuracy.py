"""Measure how far usmx's mathematics is from the true values, for each vector unit of this CPU.

measure_accuracy.py [--target TARGET]... [--type TYPE]... [--functions table|kernel-language]
                    [--seeds N] [--json FILE]

Intel's driver for CPUs has other mathematics for each vector unit, and so other errors. A process
for each target (a value of CL_CONFIG_CPU_TARGET_ARCH; without --target, all that this machine has)
computes the functions of the table (src/compute/table.inc) and of the kernel language
(docs/reference/kernel-language.md) for special and for random numbers. That is what the tests do
(tests/python/accuracy.py); --seeds says how often, with other random numbers each time. Printed is
the greatest error for each function and type, in units in the last place, by target; then come the
bound that is documented, and "above" where it is too low. The exit status is 1 then. A bound has to
hold on all targets, and on those that another machine has. Another default device than Intel's for
CPUs has one column; the bounds of the kernel language are those of CPUs.

Needs the installed package and NumPy.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

import accuracy  # noqa: E402
import usmx  # noqa: E402

PARTS = ("table", "kernel-language")


def measured(part, dtypes, seeds):
    """By "function type": the greatest error of all seeds, by the target of this process."""
    worst = {}
    for seed in range(45, 45 + seeds):
        for (name, dtype), error in accuracy.worst_of(part, dtypes, seed).items():
            key = f"{name} {dtype}"
            worst[key] = max(worst.get(key, 0), error)
    return worst


def measured_by_child(target, options):
    """The same by a process that uses another target."""
    command = [sys.executable, "-P", __file__, "--child", *options]
    done = subprocess.run(
        command,
        env={**os.environ, accuracy.TARGET_VARIABLE: target},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def line_of(key, errors, bound):
    """(a line of the table, whether an error is above the bound)."""
    is_above = max(errors) > bound
    cells = [f"{key:<18}", *(f"{error:>15.4g}" for error in errors), f"{bound:>8g}"]
    return " ".join([*cells, *(["above"] if is_above else [])]), is_above


def parsed(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", action="append", choices=accuracy.TARGETS)
    types = [*accuracy.DTYPES, "u2"]
    parser.add_argument("--type", action="append", choices=sorted(set(types)))
    parser.add_argument("--functions", choices=PARTS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments):
    options = parsed(arguments)
    parts = [options.functions] if options.functions else PARTS
    if options.child:
        json.dump({part: measured(part, options.type, options.seeds) for part in parts}, sys.stdout)
        return 0
    targets = options.target or accuracy.machine_targets() or [usmx.SyclDevice().name]
    passed_on = [f"--seeds={options.seeds}", *(f"--type={each}" for each in options.type or [])]
    passed_on += [f"--functions={options.functions}"] if options.functions else []
    found = {target: measured_by_child(target, passed_on) for target in targets}
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    status = 0
    for part in parts:
        print(f"{part:<18}", *(f"{target:>15}" for target in targets), f"{'bound':>8}")
        for key in found[targets[0]][part]:
            errors = [found[target][part][key] for target in targets]
            line, is_above = line_of(key, errors, accuracy.documented(part, *key.split()))
            print(line)
            status |= is_above
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
