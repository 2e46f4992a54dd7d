"""Calls every public function and method of usmx with sizes that no memory has, one parameter after the other.

Each call must raise an exception of Python's, or give NumPy's answer where NumPy has a function of that name. The
program writes each call to stderr before it makes it: after a crash the last line names it. It prints how many it made, and
what was wrong.
"""

import contextlib
import faulthandler
import inspect
import io
import mmap
import resource
import sys
import warnings
from pathlib import Path

import numpy as np
import usmx
from usmx import memory
from usmx._compute.table import ROWS
from usmx.memory import MemoryUSMShared

SECONDS = 20  # for one call
UNITS_OF_NUMPY = 4
INTEGERS = (2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64)
HOSTILE = (
    *INTEGERS,
    np.int64(2**63 - 1),
    np.uint64(2**64 - 1),
    (2**62,),
    (2**31, 2**31),
    (2**32, 2**32),
    (2**63 - 1, 2),
    (2**63, 0),
    (2**62, 0),
    (0, 2**62, 2**62),
    (-(2**63), 1),
    (1,) * 65,
    (2**62,) * 4,
    (2,) * 64,
    (2**16,) * 4,
    [2**62] * 6,
    [2**64],
    np.array([2**62] * 6),
    np.array([2**63] * 3, np.uint64),
)


def numbers():
    return usmx.asarray(np.arange(6).reshape(2, 3), usm_type="shared")


def queue():
    return numbers().sycl_queue


