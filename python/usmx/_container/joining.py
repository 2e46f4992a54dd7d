"""Arrays joined and split by NumPy's functions: made of `concat` and of views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_array, as_integer, of_dimensions
from usmx._container.manipulation import checked_list, concat, integers_of, require_few_views
from usmx._container.numpy_names import atleast_1d, atleast_2d, atleast_3d
from usmx._core import USMArray, copy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from usmx._typing import ArrayLike, Casting, DTypeLike, Operand, Producer

# ---- joining

# How the items of an array get the dimensions that they lack, all at once: by the number of its
# dimensions.
_ALL = slice(None)
_ROWS = {1: (_ALL, None, None), 2: (_ALL, None)}
_COLUMNS = {1: (_ALL, None, None), 2: (..., None)}
_PLANES = {1: (_ALL, None, None, None), 2: (_ALL, None, _ALL, None), 3: (..., None)}


def _items(tup, keys):
    """An array whose items have the dimensions of the keys; None if it has to be looked at."""
    if type(tup) is not USMArray or tup.ndim == 0:
        return None
    return tup[keys[tup.ndim]] if tup.ndim in keys else tup


def hstack(
    tup: Sequence[Any] | Producer,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> USMArray:
    """Join arrays side by side, in a new array. Waits.

    Arrays of at most one dimension are joined along axis 0, others along axis 1.

    Args:
        tup: a list or tuple of arrays on one queue, or an array, whose rows are joined.
        dtype: the element type of the result. By default as `concat` chooses it.
        casting: which conversions to `dtype` are allowed, in NumPy's words: 'no', 'equiv', 'safe',
            'same_kind' or 'unsafe'.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `tup` is no list, tuple or array, none of its elements is a producer, or
            `casting` does not allow a conversion.

    Example:
        >>> print(usmx.hstack([usmx.arange(2), usmx.arange(3)]))
        [0 1 0 1 2]
    """
    if type(tup) is USMArray and tup.ndim > 1:
        return concat(tup, min(tup.ndim - 2, 1), dtype=dtype, casting=casting)
    views = [array if array.ndim else array[None] for array in checked_list(tup, "tup")]
    return concat(views, min(views[0].ndim - 1, 1), dtype=dtype, casting=casting)


def vstack(
    tup: Sequence[Any] | Producer,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> USMArray:
    """Join arrays as rows, in a new array. Waits.

    Args:
        tup: a list or tuple of arrays on one queue, or an array, whose rows are joined. An array of
            fewer than two dimensions is a row.
        dtype: the element type of the result. By default as `concat` chooses it.
        casting: which conversions to `dtype` are allowed, in NumPy's words: 'no', 'equiv', 'safe',
            'same_kind' or 'unsafe'.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it along axis 0.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `tup` is no list, tuple or array, none of its elements is a producer, or
            `casting` does not allow a conversion.

    Example:
        >>> print(usmx.vstack([usmx.arange(2), usmx.arange(2)]))
        [[0 1]
         [0 1]]
    """
    rows = _items(tup, _ROWS)
    if rows is None:
        rows = [atleast_2d(array) for array in checked_list(tup, "tup")]
    return concat(rows, 0, dtype=dtype, casting=casting)


def dstack(tup: Sequence[Any] | Producer) -> USMArray:
    """Join arrays along the third axis, in a new array. Waits.

    Args:
        tup: a list or tuple of arrays on one queue, each taken as `atleast_3d` gives it; or an
            array, whose rows are joined.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it along axis 2.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `tup` is no list, tuple or array, none of its elements is a producer.

    Example:
        >>> usmx.dstack([usmx.zeros((2, 3)), usmx.zeros((2, 3))]).shape
        (2, 3, 2)
    """
    planes = _items(tup, _PLANES)
    if planes is None:
        planes = [atleast_3d(array) for array in checked_list(tup, "tup")]
    return concat(planes, 2)


def column_stack(tup: Sequence[Any] | Producer) -> USMArray:
    """Join arrays as columns, in a new array. Waits.

    Args:
        tup: a list or tuple of arrays on one queue, or an array, whose rows are joined. An array of
            fewer than two dimensions is a column.

    Returns:
        A new C-contiguous USMArray on their queue, as `concat` makes it along axis 1.

    Raises:
        ValueError: there are no arrays, or the shapes differ in another axis.
        ExecutionPlacementError: the queues differ.
        TypeError: `tup` is no list, tuple or array, none of its elements is a producer.

    Example:
        >>> print(usmx.column_stack([usmx.arange(2), usmx.arange(2)]))
        [[0 0]
         [1 1]]
    """
    columns = _items(tup, _COLUMNS)
    if columns is None:
        columns = [
            array if array.ndim > 1 else atleast_1d(array)[:, None]
            for array in checked_list(tup, "tup")
        ]
    return concat(columns, 1)


def block(arrays: Any) -> USMArray:
    """Join arrays in nested lists, in a new array: the innermost ones along the last axis. Waits.

    Args:
        arrays: lists of arrays on one queue, nested equally deeply. Arrays of fewer dimensions than
            others, or than the lists are deep, get new first ones. Numbers and NumPy arrays among
            them are copied to that queue.

    Returns:
        A new USMArray on their queue, in Fortran order if all arrays in the lists are.

    Raises:
        ValueError: the lists are not nested equally deeply, one is empty, or the shapes do not fit.
        ExecutionPlacementError: the queues differ.
        TypeError: a tuple is among the lists, or no array is a producer.

    Example:
        >>> a = usmx.ones((2, 2), dtype='i4')
        >>> print(usmx.block([[a, usmx.zeros_like(a)], [usmx.zeros_like(a), a]]))
        [[1 1 0 0]
         [1 1 0 0]
         [0 0 1 1]
         [0 0 1 1]]
    """
    depth = _depth_of(arrays)
    views = checked_list(list(_leaves(arrays)))
    ndim = max(depth, *(view.ndim for view in views))
    blocks = iter([view[(None,) * (ndim - view.ndim)] for view in views])
    if depth == 0:
        return copy(next(blocks), "C")
    joined = _joined(arrays, depth, blocks)
    is_fortran = all(view.flags.f_contiguous for view in views)
    is_c = all(view.flags.c_contiguous for view in views)
    return copy(joined, "F") if is_fortran and not is_c else joined


def _depth_of(arrays):
    """How deeply the lists are nested, everywhere."""
    if isinstance(arrays, tuple):
        raise TypeError("block: arrays must be in lists, found a tuple")
    if not isinstance(arrays, list):
        return 0
    depths = {_depth_of(item) for item in arrays}
    if len(depths) != 1:
        raise ValueError(
            "block: lists must be nested equally deeply, found depths "
            f"{', '.join(map(str, sorted(depths)))}"
            if depths
            else "block: a list must not be empty"
        )
    return depths.pop() + 1


def _leaves(arrays):
    if isinstance(arrays, list):
        for item in arrays:
            yield from _leaves(item)
    else:
        yield arrays


def _joined(arrays, depth, blocks):
    if depth == 0:
        return next(blocks)
    return concat([_joined(item, depth - 1, blocks) for item in arrays], -depth)


# ---- splitting


def split(
    ary: Operand,
    indices_or_sections: SupportsIndex | ArrayLike | Producer,
    axis: SupportsIndex = 0,
) -> list[USMArray]:
    """Split an array along an axis, by views. Does not wait.

    Args:
        ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices_or_sections: the number of equal parts, or the indices before which `ary` is cut.
        axis: an integer.

    Returns:
        A list of views of `ary`.

    Raises:
        ValueError: the axis cannot be split into so many equal parts; `array_split` can.
        TypeError: an index is no integer.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> [part.tolist() for part in usmx.split(usmx.arange(4), 2)]
        [[0, 1], [2, 3]]
    """
    view, along = _with_axis(ary, axis)
    size = view.shape[along]
    count = _section_count(indices_or_sections) if _is_count(indices_or_sections) else 1
    if size % count:
        raise ValueError(
            f"split: an axis of size {size} has no {count} equal parts; "
            "usmx.array_split makes parts of different sizes"
        )
    return array_split(view, indices_or_sections, along)


def array_split(
    ary: Operand,
    indices_or_sections: SupportsIndex | ArrayLike | Producer,
    axis: SupportsIndex = 0,
) -> list[USMArray]:
    """Split an array along an axis into parts of nearly the same size, by views. Does not wait.

    Args:
        ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        indices_or_sections: the number of parts, of which the first ones are longer by one, or the
            indices before which `ary` is cut.
        axis: an integer.

    Returns:
        A list of views of `ary`.

    Raises:
        ValueError: the number of parts is not positive.
        TypeError: an index is no integer.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> [part.tolist() for part in usmx.array_split(usmx.arange(3), 2)]
        [[0, 1], [2]]
    """
    view, along = _with_axis(ary, axis)
    cuts = _cuts(indices_or_sections, view.shape[along])
    before = (slice(None),) * along
    starts, stops = [0, *cuts], [*cuts, view.shape[along]]
    return [view[(*before, slice(i, k))] for i, k in zip(starts, stops, strict=True)]


def hsplit(
    ary: Operand, indices_or_sections: SupportsIndex | ArrayLike | Producer
) -> list[USMArray]:
    """Split an array along axis 1, or along axis 0 if there is no other, by views. Does not wait.

    Args:
        ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 1
            dimension.
        indices_or_sections: the number of equal parts, or the indices before which `ary` is cut.

    Returns:
        A list of views of `ary`.

    Raises:
        ValueError: there are too few dimensions, or the axis cannot be split into so many equal
            parts.
        TypeError: an index is no integer.

    Example:
        >>> [part.tolist() for part in usmx.hsplit(usmx.asarray([[1, 2], [3, 4]]), 2)]
        [[[1], [3]], [[2], [4]]]
    """
    view = of_dimensions("hsplit", ary, 1)
    return split(view, indices_or_sections, min(view.ndim - 1, 1))


def vsplit(
    ary: Operand, indices_or_sections: SupportsIndex | ArrayLike | Producer
) -> list[USMArray]:
    """Split an array along axis 0, by views. Does not wait.

    Args:
        ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 2
            dimensions.
        indices_or_sections: the number of equal parts, or the indices before which `ary` is cut.

    Returns:
        A list of views of `ary`.

    Raises:
        ValueError: there are too few dimensions, or the axis cannot be split into so many equal
            parts.
        TypeError: an index is no integer.

    Example:
        >>> [part.tolist() for part in usmx.vsplit(usmx.asarray([[1, 2], [3, 4]]), 2)]
        [[[1, 2]], [[3, 4]]]
    """
    return split(of_dimensions("vsplit", ary, 2), indices_or_sections, 0)


def dsplit(
    ary: Operand, indices_or_sections: SupportsIndex | ArrayLike | Producer
) -> list[USMArray]:
    """Split an array along axis 2, by views. Does not wait.

    Args:
        ary: a USMArray or any other producer of ``__sycl_usm_array_interface__``, of at least 3
            dimensions.
        indices_or_sections: the number of equal parts, or the indices before which `ary` is cut.

    Returns:
        A list of views of `ary`.

    Raises:
        ValueError: there are too few dimensions, or the axis cannot be split into so many equal
            parts.
        TypeError: an index is no integer.

    Example:
        >>> [part.shape for part in usmx.dsplit(usmx.zeros((2, 3, 4)), [1])]
        [(2, 3, 1), (2, 3, 3)]
    """
    return split(of_dimensions("dsplit", ary, 3), indices_or_sections, 2)


# ---- arguments


def _with_axis(ary, axis):
    view = as_array("ary", ary)
    return view, _core._normalized_axis(axis, view.ndim)


def _is_count(indices_or_sections):
    """Whether it is one integer. An array has an __index__, too."""
    return (
        hasattr(indices_or_sections, "__index__") and getattr(indices_or_sections, "ndim", 0) == 0
    )


def _section_count(sections):
    count = as_integer("indices_or_sections", sections)
    if count < 1:
        raise ValueError(f"the number of parts must be positive, found {count}")
    return count


def _cuts(indices_or_sections, size):
    """The indices before which an axis of this size is cut."""
    if not _is_count(indices_or_sections):
        return integers_of("indices_or_sections", indices_or_sections)
    count = _section_count(indices_or_sections)
    require_few_views(count)
    length, longer = divmod(size, count)
    return [length * k + min(k, longer) for k in range(1, count)]
