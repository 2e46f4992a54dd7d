"""Element types: constants, the array API's rules of promotion and conversion, and `astype`.

NumPy is imported when one of these is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import is_numpys, numpy
from usmx._core import USMArray, _as_array

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import SyclDevice
    from usmx._typing import (
        Casting,
        DeviceLike,
        DtypeKind,
        DTypeLike,
        DtypeObject,
        NumpyType,
        OrderCFAK,
        Producer,
        UsmType,
    )

NAMES: tuple[str, ...] = _core._type_names
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
    """Say whether elements of one type may be converted to another under a casting rule.

    If `from_` is an array, its device counts: nothing can be cast to a type that the device lacks,
    and the widest floating-point type of the device takes all integers. The rules are those of the
    array API.

    Args:
        from_: an element type, a USMArray or another producer.
        to: an element type.
        casting: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', in NumPy's sense.

    Returns:
        A Python bool.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument has a value that is not accepted.

    Example:
        >>> usmx.can_cast('i4', 'f8'), usmx.can_cast('f8', 'i4')
        (True, False)
    """
    require_casting(casting)
    array = _as_array(from_)
    if array is None:
        return numpy.can_cast(plain_type(from_), plain_type(to), casting)
    device = array._own_queue.sycl_device
    return _can_cast_on(
        array.dtype, plain_type(to), casting, device.has_aspect_fp16, device.has_aspect_fp64
    )


def require_casting(casting: object) -> None:
    """ValueError for what is no rule of conversions."""
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of {_CASTINGS}, found {casting!r}")


def result_type(*arrays_and_dtypes: Any) -> NumpyType:
    """Find the element type that the array API's rules of promotion give.

    Types of different kinds are promoted as NumPy does it: int64 and float32 give float64. Python
    scalars are weak: 1 does not change float32. If arrays take part, the result is a type that
    their devices have: float32 in place of float64 on a device without float64.

    Args:
        arrays_and_dtypes: USMArrays and other producers, NumPy arrays and scalars, element types,
            Python scalars.

    Returns:
        A NumPy dtype.

    Raises:
        ValueError: there is no argument, or arrays are on devices with different element types.
        TypeError: an argument has a wrong type.

    Example:
        >>> usmx.result_type('i8', 'f4'), usmx.result_type('f4', 1)
        (dtype('float64'), dtype('float32'))
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type needs at least one array, element type or scalar")
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


class FloatLimits(NamedTuple):
    """Limits that `finfo` tells of a floating-point type: Python numbers, with NumPy's names."""

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


class IntegerLimits(NamedTuple):
    """Limits that `iinfo` tells of an integer type."""

    bits: int
    max: int
    min: int
    dtype: object


def finfo(dtype: Any, /) -> FloatLimits:
    """Give the limits of a floating-point type; for a complex type those of its components.

    Args:
        dtype: an element type or an array.

    Returns:
        An object with the attributes that the array API names: ``bits``, ``eps``, ``max``, ``min``,
        ``smallest_normal`` and ``dtype``.

    Raises:
        ValueError: `dtype` is no floating-point type.

    Example:
        >>> usmx.finfo('f4').bits
        32
    """
    found = _type_of(dtype)
    if found.kind not in "fc":
        raise ValueError(f"finfo needs a floating-point type, found {found}")
    limits = numpy.finfo(found)
    numbers = ("eps", "epsneg", "max", "min", "resolution", "smallest_normal", "tiny")
    return FloatLimits(
        bits=limits.bits,
        precision=int(limits.precision),
        dtype=limits.dtype,
        **{name: float(getattr(limits, name)) for name in numbers},
    )


def iinfo(dtype: Any, /) -> IntegerLimits:
    """Give the limits of an integer type.

    Args:
        dtype: an element type or an array.

    Returns:
        An object with the attributes that the array API names: ``bits``, ``max``, ``min`` and
        ``dtype``.

    Raises:
        ValueError: `dtype` is no integer type.

    Example:
        >>> usmx.iinfo('i1').max
        127
    """
    found = _type_of(dtype)
    if found.kind not in "iu":
        raise ValueError(f"iinfo needs an integer type, found {found}")
    limits = numpy.iinfo(found)
    return IntegerLimits(bits=limits.bits, max=limits.max, min=limits.min, dtype=found)


