"""Elements by arrays of indices and masks, and setting them.

Here are the functions, and what `a[key]` and `a[key] = value` need NumPy for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.conversion import astype
from usmx._container.creation import as_view
from usmx._container.host import _numpy
from usmx._container.manipulation import common_shape
from usmx._container.nested import arrays_in
from usmx._container.types import can_cast, result_type
from usmx._core import _as_array, asarray, asnumpy, broadcast_to, reshape

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import ArrayLike, IndexMode, NumpyArray, NumpyType, Producer


def take(
    x: Producer,
    indices: ArrayLike | Producer,
    /,
    *,
    axis: SupportsIndex | None = None,
    out: USMArray | None = None,
    mode: IndexMode = "raise",
) -> USMArray:
    """Select the elements at some indices along an axis. Waits.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices: an array of integers, of any shape.
        axis: an integer. It may be None only if `x` has one dimension or none.
        out: where the result is written: an array of the result's shape and of the element type of
            `x`.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.

    Returns:
        A new array on the queue of `x` and of its kind, or `out`. Its shape is that of `x` with the
        axis replaced by the shape of `indices`.

    Raises:
        IndexError: an index is outside of its axis, or `indices` are no integers.
        ValueError: `axis` is missing, or `out` is read-only or has another shape or type.

    Example:
        >>> print(usmx.take(usmx.asarray([10, 20, 30]), [2, 0]))
        [30 10]
    """
    view, along = _with_axis(as_view("x", x), axis)
    chosen = _integers(indices, view.shape[along], mode)
    if chosen.ndim > 0:
        result = view[_along(along, chosen)]
    else:  # which would be taken for an integer, and select a view
        result = view[_along(along, chosen[None])][_along(along, 0)]
    if out is None:
        return result
    _check_out(out, result)
    out[...] = result
    return out


def put(
    x: Producer,
    indices: ArrayLike | Producer,
    vals: object,
    /,
    *,
    axis: SupportsIndex | None = None,
    mode: IndexMode = "raise",
) -> None:
    """Set the elements at some indices along an axis. Waits.

    If the function raises, it has set nothing. If an index occurs twice, its last value counts.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        indices: an array of integers, of any shape.
        vals: an array, a scalar or nested lists, which can be broadcast to the shape of ``take(x,
            indices, axis=axis)``.
        axis: an integer. It may be None only if `x` has one dimension or none.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.

    Raises:
        IndexError: an index is outside of its axis, or `indices` are no integers.
        ValueError: `axis` is missing, `x` is read-only, or the shapes do not fit.

    Example:
        >>> x = usmx.zeros(3)
        >>> usmx.put(x, [0, 2], [1, 2])
        >>> print(x)
        [1. 0. 2.]
    """
    view, along = _with_axis(as_view("x", x), axis)
    view[_along(along, _integers(indices, view.shape[along], mode))] = vals


def take_along_axis(
    x: Producer,
    indices: ArrayLike | Producer,
    /,
    *,
    axis: SupportsIndex = -1,
    mode: IndexMode = "raise",
) -> USMArray:
    """Select elements along an axis, at indices for each place on the other axes. Waits.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices: an array of integers with as many dimensions as `x`. Its shape, but for the axis,
            can be broadcast together with that of `x`.
        axis: an integer.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.

    Returns:
        A new array on the queue of `x` and of its kind.

    Raises:
        IndexError: an index is outside of its axis, or `indices` are no integers.
        ValueError: the shapes do not fit.

    Example:
        >>> x = usmx.asarray([[10, 20], [30, 40]])
        >>> usmx.take_along_axis(x, usmx.asarray([[1], [0]])).tolist()
        [[20], [30]]
    """
    view = as_view("x", x)
    return _core._take_along_axis(view, *_at_each_place(view, indices, axis, mode))


def put_along_axis(
    x: Producer,
    indices: ArrayLike | Producer,
    vals: object,
    /,
    *,
    axis: SupportsIndex = -1,
    mode: IndexMode = "raise",
) -> None:
    """Set elements along an axis, at indices for each place on the other axes. Waits.

    If the function raises, it has set nothing. If an index occurs twice, its last value counts.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        indices: an array of integers with as many dimensions as `x`. Its shape, but for the axis,
            can be broadcast together with that of `x`.
        vals: an array, a scalar or nested lists, which can be broadcast to the shape of
            ``take_along_axis(x, indices, axis=axis)``.
        axis: an integer.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.

    Raises:
        IndexError: an index is outside of its axis, or `indices` are no integers.
        ValueError: `x` is read-only, or the shapes do not fit.

    Example:
        >>> x = usmx.zeros((2, 2), dtype='i4')
        >>> usmx.put_along_axis(x, usmx.asarray([[1], [0]]), 7)
        >>> x.tolist()
        [[0, 7], [7, 0]]
    """
    view = as_view("x", x)
    chosen, along = _at_each_place(view, indices, axis, mode)
    _core._put_along_axis(view, chosen, vals, along)


def extract(condition: ArrayLike | Producer, arr: Producer) -> USMArray:
    """Select the elements for which a condition is not zero, in C order. Waits.

    Args:
        condition: an array of any type and shape.
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``, with as many
            elements.

    Returns:
        A new array of one dimension, on the queue of `arr` and of its kind.

    Raises:
        ValueError: the sizes differ.

    Example:
        >>> print(usmx.extract([True, False, True], usmx.arange(3)))
        [0 2]
    """
    view = as_view("arr", arr)
    return view[_mask_for(view, "condition", condition)]


def place(arr: Producer, mask: ArrayLike | Producer, vals: object) -> None:
    """Set the elements for which a mask is not zero, in C order. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        mask: an array of any type and shape, with as many elements.
        vals: a scalar, or an array or sequence of one dimension, of which as many elements are used
            as are needed. If there are too few, they are used again from the start.

    Raises:
        ValueError: the sizes differ, `arr` is read-only, `vals` has more than one dimension, or
            `vals` is empty while elements are to be set.

    Example:
        >>> a = usmx.arange(4)
        >>> usmx.place(a, [0, 1, 0, 1], [7, 8])
        >>> print(a)
        [0 7 2 8]
    """
    view = as_view("arr", arr)
    chosen = _mask_for(view, "mask", mask)
    values: Any = _as_array(vals)
    if values is None:
        values = host_value(vals, view.dtype)
    found = None if view.dtype.names else _type_of_array(vals)
    if found is not None and not can_cast(found, view.dtype, casting="safe"):
        raise TypeError(f"vals of type {found} cannot be cast to {view.dtype} without loss")
    if values.ndim > 1:
        raise ValueError(f"vals must have 1 dimension, found shape {values.shape}")
    values = values[None] if values.ndim == 0 else values
    given = values.shape[0]
    needed = _core._count_nonzero(chosen)
    if given == 0 and needed > 0:
        raise ValueError(f"vals must not be empty: {needed} elements are to be set")
    if 1 < given < needed:
        values = values[_numpy().arange(needed) % given]
    view[chosen] = values[:needed]


def nonzero(arr: Producer) -> tuple[USMArray, ...]:
    """Find the indices of the elements that are not zero, in C order. Waits.

    NaN is not zero.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least one
            dimension.

    Returns:
        A tuple of int64 arrays, one for each dimension, on the queue of `arr` and of its kind.

    Raises:
        ValueError: `arr` has no dimensions.
        TypeError: its elements are structured.

    Example:
        >>> [indices.tolist() for indices in usmx.nonzero(usmx.asarray([0, 5, 6]))]
        [[1, 2]]
    """
    view = as_view("arr", arr)
    if view.ndim == 0:
        raise ValueError("arr must have at least 1 dimension, found shape ()")
    return _core._nonzero(view)


def where(
    condition: Producer | bool, x: object = None, y: object = None, /
) -> USMArray | tuple[USMArray, ...]:
    """Select elements of `x` where a condition is not zero, and of `y` elsewhere. Waits.

    The arrays are broadcast together. The element type is the `result_type` of `x` and `y`, and the
    kind of memory is the one that `get_coerced_usm_type` gives.

    Args:
        condition: a USMArray or any other producer of ``__sycl_usm_array_interface__``; or a bool
            of Python's or NumPy's, if `x` or `y` is an array.
        x, y: arrays on the queue of `condition`, or Python scalars. Without both, the result is
            ``nonzero(condition)``.

    Returns:
        A new C-contiguous USMArray on the queue of the arrays.

    Raises:
        ValueError: only one of `x` and `y` is given, or the shapes are not compatible.
        ExecutionPlacementError: the queues differ.
        TypeError: `condition` is no producer, or `x` or `y` is neither array nor scalar.

    Example:
        >>> print(usmx.where(usmx.asarray([True, False]), usmx.asarray([1, 2]), 0))
        [1 0]
    """
    if x is None and y is None:
        return nonzero(as_view("condition", condition))
    if x is None or y is None:
        raise ValueError("where: expected both x and y, or neither, found one of them")
    operands = [_operand("x", x), _operand("y", y)]
    mask = _condition_beside(operands, condition)
    arrays = [mask, *_arrays_of(operands)]
    shape = common_shape([array.shape for array in arrays])
    queue = common_queue(arrays)
    result = _core._new_array(
        shape, result_type(*operands), common_usm_type(arrays), queue, None, "C", False
    )
    result[...] = operands[1]
    chosen = broadcast_to(mask if mask.dtype == bool else astype(mask, bool), shape)
    taken = operands[0]
    result[chosen] = (
        broadcast_to(taken, shape)[chosen] if isinstance(taken, _core.USMArray) else taken
    )
    return result


# ---- what the functions have in common


def _operand(name: str, value: object) -> Any:
    """An array, or a Python scalar, whose type depends on the other operand."""
    return value if isinstance(value, (bool, int, float, complex)) else as_view(name, value)


def _arrays_of(operands: list[Any]) -> list[USMArray]:
    return [part for part in operands if isinstance(part, _core.USMArray)]


def _condition_beside(operands: list[Any], condition: object) -> USMArray:
    """The array of a condition. A single bool becomes one where the operands are."""
    arrays = _arrays_of(operands)
    view = _as_array(condition)
    if view is not None:
        return view
    if not (arrays and isinstance(condition, (bool, _numpy().bool_))):
        return as_view("condition", condition)
    return asarray(
        bool(condition), usm_type=common_usm_type(arrays), sycl_queue=common_queue(arrays)
    )


def _along(axis: int, item: object) -> tuple[object, ...]:
    return (*(slice(None),) * axis, item)


def _with_axis(x: USMArray, axis: SupportsIndex | None) -> tuple[USMArray, int]:
    """An array of one dimension at least, and the axis of it that is meant."""
    if axis is None and x.ndim > 1:
        raise ValueError(f"axis must be an integer for an array of shape {x.shape}, found None")
    if x.ndim == 0:
        x = x[None]
    return x, _core._normalized_axis(0 if axis is None else axis, x.ndim)


def _check_out(out: object, result: USMArray) -> None:
    if not isinstance(out, _core.USMArray):
        raise TypeError(f"out must be a USMArray, found {type(out).__name__}")
    if not out.flags.writable:
        raise ValueError("out is read-only")
    if out.shape != result.shape or out.dtype != result.dtype:
        raise ValueError(
            f"out must have shape {result.shape} and dtype {result.dtype}, "
            f"found {out.shape} and {out.dtype}"
        )


def _integers(indices: object, size: int, mode: IndexMode) -> Any:
    """An array of integers; those outside of the axis are brought into it where `mode` says so."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', found {mode!r}")
    array: Any = _as_array(indices)
    if array is None:
        array = host_index(indices)
    if array.dtype.kind not in "iu":
        raise IndexError(f"indices must be integers, found {array.dtype}")
    if mode == "raise" or array.size == 0:
        return array
    if size == 0:
        raise IndexError("an axis with size 0 has no index")
    numpy = _numpy()
    host = asnumpy(array) if isinstance(array, _core.USMArray) else array
    host = host.astype(f"{host.dtype.kind}8")
    if mode == "wrap":
        return numpy.remainder(host, host.dtype.type(size))
    return numpy.clip(host, host.dtype.type(0), host.dtype.type(size - 1))


def _at_each_place(
    x: USMArray, indices: object, axis: SupportsIndex, mode: IndexMode
) -> tuple[object, int]:
    """Integers with as many dimensions as x, and the axis that they select along."""
    along = _core._normalized_axis(axis, x.ndim)
    chosen = _integers(indices, x.shape[along], mode)
    if chosen.ndim != x.ndim:
        raise ValueError(
            f"indices must have as many dimensions as x, {x.ndim}, found {chosen.ndim}"
        )
    return chosen, along


def _mask_for(arr: USMArray, name: str, condition: Any) -> USMArray:
    """A USMArray of bools in the shape of `arr`: where `condition` is not zero."""
    view = _as_array(condition)
    if view is None:
        view = asarray(condition, sycl_queue=arr._own_queue)
    if view.size != arr.size:
        raise ValueError(f"{name} must have {arr.size} elements, found {view.size}")
    if view.dtype != bool:
        view = astype(view, bool)
    return reshape(view, arr.shape)


# ---- keys and values


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


def _type_of_array(value: Any) -> NumpyType | None:
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
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):
        return array.copy()
    return array
