"""Uses objects that were made without __init__ in every way there is; prints how many uses.

It writes each use to stderr before it runs: after a crash the last line names it.
"""

import copy
import ctypes
import functools
import inspect
import operator
import os
import pickle
import random
import sys
import types
import warnings

import numpy as np
import usmx
from helpers import DENSITY
from usmx import _core, memory

# They change the process for what comes after, or the user's files.
UNSAFE = ("_set_hooks", "_make_inspectable", "_clear_kernel_cache")
# It prints, as this program does.
PRINTS = ("lsplatform",)
# They need nothing of the object: it may be refused later, or is text in an error.
LAZY = ("print_options", "printoptions")
# NumPy says which files it reads, by a ValueError.
READS = ("loadtxt",)
BUILTINS = [
    abs, bin, bool, bytes, bytearray, callable, complex, dict, dir, divmod, enumerate, filter,
    float, format, frozenset, hash, hex, id, int, isinstance, issubclass, iter, len, list,
    map, max, memoryview, min, next, oct, ord, pow, range, repr, reversed, round, set, slice,
    sorted, str, sum, tuple, type, vars, zip,
]  # fmt: skip
OF_PYTHON = [
    *(getattr(operator, name) for name in operator.__all__),
    *BUILTINS,
    copy.copy,
    copy.deepcopy,
    pickle.dumps,
    np.asarray,
    np.frombuffer,
    np.from_dlpack,
    np.add,
    np.concatenate,
]


def classes():
    """All classes that usmx binds, but for exceptions, which need no __init__ of usmx's."""
    found = {value for value in vars(_core).values() if inspect.isclass(value)}
    return sorted(
        (cls for cls in found if not issubclass(cls, Exception)), key=lambda cls: cls.__name__
    )


def makers():
    """What makes one object each: of the class alone, and of an unfinished subclass."""
    for cls in classes():
        if cls not in (usmx.SyclQueue, usmx.SyclEvent):  # whose __new__ makes it
            yield cls.__name__, functools.partial(cls.__new__, cls)
        try:
            below = type("Unfinished", (cls,), {"__init__": lambda self: None})
        except TypeError:
            continue  # it takes no subclasses
        yield f"subclass of {cls.__name__}", below


@functools.cache
def others():
    """What stands in the other places of a call."""
    array = usmx.arange(4.0)
    return array, 1, None, "C", (2, 2), array.sycl_queue


drawn = random.Random(67)


def some_others():
    """In CI one of them, in each place another; all at night."""
    return drawn.sample(others(), len(others()) if DENSITY >= 1 else 1)


@functools.cache
def functions():
    """Every function and class of usmx, by its name."""
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (usmx, memory, _core)
        for name in dir(module)
        if callable(getattr(module, name))
        and name not in UNSAFE + PRINTS
        and not name.startswith("__")
        and not inspect.isclass(getattr(module, name))
    }


def length_of(function):
    """How many arguments it takes, at most 4; nanobind's private functions do not say it."""
    try:
        return min(len(inspect.signature(function).parameters), 4)
    except (ValueError, TypeError):
        return 4


@functools.cache
def keywords_of(function):
    try:
        return tuple(inspect.signature(function).parameters)
    except (ValueError, TypeError):
        text = str(getattr(function, "__nb_signature__", ""))
        return tuple(part.rsplit(None, 1)[-1].strip("(,*'") for part in text.split(": ")[:-1])


# ---- uses: a name, what is called, and whether the object must be refused with a TypeError


def is_bound_by_usmx(member):
    """In C++, or in Python and attached."""
    if inspect.isfunction(member):
        return member.__module__.startswith("usmx.")
    return isinstance(member, types.MethodDescriptorType) and member.__objclass__ in classes()


def uses_by_attribute(make):
    """Every name of the object: read, called, set, deleted."""
    cls = type(make())
    for name in dir(cls):
        bound = inspect.getattr_static(cls, name)
        reads = isinstance(bound, property)
        # __dir__ lists names, and asks the object for nothing.
        is_method = is_bound_by_usmx(bound) and name not in ("__init__", "__eq__", "__dir__")
        yield f"read {name}", lambda name=name: getattr(make(), name), reads
        if name == "__class__":
            continue
        yield f"delete {name}", lambda name=name: delattr(make(), name), False
        for filler in some_others():
            yield f"set {name}", lambda n=name, f=filler: setattr(make(), n, f), False
        for length in range(4):
            for filler in some_others() if length > 0 else [None]:
                yield (
                    f"call {name} with {length}",
                    lambda n=name, a=(filler,) * length: getattr(make(), n)(*a),
                    is_method,
                )
        yield f"call {name} of itself", lambda n=name: getattr(make(), n)(make()), is_method


