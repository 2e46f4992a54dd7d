"""Measure what an argument of a native extension's function costs, over a call without one.

python benchmarks/arguments.py [--quick] [--by LIBRARY] [--built FOLDER] [--json FILE]

Compiles the tests' extension, unless FOLDER has it (tests/python/extensions).
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from usmx.bench import outputs, pairing, report
from usmx.bench.pairing import Statement

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
    extension = loaded_extension(options.by, options.built)
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
    if options.json:
        values = {
            "machine": report.machine(),
            "call_seconds": statistics.median(call),
            "rows": [{"argument": title, "seconds": costs[title]} for title in costs],
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


def loaded_extension(library: str, folder: Path | None) -> ModuleType:
    """Load the tests' extension by that library, compiled if there is no folder with it."""
    sys.path.insert(0, str(TESTS))
    from extension_builds import built, loaded

    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="usmx-arguments-"))
        built(TESTS / "extensions" / library, folder, [library, "usmx"], "Release")
    return loaded(f"{library}_extension", folder)


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
