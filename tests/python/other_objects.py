"""Gives every method and property of usmx's compiled classes an object of another class as itself.

A program of its own, because what fails here ends the process: standard error then ends with the
use. It prints the number of uses.
"""

import inspect
import os
import types
import warnings

import usmx
from usmx import _core

OTHERS = (
    5,
    None,
    "text",
    object(),
    usmx.arange(3.0),
    usmx.memory.MemoryUSMShared(8),
    usmx.SyclQueue(),
)
FILLERS = ((), (1,), (None,), ("x", None))


def classes():
    found = {
        each for module in (usmx, _core) for each in vars(module).values() if inspect.isclass(each)
    }
    return sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__))


def functions_of(member):
    """What of a member of a class is called with the object first."""
    if isinstance(member, property):
        return [part for part in (member.fget, member.fset, member.fdel) if part is not None]
    compiled = (types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)
    if isinstance(member, compiled) and member.__objclass__ is object:
        return []
    if isinstance(member, types.GetSetDescriptorType):
        return [member.__get__]
    return [member] if callable(member) and not inspect.isclass(member) else []


def uses():
    for cls in classes():
        for name, member in list(vars(cls).items()):
            for function in functions_of(member):
                for other in OTHERS:
                    if not isinstance(other, cls):
                        for rest in FILLERS:
                            yield (
                                f"{cls.__qualname__}.{name} of {type(other)}",
                                function,
                                other,
                                rest,
                            )


def main():
    warnings.simplefilter("ignore")
    count = 0
    for name, function, other, rest in uses():
        os.write(2, f"{name}\n".encode())
        count += 1
        try:
            function(other, *rest)
        except Exception:
            continue
    assert usmx.asnumpy(usmx.arange(3)).tolist() == [0, 1, 2]
    print(count)


main()
