"""Arrays joined, split and repeated. Arrays under another shape or order of axes are in C++.

What only looks at the elements in another way is a view of the same memory and needs no NumPy.
The others make new C-contiguous arrays and wait until these are complete.

An axis may be negative and then counts from the end. One that does not exist is a
numpy.exceptions.AxisError (a ValueError and an IndexError); its message says axis and dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate, product
from math import prod
from operator import index
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.creation import as_array, as_axis, as_integer, as_view, no_producer
from usmx._container.host import numpy
from usmx._container.types import can_cast, require_casting, result_type
from usmx._core import USMArray, asarray, asnumpy, broadcast_to, expand_dims, moveaxis, reshape
from usmx._text import short_repr

_MOST_VIEWS = 2**24

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import Axes, Casting, DTypeLike, Operand, Producer, Shape

_AXES_AT_ONCE = 4  # that roll cuts in two: the copies of a pass double with each

# ---- views


def broadcast_arrays(*args: Operand) -> tuple[USMArray, ...]:
    """Broadcast arrays to their common shape, by views. Does not wait.

    Args:
        args: arrays; each is a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A tuple. An array that has the shape already is returned as it is; the others are read-only
        views.

    Raises:
        ValueError: there are no arrays, or their shapes are not compatible.

    Example:
        >>> a, b = usmx.broadcast_arrays(usmx.zeros((2, 1)), usmx.zeros(3))
        >>> a.shape, b.shape
        ((2, 3), (2, 3))
    """
    arrays = together(args)
    shape = common_shape([array.shape for array in arrays])
    return tuple(array if array.shape == shape else broadcast_to(array, shape) for array in arrays)


def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """Find the shape to which arrays of these shapes are broadcast together.

    Args:
        shapes: integers or tuples of integers.

    Returns:
        A tuple of integers.

    Raises:
        ValueError: the shapes are not compatible.
        TypeError: an argument is no shape.

    Example:
        >>> usmx.broadcast_shapes((2, 1), (3,))
        (2, 3)
    """
    tuples = [
        tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
        for shape in shapes
    ]
    for shape in tuples:
        if len(shape) > 64 or min(shape, default=0) < 0 or prod(filter(None, shape)) >= 2**63:
            raise ValueError(f"broadcast_shapes: no array has the shape {shape}")
    return common_shape(tuples) if tuples else ()


def unstack(X: Producer, /, *, axis: SupportsIndex = 0) -> tuple[USMArray, ...]:
    """Split an array along an axis, by views. Does not wait.

    Args:
        X: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer.

    Returns:
        A tuple of views of `X`, each without the axis.

    Raises:
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> [part.tolist() for part in usmx.unstack(usmx.asarray([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    X = as_view("X", X)
    before = (slice(None),) * _core._normalized_axis(axis, X.ndim)
    count = X.shape[len(before)]
    require_few_views(count)
    return tuple(X[(*before, k)] for k in range(count))


# ---- new arrays


def concat(
    arrays: Sequence[Any] | Producer,
    /,
    axis: SupportsIndex | None = 0,
    out: USMArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> USMArray:
    """Join arrays along an existing axis, in a new array. Waits on CPU devices.

    The element type is the `result_type` of theirs, and the kind of memory is the one that
    `get_coerced_usm_type` gives.

    Args:
        arrays: a list or tuple of arrays on one queue, whose shapes differ in `axis` only; or an
            array, whose rows are joined. Lists and NumPy arrays among them are copied to that
            queue.
        axis: an integer. None joins the elements of all arrays in one dimension, whatever their
            shapes.
        out: where the result is written: an array of the result's shape, on the same queue.
        dtype: the element type of the result. It cannot be given beside `out`.
        casting: which conversions to `dtype` or to the type of `out` are allowed, in NumPy's words:
            'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns:
        A new C-contiguous USMArray on their queue, or `out`.

    Raises:
        ValueError: there are no arrays, or the shapes differ.
        ExecutionPlacementError: the queues differ.
        TypeError: `arrays` is no list, tuple or array, none of its elements is a producer, or
            `casting` does not allow a conversion.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.concat([usmx.arange(2), usmx.zeros(1)]))
        [0. 1. 0.]
    """
    if out is None and dtype is None and casting == "same_kind":
        joined = _joined(arrays, axis, False)
        if joined is not None:
            return joined
    views = checked_list(arrays)
    if axis is None:
        views, axis = [reshape(view, -1) for view in views], 0
    elif views[0].ndim == 0:
        raise ValueError("arrays without dimensions cannot be joined: usmx.stack joins them")
    axis = as_axis(axis, views[0].ndim)
    _check_shapes(views, axis)
    lengths = [array.shape[axis] for array in views]
    result = _target(views, _replaced(views[0].shape, axis, sum(lengths)), out, dtype, casting)
    for array, length, stop in zip(views, lengths, accumulate(lengths), strict=True):
        _core._copy(array, result[_along(axis, stop - length, stop)])
    return result


def stack(
    arrays: Sequence[Any] | Producer,
    /,
    axis: SupportsIndex = 0,
    out: USMArray | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> USMArray:
    """Join arrays along a new axis, in a new array. Waits on CPU devices.

    The element type is the `result_type` of theirs, and the kind of memory is the one that
    `get_coerced_usm_type` gives.

    Args:
        arrays: a list or tuple of arrays of the same shape, on one queue; or an array, whose rows
            are joined. Lists and NumPy arrays among them are copied to that queue.
        axis: where in the result the new axis is.
        out: where the result is written: an array of the result's shape, on the same queue.
        dtype: the element type of the result. It cannot be given beside `out`.
        casting: which conversions to `dtype` or to the type of `out` are allowed, in NumPy's words:
            'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.

    Returns:
        A new C-contiguous USMArray on their queue, or `out`.

    Raises:
        ValueError: there are no arrays, or the shapes differ.
        ExecutionPlacementError: the queues differ.
        TypeError: `arrays` is no list, tuple or array, none of its elements is a producer, or
            `casting` does not allow a conversion.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> usmx.stack([usmx.zeros(3), usmx.ones(3)]).shape
        (2, 3)
    """
    if out is None and dtype is None and casting == "same_kind":
        joined = _joined(arrays, axis, True)
        if joined is not None:
            return joined
    views = checked_list(arrays)
    axis = _core._normalized_axis(axis, views[0].ndim + 1)
    _check_shapes(views, None)
    rows = [expand_dims(array, axis=axis) for array in views]
    return concat(rows, axis, out, dtype=dtype, casting=casting)


def roll(x: Producer, /, shift: Any, axis: Axes | None = None) -> USMArray:
    """Shift elements along axes, in a new array; those shifted out come in at the other end.

    Waits on CPU devices.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        shift: by how many places: an integer, or a tuple or an array with one integer for each of
            `axis`. It may be negative.
        axis: an integer, a tuple or an array. None treats `x` as if it had one dimension, in C
            order.

    Returns:
        A new C-contiguous USMArray on the same queue and of the same kind.

    Raises:
        ValueError: `shift` and `axis` have different lengths.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.roll(usmx.arange(4), 1))
        [3 0 1 2]
    """
    if type(x) is USMArray and type(shift) is type(axis) is int:
        return _rolled(x, [(_core._normalized_axis(axis, x.ndim), shift)])
    rolled = as_array("x", x)
    if axis is None:
        return reshape(roll(reshape(rolled, -1), shift, 0), rolled.shape)
    axes = [_core._normalized_axis(k, rolled.ndim) for k in integers_of("axis", axis)]
    shifts = _total_shifts(integers_of("shift", shift), axes)
    for first in range(0, len(shifts) or 1, _AXES_AT_ONCE):
        rolled = _rolled(rolled, shifts[first : first + _AXES_AT_ONCE])
    return rolled


def repeat(x: Producer, /, repeats: Any, axis: SupportsIndex | None = None) -> USMArray:
    """Repeat each element of an array, in a new array. Waits on CPU devices.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        repeats: how often: an integer for all elements, or one for each index along the axis, in a
            sequence or an array of integers. An array in USM must be on the queue of `x`.
        axis: an integer. None treats `x` as if it had one dimension, in C order.

    Returns:
        A new C-contiguous USMArray on the same queue and of the same kind.

    Raises:
        ValueError: a count is negative, there are not as many counts as indices, or the result
            would have too many elements.
        TypeError: a count is no integer.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.repeat(usmx.arange(3), 2))
        [0 0 1 1 2 2]
    """
    x = as_array("x", x)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis = as_axis(axis, x.ndim)
    count = repeats if type(repeats) is int else _repeat_count(repeats, x, x.shape[axis])
    if isinstance(count, list):
        _require_extent("repeat", sum(count), x.dtype.itemsize)
        indices = numpy.repeat(numpy.arange(len(count)), numpy.array(count, dtype=numpy.intp))
        return x[(*(slice(None),) * axis, indices)]
    return _core._repeated(x, count, axis)


def tile(x: Producer, repetitions: Shape, /) -> USMArray:
    """Repeat a whole array along its axes, in a new array. Waits on CPU devices.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        repetitions: how often along the last axes: an integer, or a tuple or list of integers. If
            there are more of them than `x` has axes, the result has an axis for each of them.

    Returns:
        A new C-contiguous USMArray on the same queue and of the same kind.

    Raises:
        ValueError: a count is negative.
        TypeError: a count is no integer.

    Example:
        >>> print(usmx.tile(usmx.arange(2), (2, 2)))
        [[0 1 0 1]
         [0 1 0 1]]
    """
    return _core._tiled(as_array("x", x), _tile_counts(repetitions))


# ---- arguments


def _checked_arrays(arrays) -> list[USMArray]:
    if not arrays:
        raise ValueError("expected at least one array, found none")
    return [as_array(f"array {k}", array) for k, array in enumerate(arrays)]


def require_few_views(count: int) -> None:
    """MemoryError for more views than a list can hold in seconds."""
    if count > _MOST_VIEWS:
        raise MemoryError(f"at most {_MOST_VIEWS} views are made at once, found {count}")


def checked_list(arrays: Any, name: str = "arrays") -> list[USMArray]:
    """The arrays that are to be joined: what is on the host goes where the others are."""
    whole = _core._as_array(arrays)
    if whole is not None and whole.ndim > 0:
        return _checked_arrays(unstack(whole))
    if isinstance(arrays, numpy.ndarray):
        raise no_producer(name, arrays)
    if not isinstance(arrays, (list, tuple)):
        raise TypeError(
            f"{name} must be a list, a tuple or an array, found {type(arrays).__name__}"
        )
    return together(arrays)


def together(arrays: Sequence[Any]) -> list[USMArray]:
    """The arrays of one call: what is on the host goes where the others are."""
    views = [_core._as_array(array) for array in arrays]
    found = [view for view in views if view is not None]
    if not found or len(found) == len(views):
        return _checked_arrays(arrays)
    queue, kind = common_queue(found), common_usm_type(found)
    return [
        asarray(array, usm_type=kind, sycl_queue=queue) if view is None else view
        for array, view in zip(arrays, views, strict=True)
    ]


def integers_of(name: str, numbers: Any) -> tuple[int, ...]:
    """One integer, or those of a sequence or of an array of the host or of USM."""
    view = _core._as_array(numbers)
    if view is not None:
        numbers = asnumpy(view)
    if not isinstance(numbers, (tuple, list, range)) and getattr(numbers, "ndim", 0) == 0:
        numbers = (numbers,)
    return tuple(as_integer(name, number) for number in numbers)


def _check_shapes(arrays, axis):
    """The shapes must be equal in all axes but this one."""
    first = arrays[0].shape
    for k, array in enumerate(arrays):
        shape = array.shape
        if len(shape) != len(first):
            raise ValueError(
                f"the arrays must have the same number of dimensions, found shape {first} of "
                f"array 0 and shape {shape} of array {k}"
            )
        for other_axis, (n, expected) in enumerate(zip(shape, first, strict=True)):
            if n != expected and other_axis != axis:
                raise ValueError(
                    f"the arrays must have the same size in axis {other_axis}, found {expected} in "
                    f"shape {first} of array 0 and {n} in shape {shape} of array {k}"
                )


def common_shape(shapes):
    """The shape that all of the shapes can be broadcast to."""
    common = [1] * max(len(shape) for shape in shapes)
    for shape in shapes:
        for k in range(-len(shape), 0):
            if common[k] == 1:
                common[k] = shape[k]
            elif shape[k] not in (1, common[k]):
                raise ValueError(
                    f"shapes {', '.join(map(str, shapes))} cannot be broadcast together: axis "
                    f"{k} has sizes {common[k]} and {shape[k]}"
                )
    return tuple(common)


def _total_shifts(shifts, axes):
    """[(axis, shift)], each axis once."""
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ValueError(
            f"shift and axis must have the same length, found {len(shifts)} and {len(axes)}"
        )
    totals = dict.fromkeys(axes, 0)
    for k in range(max(len(shifts), len(axes)) if shifts and axes else 0):
        totals[axes[k % len(axes)]] += shifts[k % len(shifts)]
    return list(totals.items())


def _repeat_count(repeats, x, n):
    """How often all of n indices are repeated, or the list that says it for each."""
    view = _core._as_array(repeats)
    if view is not None:
        repeats = _integers_of(view, x)
    try:
        counts = [index(repeats)]
    except TypeError:
        if isinstance(repeats, str) or not (
            isinstance(repeats, Sequence) or hasattr(repeats, "__array__")
        ):
            raise TypeError(
                f"repeats must be an integer or integers, found {short_repr(repeats)}"
            ) from None
        counts = [as_integer("a count of repeats", count) for count in repeats]
    for count in counts:
        if count < 0:
            raise ValueError(f"repeats must not be negative, found {count}")
    if len(counts) == 1:
        return counts[0]
    if len(counts) != n:
        raise ValueError(
            f"repeats must have one count for each of {n} indices, found {len(counts)}"
        )
    return counts


def _require_extent(caller, extent, itemsize):
    """NumPy adds in 64 bits, and does not look whether the sum fits."""
    if extent > (2**63 - 1) // max(itemsize, 8):  # indices have 8 bytes
        raise ValueError(
            f"{caller}: the result must have at most 2**63 - 1 bytes, found {extent} elements of "
            f"{itemsize} bytes"
        )


def _integers_of(repeats, x):
    common_queue([x, repeats])
    if repeats.dtype.kind not in "biu":
        raise TypeError(f"repeats must be integers, found elements of {repeats.dtype}")
    if repeats.ndim > 1:
        raise ValueError(f"repeats must have at most 1 dimension, found {repeats.ndim}")
    return asnumpy(repeats).tolist()


def _tile_counts(repetitions):
    if not isinstance(repetitions, (tuple, list)):
        repetitions = (repetitions,)
    counts = tuple(as_integer("a count of repetitions", count) for count in repetitions)
    if any(count < 0 for count in counts):
        raise ValueError(f"repetitions must not be negative, found {counts}")
    return counts


# ---- moving elements


def _joined(arrays, axis, is_new):
    """Join arrays that are alike, as `concat` or `stack`; None of all others."""
    if type(arrays) is USMArray:
        return _joined_rows(arrays, axis, is_new)
    if (
        axis is None
        and not is_new
        and type(arrays) in (list, tuple)
        and {*map(type, arrays)} == {USMArray}
    ):
        arrays, axis = [reshape(array, -1) for array in arrays], 0
    return _core._joined(arrays, axis, is_new)


def _joined_rows(array, axis, is_new):
    """Join the rows of an array: its elements in another order, by one copy."""
    last = array.ndim - (1 if is_new else 2)
    if array.size == 0 or type(axis) is not int or not -last <= axis + 1 <= last + 1:
        return None
    axis += (last + 1) * (axis < 0)
    made = _core.copy(moveaxis(array, 0, axis), "C")
    if is_new:
        return made
    shape = array.shape[1:]
    return reshape(made, _replaced(shape, axis, array.shape[0] * shape[axis]))


def _along(axis, start, stop):
    """The index of a range of one axis and all of the others."""
    return (*(slice(None),) * axis, slice(start, stop))


def _replaced(shape, axis, size):
    return (*shape[:axis], size, *shape[axis + 1 :])


def _target(arrays, shape, out, dtype, casting):
    """The array in which `arrays` are combined: `out`, or a new one."""
    require_casting(casting)
    queue = common_queue(arrays)
    if out is not None:
        if dtype is not None:
            raise TypeError("out and dtype cannot be given both")
        out = as_view("out", out)
        common_queue([*arrays, out])
        if out.shape != shape:
            raise ValueError(f"out must have shape {shape}, found {out.shape}")
        if not out.flags.writable:
            raise ValueError("out is read-only")
    wanted = _common_dtype(arrays) if dtype is None else _core._dtype(dtype)
    wanted = wanted if out is None else out.dtype
    for array in arrays:
        if array.dtype != wanted and not can_cast(array.dtype, wanted, casting=casting):
            raise TypeError(
                f"elements of type {array.dtype} cannot be cast to {wanted} with "
                f"casting={casting!r}"
            )
    if out is not None:
        return out
    return _core._new_array(shape, wanted, common_usm_type(arrays), queue, None, "C", False)


def _common_dtype(arrays):
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):  # structured types among them
        return first
    return result_type(*arrays)


# On a GPU a launch takes longer than it takes to find the places of so few bytes.
_LARGEST_ROLLED_AT_ONCE = 1 << 23


@cache
def _roll():
    return _core.ElementwiseKernel(
        "raw T x, int64 shift, int64 extent, int64 after",
        "T y",
        "y = x[i + (i / after % extent < shift ? extent - shift : -shift) * after]",
        "roll",
    )


def _rolled(x, shifts):
    """A new array with a few axes rolled."""
    cuts = [(axis, shift % (x.shape[axis] or 1)) for axis, shift in shifts]
    cuts = [(axis, cut) for axis, cut in cuts if cut]
    is_little = x.nbytes <= _LARGEST_ROLLED_AT_ONCE and x.flags.c_contiguous
    if cuts and is_little and not x._own_queue.sycl_device.is_cpu and x.dtype.kind != "V":
        return _rolled_at_once(x, cuts)
    return _rolled_by_parts(x, cuts)


def _rolled_at_once(x, cuts):
    """A new array with axes of a C-contiguous one rolled, by one kernel for each."""
    for axis, cut in cuts:
        result = _core._new_like(x, None, "C")
        after = prod(x.shape[axis + 1 :])
        _roll()(reshape(x, -1), cut, x.shape[axis], after, reshape(result, -1))
        x = result
    return x


def _rolled_by_parts(x, cuts):
    """A new array with a few axes rolled: each is cut in two parts that trade places."""
    result = _core._new_like(x, None, "C")
    parts = [[(slice(None), slice(None))] for _ in x.shape]  # of each axis: (in x, in the result)
    for axis, cut in cuts:
        parts[axis] = [
            (slice(None, -cut), slice(cut, None)),
            (slice(-cut, None), slice(None, cut)),
        ]
    for block in product(*parts):
        source, destination = zip(*block, strict=True) if block else ((), ())
        _core._copy(x[source], result[destination])
    return result
