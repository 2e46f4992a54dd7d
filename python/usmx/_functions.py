"""The package's functions as it hands them out: a wrong keyword is answered by the right ones."""

from functools import update_wrapper
from types import FunctionType

from usmx import _core


def hand_out(namespace, names):
    """Replace the functions of these names that are written in Python.

    Within the package functions call each other as they are.
    """
    for name in names:
        function = namespace.get(name)
        if isinstance(function, FunctionType):
            handed_out = update_wrapper(_core._PythonFunction(function), function)
            handed_out.__module__ = namespace["__name__"]
            namespace[name] = handed_out