# What stands for a parameter of that name where nothing hostile does. Those that are not here keep their defaults.
BY_NAME = {
    **dict.fromkeys(
        "x X a arr ary array usm_ary obj dst prototype a1 a2 arg x1 x2 m b".split(),  # noqa: SIM905
        numbers,
    ),
    **dict.fromkeys("src val".split(), lambda: 1),  # noqa: SIM905
    **dict.fromkeys("shape repeats repetitions shift n_rows".split(), lambda: 2),  # noqa: SIM905
    **dict.fromkeys("axis axis1 source destination".split(), lambda: 0),  # noqa: SIM905
    "axis2": lambda: 1,
    "axes": lambda: (1, 0),
    **dict.fromkeys("indices kth".split(), lambda: [0, 1]),  # noqa: SIM905
    "indices_or_sections": lambda: 1,
    "condition": lambda: usmx.asarray([[True, False, True]] * 2),
    "mask": lambda: usmx.asarray([[True, False, True]] * 2),
    "vals": lambda: 1,
    "values": lambda: 1,
    "value": lambda: 1,
    "fill_value": lambda: 1,
    "start": lambda: 0,
    "stop": lambda: 4,
    "step": lambda: 1,
    "num": lambda: 5,
    "arrays": lambda: [numbers(), numbers()],
    "dtype": lambda: "i8",
    "from_": lambda: "i4",
    "to": lambda: "i8",
    "type": lambda: "i4",
    "kind": lambda: "device",
    "nbytes": lambda: 64,
    "count": lambda: 8,
    "mem": lambda: MemoryUSMShared(64),
    "dest": lambda: MemoryUSMShared(64),
    "device": lambda: usmx.SyclDevice(),
    "dev": lambda: usmx.SyclDevice(),
    "sycl_queue": queue,
    "event": usmx.SyclEvent,
    "np_ary": lambda: np.arange(6),
    "buffer": lambda: np.arange(6.0),
    "file": io.BytesIO,
    "resource": lambda: memory.PlainResource("shared"),
    "below": lambda: memory.PlainResource("shared"),
    "usm_type": lambda: "shared",
    "dl_dev": lambda: numbers().__dlpack_device__(),
    "column": lambda: numbers()[0],
    "shm": lambda: mmap.mmap(-1, 4096),
    "usm_types": lambda: ["shared"],
    "key": usmx.SyclDevice,
    "queues": lambda: [queue()],
    "queue": queue,
    "n": lambda: 8,
    "size": lambda: LIMIT,
    "required_aspects": lambda: ["cpu"],
    "upstream": lambda: memory.PlainResource("shared"),
    "fails": lambda: bool,
    "limit": lambda: LIMIT,
    "nbytes_or_producer": lambda: 64,
    "pointer": lambda: LIVING._pointer,
    "syclobj": lambda: LIVING.sycl_queue,
    "sycl_usm_ary": lambda: MemoryUSMShared(64),
    "advice": lambda: 0,
    "peer": usmx.SyclDevice,
    "partition": lambda: 1,
    "line": lambda: 1,
    "newdtype": lambda: "f8",
    "path": lambda: "log",
    "filt": lambda: usmx.asarray([0, 1, 2, 0]),
    "v": lambda: usmx.asarray([1, 2]),
    "function": lambda: lambda a: a * 2,
    "ind": lambda: [0, 1],
    "N": lambda: 3,
    "tup": lambda: [numbers(), numbers()],
    "condlist": lambda: [numbers() > 2],
    "choicelist": lambda: [numbers()],
    "choices": lambda: [numbers()] * 6,
    "multi_index": lambda: (usmx.asarray([0, 1]), usmx.asarray([1, 2])),
    "dims": lambda: (2, 3),
    "pad_width": lambda: 1,
    "new_shape": lambda: 2,
    "dimensions": lambda: (2, 3),
}
LIVING = MemoryUSMShared(64)
# What these get instead.
BY_FUNCTION = {
    "usmx.benchmark": {
        "func": lambda: int,
        "n_repeat": lambda: 1,
        "n_warmup": lambda: 1,
        "max_duration": lambda: 0,
    },
    "usmx.broadcast_to": {"shape": lambda: (2, 3)},
    "usmx.reshape": {"shape": lambda: (3, 2)},
    "usmx.squeeze": {"X": lambda: numbers()[:1]},
    "usmx.take": {"axis": lambda: 0},
    "usmx.put": {"axis": lambda: 0},
    "usmx.take_along_axis": {"indices": lambda: np.array([[0], [1]])},
    "usmx.put_along_axis": {"indices": lambda: np.array([[0], [1]])},
    "usmx.meshgrid": {"arrays": lambda: usmx.asarray([1, 2])},
    "usmx.broadcast_arrays": {"arrays": numbers},
    "usmx.result_type": {"arrays_and_dtypes": lambda: "i4"},
    "usmx.diag*": {"v": lambda: usmx.asarray([1, 2])},
    "usmx.eye*": {"n_cols": lambda: 3},
    "usmx.repeat*": {"axis": lambda: 1},
    "usmx.roll*": {"axis": lambda: 0},
    "usmx.arange*": {"start": lambda: 2**63 - 4, "stop": lambda: 2**63 - 1},
    "usmx.expand_dims*": {"axis": lambda: (0, 1)},
    "usmx.flip*": {"axis": lambda: (0, 1)},
    "usmx.matmul": {"x2": lambda: numbers().T},
    "usmx.searchsorted": {"x1": lambda: usmx.asarray([1, 2, 4])},
    "usmx.unravel_index": {"shape": lambda: (2, 3)},
    "usmx.argsort": {"stable": lambda: True},
    "usmx.sort": {"stable": lambda: True},
    "USMArray.dot": {"b": lambda: numbers().T},
}
# They are records, compile programs, load modules, launch as many work items as they are told, take addresses of
# functions, or change the process for what follows.
SKIPPED = {
    "usmx.Diagnostic",
    "usmx.Device",
    "usmx.ElementwiseKernel",
    "usmx.Kernel",
    "usmx.KernelModule",
    "usmx.ReductionKernel",
    "usmx.importing_extension",
    "usmx.host_access",
    "usmx.set_default_queue",
    "usmx.set_default_usm_type",
    "usmx.memory.FunctionResource",
    "usmx.memory.set_memory_resource",
    "SyclQueue.submit",
    "SyclQueue.submit_async",
}
# Their diagonals are counted by exact integers, where NumPy's wrap or are refused.
WITH_DIAGONALS = {
    "usmx.diag", "usmx.diagonal", "usmx.eye", "usmx.tril", "usmx.triu", "usmx.tril_indices",
    "usmx.tril_indices_from", "usmx.triu_indices", "usmx.triu_indices_from",
}  # fmt: skip
# Not compared: their elements are whatever is there; they count as floating-point numbers, where NumPy's wrap; integers to
# negative powers, which NumPy refuses; and the reciprocal of integers, which is no integer.
NOT_COMPARED = {
    "usmx.empty",
    "usmx.empty_like",
    "usmx.std",
    "usmx.var",
    "usmx.pow",
    "usmx.reciprocal",
}
# What NumPy refuses, and usmx need not: more than 64 choices, and arrays for flags that usmx does not look at.
NUMPYS_OWN = ("Need at least 0 and at most 64 array objects", "The truth value of an array")
OBJECTS = {
    "USMArray": numbers,
    "MemoryUSMShared": lambda: MemoryUSMShared(64),
    "MemoryPool": memory.get_memory_pool,
    "PoolResource": lambda: memory.PoolResource(memory.PlainResource("shared")),
    "SyclQueue": usmx.SyclQueue,
    "SyclDevice": usmx.SyclDevice,
    "flat": lambda: numbers().flat,
}
LIMIT = 2**28  # of memory, so that what could be had is refused as quickly


