"""Measure what an argument of a native extension's function costs, over a call without one.

Then time ten calls that submit work, each of which needs the result of the last one.

python benchmarks/arguments.py [--quick] [--by LIBRARY] [--built FOLDER] [--json FILE]

Compiles the tests' extension, unless FOLDER has it (tests/python/extensions).
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from bench import outputs, pairing, report
from bench.pairing import Statement

TESTS = Path(__file__).resolve().parents[1] / "tests" / "python"


class Producer:
    """Some elements of others' memory under a dictionary that is made already."""

    def __init__(self, memory: object) -> None:
        self.memory = memory
        self.__sycl_usm_array_interface__ = {
            "data": (memory._pointer, False),
            "shape": (4, 5),
            "typestr": "<f8",
            "version": 1,
            "syclobj": memory.sycl_queue,
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each kind of argument."""
    options = parse(arguments)
    extension, chained = loaded_extensions(options.by, options.built)
    works = statements(extension)
    effort = pairing.QUICK if options.quick else pairing.FULL
    call, *rounds = pairing.measure_in_turns(list(works.values()), effort)
    costs = {
        title: statistics.median(own - base for own, base in zip(seconds, call, strict=True))
        for title, seconds in zip(list(works)[1:], rounds, strict=True)
    }
    print(f"{1e9 * statistics.median(call):8.0f} ns  the call alone; over it:")
    for title, seconds in costs.items():
        print(f"{1e9 * seconds:8.0f} ns  {title}")
    chain = ten_dependent_calls(chained.shift, 2 if options.quick else 10)
    print(
        f"ten dependent calls: submitted in {1e3 * chain['submitted_seconds']:.3f} ms, "
        f"done after {1e3 * chain['done_seconds']:.0f} ms"
    )
    if options.json:
        values = {
            "machine": report.machine(),
            "call_seconds": statistics.median(call),
            "rows": [{"argument": title, "seconds": costs[title]} for title in costs],
            "ten_dependent_calls": chain,
        }
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a few short rounds")
    parser.add_argument("--by", default="nanobind", choices=["nanobind", "pybind11"])
    parser.add_argument("--built", type=Path, help="where the tests' extension lies, compiled")
    outputs.add_options(parser, json="write the medians there")
    return outputs.parse(parser, arguments)


def loaded_extensions(library: str, folder: Path | None) -> tuple[ModuleType, ModuleType]:
    """Load the tests' extensions by that library, compiled if there is no folder with them."""
    sys.path.insert(0, str(TESTS))
    from extension_builds import built, loaded

    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="usmx-arguments-"))
        built(TESTS / "extensions" / library, folder, [library, "usmx"], build_type="Release")
    return loaded(f"{library}_extension", folder), loaded(f"{library}_chained", folder)


def ten_dependent_calls(shift: Callable, rounds: int) -> dict[str, float]:
    """Time `shift(x, y)`, which submits a copy of 200 MB, ten times in turns; the medians."""
    import numpy as np
    import usmx

    calls, count = 10, 25_000_000
    times = []
    for _ in range(rounds):
        x, y = usmx.arange(count, dtype="f8"), usmx.zeros(count)
        usmx.synchronize()
        begin = time.perf_counter()
        for k in range(calls):
            last = shift(*((x, y) if k % 2 == 0 else (y, x)))
        submitted = time.perf_counter()
        last.wait()
        times.append((submitted - begin, time.perf_counter() - begin))
        if not np.array_equal(usmx.asnumpy(x)[calls:], np.arange(count - calls)):
            raise RuntimeError("the calls did not come one after the other")
    submitted_seconds, done_seconds = map(statistics.median, zip(*times, strict=True))
    return {"submitted_seconds": submitted_seconds, "done_seconds": done_seconds}


def statements(extension: ModuleType) -> dict[str, Statement]:
    """What is measured, by title: first the call without an array."""
    import dpctl
    import dpctl.memory
    import usmx

    def of_array(x: object) -> Statement:
        return Statement("f(x)", f=extension.look_at_array, x=x)

    def producer(queue: object, count: int) -> Producer:
        return Producer(dpctl.memory.MemoryUSMShared(count, queue=queue))

    queue = dpctl.SyclQueue()
    known_to_others = usmx.empty((4, 5), sycl_queue=usmx.SyclQueue(queue._get_capsule()))
    return {
        "": Statement("f(3)", f=extension.nothing),
        "usmx array": of_array(usmx.empty((4, 5))),
        "usmx array whose queue others have, which is waited for": of_array(known_to_others),
        "the same as array_view": Statement("f(x)", f=extension.look_at_view, x=known_to_others),
        "producer whose dictionary is ready; its queue is waited for": of_array(
            producer(queue, 160)
        ),
        "   of these, the import": Statement(
            "view(x)", view=usmx.from_usm_array_interface, x=producer(queue, 160)
        ),
        "   of these, waiting for an idle queue, by dpctl": Statement("q.wait()", q=queue),
    }


if __name__ == "__main__":
    sys.exit(main())
