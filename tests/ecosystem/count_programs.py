"""Counts which programs of numpy-100 and NPBench run with usmx in the place of NumPy.

The programs are not part of usmx: name a checkout of each. Each program runs in a process of its own, once with NumPy and
once with `import usmx as np`, and what it made is compared::

    python -P tests/ecosystem/count_programs.py numpy-100 FOLDER    # of github.com/rougier/numpy-100
    python -P tests/ecosystem/count_programs.py npbench FOLDER      # of github.com/spcl/npbench
    python -P tests/ecosystem/count_programs.py npbench FOLDER --only atax gemm --preset M --repeats 5

The last line has the counts, and for NPBench the geometric mean of the times, usmx / NumPy: the least of some calls of
each, in turns, in one process.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import inspect
import io
import json
import math
import re
import signal
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

LIMIT = 240  # seconds of a program


# ---- what two programs made


def on_the_host(value):
    """The value with NumPy's arrays in the place of usmx's."""
    import usmx

    if isinstance(value, usmx.USMArray):
        return usmx.asnumpy(value)
    if isinstance(value, (tuple, list)):
        return [on_the_host(each) for each in value]
    return value


def difference(name: str, expected, found, tolerance: float) -> str | None:
    """The first difference of what was made under a name, or None."""
    expected, found = on_the_host(expected), on_the_host(found)
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return f"{name}: {len(expected)} values, found {found!r:.80}"
        pairs = enumerate(zip(expected, found, strict=True))
        each = (difference(f"{name}[{i}]", *pair, tolerance) for i, pair in pairs)
        return next((text for text in each if text), None)
    if not isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
        return None
    expected, found = np.asarray(expected), np.asarray(found)
    if expected.shape != found.shape:
        return f"{name}: shape {expected.shape}, found {found.shape}"
    if expected.dtype.kind not in "biufc":
        return None
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=0)
    is_close = np.allclose(found, expected, tolerance, tolerance * scale, equal_nan=True)
    return None if is_close else f"{name}: expected {expected!r:.80}, found {found!r:.80}"


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")


def different_text(expected: str, found: str) -> str | None:
    """The difference of two printed texts, beside spaces and the last digits of numbers."""
    found = re.sub(
        r"USMArray\((.*?), usm_type='\w+', device='[^']*'\)", r"array(\1)", found, flags=re.DOTALL
    )
    expected, found = (re.sub(r"0x[0-9a-f]+|, dtype=\w+", "", text) for text in (expected, found))
    words = [re.sub(r"\s+", "", NUMBER.sub("#", text)) for text in (expected, found)]
    if words[0] != words[1]:
        return f"printed {expected!r:.120}, found {found!r:.120}"
    numbers = [[*map(float, NUMBER.findall(text))] for text in (expected, found)]
    return difference("printed numbers", *numbers, 1e-6)


# ---- numpy-100


def exercises(folder: Path) -> dict[str, str]:
    """The answers, by their number."""
    text = (folder / "source" / "exercises100.ktx").read_text()
    found = re.findall(r"^< a(\d+)\n(.*?)(?=^< |\Z)", text, re.MULTILINE | re.DOTALL)
    return {number: answer.strip() for number, answer in found}


class FromNumpy:
    """NumPy's random numbers as usmx's arrays, so that two programs draw the same ones."""

    def __init__(self, usmx, source=np.random):
        self._usmx, self._source = usmx, source

    def __getattr__(self, name):
        given = getattr(self._source, name)
        if not callable(given):
            return given
        if name == "shuffle":
            return self._shuffle

        def draw(*args, **kwargs):
            made = given(*map(on_the_host, args), **kwargs)
            if isinstance(made, np.random.Generator):
                return FromNumpy(self._usmx, made)
            return self._usmx.asarray(made) if isinstance(made, np.ndarray) else made

        return draw

    def _shuffle(self, x):
        shuffled = on_the_host(x)
        self._source.shuffle(shuffled)
        x[...] = self._usmx.asarray(shuffled)


class Namespace:
    """The module usmx, but for its random numbers."""

    def __init__(self, usmx):
        self._usmx, self.random = usmx, FromNumpy(usmx)

    def __getattr__(self, name):
        return getattr(self._usmx, name)


def execute(answer: str, namespace) -> tuple[dict, str]:
    """Run an answer with `np`, and give its names and what it printed."""
    own = re.sub(r"^import numpy as np$", "", answer, flags=re.MULTILINE)
    if namespace is not np:
        own = re.sub(r"^from numpy\b", "from usmx", own, flags=re.MULTILINE)
    tricks = namespace.lib.stride_tricks  # which some answers take for imported
    names = {
        "np": namespace,
        "stride_tricks": tricks,
        "sliding_window_view": tricks.sliding_window_view,
    }
    printed = io.StringIO()
    np.random.seed(1)
    with contextlib.redirect_stdout(printed):
        exec(compile(own, "<exercise>", "exec"), names)
    return names, printed.getvalue()


def run_exercise(folder: Path, number: str) -> dict:
    """What became of an exercise."""
    answers = exercises(folder)
    answer = answers[number]
    warnings.simplefilter("ignore")
    try:
        try:
            expected, printed = execute(answer, np)
        except NameError:  # of the exercise before
            answer = f"{answers[str(int(number) - 1)]}\n{answer}"
            expected, printed = execute(answer, np)
    except BaseException as error:
        return {"state": "excused", "why": f"NumPy itself: {type(error).__name__}: {error}"}
    import usmx

    is_random = "random" in answer
    try:
        if is_random:  # once with usmx's numbers, and once with NumPy's, to compare what follows
            usmx.random.seed(1)
            execute(answer, usmx)
        found, found_printed = execute(answer, Namespace(usmx) if is_random else usmx)
    except BaseException as error:
        return {"state": "stopped", "why": f"{type(error).__name__}: {error}"}
    for name, value in expected.items():
        if name not in ("np", "__builtins__") and not hasattr(np, name):  # nor those of `import *`
            text = difference(name, value, found.get(name), 1e-6)
            if text:
                return {"state": "differs", "why": text}
    text = different_text(printed, found_printed)
    return {"state": "differs", "why": text} if text else {"state": "same"}


# ---- NPBench


def module_of(path: Path, text: str | None = None):
    """A file as a module, of another text if one is given."""
    spec = importlib.util.spec_from_loader(path.stem, loader=None)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    exec(compile(text or path.read_text(), str(path), "exec"), vars(module))
    return module


def benchmarks(folder: Path) -> dict[str, dict]:
    """The descriptions of the kernels, by their short names."""
    files = sorted((folder / "bench_info").glob("*.json"))
    return {file.stem: json.loads(file.read_text())["benchmark"] for file in files}


def with_usmx(text: str) -> str:
    """The program with usmx in the place of NumPy."""
    text = re.sub(r"^import numpy as np\b", "import usmx as np", text, flags=re.MULTILINE)
    return re.sub(r"^from numpy\b", "from usmx", text, flags=re.MULTILINE)


def run_kernel(folder: Path, name: str, preset: str, repeats: int) -> dict:
    """What became of a kernel, and the times."""
    import usmx

    warnings.simplefilter("ignore")
    info = benchmarks(folder)[name]
    place = folder / "npbench" / "benchmarks" / info["relative_path"]
    values = dict(info["parameters"][preset])
    if info.get("init"):
        start = module_of(place / f"{info['module_name']}.py")
        given = [values[each] for each in info["init"]["input_args"]]
        np.random.seed(42)
        made = getattr(start, info["init"]["func_name"])(*given)
        outputs = info["init"]["output_args"]
        values |= zip(outputs, made if len(outputs) > 1 else (made,), strict=True)
    source = place / f"{info['module_name']}_numpy.py"
    kernels = {
        "numpy": getattr(module_of(source), info["func_name"]),
        "usmx": getattr(module_of(source, with_usmx(source.read_text())), info["func_name"]),
    }

    def arguments(library):
        given = {}
        for each in info["input_args"]:
            value = values[each]
            if isinstance(value, np.ndarray):
                value = value.copy() if library == "numpy" else usmx.asarray(value)
            given[each] = value
        usmx.synchronize()
        return given

    def run(library):
        given = arguments(library)
        before = time.perf_counter()
        found = kernels[library](*given.values())
        if library == "usmx":
            usmx.synchronize()
        elapsed = time.perf_counter() - before
        names = info.get("output_args") or []
        written = [given[each] for each in names if each in given]
        returned = [] if found is None else [*found] if isinstance(found, tuple) else [found]
        return [*returned, *written], elapsed

    expected, base = run("numpy")
    try:
        found, own = run("usmx")
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(source)), None)
        at = "" if line is None else f", at: {source.read_text().splitlines()[line - 1].strip()}"
        return {"state": "stopped", "why": f"{type(error).__name__}: {error}{at}"}
    is_single = any(getattr(each, "dtype", None) in (np.float32, np.complex64) for each in expected)
    text = difference("result", expected, found, 2e-4 if is_single else 1e-7)
    if text:
        return {"state": "differs", "why": text}
    began = time.perf_counter()
    for _ in range(repeats):  # the first call compiled kernels
        own = min(own, run("usmx")[1])
        base = min(base, run("numpy")[1])
        if time.perf_counter() - began > LIMIT / 8:
            break
    return {"state": "same", "numpy": base, "usmx": own}


# ---- counting


def one(options) -> dict:
    """The result of a single program, in this process."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LIMIT)
    if options.suite == "npbench":
        return run_kernel(options.folder, options.one, options.preset, options.repeats)
    return run_exercise(options.folder, options.one)


