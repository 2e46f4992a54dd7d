"""Eight threads use usmx at once, for a Python without the interpreter lock, where they meet anywhere.

Half of their calls are the examples of all public names, and half use objects that all threads
share. What fails is counted by name: exit code 1. Not a pytest module: it runs for as long as you say.

    python tests/python/free_threaded.py [SECONDS]
"""

import contextlib
import doctest
import faulthandler
import os
import random
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import usmx
from test_docstrings import METHODS, PROPERTIES, PUBLIC, example_text

THREADS = 8
# What an example does to the process meets the others: a failing resource, one log at a time. And
# dpctl, dpnp and pyarrow need not be there.
ALLOWED = (usmx.USMAllocationError, ImportError)
ALONE = ("usmx.memory.LoggingResource",)


def programs():
    """The examples that raise nothing, as code, by the name that they are of."""
    parser = doctest.DocTestParser()
    for name, value in (PUBLIC | METHODS | PROPERTIES).items():
        examples = parser.get_examples(example_text(value))
        if examples and not any(each.exc_msg for each in examples) and name not in ALONE:
            yield name, compile("".join(each.source for each in examples), name, "exec")


class Shared:
    """Objects that all threads use, some of which one replaces for all."""

    def __init__(self):
        self.array = usmx.zeros((64, 2), usm_type="shared")
        self.rows = iter(self.array)
        self.producer: Any = Tensor(self.array)
        self.description = Description(self.array)
        self.unmade = usmx.USMArray.__new__(usmx.USMArray)
        self.kernel = usmx.ElementwiseKernel("T x", "T y", "y = x + 1", "increment")

    def base_is_one_object(self):
        assert self.array.base is self.array.base
        own = usmx.empty(8, usm_type="shared")
        assert own[1:].base is own.base

    def rows_are_iterated(self):
        try:
            assert next(self.rows).shape == (2,)
        except StopIteration:
            self.rows = iter(self.array)

    def capsule_is_taken_once(self):
        tensor = self.producer
        try:
            usmx.from_dlpack(tensor)
        except ValueError:  # another thread was first
            self.producer = Tensor(self.array)

    def dictionary_is_read(self):
        assert usmx.from_usm_array_interface(self.description).shape in ((128,), (64,))

    def dictionary_changes(self):
        entries = self.description.__sycl_usm_array_interface__
        entries["shape"] = random.choice([(128,), (64,)])
        entries[f"more {random.random()}"] = 1
        if len(entries) > 100:
            for name in [name for name in list(entries) if name.startswith("more")]:
                entries.pop(name, None)

    def flags_change(self):
        view = self.array[1:]
        view.flags.writable = False
        assert view.flags.writeable is False

    def object_is_initialized_once(self):
        unmade = self.unmade
        try:
            unmade.__init__((16,), dtype="f4")
        except (RuntimeError, TypeError):  # it was, by usmx's words or by nanobind's
            self.unmade = usmx.USMArray.__new__(usmx.USMArray)

    def elements_are_selected_and_copied(self):
        mine = usmx.asarray(np.arange(100.0).reshape(10, 10), usm_type="device")
        mine[1:, ::2] = 3
        assert usmx.asnumpy(usmx.astype(mine[[1, 2]].T, "f4")).shape == (10, 2)
        assert self.array[3:5, 1].tolist() == [0.0, 0.0]

    def memory_is_shared(self):
        memory = usmx.memory.as_usm_memory(self.array)
        assert memoryview(memory).nbytes == self.array.nbytes
        assert memory.reference_obj is None or memory.reference_obj is self.array

    def kernels_run(self):
        assert usmx.asnumpy(self.kernel(self.array)).sum() == self.array.size

    def work_is_ordered(self):
        mine = usmx.zeros(1 << 12, usm_type="shared")
        usmx.fill_async(mine, 2)
        assert mine[-1].item() == 2


class Tensor:
    """A producer whose capsule is for one consumer."""

    def __init__(self, array):
        self.capsule = array.__dlpack__(max_version=(1, 0))
        self.device = array.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


class Description:
    """A producer whose dictionary changes."""

    def __init__(self, array):
        self.owner = array
        self.__sycl_usm_array_interface__ = {
            **array.__sycl_usm_array_interface__,
            "shape": (128,),
            "strides": None,
        }


def calls():
    """All of them, by name."""
    shared = Shared()
    methods = {name: getattr(shared, name) for name in vars(Shared) if not name.startswith("_")}
    examples = {
        name: lambda code=code: exec(code, {"usmx": usmx, "np": np}) for name, code in programs()
    }
    return methods, examples


def work(groups, ends, done, failed):
    """Make calls until the time is over."""
    choice = random.Random()
    while time.monotonic() < ends:
        name, call = choice.choice(groups[choice.randrange(2)])
        try:
            call()
        except ALLOWED:
            pass
        except Exception as error:
            failed[f"{name}: {type(error).__name__}: {error}"[:200]] += 1
        done[name] += 1


def main(seconds):
    """Run the threads, and tell what failed."""
    warnings.filterwarnings("ignore", "nanobind: attempted to initialize")
    faulthandler.enable()
    faulthandler.dump_traceback_later(seconds + 120, exit=True)  # they hang
    groups = [list(group.items()) for group in calls()]
    done: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    arguments = (groups, time.monotonic() + seconds, done, failed)
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        threads = [threading.Thread(target=work, args=arguments) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    missing = [name for group in groups for name, _ in group if name not in done]
    for text, count in failed.most_common():
        print(f"{count:6} {text}")
    lock = "without" if not getattr(sys, "_is_gil_enabled", lambda: True)() else "with"
    print(f"{sum(done.values())} calls of {len(done)} names {lock} the lock; not called: {missing}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60))
