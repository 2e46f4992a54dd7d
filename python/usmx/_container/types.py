"""Element types: constants, and the array API's rules of promotion and conversion.

NumPy is imported when one of these is first used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import _numpy
from usmx._core import USMArray, _as_array

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import SyclDevice
    from usmx._typing import Casting, DtypeKind, DtypeObject, NumpyType

NAMES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def can_cast(from_: Any, to: Any, /, *, casting: Casting = "safe") -> bool:
    """Whether elements of one type may be converted to another under a casting rule.

    Where `from_` is an array, its device counts: what the device does not have, nothing can be cast
    to, and its widest floating-point type takes all integers.

    Args:
        from_: an element type, a USMArray or another producer.
        to: an element type.
        casting: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', as in NumPy.

    Raises:
        TypeError, ValueError: an argument is not one of these.
    """
    numpy = _numpy()
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of {_CASTINGS}, found {casting!r}")
    array = _as_array(from_)
    if array is None:
        return numpy.can_cast(plain_type(from_), plain_type(to), casting)
    device = array._own_queue.sycl_device
    return _can_cast_on(
        array.dtype, plain_type(to), casting, device.has_aspect_fp16, device.has_aspect_fp64
    )


def result_type(*arrays_and_dtypes: Any) -> NumpyType:
    """The element type that the array API's rules of promotion give.

    Types of different kinds are promoted as by NumPy (int64 and float32 give float64). Python
    scalars are weak: 1 does not change float32. Where arrays take part, the result is a type of
    their devices: float32 in place of float64 on a device without it.

    Args:
        arrays_and_dtypes: USMArrays and other producers, NumPy arrays and scalars, element types,
            Python scalars.

    Raises:
        ValueError: no argument, or arrays on devices with different element types.
        TypeError: an argument is not one of these.
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type needs at least one array, element type or scalar")
    numpy = _numpy()
    views = [_as_array(argument) for argument in arrays_and_dtypes]
    operands = [
        _operand(argument if view is None else view)
        for argument, view in zip(arrays_and_dtypes, views, strict=True)
    ]
    devices = [view._own_queue.sycl_device for view in views if view is not None]
    abilities = {(device.has_aspect_fp16, device.has_aspect_fp64) for device in devices}
    if len(abilities) > 1:
        raise ValueError(
            "arrays must be on devices with the same element types, found some with and some "
            f"without float16 or float64: {devices}"
        )
    fp16, fp64 = abilities.pop() if abilities else (True, True)
    return _core._nearest_supported(numpy.result_type(*operands), fp16, fp64)


@dataclass(frozen=True)
class FloatLimits:
    """What `finfo` tells of a floating-point type: Python numbers, with NumPy's names."""

    bits: int
    eps: float
    epsneg: float
    max: float
    min: float
    precision: int
    resolution: float
    smallest_normal: float
    tiny: float
    dtype: object


@dataclass(frozen=True)
class IntegerLimits:
    """What `iinfo` tells of an integer type."""

    bits: int
    max: int
    min: int
    dtype: object


def finfo(dtype: Any, /) -> FloatLimits:
    """The limits of a floating-point type; of a complex one, those of its components.

    Args:
        dtype: an element type or an array.

    Raises:
        ValueError: it is not a floating-point type.
    """
    found = _type_of(dtype)
    if found.kind not in "fc":
        raise ValueError(f"finfo needs a floating-point type, found {found}")
    limits = _numpy().finfo(found)
    numbers = ("eps", "epsneg", "max", "min", "resolution", "smallest_normal", "tiny")
    return FloatLimits(
        bits=limits.bits,
        precision=int(limits.precision),
        dtype=limits.dtype,
        **{name: float(getattr(limits, name)) for name in numbers},
    )


def iinfo(dtype: Any, /) -> IntegerLimits:
    """The limits of an integer type.

    Args:
        dtype: an element type or an array.

    Raises:
        ValueError: it is not an integer type.
    """
    found = _type_of(dtype)
    if found.kind not in "iu":
        raise ValueError(f"iinfo needs an integer type, found {found}")
    limits = _numpy().iinfo(found)
    return IntegerLimits(bits=limits.bits, max=limits.max, min=limits.min, dtype=found)


def isdtype(
    dtype: DtypeObject, kind: DtypeKind | DtypeObject | tuple[DtypeKind | DtypeObject, ...]
) -> bool:
    """Whether an element type is of a kind.

    Args:
        dtype: a NumPy dtype or scalar type.
        kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating',
            'complex floating' or 'numeric'; an element type, which must be the same; or a tuple
            of them, of which one must do.

    Raises:
        TypeError, ValueError: an argument is not one of these.
    """
    numpy = _numpy()
    found = _dtype_object("dtype", dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {tuple(_KINDS)}, found {kind!r}")
        return found.kind in _KINDS[kind]
    if isinstance(kind, (numpy.dtype, type)):
        return found == _dtype_object("kind", kind)
    raise TypeError(f"kind must be a string, an element type or a tuple, found {kind!r}")


def plain_type(dtype: Any) -> NumpyType:
    """The NumPy dtype of anything that names one of the 14 element types.

    Raises:
        TypeError, ValueError: it names none of them.
    """
    if dtype is None or isinstance(dtype, USMArray):
        raise TypeError(f"an element type must be given, found {type(dtype).__name__}")
    found = _core._dtype(dtype)
    if found.names is not None:
        raise ValueError(f"an element type without fields must be given, found {found}")
    return found


def default_types(device: SyclDevice) -> dict[str, NumpyType]:
    """The array API's default element types on a SyclDevice, by kind."""
    numpy = _numpy()
    fp16, fp64 = device.has_aspect_fp16, device.has_aspect_fp64
    return {
        "real floating": _core._nearest_supported(numpy.dtype("f8"), fp16, fp64),
        "complex floating": _core._nearest_supported(numpy.dtype("c16"), fp16, fp64),
        "integral": numpy.dtype("i8"),
        "indexing": numpy.dtype("i8"),
    }


def constant(name: str) -> NumpyType:
    """The NumPy dtype that the package offers under its name. AttributeError for other names."""
    if name == "dtype":
        return _numpy().dtype
    if name not in NAMES:
        raise AttributeError(f"module 'usmx' has no attribute {name!r}", name=name)
    return _numpy().dtype(name)


def _can_cast_on(source, target, casting, fp16, fp64):
    """Casting on a device of which it is known which floating-point types it has."""
    if _core._nearest_supported(target, fp16, fp64) != target:
        return False
    if _numpy().can_cast(source, target, casting):
        return True
    if casting in ("no", "equiv") or fp64:
        return False
    # single precision is the widest that there is
    return source.kind in "biu" and target.name in ("float32", "complex64")


def _operand(argument):
    """What NumPy's result_type takes for an argument of usmx's."""
    numpy = _numpy()
    if isinstance(argument, (USMArray, numpy.ndarray, numpy.generic)):
        return plain_type(argument.dtype)
    if isinstance(argument, (bool, int, float, complex)):
        return argument
    return plain_type(argument)


def _type_of(dtype_or_array):
    numpy = _numpy()
    if isinstance(dtype_or_array, (USMArray, numpy.ndarray, numpy.generic)):
        return dtype_or_array.dtype
    return plain_type(dtype_or_array)


def _dtype_object(name, dtype):
    numpy = _numpy()
    if isinstance(dtype, numpy.dtype):
        return dtype
    if isinstance(dtype, type) and issubclass(dtype, numpy.generic):
        return numpy.dtype(dtype)
    raise TypeError(f"{name} must be a NumPy dtype or scalar type, found {dtype!r}")
