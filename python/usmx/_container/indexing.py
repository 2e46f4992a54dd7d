"""Elements by indices, masks and conditions, of one or several arrays, and setting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.creation import as_array, as_axis, as_view, beside
from usmx._container.flat import repeated, set_flat, set_positions
from usmx._container.host import host_index, numpy, type_of_array
from usmx._container.manipulation import checked_list, common_shape, stack
from usmx._container.types import astype, can_cast, result_type
from usmx._core import USMArray, _as_array, asnumpy, broadcast_to, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, IndexMode, Producer


def take(
    x: Producer,
    indices: ArrayLike | Producer,
    /,
    axis: SupportsIndex | None = None,
    out: USMArray | None = None,
    mode: IndexMode = "raise",
) -> USMArray:
    """Select the elements at some indices along an axis. Waits.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices: an array of integers, of any shape. True counts as 1, and False as 0.
        axis: an integer. None treats `x` as if it had one dimension, in C order.
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
        ValueError: `out` is read-only or has another shape.
        TypeError: `out` has another type.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.take(usmx.asarray([10, 20, 30]), [2, 0]))
        [30 10]
    """
    view = as_array("x", x)
    view, along = with_axis(view if view.ndim else view[None], axis)
    if type(indices) is USMArray and mode == "raise" and indices.dtype.kind in "iu":
        chosen = indices
    else:
        chosen = _numbers(indices, view.shape[along], mode)
    if along == 0 and chosen.ndim > 0:
        result = view[chosen]
    elif chosen.ndim > 0:
        result = view[along_axis(along, chosen)]
    else:  # which would be taken for an integer, and select a view
        result = view[along_axis(along, chosen[None])][along_axis(along, 0)]
    return written(result, out)


def put(
    a: Producer,
    ind: ArrayLike | Producer,
    v: object,
    mode: IndexMode = "raise",
    *,
    axis: SupportsIndex | None = None,
) -> None:
    """Set the elements at some indices. Waits.

    If the function raises, it has set nothing. If an index occurs twice, its last value counts.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        ind: an array of integers, of any shape. True counts as 1, and False as 0.
        v: an array, a scalar or nested lists. Without an axis, too few values are used again from
            the start, and too many are cut; with one, they are broadcast to the shape of ``take(a,
            ind, axis=axis)``, as dpctl does it.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.
        axis: an integer. None counts through all elements, in C order.

    Raises:
        IndexError: an index is outside of its axis, or `ind` has no integers.
        ValueError: `a` is read-only, or the shapes do not fit.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> a = usmx.zeros(4)
        >>> usmx.put(a, [0, 1, 3], [1, 2])
        >>> print(a)
        [1. 2. 0. 1.]
    """
    view = as_view("a", a)
    if axis is None:
        set_flat(view, _numbers(ind, view.size, mode).reshape(-1), v)
        return
    view, along = with_axis(view if view.ndim else view[None], axis)
    view[along_axis(along, _numbers(ind, view.shape[along], mode))] = v


def take_along_axis(
    x: Producer,
    indices: ArrayLike | Producer,
    /,
    axis: SupportsIndex | None = -1,
    mode: IndexMode = "raise",
) -> USMArray:
    """Select elements along an axis, at indices for each position on the other axes. Waits.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices: an array of integers with as many dimensions as `x`, or one without an axis. Its
            shape, but for the axis, can be broadcast together with that of `x`.
        axis: an integer. None treats `x` as if it had one dimension, in C order.
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
    view = as_array("x", x)
    if axis is None:
        view, axis = reshape(view, -1), 0
    return _core._take_along_axis(view, *_at_each_position(view, indices, axis, mode))