def calls(function):
    """Argument lists, each without the argument at the place beside it."""
    for length in range(1, length_of(function) + 1):
        for place in range(length):
            for filler in some_others():
                yield place, [filler] * length


def with_object(function, arguments, place, made):
    return function(*arguments[:place], made, *arguments[place + 1 :])


def uses_by_function(make):
    """Every function of usmx, of operator and of Python's, with the object in each place."""
    is_array = isinstance(make(), (usmx.USMArray, _core._Memory))
    named = [(str(each), each) for each in OF_PYTHON]
    for name, function in [*functions().items(), *named]:
        is_ours = (
            is_array
            and name.startswith("usmx")
            and not str(getattr(function, "__module__", "")).startswith("numpy")
            and not name.endswith(LAZY + READS)
        )
        for place, arguments in calls(function):
            yield (
                f"{name}, argument {place} of {len(arguments)}",
                lambda f=function, a=arguments, p=place: with_object(f, a, p, make()),
                is_ours and place == 0 and len(arguments) == 1,
            )
    for name, function in functions().items():
        for keyword in keywords_of(function):
            for filler in some_others():
                yield (
                    f"{name}, {keyword}=",
                    lambda f=function, k=keyword, a=filler: f(a, **{k: make()}),
                    False,
                )


class Producer:
    def __init__(self, interface):
        self.__sycl_usm_array_interface__ = interface


def uses_inside(make):
    """Within what other objects hold or give."""
    array = usmx.arange(4.0)
    valid = array.__sycl_usm_array_interface__
    for key in valid:
        described = {**valid, key: None}
        yield (
            f"dictionary with {key}",
            lambda k=key, d=described: usmx.asarray(Producer(d | {k: make()})),
            True,
        )
    yield "dictionary", lambda: usmx.asarray(Producer(make())), True
    for method in ("__dlpack__", "__arrow_c_array__", "__arrow_c_stream__", "_get_capsule"):
        holder = type("Holder", (), {method: lambda self, **_: make()})
        for function in (usmx.from_dlpack, usmx.from_arrow, usmx.SyclQueue, usmx.SyclEvent):
            yield f"{function} of {method}", lambda f=function, h=holder: f(h()), False
    yield "list", lambda: usmx.asarray([make(), make()]), False
    yield "stack", lambda: usmx.stack([array, make()]), True
    yield "index", lambda: array[make()], False
    yield "index to set", lambda: array.__setitem__(make(), 1), False
    yield "value to set", lambda: array.__setitem__(0, make()), False
    yield "events", lambda: usmx.SyclEvent.wait_for([make()]), False
    yield "iteration", lambda: list(make()), False


# The functions of the C table that take an object: their places among its pointers, and how many
# results they write.
C_FUNCTIONS = {"as_array": (1, 2), "as_queue": (3, 1), "as_context": (5, 1), "as_device": (7, 1),
               "as_event": (9, 1)}  # fmt: skip
OF_THE_TABLE = {
    "as_array": usmx.USMArray,
    "as_queue": usmx.SyclQueue,
    "as_context": usmx.SyclContext,
    "as_device": usmx.SyclDevice,
    "as_event": usmx.SyclEvent,
}


@functools.cache
def c_function(place, results):
    """A function of the table, whose pointers begin after its size and its two versions."""
    find = ctypes.pythonapi.PyCapsule_GetPointer
    find.argtypes, find.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    table = find(_core._c_api, b"usmx._core._c_api")
    address = ctypes.c_void_p.from_address(table + 16 + 8 * place).value
    return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, *[ctypes.c_void_p] * results)(address)


def uses_by_c_table(make):
    """What an extension does with an argument."""
    for name, (place, results) in C_FUNCTIONS.items():
        view, written = ctypes.create_string_buffer(4096), ctypes.c_void_p()
        into = [ctypes.addressof(view), ctypes.addressof(written)][2 - results :]
        yield (
            name,
            lambda p=place, r=results, i=into: c_function(p, r)(make(), *i),
            isinstance(make(), OF_THE_TABLE[name]),
        )


def outcome(use):
    try:
        found = use()
    except Exception as error:
        return type(error)
    return TypeError if found is NotImplemented else None  # of which Python makes one


def main():
    warnings.simplefilter("ignore")  # nanobind's, of each object that is not initialized
    count = 0
    for made, make in makers():
        for kind in (uses_by_attribute, uses_by_function, uses_by_c_table, uses_inside):
            for name, use, must_refuse in kind(make):
                os.write(2, f"{made}: {name}\n".encode())
                found = outcome(use)
                count += 1
                if must_refuse and found is not TypeError:
                    sys.exit(f"{made}: {name}: expected a TypeError, found {found}")
    assert usmx.asnumpy(usmx.reshape(usmx.arange(6), (2, 3))[::-1]).tolist() == [
        [3, 4, 5],
        [0, 1, 2],
    ]
    print(count)


main()
