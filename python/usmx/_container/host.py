"""Objects of the host, by NumPy, which is imported when it is first needed.

What NumPy makes of them where they become arrays, stand in a key or are assigned; lists that hold
USM arrays; NumPy's arrays whose memory is USM.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._core import _as_array, asnumpy
from usmx._text import short_repr

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import ArrayLike, HostAccess, NumpyArray, NumpyType, Producer

PLAIN = "?bBhHiIlLqQefdFD"  # NumPy's letters of the element types


class _Numpy:
    """NumPy, which is imported when it is first asked for something."""

    def __getattr__(self, name):
        try:
            import numpy
        except ImportError as error:
            text = "usmx: NumPy is needed to convert objects of the host"
            raise ImportError(text) from error
        found = getattr(numpy, name)
        setattr(self, name, found)  # so that it is not asked for again
        return found


numpy: Any = _Numpy()


_FIRST_OF_OTHERS = 256  # the least number of a type that another library has registered


def is_numpys(dtype):
    """Whether the type is NumPy's own: those of ml_dtypes have letters and kinds of NumPy's."""
    return getattr(dtype, "num", _FIRST_OF_OTHERS) < _FIRST_OF_OTHERS


def is_plain(dtype):
    """Whether usmx has the type, which is none of structures."""
    return is_numpys(dtype) and dtype.char in PLAIN


def require_plain(source, obj):
    """`source`, the NumPy array of `obj`, in this machine's byte order.

    TypeError if usmx does not have its element type.
    """
    if not is_plain(source.dtype) and source.dtype.names is None:
        raise TypeError(
            "elements must be bool, integers, floating-point or complex numbers of at most 64 bits "
            f"a component, or structures of them, found {_found(source, obj)}"
        )
    return in_native_order(source)


def in_native_order(array):
    """The array, or a copy of it in this machine's byte order."""
    if array.dtype.isnative:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def _found(source, obj):
    """The reason why an object is no array: a large number, a column, or the type."""
    if isinstance(obj, int):
        return short_repr(obj)
    columns = _columns_without_numbers(obj)
    if columns:
        return f"{', '.join(columns)} of a {type(obj).__name__}"
    kind = type(obj).__name__
    if hasattr(obj, "__next__"):
        return f"the iterator {kind}: use usmx.fromiter(iterator, dtype), or list(iterator)"
    if isinstance(obj, dict | set | frozenset):
        return f"a {kind}: use {'list(a.values())' if isinstance(obj, dict) else 'sorted(a)'}"
    odd = _odd_element(obj) if isinstance(obj, list | tuple) else None
    return f"{odd} in a {kind}" if odd else f"{source.dtype}, from an object of type {kind}"


def _odd_element(obj):
    """An element of lists in lists that is no number of a type, as text; None if none is found.

    It looks at 1,000 elements: lists may be in each other many times.
    """
    waiting = [obj]
    for _ in range(1000):
        if not waiting:
            break
        element = waiting.pop()
        if type(element) in (list, tuple):
            waiting += element[:1000][::-1]
        elif (
            element is None
            or isinstance(element, str | dict | set)
            or (type(element) is int and not -(2**63) <= element < 2**64)
        ):
            return short_repr(element)
    return None


def _columns_without_numbers(obj):
    """The columns of a data frame that no element type fits, as text."""
    types = getattr(obj, "dtypes", None)
    if not hasattr(types, "items"):
        return []
    return [
        f"{dtype} in column {short_repr(name)}"
        for name, dtype in types.items()
        if not is_plain(dtype)
    ]


class _ModeBefore(str):
    """The mode that held before `host_access`, which the end of a ``with`` block sets again."""

    __slots__ = ("_set",)
    _set: HostAccess

    def __enter__(self) -> HostAccess:
        return self._set

    def __exit__(self: Any, *_: object) -> None:
        _core._host_access(self)


def host_access(mode: HostAccess) -> _ModeBefore:
    """Set of which memory the host gets views: NumPy arrays, buffers and tensors without a copy.

    The host reaches memory of kind 'shared' and 'host' on every device, and memory of kind 'device'
    where the device is the host's own CPU. A program that is to run on GPUs, too, finds with
    'strict' what a GPU would refuse. The setting holds for the process and all its threads, from
    the call on; a ``with`` block sets the mode before again when it ends. Views that exist stay.
    ``USMX_HOST_ACCESS=strict`` in the environment sets it from the start.

    Args:
        mode: 'reached' for views of all memory that the host reaches; 'strict' for those of kind
            'shared' and 'host' only.

    Returns:
        The mode that held before, a string that is a context manager, too.

    Raises:
        TypeError: `mode` is no text.
        ValueError: there is no such mode.

    Example:
        >>> with usmx.host_access('strict'):
        ...     memoryview(usmx.zeros(3))
        Traceback (most recent call last):
        BufferError: ...
    """
    before = _ModeBefore(_core._host_access(mode))
    before._set = mode
    return before


