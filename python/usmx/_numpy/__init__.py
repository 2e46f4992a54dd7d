"""NumPy's names that usmx has beside those of the array API, made when they are asked for."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any

from usmx._container.host import numpy
from usmx._core import _dtype
from usmx._functions import naming_keywords
from usmx._numpy.documents import complete
from usmx._numpy.names import ALIASES, MODULES, NAMES, OF_NUMPY, TYPES

__all__ = list(NAMES)


def __getattr__(name: str) -> Any:
    """The function or object that usmx has under a name of NumPy's."""
    value = _made(name)
    globals()[name] = value
    return value


def _made(name):
    if name in MODULES:
        return _function(name, import_module(f"usmx._numpy.{MODULES[name]}"))
    if name in ALIASES:
        return getattr(import_module("usmx"), ALIASES[name])
    if name in TYPES:
        return _dtype(getattr(numpy, name)).type
    if name in OF_NUMPY:
        return getattr(numpy, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def _function(name, module):
    """The function as users see it, which pickle finds in its module."""
    value = getattr(module, name)
    if type(value) is FunctionType and not hasattr(value, "_names_keywords"):
        complete(value)
        value = naming_keywords(value)
        setattr(module, name, value)
    return value
