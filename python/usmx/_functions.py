"""The package's public functions: an error about a wrong keyword lists the right ones."""

import sys
from types import FunctionType

from usmx import _core


def hand_out(namespace, names):
    """Replace the functions of these names that are written in Python, also where they come from.

    Modules that have imported them before call them as they are.
    """
    for name in names:
        function = namespace[name]
        if type(function) is FunctionType:
            home = sys.modules[function.__module__]
            namespace[name] = _core._naming_keywords(function)
            setattr(home, function.__name__, namespace[name])
