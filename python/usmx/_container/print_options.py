"""How elements are written: options of usmx's own, and NumPy's wherever there is none."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from usmx._container.creation import as_integer
from usmx._container.host import numpy
from usmx._scopes import take_away

if TYPE_CHECKING:
    from usmx._typing import FloatMode, SignMode

_SIGNS = ("-", "+", " ")
_FLOATMODES = ("fixed", "unique", "maxprec", "maxprec_equal")
_NAMES = (
    "linewidth",
    "edgeitems",
    "threshold",
    "precision",
    "floatmode",
    "suppress",
    "nanstr",
    "infstr",
    "sign",
)


class _Block:
    """A ``with`` block of options; the first level, which is in none, is of none."""

    ended = False


# Each thread and each asynchronous task has its options, as NumPy's. The innermost is the last.
_levels: ContextVar[tuple[tuple[_Block | None, dict[str, Any]], ...]] = ContextVar(
    "usmx_print_options"
)
_FIRST: tuple[tuple[None, dict[str, Any]]] = ((None, {}),)


def set_print_options(
    linewidth: int | None = None,
    edgeitems: int | None = None,
    threshold: int | None = None,
    precision: int | None = None,
    floatmode: FloatMode | None = None,
    suppress: bool | None = None,
    nanstr: str | None = None,
    infstr: str | None = None,
    sign: SignMode | None = None,
    numpy: bool = False,
) -> None:
    """Set how `repr` and `str` of arrays write elements, for the running thread.

    The options mean what they mean in ``numpy.set_printoptions``. An option that was never set is
    NumPy's.

    Args:
        linewidth: characters in a line.
        edgeitems: elements shown at either end of an axis that is abbreviated.
        threshold: arrays of more elements than this are abbreviated; only what is shown is
            fetched. ``float("inf")`` abbreviates none.
        precision: digits after the decimal point.
        floatmode: 'fixed', 'unique', 'maxprec' or 'maxprec_equal'.
        suppress: whether numbers are never written with an exponent.
        nanstr: what stands for a value that is not a number.
        infstr: what stands for infinity.
        sign: what stands before numbers that are not negative: '-' nothing, '+' a plus sign, ' ' a
            space.
        numpy: True forgets what was set before: the arguments not given here are NumPy's again.

    Raises:
        TypeError: an option has a wrong type.
        ValueError: an option has a value that is not accepted.

    Example:
        >>> usmx.set_print_options(precision=2)
        >>> print(usmx.asarray([1 / 3]))
        [0.33]
        >>> usmx.set_print_options(numpy=True)
    """
    values = (linewidth, edgeitems, threshold, precision, floatmode, suppress, nanstr, infstr, sign)
    given = zip(_NAMES, values, strict=True)
    changes = {name: _checked(name, value) for name, value in given if value is not None}
    *outer, (block, options) = _living_levels()
    _levels.set((*outer, (block, changes if numpy else options | changes)))


def get_print_options() -> dict[str, Any]:
    """Return the options that apply now, by name.

    Those that were not set in usmx are NumPy's.

    Returns:
        A dictionary from names to values.

    Example:
        >>> 'precision' in usmx.get_print_options()
        True
    """
    numpys = numpy.get_printoptions()
    return {name: numpys[name] for name in _NAMES} | own_options()


@contextmanager
def print_options(*args: Any, **kwargs: Any) -> Iterator[dict[str, Any]]:
    """Set print options for a ``with`` block, for the running thread.

    ``as`` gives all options as a dictionary. The block's end restores those that held before.

    Args:
        args, kwargs: the arguments of `set_print_options`.

    Raises:
        TypeError: an option has a wrong type.
        ValueError: an option has a value that is not accepted.

    Example:
        >>> with usmx.print_options(precision=1):
        ...     print(usmx.asarray([1 / 3]))
        [0.3]
    """
    block = _Block()
    token = _levels.set((*_living_levels(), (block, own_options())))
    try:
        set_print_options(*args, **kwargs)
        yield get_print_options()
    finally:
        take_away(
            _levels,
            token,
            lambda level: level[0] is block,
            lambda: setattr(block, "ended", True),
        )


def own_options() -> dict[str, Any]:
    """The options that were set in usmx and differ from NumPy's."""
    return _living_levels()[-1][1]


def _living_levels() -> tuple[tuple[_Block | None, dict[str, Any]], ...]:
    living = (level for level in _levels.get(()) if level[0] is None or not level[0].ended)
    return tuple(living) or _FIRST


def _checked(name: str, value: Any) -> Any:
    if name == "threshold" and isinstance(value, float) and value == math.inf:  # as in NumPy
        return sys.maxsize
    if name in ("linewidth", "edgeitems", "threshold", "precision"):
        return as_integer(name, value)
    if name in ("nanstr", "infstr") and not isinstance(value, str):
        raise TypeError(f"{name} must be a string, found {value!r}")
    if name == "sign":
        return _one_of(name, value, _SIGNS)
    if name == "floatmode":
        return _one_of(name, value, _FLOATMODES)
    return bool(value) if name == "suppress" else value


def _one_of(name: str, value: Any, expected: tuple[str, ...]) -> str:
    if value not in expected:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, expected))}, found {value!r}")
    return value
