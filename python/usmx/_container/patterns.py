"""New arrays whose elements follow a rule: arange, linspace, eye, tril, triu, meshgrid.

The numbers of arange and linspace are NumPy's, made on the host. How many integers there are is
counted here: NumPy counts in float64, and takes what does not fit its integers for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.creation import as_array, as_integer
from usmx._container.host import numpy, on_host
from usmx._container.little import numpys
from usmx._container.manipulation import together
from usmx._container.types import default_types
from usmx._core import USMArray, _as_array, asarray, broadcast_to, reshape

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import (
        ArrayLike,
        DeviceLike,
        DTypeLike,
        GridIndexing,
        Operand,
        OrderCF,
        Producer,
        QueueLike,
        UsmType,
    )

_MOST_BY_NUMPY = 16384  # elements of a triangle
_ROWS_FOR_NUMPY = 16  # the least, each of which is a copy here
_LARGE = 2**62  # differences of smaller integers fit the native module's


def arange(
    start: complex | Producer,
    /,
    stop: complex | Producer | None = None,
    step: complex | Producer = 1,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a 1-dimensional array of numbers from start to below stop, in steps. Waits.

    Args:
        start: the first number. With one argument only, the array begins at 0 and `start` is the
            end of the range.
        stop: the end of the range, which the array does not include.
        step: the difference between neighbours. It may be negative.
        dtype: the element type. By default the device's default type of the kind of the numbers:
            integer, floating-point or complex.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ZeroDivisionError: `step` is 0.
        TypeError: `start`, `stop` or `step` is no number, or `dtype` is bool and there would be
            more than 2 elements.
        OverflowError: a number does not fit the element type.
        ValueError: an argument has a value that is not accepted, there would be 2**63 elements or
            more, or the device lacks the type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.arange(1, 10, 3))
        [1 4 7]
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if dtype is device is usm_type is sycl_queue is None:
        counted = _counted(start, stop, step)
        if counted is not None:
            return counted
    start, stop, step = map(_number_in, (start, stop, step))
    _require_numbers(start=start, stop=stop, step=step)
    if step == 0:
        raise ZeroDivisionError("step of arange must not be 0")
    dtype = _type_of_numbers((start, stop, step), dtype, device, sycl_queue)
    numbers = [_exact(number) for number in (start, stop, step)]
    if not all(isinstance(number, int) for number in numbers):
        _require_countable(*numbers)
        return _on_device(numpy.arange(*numbers, dtype), device, usm_type, sycl_queue)
    begin, end, stride = numbers
    count = max(0, -((begin - end) // stride))
    # Before the numbers, which are as many: this says what is too large for usmx.
    result = _core._new_array(count, dtype, usm_type, sycl_queue, device, "C", zeroed=False)
    _core._copy_from_host(result, _integers(begin, end, stride, dtype, count))
    return result


def _counted(start: Any, stop: Any, step: Any) -> USMArray | None:
    """A few of Python's own integers in default memory; None for all else."""
    if not (type(start) is type(stop) is type(step) is int and step == 1):
        return None
    return _core._counted(start, stop - start) if max(abs(start), abs(stop)) < _LARGE else None