def array_equal(
    a1: Producer | ArrayLike, a2: Producer | ArrayLike, equal_nan: bool = False
) -> bool:
    """Say whether two arrays have the same shape and the same elements. Waits.

    The elements are copied to the host and compared there, by the rules of ``numpy.array_equal``.

    Args:
        a1, a2: producers of ``__sycl_usm_array_interface__``, or what NumPy makes an array of.
        equal_nan: whether one NaN equals another.

    Returns:
        A Python bool.

    Example:
        >>> usmx.array_equal(usmx.arange(3), [0, 1, 2])
        True
    """
    return bool(numpy.array_equal(on_host(a1), on_host(a2), equal_nan=equal_nan))


def on_host(obj: Producer | ArrayLike) -> NumpyArray:
    """The elements as a NumPy array: of a producer a copy, of anything else what NumPy makes."""
    view = _as_array(obj)
    return numpy.asarray(obj) if view is None else asnumpy(view)


# ---- lists and tuples that hold USM arrays beside numbers and NumPy arrays

NUMBERS = frozenset((bool, int, float, complex))


def arrays_in(sequence, depth=1):
    """Views of all producers in a list or tuple, at any depth.

    Raises:
        ValueError: it is nested deeper than an array can be, or contains itself.
    """
    if depth > _core._max_ndim:
        raise ValueError(f"lists can be nested at most {_core._max_ndim} deep, found more")
    if set(map(type, sequence)) <= NUMBERS:  # most often all: no need to look at each
        return []
    found = []
    for item in sequence:
        if isinstance(item, (list, tuple)):
            found += arrays_in(item, depth + 1)
        elif type(item) not in NUMBERS:
            view = _core._as_array(item)
            if view is not None:
                found.append(view)
    return found


def stacked(sequence, arrays, dtype, device, usm_type, sycl_queue, order):
    """A new array of a sequence in which these arrays were found; arguments as in `asarray`."""
    order = _core._order_letter(order)
    if order != "F" and dtype is device is sycl_queue is usm_type is None:
        joined = _core._joined(sequence, 0, True)
        if joined is not None:
            return joined
    if sycl_queue is None and device is None:
        sycl_queue = common_queue(arrays)
    if usm_type is None:
        usm_type = common_usm_type(arrays)
    if all(a.ndim == 0 and not a.dtype.names and _core._host_may_view(a) for a in arrays):
        made = require_plain(numpy.asarray(_with_numbers(sequence), dtype), sequence)
        result = _core._new_array_for(made, dtype, usm_type, sycl_queue, device, order)
        _core._copy_from_host(result, made)
        return result
    tree = _resolved(sequence, dtype)
    result = _core._new_array(
        _shape_of(tree),
        dtype,
        usm_type,
        sycl_queue,
        device,
        "F" if order == "F" else "C",
        False,
        reduce(numpy.promote_types, _types_in(tree, sequence)) if dtype is None else dtype,
    )
    _assign(tree, result)
    return result


def _with_numbers(item):
    """Nested lists with numbers of NumPy's in place of arrays without dimensions."""
    if isinstance(item, (list, tuple)):
        return [_with_numbers(part) for part in item]
    view = None if type(item) in NUMBERS else _core._as_array(item)
    return item if view is None else numpy.asarray(view)[()]


def _resolved(item, dtype):
    """A list of lists with producers as USMArrays and all else as NumPy arrays."""
    if isinstance(item, (list, tuple)) and arrays_in(item):
        return [_resolved(part, dtype) for part in item]
    view = _core._as_array(item)
    return require_plain(numpy.asarray(item, dtype), item) if view is None else view


def _shape_of(tree):
    """The shape of what the tree is stacked to. ValueError where parts have different shapes."""
    if not isinstance(tree, list):
        return tree.shape
    shapes = [_shape_of(part) for part in tree]
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                "items of a list must have the same shape, found item 0 of shape "
                f"{shapes[0]} and item {k} of shape {shape}"
            )
    return (len(tree), *shapes[0])