def put_along_axis(
    arr: Producer,
    indices: ArrayLike | Producer,
    values: object,
    axis: SupportsIndex | None = -1,
    *,
    mode: IndexMode = "raise",
) -> None:
    """Set elements along an axis, at indices for each position on the other axes. Waits.

    If the function raises, it has set nothing. If an index occurs twice, its last value counts.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        indices: an array of integers with as many dimensions as `arr`, or one without an axis. Its
            shape, but for the axis, can be broadcast together with that of `arr`.
        values: an array, a scalar or nested lists, which can be broadcast to the shape of
            ``take_along_axis(arr, indices, axis=axis)``.
        axis: an integer. None counts through all elements, in C order.
        mode: what becomes of an index outside of the axis. 'raise': an IndexError; negative indices
            count from the end. 'wrap': the index is counted on from the other end. 'clip': the
            index becomes the first or the last one, and so does every negative index.

    Raises:
        IndexError: an index is outside of its axis, or `indices` are no integers.
        ValueError: `arr` is read-only, or the shapes do not fit.

    Example:
        >>> x = usmx.zeros((2, 2), dtype='i4')
        >>> usmx.put_along_axis(x, usmx.asarray([[1], [0]]), 7)
        >>> x.tolist()
        [[0, 7], [7, 0]]
    """
    view = as_view("arr", arr)
    if axis is None:
        chosen = integers(indices, view.size, mode)
        _require_ndim(chosen, 1)
        set_positions(view, chosen, values)
        return
    chosen, along = _at_each_position(view, indices, axis, mode)
    _core._put_along_axis(view, chosen, values, along)


def extract(condition: ArrayLike | Producer, arr: Producer) -> USMArray:
    """Select the elements for which a condition is not zero, in C order. Waits.

    Args:
        condition: an array of any type and shape. Where it has fewer elements than `arr`, the rest
            is not selected.
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``.

    Returns:
        A new array of one dimension, on the queue of `arr` and of its kind.

    Raises:
        IndexError: `condition` selects more elements than there are.

    Example:
        >>> print(usmx.extract([True, False, True], usmx.arange(3)))
        [0 2]
    """
    view = as_array("arr", arr)
    chosen = truths(condition, view)
    if chosen.size == view.size:
        return view[reshape(chosen, view.shape)]
    return take(view, nonzero(reshape(chosen, -1))[0])


def place(arr: Producer, mask: ArrayLike | Producer, vals: object) -> None:
    """Set the elements for which a mask is not zero, in C order. Waits.

    Args:
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``. It is written to.
        mask: an array of any type and shape, with as many elements.
        vals: a scalar, an array or a sequence, of which as many elements are used as are needed, in
            C order. If there are too few, they are used again from the start.

    Raises:
        ValueError: the sizes differ, `arr` is read-only, or `vals` is empty while elements are to
            be set.
        TypeError: `vals` is an array whose type cannot be cast without loss.

    Example:
        >>> a = usmx.arange(4)
        >>> usmx.place(a, [0, 1, 0, 1], [7, 8])
        >>> print(a)
        [0 7 2 8]
    """
    view = as_view("arr", arr)
    chosen = truths(mask, view)
    if chosen.size != view.size:
        raise ValueError(f"mask must have {view.size} elements, found {chosen.size}")
    found = None if view.dtype.names else type_of_array(vals)
    if found is not None and not can_cast(found, view.dtype, casting="safe"):
        raise TypeError(f"vals of type {found} cannot be cast to {view.dtype} without loss")
    needed = _core._count_nonzero(chosen)
    values = repeated(vals, needed, view.dtype)
    if values.size == 0 and needed > 0:
        raise ValueError(f"vals must not be empty: {needed} elements are to be set")
    view[reshape(chosen, view.shape)] = values


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
    view = as_array("arr", arr)
    if view.ndim == 0:
        raise ValueError("arr must have at least 1 dimension, found shape ()")
    return _core._nonzero(view)


# ---- what the functions have in common


def along_axis(axis: int, item: object) -> tuple[object, ...]:
    return (*(slice(None),) * axis, item)


def with_axis(x: USMArray, axis: SupportsIndex | None) -> tuple[USMArray, int]:
    """An array and its axis. Without one, all elements in one dimension, in C order."""
    if axis is None:
        return reshape(x, -1), 0
    return x, as_axis(axis, x.ndim)


