"""Measure what a newcomer waits for: the project's commands, each in a fresh clone without caches.

python benchmarks/fresh_clones.py [COMMAND...] [--tries N] [--json FILE]

The commands are ./run and ./test, which are measured without an argument, and .ci/run. Each try
clones what is committed, and gives the command folders of its own for the caches of pip and of
usmx. Packages of Debian that are missing are installed by the first try. Nothing else should run on
the machine. Prints the seconds of each try and of its steps, and what the clone then takes on disk.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import cpu_name

ROOT = Path(__file__).parents[1]
COMMANDS = {"run": "./run", "test": "./test", "ci": ".ci/run"}
# Figures are older than these files if one of them has changed since.
DECIDING = ["run", "test", ".ci/run", "tools/setup.sh", "CMakePresets.json"]
STEP = re.compile(r"^==> (.*) \.\.\. done in (\d+) s$", re.MULTILINE)


def hash_of_scripts():
    """What tells whether figures are of these scripts."""
    digest = hashlib.sha256()
    for name in DECIDING:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def measured(command):
    """One try: its seconds, those of its steps, and the bytes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        caches = {name: f"{folder}/{name}" for name in ("PIP_CACHE_DIR", "XDG_CACHE_HOME")}
        start = time.perf_counter()
        done = subprocess.run(
            [clone / COMMANDS[command]],
            cwd=clone, env=os.environ | caches, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - start
        if done.returncode:
            sys.exit(f"{COMMANDS[command]} failed:\n{done.stdout}")
        used = subprocess.run(
            ["du", "--summarize", "--block-size=1", clone], capture_output=True, check=True
        )
    return {
        "seconds": seconds,
        "steps": {text: int(took) for text, took in STEP.findall(done.stdout)},
        "nbytes": int(used.stdout.split()[0]),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=", ".join(COMMANDS))
    parser.add_argument("--tries", type=int, default=3, help="%(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures to this file")
    options = parser.parse_args()
    if unknown := set(options.commands) - set(COMMANDS):
        parser.error(f"expected {', '.join(COMMANDS)}, found {', '.join(sorted(unknown))}")
    results = {"machine": {"cpu": cpu_name(), "cores": os.cpu_count()}, "of": hash_of_scripts()}
    if options.json and options.json.exists():
        known = json.loads(options.json.read_text(encoding="utf-8"))
        if {key: known.get(key) for key in results} == results:
            results = known  # of this machine and these scripts
    for command in options.commands or ["run", "test"]:
        results[command] = []
        for _ in range(options.tries):
            found = measured(command)
            print(
                f"{COMMANDS[command]}: {found['seconds']:.0f} s, {found['nbytes'] / 1e9:.1f} GB, "
                + ", ".join(f"{text} {took} s" for text, took in found["steps"].items()),
                flush=True,
            )
            results[command].append(found)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
