"""How elements are written: options of usmx's own, and NumPy's wherever there is none."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from usmx._container.host import _numpy

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

# As NumPy's own: each thread and each asynchronous task has its options.
_own: ContextVar[dict[str, Any] | None] = ContextVar("usmx_print_options", default=None)


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
    """Set how `repr` and `str` of arrays write elements; what was never set is as in NumPy.

    The options mean what they mean in ``numpy.set_printoptions``. They hold for the running thread.

    Args:
        linewidth: characters in a line.
        edgeitems: elements shown at either end of an axis that is abbreviated.
        threshold: more elements than these are abbreviated; only what is shown is fetched.
        precision: digits behind the point.
        floatmode: 'fixed', 'unique', 'maxprec' or 'maxprec_equal'.
        suppress: whether numbers are never written with an exponent.
        nanstr, infstr: what stands for not-a-number and for infinity.
        sign: '-', '+' or ' ': before numbers that are not negative.
        numpy: forget what was set before; the arguments not given here are NumPy's again.

    Raises:
        TypeError, ValueError: an option is not one of these.
    """
    given = {
        "linewidth": linewidth,
        "edgeitems": edgeitems,
        "threshold": threshold,
        "precision": precision,
        "floatmode": floatmode,
        "suppress": suppress,
        "nanstr": nanstr,
        "infstr": infstr,
        "sign": sign,
    }
    changes = {name: _checked(name, value) for name, value in given.items() if value is not None}
    _own.set(changes if numpy else own_options() | changes)


def get_print_options() -> dict[str, Any]:
    """Return the options that hold now, by name: usmx's own, and NumPy's where there is none."""
    numpys = _numpy().get_printoptions()
    return {name: numpys[name] for name in _NAMES} | own_options()


@contextmanager
def print_options(*args: Any, **kwargs: Any) -> Iterator[dict[str, Any]]:
    """Set options as `set_print_options` does, for a ``with`` block; `as` gives all of them."""
    token = _own.set(_own.get())
    try:
        set_print_options(*args, **kwargs)
        yield get_print_options()
    finally:
        _own.reset(token)


def own_options() -> dict[str, Any]:
    """Those that differ from NumPy's because somebody has set them here."""
    return _own.get() or {}


def _checked(name: str, value: Any) -> Any:
    if name in ("linewidth", "edgeitems", "threshold", "precision"):
        return _integer(name, value)
    if name in ("nanstr", "infstr") and not isinstance(value, str):
        raise TypeError(f"{name} must be a string, found {value!r}")
    if name == "sign":
        return _one_of(name, value, _SIGNS)
    if name == "floatmode":
        return _one_of(name, value, _FLOATMODES)
    return bool(value) if name == "suppress" else value


def _integer(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, found {value!r}") from None


def _one_of(name: str, value: Any, expected: tuple[str, ...]) -> str:
    if value not in expected:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, expected))}, found {value!r}")
    return value