def written(result: USMArray, out: USMArray | None) -> USMArray:
    """The result, or `out` where it was asked to be written there."""
    if out is None:
        return result
    if not isinstance(out, _core.USMArray):
        raise TypeError(f"out must be a USMArray, found {type(out).__name__}")
    if not out.flags.writable:
        raise ValueError("out is read-only")
    if out.shape != result.shape:
        raise ValueError(f"out must have shape {result.shape}, found {out.shape}")
    if out.dtype != result.dtype:
        raise TypeError(f"out must have dtype {result.dtype}, found {out.dtype}")
    out[...] = result
    return out


def _numbers(indices, size, mode):
    """Integers as `take` has them, which NumPy makes of bools, too."""
    array = _index_array(indices)
    return _within(array.astype("u1") if array.dtype.kind == "b" else array, size, mode)


def _index_array(indices: object) -> Any:
    """A USMArray, or an array of NumPy's of what is on the host."""
    array = _as_array(indices)
    return host_index(indices) if array is None else array


def integers(indices: object, size: int, mode: IndexMode) -> Any:
    """An array of integers; those outside of the axis are brought into it where `mode` says so."""
    return _within(_index_array(indices), size, mode)


def _within(array: Any, size: int, mode: IndexMode) -> Any:
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', found {mode!r}")
    if array.dtype.kind not in "iu":
        raise IndexError(f"indices must be integers, found {array.dtype}")
    if mode == "raise" or array.size == 0:
        return array
    if size == 0:
        raise IndexError("an axis with size 0 has no index")
    host = asnumpy(array) if isinstance(array, _core.USMArray) else array
    host = host.astype(f"{host.dtype.kind}8")
    if mode == "wrap":
        return numpy.remainder(host, host.dtype.type(size))
    return numpy.clip(host, host.dtype.type(0), host.dtype.type(size - 1))


def _at_each_position(
    x: USMArray, indices: object, axis: SupportsIndex, mode: IndexMode
) -> tuple[object, int]:
    """Integers with as many dimensions as x, and the axis that they select along."""
    along = _core._normalized_axis(axis, x.ndim)
    chosen = integers(indices, x.shape[along], mode)
    _require_ndim(chosen, x.ndim)
    return chosen, along


def _require_ndim(indices: Any, ndim: int) -> None:
    if indices.ndim != ndim:
        raise ValueError(f"indices must have as many dimensions as x, {ndim}, found {indices.ndim}")


def truths(condition: Any, array: USMArray) -> USMArray:
    """Bools on the queue of `array`: where a condition of any type and shape is not zero."""
    view = beside(array, condition)
    return view if view.dtype == bool else astype(view, bool)


# ---- elements of several arrays, or by conditions