def functions():
    """Every public function and class, and every public method of the objects: (name, what to call)."""
    for module in (usmx, memory, usmx.utils):
        for name in module.__all__:
            function = getattr(module, name)
            full = f"{module.__name__}.{name}"
            is_exception = inspect.isclass(function) and issubclass(function, Exception)
            if callable(function) and not is_exception and full not in SKIPPED:
                yield full, lambda function=function: function
    for name in BY_FUNCTION:
        if name.endswith("*"):  # once more, with other arguments
            function = getattr(usmx, name.removeprefix("usmx.").rstrip("*"))
            yield name, lambda function=function: function
    for name, make in OBJECTS.items():
        for method in dir(type(make())):
            is_public = callable(getattr(type(make()), method, None)) and not method.startswith("_")
            if is_public and f"{name}.{method}" not in SKIPPED:
                yield f"{name}.{method}", lambda make=make, method=method: getattr(make(), method)
    for name in ("USMArray", "flat"):
        make = OBJECTS[name]
        yield f"{name}[]", lambda make=make: lambda index: make()[index]
        yield f"{name}[:]", lambda make=make: lambda index: make()[index:index]
        yield f"{name}[::]", lambda make=make: lambda index: make()[::index]
        yield f"{name}[] = 1", lambda make=make: lambda index: make().__setitem__(index, 1)


class NoExampleError(Exception):
    """A parameter for which BY_NAME and BY_FUNCTION have nothing."""


def usual_arguments(name, function):
    """An argument for each parameter that needs one, and the names of all."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # classes of Python's own
        return {}, []
    given = {}
    own = BY_FUNCTION.get(name, {})
    for parameter in parameters:
        is_needed = parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        )
        if parameter.name in own or (is_needed and parameter.name in BY_NAME):
            given[parameter.name] = own.get(parameter.name) or BY_NAME[parameter.name]
        elif is_needed and parameter.name != "index":
            raise NoExampleError(f"{name}: no example of {parameter.name}")
    return given, list(parameters)


def arguments_of(parameters, values):
    """(by position, by name)."""
    positional, named = [], {}
    by_position = True
    for parameter in parameters:
        if parameter.name not in values:
            by_position = False
        elif parameter.kind is parameter.VAR_POSITIONAL:
            positional.append(values[parameter.name])
        elif parameter.kind is parameter.VAR_KEYWORD:
            named["any_name"] = values[parameter.name]
        elif parameter.kind is parameter.KEYWORD_ONLY or not by_position:
            named[parameter.name] = values[parameter.name]
        else:
            positional.append(values[parameter.name])
    return positional, named


def on_host(value):
    """NumPy's arrays in the place of usmx's."""
    if isinstance(value, usmx.USMArray):
        return usmx.asnumpy(value)
    return type(value)(map(on_host, value)) if type(value) in (list, tuple) else value


def is_numpys(found, expected, units=0):
    """Whether an answer is NumPy's, but for as many units in the last place; large ones by their shapes."""
    if type(found) in (list, tuple):
        return len(found) == len(expected) and all(map(is_numpys, found, expected))
    if not isinstance(found, usmx.USMArray):
        return True
    same_shape = found.shape == np.shape(expected)
    if found.size > 10_000 or not same_shape or found.dtype.names:
        return same_shape
    if found.dtype.kind in "fc":
        distance = units * np.finfo(found.dtype).eps
        return np.allclose(usmx.asnumpy(found), expected, distance, 0, equal_nan=True)
    return np.array_equal(usmx.asnumpy(found), expected)


