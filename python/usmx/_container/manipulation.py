"""Arrays under another shape or order of axes, and arrays joined, split and repeated.

What only looks at the elements in another way is a view of the same memory and needs no NumPy.
The others make new C-contiguous arrays and wait until these are complete.

An axis may be negative and then counts from the end. One that does not exist is a
numpy.exceptions.AxisError (a ValueError and an IndexError); its message says axis and dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from operator import index
from typing import TYPE_CHECKING, cast

from usmx import _core
from usmx._container.creation import as_view, asnumpy
from usmx._container.host import _numpy
from usmx._container.placement import common_queue, common_usm_type
from usmx._container.types import result_type

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import Axes, OrderCF, Producer, Shape

_AXES_AT_ONCE = 4  # that roll cuts in two: the copies of a pass double with each

# ---- views


def reshape(
    X: Producer, /, shape: Shape, *, order: OrderCF = "C", copy: bool | None = None
) -> USMArray:
    """The elements of `X` under another shape.

    Args:
        X: a USMArray or another producer of ``__sycl_usm_array_interface__``.
        shape: an integer or a tuple of integers; one may be -1 and is computed from the others.
        order: 'C': the last index varies fastest, in `X` and in the result; 'F': the first.
        copy: True: always copy; None: only where there can be no view; False: never.

    Returns:
        A view of `X`, or a new array, contiguous in `order`, on the same queue and of the same
        kind.

    Raises:
        ValueError: the sizes differ, or `copy=False` cannot be met.
    """
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"copy must be True, False or None, found {copy!r}")
    if not copy:
        view = _core._reshaped(X, shape, order)
        if view is not None:
            return view
    X = as_view("X", X)
    if copy is False:
        raise ValueError(
            f"copy=False cannot be met: an array of shape {X.shape} and strides {X.strides} "
            f"has no view of shape {shape} in {order} order"
        )
    compact = _core._new_like(X, None, order)
    _core._copy(X, compact)
    return cast("USMArray", _core._reshaped(compact, shape, order))  # it has that view


def permute_dims(X: Producer, /, axes: Axes) -> USMArray:
    """A view of `X` whose dimension k is dimension ``axes[k]`` of `X`; each must be named once."""
    return _core._permuted(X, axes)


def moveaxis(X: Producer, source: Axes, destination: Axes, /) -> USMArray:
    """A view of `X` with the axes `source` at the places `destination`, the others in order.

    Both are integers, or tuples of the same length.
    """
    return _core._moved(X, source, destination)


def swapaxes(X: Producer, axis1: SupportsIndex, axis2: SupportsIndex) -> USMArray:
    """A view of `X` in which two axes trade places."""
    return _core._swapped(X, axis1, axis2)


def matrix_transpose(x: Producer) -> USMArray:
    """A view of `x` with the last two dimensions swapped; ValueError when there are fewer."""
    return _core._matrix_transposed(x)


def flip(X: Producer, /, *, axis: Axes | None = None) -> USMArray:
    """A view of `X` with the elements in reverse order along an axis, several, or (None) all."""
    return _core._flipped(X, axis)


def squeeze(X: Producer, /, axis: Axes | None = None) -> USMArray:
    """A view of `X` without axes of size 1.

    Args:
        X: a USMArray or another producer of ``__sycl_usm_array_interface__``.
        axis: which axes, an integer or a tuple; None: all that have size 1.

    Raises:
        ValueError: one of `axis` has another size.
    """
    return _core._squeezed(X, axis)


def expand_dims(X: Producer, /, *, axis: Axes = 0) -> USMArray:
    """A view of `X` with new axes of size 1; `axis` counts in the result, and may be a tuple."""
    return _core._expanded(X, axis)


def broadcast_to(X: Producer, /, shape: Shape) -> USMArray:
    """A view of `X` repeated to `shape`.

    The view is read-only, as in NumPy (in dpnp.tensor it is not), since one element may stand in
    several places.

    Raises:
        ValueError: the shapes are not compatible.
    """
    return _core._broadcast(X, shape)


def broadcast_arrays(*args: Producer) -> list[USMArray]:
    """A list of the arrays, all with the shape that they have together.

    An array that has it already is returned as it is, the others as by `broadcast_to`.

    Raises:
        ValueError: there are no arrays, or their shapes are not compatible.
    """
    arrays = _checked_arrays(args)
    shape = _common_shape([array.shape for array in arrays])
    return [array if array.shape == shape else broadcast_to(array, shape) for array in arrays]


def unstack(X: Producer, /, *, axis: SupportsIndex = 0) -> tuple[USMArray, ...]:
    """A tuple of the views along an axis, each without it."""
    X = as_view("X", X)
    before = (slice(None),) * _core._normalized_axis(axis, X.ndim)
    return tuple(X[(*before, k)] for k in range(X.shape[len(before)]))


# ---- new arrays


def concat(arrays: Sequence[Producer], /, *, axis: SupportsIndex | None = 0) -> USMArray:
    """The arrays one after the other along an existing axis, in a new array.

    Its element type is `result_type` of theirs; its kind follows `get_coerced_usm_type`.

    Args:
        arrays: a list or tuple of arrays on one queue, whose shapes differ in `axis` only.
        axis: None joins the elements of all of them in one dimension, whatever the shapes.

    Raises:
        ValueError: there are no arrays, or the shapes differ.
        ExecutionPlacementError: the queues differ.
    """
    views = _checked_list(arrays)
    if axis is None:
        return _concat_flat(views)
    axis = _core._normalized_axis(axis, views[0].ndim)
    _check_shapes(views, axis)
    lengths = [array.shape[axis] for array in views]
    result = _new_for(views, _replaced(views[0].shape, axis, sum(lengths)))
    for array, length, stop in zip(views, lengths, accumulate(lengths), strict=True):
        _core._copy(array, result[_along(axis, stop - length, stop)])
    return result


def stack(arrays: Sequence[Producer], /, *, axis: SupportsIndex = 0) -> USMArray:
    """The arrays one after the other along a new axis, in a new array.

    Element type, kind and errors are those of `concat`.

    Args:
        arrays: a list or tuple of arrays of the same shape, on one queue.
        axis: where in the result the new axis is.
    """
    views = _checked_list(arrays)
    axis = _core._normalized_axis(axis, views[0].ndim + 1)
    _check_shapes(views, None)
    return concat([expand_dims(array, axis=axis) for array in views], axis=axis)


def roll(x: Producer, /, shift: Any, *, axis: Axes | None = None) -> USMArray:
    """A new array with the elements moved on by `shift` places; those moved out come in again.

    Args:
        x: a USMArray or another producer of ``__sycl_usm_array_interface__``.
        shift: an integer, or a tuple of them, one for each of `axis`. It may be negative.
        axis: an integer or a tuple; None: as if `x` had one dimension, in C order.

    Raises:
        ValueError: `shift` and `axis` have different lengths.
    """
    rolled = as_view("x", x)
    if axis is None:
        return reshape(_rolled(reshape(rolled, -1), [(0, index(shift))]), rolled.shape)
    axes = [_core._normalized_axis(k, rolled.ndim) for k in _as_tuple(axis)]
    shifts = _total_shifts(_as_tuple(shift), axes)
    for first in range(0, len(shifts) or 1, _AXES_AT_ONCE):
        rolled = _rolled(rolled, shifts[first : first + _AXES_AT_ONCE])
    return rolled


def repeat(x: Producer, repeats: Any, /, *, axis: SupportsIndex | None = None) -> USMArray:
    """A new array with each element of `x` repeated.

    Args:
        x: a USMArray or another producer of ``__sycl_usm_array_interface__``.
        repeats: how often: an integer for all, or one for each index along the axis, in a
            sequence or an array of integers (one in USM must be on the queue of `x`).
        axis: an integer; None: as if `x` had one dimension, in C order.

    Raises:
        ValueError: a count is negative, or there are not as many as indices.
        TypeError: a count is no integer.
    """
    x = as_view("x", x)
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis = _core._normalized_axis(axis, x.ndim)
    count = _repeat_count(repeats, x, x.shape[axis])
    if isinstance(count, list):
        numpy = _numpy()
        indices = numpy.repeat(numpy.arange(len(count)), numpy.array(count, dtype=numpy.intp))
        return x[(*(slice(None),) * axis, indices)]
    result = _core._new_like(x, _replaced(x.shape, axis, x.shape[axis] * count), "C")
    extents = [(n, n) for n in x.shape]
    extents.insert(axis + 1, (1, count))
    _spread(x, result, extents)
    return result


def tile(x: Producer, repetitions: Shape, /) -> USMArray:
    """A new array with all of `x` repeated along each axis.

    Args:
        x: a USMArray or another producer of ``__sycl_usm_array_interface__``.
        repetitions: an integer or a tuple of integers for the last axes. Where they are more than
            the axes of `x`, the result has as many.
    """
    x = as_view("x", x)
    counts = _tile_counts(repetitions)
    shape = x.shape
    shape = (1,) * (len(counts) - len(shape)) + shape
    counts = (1,) * (len(shape) - len(counts)) + counts
    extents = list(zip(counts, shape, strict=True))
    result = _core._new_like(x, [count * n for count, n in extents], "C")
    _spread(x, result, [pair for count, n in extents for pair in ((1, count), (n, n))])
    return result


# ---- arguments


def _checked_arrays(arrays) -> list[USMArray]:
    if not arrays:
        raise ValueError("expected at least one array, found none")
    return [as_view(f"array {k}", array) for k, array in enumerate(arrays)]


def _checked_list(arrays) -> list[USMArray]:
    if not isinstance(arrays, (list, tuple)):
        raise TypeError(f"arrays must be a list or tuple, found {type(arrays).__name__}")
    return _checked_arrays(arrays)


def _as_tuple(numbers):
    return tuple(numbers) if isinstance(numbers, (tuple, list)) else (numbers,)


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


def _common_shape(shapes):
    """What all of the shapes can be broadcast to."""
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
        totals[axes[k % len(axes)]] += index(shifts[k % len(shifts)])
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
            raise
        counts = [index(count) for count in repeats]
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


def _integers_of(repeats, x):
    common_queue([x, repeats])
    if repeats.dtype.kind not in "biu":
        raise TypeError(f"repeats must be integers, found elements of {repeats.dtype}")
    if repeats.ndim > 1:
        raise ValueError(f"repeats must have at most 1 dimension, found {repeats.ndim}")
    return asnumpy(repeats).tolist()


def _tile_counts(repetitions):
    if not isinstance(repetitions, tuple):
        repetitions = (repetitions,)
    counts = tuple(index(count) for count in repetitions)
    if any(count < 0 for count in counts):
        raise ValueError(f"repetitions must not be negative, found {counts}")
    return counts


# ---- moving elements


def _along(axis, start, stop):
    """The index of a range of one axis and all of the others."""
    return (*(slice(None),) * axis, slice(start, stop))


def _replaced(shape, axis, size):
    return (*shape[:axis], size, *shape[axis + 1 :])


def _new_for(arrays, shape):
    """A new array for what all of `arrays` are combined to."""
    queue = common_queue(arrays)
    return _core._new_array(
        shape, _common_dtype(arrays), common_usm_type(arrays), queue, None, "C", False
    )


def _common_dtype(arrays):
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):  # structured types among them
        return first
    return result_type(*arrays)


def _concat_flat(arrays):
    """All elements in C order, one array after the other."""
    sizes = [array.size for array in arrays]
    result = _new_for(arrays, sum(sizes))
    for array, size, stop in zip(arrays, sizes, accumulate(sizes), strict=True):
        _core._copy(array, _core._reshaped(result[stop - size : stop], array.shape, "C"))
    return result


def _rolled(x, shifts):
    """A new array with a few axes rolled: each is cut in two parts that trade places."""
    result = _core._new_like(x, None, "C")
    parts = [[(slice(None), slice(None))] for _ in x.shape]  # of each axis: (in x, in the result)
    for axis, shift in shifts:
        cut = shift % (x.shape[axis] or 1)
        if cut:
            parts[axis] = [
                (slice(None, -cut), slice(cut, None)),
                (slice(-cut, None), slice(None, cut)),
            ]
    for block in product(*parts):
        source, destination = zip(*block, strict=True) if block else ((), ())
        _core._copy(x[source], result[destination])
    return result


def _spread(x, result, extents):
    """Copies `x` to every place in `result`.

    `extents` are the sizes of the axes after both were split so that they can be broadcast: pairs
    of the one in `x`, which may be 1, and the one in `result`.
    """
    if result.size == 0:
        return
    # Axes of size 1 are left out: with them there could be more than 64.
    extents = [(source, n) for source, n in extents if n != 1]
    source = _core._reshaped(x, [n for n, _ in extents], "C")
    _core._copy(source, _core._reshaped(result, [n for _, n in extents], "C"))