def _too_long(*_):
    raise TimeoutError(f"more than {LIMIT} s")


def in_a_process(options, name: str) -> dict:
    """The result of a program, by a process of its own."""
    command = [sys.executable, "-P", __file__, options.suite, str(options.folder), "--one", name]
    command += ["--preset", options.preset, "--repeats", str(options.repeats)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * LIMIT)
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, json.JSONDecodeError) as error:
        return {"state": "stopped", "why": f"{type(error).__name__}: no result of the process"}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=inspect.getdoc(sys.modules[__name__]).splitlines()[0]
    )
    parser.add_argument("suite", choices=["numpy-100", "npbench"])
    parser.add_argument("folder", type=Path, help="a checkout of the suite")
    parser.add_argument("--only", nargs="+", help="the programs to run, instead of all")
    parser.add_argument("--preset", default="S", help="NPBench's sizes")
    parser.add_argument("--repeats", type=int, default=5, help="timed calls of each library")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options)))
        return
    every = (benchmarks if options.suite == "npbench" else exercises)(options.folder)
    counts: dict[str, int] = {}
    ratios = []
    for name in options.only or every:
        found = in_a_process(options, name)
        counts[found["state"]] = counts.get(found["state"], 0) + 1
        text = found.get("why", "")
        if "usmx" in found:
            ratios.append(found["usmx"] / found["numpy"])
            times = f"{found['usmx'] * 1e3:.2f} ms, NumPy {found['numpy'] * 1e3:.2f}"
            text = f"{times}, ratio {ratios[-1]:.2f}"
        print(f"{name}: {found['state']} {text}", flush=True)
    summary = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        summary += f"; geometric mean of the times, usmx / NumPy: {mean:.2f}"
    print(summary)


if __name__ == "__main__":
    main()