def select(condlist: Sequence[Producer], choicelist: Sequence[Any], default: Any = 0) -> USMArray:
    """Select each element from the first of several arrays whose condition holds there. Waits.

    All arrays are broadcast together. The element type is the `result_type` of the choices and of
    `default`, and the kind of memory is the one that `get_coerced_usm_type` gives.

    Args:
        condlist: arrays of bools on one queue.
        choicelist: as many arrays on the same queue, or numbers.
        default: an array or a number, for elements for which no condition holds.

    Returns:
        A new C-contiguous USMArray on the queue of the conditions.

    Raises:
        ValueError: the lists are empty or of different lengths, or the shapes do not fit.
        TypeError: a condition is no array of bools.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> x = usmx.arange(4)
        >>> print(usmx.select([usmx.asarray([True, False, False, True])], [x], 7))
        [0 7 7 3]
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"select: there must be a choice for each condition, found {len(condlist)} conditions "
            f"and {len(choicelist)} choices"
        )
    if not condlist:
        raise ValueError("select: there must be a condition, found none")
    masks = [as_array(f"condition {k}", condition) for k, condition in enumerate(condlist)]
    for k, mask in enumerate(masks):
        if mask.dtype != bool:
            raise TypeError(f"condition {k} must be an array of bools, found {mask.dtype}")
    choices = [
        choice if _is_scalar(choice) else beside(masks[0], choice)
        for choice in (*choicelist, default)
    ]
    arrays = [*masks, *(choice for choice in choices if isinstance(choice, USMArray))]
    shape = common_shape([array.shape for array in arrays])
    kind, queue = common_usm_type(arrays), common_queue(arrays)
    result = _core._new_array(shape, result_type(*choices), kind, queue, None, "C", False)
    result[...] = choices.pop()
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        assign_where(result, mask, choice)
    return result


def choose(
    a: Producer,
    choices: Any,
    out: USMArray | None = None,
    mode: IndexMode = "raise",
) -> USMArray:
    """Select each element from one of several arrays, whose number is in `a`. Waits.

    Args:
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``: integers, the
            numbers of the choices.
        choices: a list or tuple of arrays on the queue of `a`, or an array, whose rows they are.
            All are broadcast together.
        out: where the result is written: an array of the result's shape and element type.
        mode: what becomes of a number that no choice has. 'raise': a ValueError. 'wrap': it is
            counted on from the other end. 'clip': it becomes the first or the last one.

    Returns:
        A new array on the queue of `a`, or `out`.

    Raises:
        ValueError: a number is outside of the choices, there are none, the shapes do not fit, or
            `out` is read-only or has another shape.
        TypeError: `out` has another type.
        IndexError: `a` has other elements than integers.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> a = usmx.asarray([0, 1, 0])
        >>> print(usmx.choose(a, [usmx.asarray([1, 2, 3]), usmx.asarray([7, 8, 9])]))
        [1 8 3]
    """
    view = as_array("a", a)
    given = checked_list([*choices, view])[:-1]
    if not given:
        raise ValueError("choose: there must be choices, found none")
    common_queue([view, *given])
    shape = common_shape([array.shape for array in (view, *given)])
    if view.dtype == bool:
        view = astype(view, "u1")
    numbers = integers(view, len(given), mode)
    if mode == "raise":
        numbers = astype(numbers, "u8")  # where a negative number is none of a choice
    rows = stack([broadcast_to(array, shape) for array in given])
    positions = numbers[(None,) * (rows.ndim - numbers.ndim)]
    try:
        chosen = take_along_axis(rows, positions, 0)
    except IndexError as error:
        raise ValueError(f"choose: there are {len(given)} choices: {error}") from None
    return written(chosen[0], out)


def compress(
    condition: ArrayLike | Producer,
    a: Producer,
    axis: SupportsIndex | None = None,
    out: USMArray | None = None,
) -> USMArray:
    """Select the parts along an axis for which a condition is not zero. Waits.

    Args:
        condition: an array of one dimension. Where it is shorter than the axis, the rest is not
            selected.
        a: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        axis: an integer. None treats `a` as if it had one dimension, in C order.
        out: where the result is written: an array of the result's shape and element type.

    Returns:
        A new array on the queue of `a` and of its kind, or `out`.

    Raises:
        ValueError: `condition` has other than 1 dimension, or `out` is read-only or has another
            shape or type.
        IndexError: `condition` selects more than there is.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.compress([True, False, True], usmx.arange(3)))
        [0 2]
    """
    view = as_array("a", a)
    chosen = truths(condition, view)
    if chosen.ndim != 1:
        raise ValueError(f"condition must have 1 dimension, found shape {chosen.shape}")
    return take(view, _core._nonzero(chosen)[0], axis, out)


def assign_where(target: USMArray, mask: USMArray, values: Any) -> None:
    """Set the elements where a mask of bools says so. Both are broadcast to the target's shape."""
    chosen = broadcast_to(mask, target.shape)
    is_array = isinstance(values, USMArray)
    target[chosen] = broadcast_to(values, target.shape)[chosen] if is_array else values


def _is_scalar(value):
    return isinstance(value, (bool, int, float, complex, numpy.generic))
