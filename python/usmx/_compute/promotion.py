"""Element types of results, by the library's rules: NumPy's promotion, with weak Python numbers."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from usmx._core import SyclDevice, USMArray
    from usmx._typing import NumpyType

# Python's own numbers take the type of the arrays, where that is of their kind.
WEAK = (bool, int, float, complex)


def common_type(kinds: Sequence[NumpyType | type], device: SyclDevice) -> NumpyType:
    """The type that these are promoted to, among those of the device.

    Each is the type of an array, or the class of a number: Python's or NumPy's.
    """
    return _core._common_type(kinds, device.has_aspect_fp16, device.has_aspect_fp64)


def require_plain(function: str, dtype: NumpyType) -> None:
    """TypeError for structured elements."""
    if dtype.names is not None:
        raise TypeError(
            f"{function} is not defined for structured elements ({dtype}): it is for a field, "
            "a['name'], and NumPy has them all (usmx.asnumpy(a))"
        )


def default_float(device: SyclDevice) -> NumpyType:
    """float64, or float32 on a device without it."""
    return available(numpy.dtype("f8"), device)


def available(dtype: Any, device: SyclDevice) -> NumpyType:
    """The type itself, or the widest one of its kind that the device has."""
    return _core._nearest_supported(dtype, device.has_aspect_fp16, device.has_aspect_fp64)


def part_type(dtype: NumpyType) -> NumpyType:
    """The type of a complex number's parts; another one itself."""
    return numpy.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def sum_type(dtype: NumpyType) -> NumpyType:
    """The type of sums and products: int64 or uint64 for integers."""
    return numpy.dtype("u8" if dtype.kind == "u" else "i8") if dtype.kind in "biu" else dtype


def is_near(found: NumpyType, asked: NumpyType) -> bool:
    """Whether results of a type can be of another one, without another kind of numbers."""
    return numpy.can_cast(found, asked, "same_kind") or {found.kind, asked.kind} == {*"iu"}


def as_added(function: str, x: USMArray, dtype: Any) -> USMArray:
    """The elements as sums and products of the type `dtype` take them.

    They are converted first where the result would be of another kind, as in NumPy: the sum of 0.5
    and 0.5 as integers is 0.
    """
    require_plain(function, x.dtype)
    asked = _core._dtype(dtype)
    is_taken = asked in (x.dtype, sum_type(x.dtype)) or asked.names is not None
    return x if is_taken or is_near(sum_type(x.dtype), asked) else x.astype(asked)


def values_type(dtype: NumpyType) -> NumpyType:
    """The type in which sums and products of this type are computed: single precision at least."""
    return numpy.dtype("f4") if dtype == numpy.float16 else dtype


def widened(dtype: NumpyType, device: SyclDevice) -> NumpyType:
    """The floating-point type with more digits than this one, or the widest one of the device."""
    wide = {"f": "f8", "c": "c16"}.get(dtype.kind)
    return available(numpy.dtype(wide), device) if wide else dtype


def limits_of(dtype: NumpyType) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    limits = numpy.iinfo(dtype)
    return int(limits.min), int(limits.max)


def number_converter(dtype: NumpyType) -> Callable[[Any], bool | int | float | complex]:
    """A function that converts Python's and NumPy's numbers for operands of this type.

    Integers that the type lacks raise an OverflowError; floating-point numbers become infinite,
    with NumPy's warning.
    """
    if dtype.kind == "b":
        return bool
    if dtype.kind in "iu":
        return _integer_converter(dtype)
    part = _real_converter(part_type(dtype))
    if dtype.kind == "f":
        return part
    return lambda value: complex(part(complex(value).real), part(complex(value).imag))


def _integer_converter(dtype):
    low, high = limits_of(dtype)

    def convert(value):
        value = int(value)
        if not low <= value <= high:
            raise OverflowError(f"Python integer {value} out of bounds for {dtype}")
        return value

    return convert


def _real_converter(dtype):
    largest = float(numpy.finfo(dtype).max)

    def convert(value):
        value = float(value)
        if abs(value) <= largest or not isfinite(value):
            return value
        return float(dtype.type(value))  # infinite, with NumPy's warning

    return convert