def linspace(
    start: Any,
    stop: Any,
    /,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike | None = None,
    sycl_queue: QueueLike | None = None,
    usm_type: UsmType | None = None,
) -> Any:
    """Make an array of evenly spaced numbers. Waits.

    Args:
        start: the first number; or an array of first numbers, which is broadcast together with
            `stop`.
        stop: the last number, or the number after the last one if `endpoint` is False; or an array
            of them.
        num: how many numbers, 0 or more.
        endpoint: whether `stop` is one of the numbers.
        retstep: whether the difference between neighbours is returned, too.
        dtype: the element type. By default the device's default floating-point type, or its complex
            type if a number is complex.
        axis: of arrays: which axis of the result has the numbers.
        device: where the array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
            default the default device, or the queue of the arrays in USM.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device, or
            that of the arrays in USM.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of
            the arrays in USM.

    Returns:
        A USMArray in new memory, which usmx owns: of one dimension, or of one more than the arrays.
        With `retstep`, a tuple of it and the difference, which is a number or an array.

    Raises:
        ValueError: `num` is negative, the shapes cannot be broadcast together, or the device lacks
            the type.
        TypeError: `start` or `stop` has other elements than numbers, or `num` is no integer.
        numpy.exceptions.AxisError: there is no such axis.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.linspace(0, 1, 5))
        [0.   0.25 0.5  0.75 1.  ]
    """
    if dtype is device is usm_type is sycl_queue is None and _are_short(start, stop):
        count = as_integer("num", num)
        if count >= 0 and type(axis) is int and axis in (0, -1):
            made = _core._new_array(count, None, None, None, None, "C", False)
            numbers, step = numpy.linspace(start, stop, count, bool(endpoint), True, made.dtype)
            _core._copy_from_host(made, numbers)
            return (made, step) if retstep else made
    views = [view for view in map(_as_array, (start, stop)) if view is not None]
    if views and sycl_queue is None and device is None:
        sycl_queue = common_queue(views)
    if usm_type is None:
        usm_type = common_usm_type(views) if views else None
    start, stop = _end("start", start), _end("stop", stop)
    num = as_integer("num", num)
    if num < 0:
        raise ValueError(f"num of linspace must not be negative, found {num}")
    dtype = _type_of_numbers((start, stop, 0.0), dtype, device, sycl_queue)
    shape = numpy.broadcast_shapes(start.shape, stop.shape)
    along = _core._normalized_axis(axis, len(shape) + 1)
    # Before the numbers, which are as many: this says what is too large for usmx.
    result = _core._new_array(
        (*shape[:along], num, *shape[along:]), dtype, usm_type, sycl_queue, device, "C", False
    )
    numbers, step = numpy.linspace(start, stop, num, bool(endpoint), True, dtype, axis)
    _core._copy_from_host(result, numbers)
    if not retstep:
        return result
    place: dict[str, Any] = {"usm_type": usm_type, "sycl_queue": result._own_queue}
    return result, step if numpy.ndim(step) == 0 else asarray(step, **place)


def _are_short(*numbers: Any) -> bool:
    """Whether they are Python's own floats and integers that NumPy's types hold."""
    return all(
        type(each) is float or (type(each) is int and -_LARGE < each < _LARGE) for each in numbers
    )


