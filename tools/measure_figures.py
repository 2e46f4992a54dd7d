"""Measure what README.md and docs/ show, and write it into benchmarks/results.json.

measure_figures.py [PART...]

The parts are bench, bandwidth, allocation, arguments, programs, selections, gpu and fresh_clones.
Without one, all but the last three are measured, which takes five minutes; selections needs 17 GB
of memory, gpu a machine with a GPU, PyTorch and CuPy, and fresh_clones 40 minutes. Each part is the
program that docs/speed.md names, run with --json. The machine has to be quiet: bench refuses
otherwise. The key "recorded" stays as it is. It has the figures of machines and of programs that
are not at hand. tools/write_figures.py then writes the documents.

Needs the packages of the test extra.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from generated import RESULTS, ROOT

PARTS = {
    "bench": [ROOT / "benchmarks/peers.py"],
    "bandwidth": [ROOT / "benchmarks/bandwidth.py"],
    "allocation": [ROOT / "benchmarks/allocation.py"],
    "arguments": [ROOT / "benchmarks/arguments.py"],
    "programs": [ROOT / "benchmarks/programs.py"],
    "selections": [ROOT / "benchmarks/selections.py"],
    "gpu": [ROOT / "benchmarks/gpu.py"],
    "fresh_clones": [ROOT / "benchmarks/fresh_clones.py"],
}
NAMED_ONLY = {"selections", "gpu", "fresh_clones"}
NUMBERS = re.compile(r"\[\s+([-+.\de,\s]+?)\s+\]")


def measured(part):
    """What a program writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        subprocess.run([sys.executable, *PARTS[part], "--json", file], check=True)
        return json.loads(file.read_text(encoding="utf-8"))


def rounded(value):
    """The same with four digits of each number, which is more than a measurement has."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def text_of(results):
    """JSON with a list of numbers in one line."""
    text = json.dumps(rounded(results), indent=1, ensure_ascii=False)
    return NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"expected {', '.join(PARTS)}, found {', '.join(unknown)}")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for part in options.parts or [part for part in PARTS if part not in NAMED_ONLY]:
        print(f"{part} ...", flush=True)
        results[part] = measured(part)
    RESULTS.write_text(text_of(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