def isdtype(
    dtype: DtypeObject, kind: DtypeKind | DtypeObject | tuple[DtypeKind | DtypeObject, ...]
) -> bool:
    """Say whether an element type is of a kind, in the words of the array API.

    Args:
        dtype: a NumPy dtype or scalar type.
        kind: 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex
            floating' or 'numeric'; an element type, which must be the same; or a tuple of these, of
            which one must match.

    Returns:
        A Python bool.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: `kind` is no kind.

    Example:
        >>> usmx.isdtype(usmx.float32, 'real floating')
        True
    """
    found = _dtype_object("dtype", dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {tuple(_KINDS)}, found {kind!r}")
        return is_numpys(found) and found.kind in _KINDS[kind]
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
    fp16, fp64 = device.has_aspect_fp16, device.has_aspect_fp64
    return {
        "real floating": _core._nearest_supported(numpy.dtype("f8"), fp16, fp64),
        "complex floating": _core._nearest_supported(numpy.dtype("c16"), fp16, fp64),
        "integral": numpy.dtype("i8"),
        "indexing": numpy.dtype("i8"),
    }


def constant(name: str) -> type:
    """The class of NumPy that the package offers under ``dtype`` and under each of NAMES.

    They compare equal to the types of arrays, and make numbers when they are called.
    """
    found: type = getattr(numpy, name)
    return found


def _can_cast_on(source, target, casting, fp16, fp64):
    """Casting on a device of which it is known which floating-point types it has."""
    if _core._nearest_supported(target, fp16, fp64) != target:
        return False
    if numpy.can_cast(source, target, casting):
        return True
    if casting in ("no", "equiv") or fp64:
        return False
    # single precision is the widest that there is
    return source.kind in "biu" and target.name in ("float32", "complex64")


def _operand(argument):
    """The argument in the form that NumPy's result_type takes."""
    if isinstance(argument, (USMArray, numpy.ndarray, numpy.generic)):
        return plain_type(argument.dtype)
    if isinstance(argument, (bool, int, float, complex)):
        return argument
    return plain_type(argument)


def _type_of(dtype_or_array):
    if isinstance(dtype_or_array, (USMArray, numpy.ndarray, numpy.generic)):
        return dtype_or_array.dtype
    return plain_type(dtype_or_array)


def _dtype_object(name, dtype):
    if isinstance(dtype, numpy.dtype):
        return dtype
    if isinstance(dtype, type) and issubclass(dtype, numpy.generic):
        return numpy.dtype(dtype)
    raise TypeError(f"{name} must be a NumPy dtype or scalar type, found {dtype!r}")


# ---- copies of another element type


def astype(
    usm_ary: Producer,
    newdtype: DTypeLike | None,
    /,
    *,
    order: OrderCFAK | None = "K",
    casting: Casting = "unsafe",
    copy: bool = True,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
) -> USMArray:
    """Convert the elements of an array to another type. Waits.

    Values in range become what NumPy makes of them. What NaN and floating-point values out of range
    become as integers is not specified.

    Args:
        usm_ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        newdtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python
            type. None means the default floating-point type of the device.
        order: the order of the elements in memory. 'C': the last index varies fastest. 'F': the
            first one does. 'A': 'F' if `usm_ary` is Fortran- and not C-contiguous, else 'C'. 'K':
            compact, with the axes in the order in which those of `usm_ary` lie in memory.
        casting: which conversions are allowed, in NumPy's words: 'no', 'equiv', 'safe', 'same_kind'
            or 'unsafe'.
        copy: False: do not copy if type, device, kind and order are what they should be.
        device: where the result is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default on the queue of `usm_ary`.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of `usm_ary`.

    Returns:
        A USMArray in new memory, or `usm_ary` itself if ``copy=False`` and nothing is to be done.

    Raises:
        TypeError: `casting` does not allow the conversion, or an argument has a wrong type.
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.astype(usmx.asarray([1.9, -1.9]), 'i4'))
        [ 1 -1]
    """
    if isinstance(copy, str):  # "no" would mean yes
        raise TypeError(f"copy must be True or False, found {copy!r}")
    view = as_view("usm_ary", usm_ary)
    if newdtype is None:
        newdtype = default_types(view._own_queue.sycl_device)["real floating"]
    if casting != "unsafe" and not can_cast(view.dtype, newdtype, casting=casting):
        raise TypeError(
            f"elements of type {view.dtype} cannot be cast to {_core._dtype(newdtype)} "
            f"with casting={casting!r}"
        )
    if view.dtype.names:
        view = _with_fields_of(view, _core._dtype(newdtype))
    return _core._as_asked(view, newdtype, usm_type, None, device, order, True if copy else None)


def innermost_fields(x: USMArray) -> list[USMArray]:
    """Views of the plain fields, in order; those of fields that are structures are among them."""
    found = list(_places_of(x.dtype, 0))
    names = [f"f{k}" for k in range(len(found))]
    formats, offsets = zip(*found, strict=True)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": x.dtype.itemsize}
    flat = x.view(numpy.dtype(layout))
    return [flat[name] for name in names]


def _places_of(dtype, start):
    """Type and offset of each plain field."""
    for name in dtype.names:
        of_field, offset = dtype.fields[name][:2]
        if of_field.names:
            yield from _places_of(of_field, start + offset)
        else:
            yield of_field, start + offset


def _with_fields_of(x, dtype):
    """A copy with fields of other types and names, in the same order; `x` where it has them."""
    if x.dtype == dtype or not are_alike(x.dtype, dtype, repeats=True):
        return x
    result = _core.zeros(x.shape, dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
    for source, field in zip(innermost_fields(x), innermost_fields(result), strict=True):
        field[...] = source[(..., *(None,) * (field.ndim - source.ndim))]
    return result


def are_alike(first, second, repeats=False):
    """Whether both are plain and of one shape, or have as many fields, which are alike.

    `repeats`: a number is like an array in an element, too, of which each element becomes it.
    """
    old, new = first.names or (), second.names or ()
    has_room = first.shape == second.shape or (repeats and first.shape == ())
    return (
        has_room
        and len(old) == len(new)
        and all(are_alike(first[a], second[b], repeats) for a, b in zip(old, new, strict=True))
    )