def _types_in(tree, item):
    """The type of each element and array in what the tree was made of, in their order.

    The common type depends on it: float16, int8, uint8 make float16, int8, uint8, float16 float32.
    """
    if isinstance(tree, list):
        for part, original in zip(tree, item, strict=True):
            yield from _types_in(part, original)
    elif isinstance(item, (list, tuple)):
        yield from _types_in_list(item)
    else:
        yield tree.dtype


def _types_in_list(sequence):
    """The type of each element of a list without USM arrays, in order; none for an empty list."""
    if sequence and set(map(type, sequence)) <= NUMBERS:
        yield numpy.asarray(sequence).dtype
        return
    for item in sequence:
        if isinstance(item, (list, tuple)):
            yield from _types_in_list(item)
        else:
            yield numpy.asarray(item).dtype


def _assign(tree, target):
    if isinstance(tree, list):
        for k, part in enumerate(tree):
            _assign(part, target[k])
    elif isinstance(tree, _core.USMArray):
        _core._copy(tree, target)
    else:
        _core._copy_from_host(target, tree)


# ---- what stands in a key or is assigned, and is neither a plain NumPy array nor USM

_NO_INDEX = (
    "an index must be an integer, a slice, Ellipsis, None, an array of integers or bools, "
    "or a tuple of them, found {}"
)


def host_index(item: Any) -> NumpyArray:
    """The NumPy array of integers or bools that an item of a key stands for."""
    array = numpy.asarray(_on_host(item))
    if array.size == 0 and not isinstance(item, numpy.ndarray):
        array = array.astype(numpy.int64)
    if array.dtype.kind not in "biu":
        found = type(item).__name__
        if array.ndim > 0:
            found += f" of {array.dtype}"
        raise IndexError(_NO_INDEX.format(found))
    return with_whole_strides(array)


def signed(indices: NumpyArray, error: type[Exception] = IndexError) -> NumpyArray:
    """Indices without uint64, of which NumPy would make negative ones."""
    if indices.dtype != numpy.uint64:
        return indices
    most = numpy.iinfo(numpy.int64).max
    if (indices > most).any():
        raise error(
            f"index {indices.max()} is out of bounds: no axis has more than {most} elements"
        )
    return indices.astype(numpy.int64)


def host_value(value: Any, dtype: NumpyType, max_depth: int | None = None) -> NumpyArray:
    """The NumPy array that stands for a value to be assigned to elements of a type.

    Arrays of types that usmx has keep theirs: the copy converts them. Sequences may be nested to
    `max_depth`.
    """
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
    if not is_plain(array.dtype):
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
    if isinstance(value, (str, bytes, numpy.generic)):
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
    return numpy.asarray(value).dtype if _is_array(value) else None


def _on_host(item: Any) -> Any:
    """Lists and tuples with copies of the elements in the place of USM arrays."""
    if isinstance(item, (list, tuple)) and arrays_in(item):
        return [_on_host(part) for part in item]
    view = _as_array(item)
    return item if view is None else asnumpy(view)


def _structured_value(value: Any, dtype: NumpyType) -> NumpyArray:
    """Equally structured elements, or tuples, one for each element, in nested lists."""
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


# ---- NumPy arrays whose memory is USM, such as `numpy.asarray` of a USMArray


def view_of_numpy(obj: object) -> USMArray | None:
    """A USMArray on the memory of a NumPy array; None for other objects, and for other memory.

    The memory is that of the producer whose buffer NumPy took, or USM of the default context.
    """
    if not isinstance(obj, numpy.ndarray):
        return None
    try:
        return _core.from_usm_array_interface(_NumpyProducer(obj))
    except ValueError:
        return None


class _NumpyProducer:
    """Keeps the array, and describes it as a producer would."""

    def __init__(self, array: Any) -> None:
        known = _core._as_array(_origin(array))
        described = array.__array_interface__
        self.array = array
        self.__sycl_usm_array_interface__ = {
            "shape": array.shape,
            "typestr": described["typestr"],
            "typedescr": described["descr"],
            "data": described["data"],
            "strides": _element_strides(array),
            "syclobj": _core._queue_argument(None if known is None else known._own_queue, None),
            "version": 1,
        }


def _origin(array):
    """The object whose buffer NumPy took; None where there is none."""
    base = array
    while isinstance(base, numpy.ndarray):
        base = base.base
    return base.obj if isinstance(base, memoryview) else base


def _element_strides(array):
    itemsize = array.itemsize or 1
    if any(stride % itemsize for stride in array.strides):
        raise ValueError(
            f"strides {array.strides} are not whole elements of {array.itemsize} bytes"
        )
    return tuple(stride // itemsize for stride in array.strides)