def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: DTypeLike | None = None,
    order: OrderCF | None = "C",
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make a matrix with ones on one diagonal and zeros elsewhere. Waits.

    Args:
        N: the number of rows.
        M: the number of columns. By default `N`.
        k: which diagonal: 0 for the main one, positive above it, negative below it.
        dtype: the element type: a typestr, a name, a NumPy dtype or scalar type, or a Python type.
            By default float64, or float32 on a device without float64.
        order: 'C', where the last index varies fastest in memory, or 'F', where the first one does.
        device: where the array is: a filter string such as 'gpu', a SyclDevice, a SyclQueue or a
            Device. By default the default device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the array. By default the queue that usmx keeps for the device.

    Returns:
        A USMArray in new memory, which usmx owns.

    Raises:
        ValueError: an argument has a value that is not accepted, or the device lacks the type.
        TypeError: an argument has a wrong type.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> print(usmx.eye(2, 3, k=1, dtype='i4'))
        [[0 1 0]
         [0 0 1]]
    """
    rows = as_integer("N", N)
    columns = rows if M is None else as_integer("M", M)
    k = as_integer("k", k)
    result = _core._new_array(
        (rows, columns), dtype, usm_type, sycl_queue, device, order, zeroed=True
    )
    _set_diagonal(result, k, 1)
    return result


def tril(x: ArrayLike | Producer, /, k: SupportsIndex = 0) -> USMArray:
    """Copy the elements on and below a diagonal, with zeros above it. Waits on CPU devices.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue. Each matrix of the last two dimensions is treated
            alike. One dimension is taken for each row of a square matrix.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        A USMArray in new memory, on the same queue and of the same kind.

    Raises:
        ValueError: `x` has no dimensions.
        TypeError: no array can be made of `x`, or `k` is no integer.

    Example:
        >>> print(usmx.tril(usmx.ones((2, 2), dtype='i4')))
        [[1 0]
         [1 1]]
    """
    return _triangle(x, k, lower=True)


def triu(x: ArrayLike | Producer, /, k: SupportsIndex = 0) -> USMArray:
    """Copy the elements on and above a diagonal, with zeros below it. Waits on CPU devices.

    Args:
        x: a USMArray or any other producer of ``__sycl_usm_array_interface__``; a number or lists
            are copied to the current queue. Each matrix of the last two dimensions is treated
            alike. One dimension is taken for each row of a square matrix.
        k: the diagonal: 0 for the main one, positive above it, negative below it.

    Returns:
        A USMArray in new memory, on the same queue and of the same kind.

    Raises:
        ValueError: `x` has no dimensions.
        TypeError: no array can be made of `x`, or `k` is no integer.

    Example:
        >>> print(usmx.triu(usmx.ones((2, 2), dtype='i4')))
        [[1 1]
         [0 1]]
    """
    return _triangle(x, k, lower=False)


def meshgrid(
    *arrays: Operand, copy: bool = False, sparse: bool = False, indexing: GridIndexing = "xy"
) -> tuple[USMArray, ...]:
    """Make the coordinates of a grid, as one view of each array. Waits for copies alone.

    Args:
        arrays: arrays of at most 1 dimension, on one queue; each is a USMArray or any other
            producer of ``__sycl_usm_array_interface__``. What is on the host is copied to where the
            others are.
        copy: whether the results are new arrays. NumPy's default is True.
        sparse: whether each result has the size 1 along the axes of the other arrays.
        indexing: 'ij': axis k of the views belongs to array k. 'xy': the first two axes are
            swapped.

    Returns:
        A tuple of views of the arrays' memory, all of the grid's shape, in which elements repeat,
        or of new arrays if `copy` is true.

    Raises:
        ValueError: `indexing` is neither of these, or an array has more than 1 dimension.
        ExecutionPlacementError: the arrays are on different queues.
        TypeError: an argument is no producer.

    Example:
        >>> x, y = usmx.meshgrid(usmx.arange(3), usmx.arange(2))
        >>> print(y)
        [[0 0 0]
         [1 1 1]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', found {indexing!r}")
    views = together(arrays) if arrays else []
    for k, view in enumerate(views):
        if view.ndim > 1:
            raise ValueError(
                f"arrays must have at most 1 dimension, found array {k} of shape {view.shape}"
            )
    if views:
        common_queue(views)
    axes = list(range(len(views)))
    if indexing == "xy" and len(views) > 1:
        axes[:2] = 1, 0
    views = [reshape(view, -1) for view in views]
    shape = [0] * len(views)
    for axis, view in zip(axes, views, strict=True):
        shape[axis] = view.shape[0]
    grids = []
    for axis, view in zip(axes, views, strict=True):
        extents = [n if k == axis or not sparse else 1 for k, n in enumerate(shape)]
        grid = _along(view, axis, extents)
        grids.append(_core.copy(grid, "C") if copy else grid)
    return tuple(grids)


# ---- numbers


def _end(name, given):
    """One end of linspace as a NumPy array. Python's large integers are numbers, too."""
    found = on_host(float(given) if type(given) is int else given)
    if found.dtype.kind not in "biufc":
        raise TypeError(f"{name} must have numbers, found elements of {found.dtype}")
    return found


def _number_in(value):
    """The number in an array without dimensions; anything else itself."""
    is_array = isinstance(value, (USMArray, numpy.ndarray))
    return value.item() if is_array and value.ndim == 0 else value


def _require_numbers(**numbers):
    for name, number in numbers.items():
        if not isinstance(number, (bool, int, float, complex, numpy.number, numpy.bool)):
            raise TypeError(f"{name} must be a number, found {type(number).__name__}")


def _type_of_numbers(numbers, dtype, device, sycl_queue):
    """The type that was asked for, else the device's default type of the kind of the numbers."""
    if dtype is not None:
        return _core._dtype(dtype)
    kind = numpy.result_type(*(numpy.asarray(number) for number in numbers)).kind
    kinds = {"f": "real floating", "c": "complex floating"}
    where = _core._queue_argument(sycl_queue, device).sycl_device
    return default_types(where)[kinds.get(kind, "integral")]


def _exact(number):
    """Integers as Python's, whose differences do not overflow."""
    return int(number) if isinstance(number, (int, numpy.integer, numpy.bool)) else number


def _require_countable(start, stop, step):
    """NumPy takes 2**63 numbers for none, and refuses more."""
    steps = (stop - start) / step
    if max(steps.real, steps.imag) >= 2**63:
        raise ValueError(
            f"arange: there must be less than 2**63 numbers, found {steps} from {start} to {stop}"
        )


def _integers(start, stop, step, dtype, count):
    """NumPy's numbers, as many as there are."""
    numbers = numpy.arange(start, stop, step, dtype)
    if len(numbers) == count:
        return numbers
    # The count needs more bits than float64 has. What does not fit wraps, as NumPy's does.
    places = numpy.arange(count).astype("u8")
    wrapped = places * numpy.uint64(step % 2**64) + numpy.uint64(start % 2**64)
    return wrapped.view("i8").astype(dtype)


def _on_device(numbers, device, usm_type, sycl_queue):
    return asarray(numbers, numbers.dtype, device=device, usm_type=usm_type, sycl_queue=sycl_queue)


# ---- views and parts


def _along(view, axis, shape):
    """The 1-dimensional view as axis `axis` of `shape`, repeated along the others."""
    strides = [0] * len(shape)
    strides[axis] = view.strides[0]
    return USMArray(tuple(shape), view.dtype, view, tuple(strides), view.offset)


def _set_diagonal(matrix, k, value):
    """Sets the elements [i, i + k]."""
    rows, columns = matrix.shape
    row, column = max(0, -k), max(0, k)
    length = min(rows - row, columns - column)
    if length > 0:
        down, right = matrix.strides
        first = matrix.offset + row * down + column * right
        _core._fill(USMArray(length, matrix.dtype, matrix, (down + right,), first), value)


def _triangle(x, k, lower):
    """The elements on one side of a diagonal, copied row by row where it cuts through the rows."""
    view = as_array("x", x)
    k = as_integer("k", k)
    if view.ndim == 0:
        raise ValueError("x must have at least 1 dimension, found shape ()")
    if view.ndim == 1:
        view = broadcast_to(view, view.shape * 2)
    rows, columns = view.shape[-2:]
    if rows >= _ROWS_FOR_NUMPY:
        made = numpys("tril" if lower else "triu", _MOST_BY_NUMPY, (view, k), {})
        if made is not None:
            return made
    result = _core.zeros_like(view)

    def clipped(row):
        return min(max(row, 0), rows)

    if lower:
        whole = slice(clipped(columns - 1 - k), rows)
        cut = range(clipped(-k), whole.start)
    else:
        whole = slice(0, clipped(1 - k))
        cut = range(whole.stop, clipped(columns - k))
    _copy_part(view, result, (..., whole, slice(None)))
    for row in cut:
        _copy_part(view, result, (..., row, slice(row + k + 1) if lower else slice(row + k, None)))
    return result


def _copy_part(source, destination, where):
    _core._copy(source[where], destination[where])
