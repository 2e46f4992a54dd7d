"""New arrays whose elements follow a rule: arange, linspace, eye, tril, triu, meshgrid.

The elements are NumPy's, made on the host, in place where the host may write to the array.
"""

import operator

from usmx import _core
from usmx._creation import _numpy, as_view
from usmx._placement import common_queue
from usmx._types import default_types


def arange(
    start, /, stop=None, step=1, *, dtype=None, device=None, usm_type="device", sycl_queue=None
):
    """A new 1-dimensional array of start, start + step, ... up to but not including stop. Waits.

    Args:
        start, stop, step: Python or NumPy numbers; arange(n) is arange(0, n).
        dtype: element type; by default the device's default type of the kind of the numbers.
        device, usm_type, sycl_queue: as in `empty`.

    Raises:
        ValueError: step is 0, or `dtype` is bool and there are more than 2 elements.
        TypeError: start, stop or step is no number.
        USMAllocationError, ValueError, TypeError: as in `empty`.
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    _require_numbers(start=start, stop=stop, step=step)
    if step == 0:
        raise ValueError("step of arange must not be 0")
    dtype = _type_of_numbers((start, stop, step), dtype, device, sycl_queue)
    return _on_device(_numpy().arange(start, stop, step, dtype), device, usm_type, sycl_queue)


def linspace(
    start,
    stop,
    /,
    num,
    *,
    dtype=None,
    device=None,
    endpoint=True,
    sycl_queue=None,
    usm_type="device",
):
    """A new 1-dimensional array of `num` evenly spaced numbers. Waits.

    Args:
        start: the first number.
        stop: the last number; where `endpoint` is False, the one after it.
        num: how many, 0 or more.
        dtype: element type; by default the device's default floating-point type, complex where a
            number is.
        endpoint: whether `stop` is one of the numbers.
        device, usm_type, sycl_queue: as in `empty`.

    Raises:
        ValueError: `num` is negative.
        TypeError: start or stop is no number, or num no integer.
        USMAllocationError, ValueError, TypeError: as in `empty`.
    """
    _require_numbers(start=start, stop=stop)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"num of linspace must not be negative, found {num}")
    dtype = _type_of_numbers((start, stop, 0.0), dtype, device, sycl_queue)
    numbers = _numpy().linspace(start, stop, num, endpoint=bool(endpoint), dtype=dtype)
    return _on_device(numbers, device, usm_type, sycl_queue)


def eye(
    n_rows,
    n_cols=None,
    /,
    *,
    k=0,
    dtype=None,
    order="C",
    device=None,
    usm_type="device",
    sycl_queue=None,
):
    """A new matrix with ones on a diagonal and zeros elsewhere. Waits.

    Args:
        n_rows, n_cols: its shape; `n_cols` is by default `n_rows`.
        k: which diagonal: 0 the main one, above it positive, below it negative.
        dtype, order, device, usm_type, sycl_queue: as in `empty`.

    Raises:
        TypeError: a number is no integer.
        ValueError, TypeError, USMAllocationError: as in `empty`.
    """
    n_rows = operator.index(n_rows)
    n_cols = n_rows if n_cols is None else operator.index(n_cols)
    k = operator.index(k)
    result = _core._new_array(
        (n_rows, n_cols), dtype, usm_type, sycl_queue, device, order, zeroed=True
    )
    row, column = max(0, -k), max(0, k)
    length = min(n_rows - row, n_cols - column)
    if length > 0:
        _core._fill(_core._diagonal(result[row:, column:]), 1)
    return result


def tril(x, /, *, k=0):
    """A new array with the elements of `x` on and below a diagonal, and zeros above it. Waits.

    Args:
        x: a USMArray, or any producer, of at least 2 dimensions; each matrix of the last two.
        k: the diagonal, as in `eye`.

    Raises:
        ValueError: `x` has fewer than 2 dimensions.
        TypeError: `x` is no producer, or `k` no integer.
    """
    return _triangle(x, k, "tril")


def triu(x, /, *, k=0):
    """A new array with the elements of `x` on and above a diagonal, and zeros below it. Waits.

    Arguments and errors as in `tril`.
    """
    return _triangle(x, k, "triu")


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of a grid: a list of views, one for each array, all of the grid's shape.

    Args:
        arrays: 1-dimensional USMArrays, or any producers, of one element type and on one queue.
        indexing: 'ij': axis k of the views belongs to array k; 'xy': the first two axes swapped.

    Returns:
        Views in which the elements repeat: NumPy's and dpnp's are copies or views alike.

    Raises:
        ValueError: `indexing` is neither, an array is not 1-dimensional, or types differ.
        ExecutionPlacementError: arrays are on different queues.
        TypeError: an argument is no producer.
    """
