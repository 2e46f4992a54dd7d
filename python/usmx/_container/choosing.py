"""Elements chosen from several arrays, or by conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.conversion import astype
from usmx._container.creation import as_view, beside
from usmx._container.host import _numpy
from usmx._container.indexing import (
    integers,
    take,
    take_along_axis,
    truths,
    written,
)
from usmx._container.manipulation import checked_list, common_shape, stack
from usmx._container.types import result_type
from usmx._core import USMArray, broadcast_to

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, IndexMode, Producer


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
    masks = [as_view(f"condition {k}", condition) for k, condition in enumerate(condlist)]
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
    """Select each element from that of several arrays whose number stands there. Waits.

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
    view = as_view("a", a)
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
    places = numbers[(None,) * (rows.ndim - numbers.ndim)]
    try:
        chosen = take_along_axis(rows, places, 0)
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
    view = as_view("a", a)
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
    return isinstance(value, (bool, int, float, complex, _numpy().generic))
