"""Calls on so few elements that NumPy has computed them before a kernel would start."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING

from usmx._container.host import NUMBERS, numpy
from usmx._core import (
    USMArray,
    _copy_from_host,
    _host_may_view,
    _is_ready_on_cpu,
    _new_array_for,
    asarray,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _AnyFunction = TypeVar("_AnyFunction", bound=Callable[..., Any])

_PLAIN = frozenset((*NUMBERS, str, type(None)))
# Of unsigned numbers of 64 bits that are indices NumPy makes negative ones: an index of which no
# array has so many would be another's.
_WRAPPED = "LQ"
_MOST = 1 << 63


def by_numpy(most: int, types: str = "") -> Callable[[_AnyFunction], _AnyFunction]:
    """Give calls of a function to NumPy's function of its name, where that is sooner.

    It takes arrays of at most `most` elements, in memory of a CPU's device that the host reaches
    and on which no work is unfinished. What NumPy refuses, the function itself computes or refuses.

    Args:
        most: the elements of each array.
        types: the characters of the types for which the result has NumPy's type; all by default.
    """

    def decorated(function: _AnyFunction) -> _AnyFunction:
        name = function.__name__

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("out") is None:
                made = numpys(name, most, args, kwargs, types)
                if made is not None:
                    return made
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorated


def numpys(name: str, most: int, args: Any, kwargs: Any, types: str = "") -> Any:
    """The result of NumPy's function of that name; None where usmx has to compute, or to refuse."""
    model = _model_of((*args, *kwargs.values()), most, types)
    if model is None:
        return None
    host = {key: _on_host(value) for key, value in kwargs.items()}
    try:
        with numpy.errstate(all="ignore"):
            made = getattr(numpy, name)(*map(_on_host, args), **host)
    except Exception:  # which the function says in its own words
        return None
    return _beside(model, made)


def _model_of(values, most, types):
    """The first array, if NumPy may compute with all values; else None."""
    first = None
    for value in values:
        if type(value) is not USMArray:
            if type(value) in _PLAIN or (type(value) in (list, tuple) and _are_numbers(value)):
                continue
            return None
        letter = value.dtype.char
        if (
            value.size > most
            or value.dtype.names
            or letter in _WRAPPED
            or letter not in (types or letter)
        ):
            return None
        if not (_host_may_view(value) and _is_ready_on_cpu(value)):
            return None
        if first is None:
            first = value
        elif value.usm_type != first.usm_type or value._own_queue != first._own_queue:
            return None
    return first


def _are_numbers(values):
    return set(map(type, values)) <= NUMBERS and not any(
        type(value) is int and value >= _MOST for value in values
    )


def _on_host(value):
    return numpy.asarray(value) if type(value) is USMArray else value


def _beside(model, made):
    if isinstance(made, tuple):
        return tuple(_beside(model, each) for each in made)
    if type(made) is not numpy.ndarray or not made.dtype.isnative:
        return asarray(made, usm_type=model.usm_type, sycl_queue=model._own_queue)
    result = _new_array_for(made, None, model.usm_type, model._own_queue, None, "K")
    _copy_from_host(result, made)
    return result
