"""Check that no test file takes more than its share of CI's time, by the last recorded run.

check_budget.py                    a file over the limit has to be in tests/budget.toml
check_budget.py --record FOLDER    note the processor seconds of a whole `./test all`, by default of
                                   build/test-results, in tests/cpu_seconds.json

Every run of Python tests writes the processor seconds of each test file, child processes included,
beside its report (tests/python/cpu_seconds.py). Lint reads what was recorded, not what a machine
takes at the moment: so it says the same everywhere.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUDGET = ROOT / "tests/budget.toml"
RECORD = ROOT / "tests/cpu_seconds.json"


def recorded(folder: Path) -> dict[str, float]:
    """Add up the processor seconds of each file, of all stages that a run has reported."""
    spent: Counter[str] = Counter()
    for report in sorted(folder.glob("python*.cpu.json")):
        spent.update(json.loads(report.read_text("utf-8")))
    return {file: round(seconds, 1) for file, seconds in spent.most_common()}


def faults(budget: dict, spent: dict[str, float], root: Path = ROOT) -> list[str]:
    """Say what is wrong with the list, or with the files."""
    limit, reasons = budget["limit"], budget["reasons"]
    found = [
        f"{file} takes {seconds} s of processor time, more than {limit}: make it cheaper, mark "
        f"tests of it `nightly`, or give the reason in {BUDGET.name}"
        for file, seconds in spent.items()
        if seconds > limit and file not in reasons and (root / file).exists()
    ]
    found += [
        f"{file} takes {spent.get(file, 0)} s, no more than {limit}: "
        f"{BUDGET.name} gives a reason for nothing"
        for file in reasons
        if spent.get(file, 0) <= limit
    ]
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--record", type=Path, nargs="?", const=ROOT / "build/test-results", metavar="FOLDER"
    )
    options = parser.parse_args(arguments)
    if options.record:
        spent = recorded(options.record)
        if not spent:
            parser.error(f"expected reports of a run in {options.record}, found none")
        RECORD.write_text(json.dumps(spent, indent=1) + "\n", encoding="utf-8")
    budget = tomllib.loads(BUDGET.read_text("utf-8"))
    found = faults(budget, json.loads(RECORD.read_text("utf-8")))
    for fault in found:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
