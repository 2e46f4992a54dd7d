"""What NumPy makes of objects of the host that stand in a key or are assigned.

`a[key]` and `a[key] = value` come here for all that is neither a plain NumPy array nor USM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.host import _numpy, in_native_order
from usmx._container.nested import arrays_in
from usmx._core import _as_array, asnumpy

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import NumpyArray, NumpyType

_NO_INDEX = (
    "an index must be an integer, a slice, Ellipsis, None, an array of integers or bools, "
    "or a tuple of them, found {}"
)


def host_index(item: Any) -> NumpyArray:
    """The NumPy array of integers or bools that an item of a key stands for."""
    numpy = _numpy()
    array = numpy.asarray(_on_host(item))
    if array.size == 0 and not isinstance(item, numpy.ndarray):
        array = array.astype(numpy.int64)
    if array.dtype.kind not in "biu":
        found = type(item).__name__
        if array.ndim > 0:
            found += f" of {array.dtype}"
        raise IndexError(_NO_INDEX.format(found))
    return with_whole_strides(array)


def host_value(value: Any, dtype: NumpyType, max_depth: int | None = None) -> NumpyArray:
    """The NumPy array that stands for a value to be assigned to elements of a type.

    Arrays of types that usmx has keep theirs: the copy converts them. Sequences may be nested to
    `max_depth`.
    """
    numpy = _numpy()
    if dtype.names is not None:
        array = _structured_value(value, dtype)
    elif isinstance(value, numpy.ndarray):
        array = value
    else:
        on_host = _on_host(value)
        try:
            array = numpy.asarray(on_host, dtype=dtype)
        except (TypeError, ValueError, OverflowError):
            _require_depth(numpy.asarray(on_host, dtype=object), value, max_depth)
            raise
    _require_depth(array, value, max_depth)
    if dtype.names is not None:
        return array
    if array.dtype.names is not None:
        raise _structured_cast(dtype, array.dtype)
    if array.dtype.kind not in "biufc" or array.dtype.char in "gG":
        array = array.astype(dtype)
    return with_whole_strides(array)


def _require_depth(array: NumpyArray, value: Any, max_depth: int | None) -> None:
    """ValueError where a sequence is nested more deeply: before any error of its elements."""
    if max_depth is not None and array.ndim > max_depth and not _is_array(value):
        raise ValueError(
            f"a sequence may be nested as deeply as what is set has dimensions, {max_depth}: "
            f"found shape {array.shape}"
        )


def _is_array(value: Any) -> bool:
    """Whether NumPy reads the elements at once, and not those of one sequence after the other."""
    if isinstance(value, (str, bytes, _numpy().generic)):
        return False
    names = ("__array__", "__array_interface__", "__array_struct__")
    if any(hasattr(type(value), name) for name in names) or _as_array(value) is not None:
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def type_of_array(value: Any) -> NumpyType | None:
    """The element type of an array; None for what NumPy converts element by element."""
    view = _as_array(value)
    if view is not None:
        return view.dtype
    return _numpy().asarray(value).dtype if _is_array(value) else None


def _on_host(item: Any) -> Any:
    """Lists and tuples with copies of the elements in the place of USM arrays."""
    if isinstance(item, (list, tuple)) and arrays_in(item):
        return [_on_host(part) for part in item]
    view = _as_array(item)
    return item if view is None else asnumpy(view)


def _structured_value(value: Any, dtype: NumpyType) -> NumpyArray:
    """Equally structured elements, or tuples, one for each element, in nested lists."""
    numpy = _numpy()
    if isinstance(value, numpy.ndarray | numpy.void):
        array = numpy.asarray(value)
        if array.dtype != dtype:
            raise _structured_cast(dtype, array.dtype)
        return with_whole_strides(array)
    element = value
    while isinstance(element, list) and element:
        element = element[0]
    if not isinstance(element, tuple | numpy.void):
        raise _structured_cast(dtype, type(element).__name__)
    return numpy.asarray(value, dtype=dtype)


def _structured_cast(expected: NumpyType, found: object) -> TypeError:
    return TypeError(f"structured elements are not converted: expected {expected}, found {found}")


def with_whole_strides(array: NumpyArray) -> NumpyArray:
    """The elements in this machine's byte order, a whole number of them apart."""
    array = in_native_order(array)
    if any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array