def units_of(function):
    """How far usmx's result may be from NumPy's, which differs by the vector unit as well."""
    bound = ROWS[function].errors[0] if function in ROWS else 0
    return bound and bound + UNITS_OF_NUMPY


def clamped(value):
    """An integer beyond all small matrices, but one that NumPy can count with."""
    return max(-100, min(100, int(value))) if isinstance(value, (int, np.integer)) else value


def compared(name, positional, named, found):
    """What is wrong with an answer; None where it is NumPy's, or NumPy has no such function."""
    name = name.rstrip("*")
    module, _, function = name.rpartition(".")
    numpys = getattr(np, function, None)
    is_array = type(found) in (usmx.USMArray, list, tuple)
    if module != "usmx" or numpys is None or name in NOT_COMPARED or not is_array:
        return None
    if name in WITH_DIAGONALS:
        positional = [clamped(value) for value in positional]
        named = {key: clamped(value) for key, value in named.items()}
    if "where" in named and isinstance(numpys, np.ufunc):  # elements that it leaves out are any
        return None
    if "where" in named:  # whose values NumPy's mean counts
        named = named | {"where": np.asarray(on_host(named["where"])).astype(bool)}
    if name.startswith("usmx.logical_"):  # of which NumPy refuses large integers
        positional = [bool(value) if type(value) is int else value for value in positional]
        named = {k: bool(value) if type(value) is int else value for k, value in named.items()}
    if name == "usmx.diff":  # which NumPy repeats as often as it is told
        named = {key: clamped(value) if key == "n" else value for key, value in named.items()}
        positional = [clamped(value) if k == 1 else value for k, value in enumerate(positional)]
    try:
        with np.errstate(all="ignore"):
            expected = numpys(
                *map(on_host, positional), **{k: on_host(v) for k, v in named.items()}
            )
    except TypeError:  # of other parameters
        return None
    except Exception as error:
        if isinstance(error, AttributeError) and function.endswith("split"):  # which takes no lists
            return None
        if "array is too big" in str(error) and found.size == 0:  # NumPy counts without the zeros
            return None
        if str(error).startswith(NUMPYS_OWN):
            return None
        return f"{name}: {type(error).__name__} of NumPy's ({error}), found {found!r:.80}"
    if function == "unique_values":
        expected = np.sort(expected)  # NumPy's are in any order
    is_right = is_numpys(found, expected, units_of(function))
    return None if is_right else f"{name}: {expected!r:.80}, found {found!r:.80}"


def limit_memory():
    for kind in ("device", "shared", "host"):
        memory.get_memory_pool(kind).set_limit(size=LIMIT)
    memory.set_pending_limit(LIMIT)


def call(name, parameter, make, parameters, values):
    """What is wrong with one call, or None."""
    print(name, parameter, repr(values.get(parameter))[:60], file=sys.stderr, flush=True)
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    positional, named = arguments_of(parameters, values)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = make()(*positional, **named)
    except SystemError as error:
        return f"{name}({parameter}=...): SystemError {error}"
    except Exception:
        return None
    finally:
        limit_memory()
        faulthandler.cancel_dump_traceback_later()
    return compared(name, positional, named, found)


def main():
    warnings.simplefilter("ignore")
    limit_memory()
    usmx.asnumpy(usmx.repeat(numbers(), 2))  # the runtime has its memory
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    bound = pages * resource.getpagesize() + 2**33
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    calls, faults = 0, []
    for name, make in functions():
        try:
            usual, parameters = usual_arguments(name, make())
        except NoExampleError as error:
            faults.append(str(error))
            continue
        for parameter in parameters:
            for hostile in HOSTILE:
                values = {key: value() for key, value in usual.items()} | {parameter.name: hostile}
                faults.append(call(name, parameter.name, make, parameters, values))
                calls += 1
    print(calls, "calls")
    print(*filter(None, faults), sep="\n")


if __name__ == "__main__":
    main()
