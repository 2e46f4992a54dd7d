"""The package's public names as users see them.

Functions in Python: an error about a wrong keyword lists the right ones. Those in C++ say their
signature. Those that take less than a microsecond are left as they are: to look at keywords costs a
tenth of that. Classes in C++: they show where the user finds them, as `usmx.USMArray`.
"""

from __future__ import annotations

import sys
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING

from usmx._core import _own_keyword

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _AnyFunction = TypeVar("_AnyFunction", bound=Callable[..., Any])

_SHORT = frozenset(("astype", "copy_async", "fill_async"))
_TAKES_ANY_ARGUMENT = 4  # inspect.CO_VARARGS
_TAKES_ANY_KEYWORD = 8  # inspect.CO_VARKEYWORDS, which is not worth that import


def hand_out(namespace: dict[str, Any], names: list[str]) -> None:
    """Replace the functions of these names that are written in Python, also where they come from.

    Modules that have imported them before call them as they are. Native classes and exceptions get
    the module of this namespace.
    """
    handed_out: dict[Any, Any] = {}  # a function may have several names
    for name in names:
        value = namespace[name]
        if type(value) is FunctionType and name not in _SHORT:
            if value not in handed_out:
                handed_out[value] = naming_keywords(value)
                setattr(sys.modules[value.__module__], value.__name__, handed_out[value])
            namespace[name] = handed_out[value]
        elif isinstance(value, type) and value.__module__ == "usmx._core":
            value.__module__ = namespace["__name__"]
            value.__name__ = name  # so that Python's own messages have no module
        elif (
            isinstance(value, type)
            and issubclass(value, BaseException)
            and "._" in value.__module__
        ):
            value.__module__ = namespace["__name__"]  # which a traceback shows


def attach(methods: type | dict[str, Any], cls: type) -> None:
    """Give a native class the methods and properties of another class, written in Python."""
    for name, method in (methods if isinstance(methods, dict) else vars(methods)).items():
        if isinstance(method, FunctionType):
            method.__qualname__ = f"{cls.__qualname__}.{name}"
            if not name.startswith("_") and name not in _SHORT:
                setattr(cls, name, naming_keywords(method, is_method=True))
                continue
        if isinstance(method, FunctionType | property):
            setattr(cls, name, method)


def code_of(function: Any) -> Any:
    """The code of a function, also of one that another function stands in front of."""
    return getattr(function, "__wrapped__", function).__code__


def naming_keywords(function: _AnyFunction, *, is_method: bool = False) -> _AnyFunction:
    """Make a function answer a keyword that it does not have by naming those that it has."""
    code = code_of(function)
    if hasattr(function, "_names_keywords") or code.co_flags & _TAKES_ANY_KEYWORD:
        return function
    first = max(code.co_posonlyargcount, int(is_method))
    known = code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            for keyword in kwargs:
                if keyword not in known:
                    text = (
                        f"{function.__name__}() got an unexpected keyword argument '{keyword}', "
                        f"it takes {', '.join(known)}"
                    )
                    own = _own_keyword(keyword)
                    if own in known:
                        text += f": {own} is PyTorch's {keyword}"
                    raise TypeError(text) from None
            if len(args) > code.co_argcount and not code.co_flags & _TAKES_ANY_ARGUMENT:
                raise TypeError(f"{error}: call it as {_call_of(function, is_method)}") from None
            raise

    call._names_keywords = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _call_of(function: Callable[..., Any], is_method: bool) -> str:
    """A call as the signature has it, without types: ``concat(arrays, /, *, axis=0)``."""
    from inspect import Parameter, Signature, signature

    plain = [
        parameter.replace(annotation=Parameter.empty)
        for parameter in signature(function).parameters.values()
    ]
    return f"{function.__name__}{Signature(plain[int(is_method) :])}"
