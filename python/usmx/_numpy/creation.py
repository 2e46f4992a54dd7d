"""Arrays by NumPy's names: copies, patterns, sequences, and what NumPy reads on the host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from usmx._compute.elementwise import isfinite, pow
from usmx._compute.promotion import default_float
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_integer, ones
from usmx._container.host import numpy, on_host
from usmx._container.numpy_names import diag
from usmx._container.patterns import arange, eye, linspace
from usmx._core import _as_array, _queue_argument, asarray, reshape
from usmx._numpy.arguments import array_of

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DeviceLike, DTypeLike, Operand, OrderCFAK, QueueLike, UsmType


def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: OrderCFAK | None = "K",
    subok: bool = False,
    ndmin: SupportsIndex = 0,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make an array of numbers, nested lists or another array. Waits if it copies from the host.

    Args:
        object: a number, nested lists, a NumPy array, or a producer of
            ``__sycl_usm_array_interface__``.
        dtype: the element type. By default that of `object`.
        copy: whether the elements are copied: True; None: if it is needed; False: never.
        order: how the elements lie in memory: 'C', 'F', 'A' or 'K'.
        subok: changes nothing: results are plain arrays.
        ndmin: the least number of dimensions; new ones come first.

    Raises:
        ValueError: `copy` is False, and a copy is needed.
        TypeError: the elements are of a type that usmx lacks.

    Example:
        >>> print(usmx.array([[1, 2], [3, 4]]))
        [[1 2]
         [3 4]]
    """
    where: dict[str, Any] = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    made = asarray(object, dtype, copy=copy, order=order, **where)
    more = as_integer("ndmin", ndmin) - made.ndim
    return made[(None,) * more] if more > 0 else made


def asarray_chkfinite(
    a: Any, dtype: DTypeLike | None = None, order: OrderCFAK | None = None
) -> USMArray:
    """Make an array, and refuse NaN and infinities. Waits.

    Raises:
        ValueError: an element is NaN or infinite.

    Example:
        >>> print(usmx.asarray_chkfinite([1.0, 2.0]))
        [1. 2.]
    """
    made = asarray(a, dtype, order="K" if order is None else order)
    if made.dtype.kind in "fc" and not bool(isfinite(made).all()):
        raise ValueError("array must not contain infs or NaNs")
    return made


# ---- patterns


def identity(n: SupportsIndex, dtype: DTypeLike | None = None) -> USMArray:
    """Make a square matrix with ones on the diagonal, and zeros elsewhere. Does not wait.

    Args:
        n: the number of rows.

    Example:
        >>> print(usmx.identity(2, 'i4'))
        [[1 0]
         [0 1]]
    """
    return eye(n, dtype=dtype)


def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: DTypeLike | None = float,
) -> USMArray:
    """Make a matrix with ones on and below a diagonal, and zeros elsewhere. Does not wait.

    Args:
        N: the number of rows.
        M: the number of columns. By default that of rows.
        k: the diagonal: positive ones are above the main diagonal.

    Example:
        >>> print(usmx.tri(2, 3, dtype='i4'))
        [[1 0 0]
         [1 1 0]]
    """
    rows = as_integer("N", N)
    columns = rows if M is None else as_integer("M", M)
    is_one = arange(rows)[:, None] >= arange(-as_integer("k", k), columns - as_integer("k", k))
    return is_one.astype(_type_or_default(dtype))


def _type_or_default(dtype):
    """The type of new numbers: Python's float is the device's default type."""
    if dtype is float or dtype is None:
        return default_float(_queue_argument(None, None).sycl_device)
    return dtype


def diagflat(v: Operand, k: SupportsIndex = 0) -> USMArray:
    """Make a matrix that has the elements on a diagonal, and zeros elsewhere. Does not wait.

    Args:
        v: an array, whose elements are taken in C order.
        k: the diagonal: positive ones are above the main diagonal.

    Example:
        >>> print(usmx.diagflat(usmx.asarray([[1, 2]])))
        [[1 0]
         [0 2]]
    """
    return diag(reshape(array_of(v), -1), k)


def vander(x: Operand, N: SupportsIndex | None = None, increasing: bool = False) -> USMArray:
    """Make a matrix whose columns are powers of the elements. Does not wait.

    Args:
        x: an array of one dimension.
        N: the number of columns. By default that of elements.
        increasing: whether the powers grow from the left to the right.

    Example:
        >>> print(usmx.vander(usmx.asarray([1, 2, 3])))
        [[1 1 1]
         [4 2 1]
         [9 3 1]]
    """
    numbers = array_of(x)
    if numbers.ndim != 1:
        raise ValueError(f"vander: x must have one dimension, found shape {numbers.shape}")
    count = numbers.size if N is None else as_integer("N", N)
    dtype = numpy.result_type(numbers.dtype, int)
    powers = arange(count, **options_of(numbers))
    made = pow(numbers.astype(dtype, copy=False)[:, None], powers)
    return made.astype(dtype, copy=False) if increasing else made[:, ::-1]


# ---- sequences


def logspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> USMArray:
    """Make numbers whose logarithms are equally far apart. Does not wait.

    Args:
        start, stop: the logarithms of the first and of the last number: numbers or arrays.
        num: how many numbers.
        endpoint: whether `stop` is the last one.
        base: the base of the logarithms.
        axis: the axis of the numbers, if `start` or `stop` are arrays.

    Example:
        >>> print(usmx.logspace(0, 2, 3))
        [  1.  10. 100.]
    """
    exponents = linspace(start, stop, num, endpoint=endpoint, axis=axis)
    made = pow(base, exponents)
    return made if dtype is None else made.astype(dtype)


def geomspace(
    start: Any,
    stop: Any,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
) -> USMArray:
    """Make numbers, each of which is the same multiple of the one before. Waits.

    NumPy computes them on the host.

    Args:
        start, stop: the first and the last number: numbers or arrays, which are not 0.
        num: how many numbers.
        endpoint: whether `stop` is the last one.
        axis: the axis of the numbers, if `start` or `stop` are arrays.

    Raises:
        ValueError: a number is 0, or `num` is negative.

    Example:
        >>> print(usmx.geomspace(1, 8, 4))
        [1. 2. 4. 8.]
    """
    ends = (on_host(start), on_host(stop))
    made = numpy.geomspace(*ends, num, endpoint, axis=axis)
    wanted = dtype
    if wanted is None and made.dtype.kind == "f":
        wanted = _type_or_default(None)
    view = next((v for v in map(_as_array, (start, stop)) if v is not None), None)
    return asarray(made, wanted, **({} if view is None else options_of(view)))


def fromfunction(
    function: Any, shape: Any, *, dtype: DTypeLike | None = float, **kwargs: Any
) -> Any:
    """Call a function of the indices of an array. Waits as the function does.

    Args:
        function: gets an array of indices for each axis, on the device.
        shape: the shape of these arrays.
        kwargs: what else the function gets.

    Returns:
        What the function gives.

    Example:
        >>> print(usmx.fromfunction(lambda i, j: i + j, (2, 2), dtype=int))
        [[0 1]
         [1 2]]
    """
    from usmx._container.coordinates import indices

    return function(*indices(shape, _type_or_default(dtype)), **kwargs)


def mask_indices(n: SupportsIndex, mask_func: Any, k: Any = 0) -> tuple[USMArray, ...]:
    """Find the indices of a square matrix that a function such as `triu` keeps. Waits.

    Args:
        n: the number of rows.
        mask_func: a function of a matrix and `k`.
        k: what the function gets.

    Example:
        >>> rows, columns = usmx.mask_indices(2, usmx.triu)
        >>> print(rows, columns)
        [0 0 1] [0 1 1]
    """
    from usmx._container.indexing import nonzero

    return nonzero(mask_func(ones((n, n), "i8"), k) != 0)


# ---- what NumPy makes on the host


def fromiter(iter: Any, dtype: DTypeLike, count: SupportsIndex = -1) -> USMArray:
    """Make an array of what an iterable gives. Waits.

    Args:
        iter: the iterable.
        dtype: the element type.
        count: how many elements; -1 means all.

    Example:
        >>> print(usmx.fromiter(range(3), 'i4'))
        [0 1 2]
    """
    return asarray(numpy.fromiter(iter, dtype, as_integer("count", count)))


def fromstring(
    string: str, dtype: DTypeLike | None = float, count: SupportsIndex = -1, *, sep: str
) -> USMArray:
    """Make an array of the numbers in a text. Waits.

    Args:
        string: the text.
        count: how many numbers; -1 means all.
        sep: what is between the numbers.

    Example:
        >>> print(usmx.fromstring('1 2 3', sep=' '))
        [1. 2. 3.]
    """
    return asarray(numpy.fromstring(string, _type_or_default(dtype), count, sep=sep))


def fromfile(
    file: Any,
    dtype: DTypeLike | None = float,
    count: SupportsIndex = -1,
    sep: str = "",
    offset: SupportsIndex = 0,
) -> USMArray:
    """Read an array of a file of bytes or of text, by NumPy. Waits.

    Args:
        file: an open file or a path.
        count: how many elements; -1 means all.
        sep: what is between numbers in a text; '' for bytes.
        offset: how many bytes to skip first.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     _ = file.write(bytes([1, 2])), file.flush()
        ...     print(usmx.fromfile(file.name, 'u1'))
        [1 2]
    """
    if not hasattr(file, "fileno"):
        # A TypeError names what it is, where NumPy says that it has no flush.
        file = os.fspath(file)
    return asarray(numpy.fromfile(file, _type_or_default(dtype), count, sep, offset))


def loadtxt(fname: Any, *args: Any, **kwargs: Any) -> USMArray:
    """Read an array of a text file, by ``numpy.loadtxt``. Waits.

    Args:
        fname: a path, an open file or lines.
        args, kwargs: what else ``numpy.loadtxt`` takes.

    Returns:
        A new USMArray; with ``unpack=True`` its first axis is that of the columns.

    Example:
        >>> print(usmx.loadtxt(['1 2', '3 4']))
        [[1. 2.]
         [3. 4.]]
    """
    return asarray(numpy.loadtxt(fname, *args, **kwargs))


def genfromtxt(fname: Any, *args: Any, **kwargs: Any) -> USMArray:
    """Read an array of a text file with missing values, by ``numpy.genfromtxt``. Waits.

    Args:
        fname: a path, an open file or lines.
        args, kwargs: what else ``numpy.genfromtxt`` takes.

    Example:
        >>> print(usmx.genfromtxt(['1,', '3,4'], delimiter=','))
        [[ 1. nan]
         [ 3.  4.]]
    """
    return asarray(numpy.genfromtxt(fname, *args, **kwargs))


def savetxt(fname: Any, X: Operand, *args: Any, **kwargs: Any) -> None:
    r"""Write an array to a text file, by ``numpy.savetxt``. Waits.

    Args:
        fname: a path or an open file.
        X: an array of one or two dimensions.
        args, kwargs: what else ``numpy.savetxt`` takes.

    Example:
        >>> import io
        >>> file = io.StringIO()
        >>> usmx.savetxt(file, usmx.asarray([1, 2]), fmt='%d')
        >>> file.getvalue()
        '1\n2\n'
    """
    numpy.savetxt(fname, on_host(X), *args, **kwargs)


def savez_compressed(file: Any, *args: Any, **kwds: Any) -> None:
    """Write several arrays to a compressed file of NumPy's format. Waits.

    Args:
        file: a path or an open file.
        args: arrays, which get the names 'arr_0', 'arr_1' and so on.
        kwds: arrays by names.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> usmx.savez_compressed(file, a=usmx.arange(3))
        >>> _ = file.seek(0)
        >>> print(usmx.load(file)['a'])
        [0 1 2]
    """
    numpy.savez_compressed(file, *map(on_host, args), **{k: on_host(v) for k, v in kwds.items()})


def array2string(a: Operand, *args: Any, **kwargs: Any) -> str:
    """Write the elements as a text, by ``numpy.array2string``. Waits.

    Args:
        args, kwargs: what else ``numpy.array2string`` takes.

    Example:
        >>> usmx.array2string(usmx.arange(3), separator=', ')
        '[0, 1, 2]'
    """
    return str(numpy.array2string(on_host(a), *args, **kwargs))


def array_str(a: Operand, *args: Any, **kwargs: Any) -> str:
    """Write the elements as a text, by ``numpy.array_str``. Waits.

    Args:
        args, kwargs: what else ``numpy.array_str`` takes.

    Example:
        >>> usmx.array_str(usmx.arange(3))
        '[0 1 2]'
    """
    return str(numpy.array_str(on_host(a), *args, **kwargs))


def packbits(a: Operand, axis: SupportsIndex | None = None, bitorder: str = "big") -> USMArray:
    """Put the truth of each 8 elements into the bits of a byte. Does not wait.

    Args:
        axis: the axis of the bits. None: the elements are taken in C order.
        bitorder: whether the first element is the highest bit, 'big', or the lowest, 'little'.

    Returns:
        A new USMArray of uint8. Missing elements at the end are 0.

    Example:
        >>> print(usmx.packbits(usmx.asarray([1, 0, 1, 0, 0, 0, 0, 1])))
        [161]
    """
    from usmx._compute.reductions import sum as total
    from usmx._container.manipulation import concat
    from usmx._core import moveaxis, zeros

    x = array_of(a)
    if x.dtype.kind not in "biu":
        raise TypeError(f"packbits needs bools or integers, found {x.dtype}")
    x = reshape(x, -1) if axis is None else moveaxis(x, as_integer("axis", axis), -1)
    bits = (x != 0).astype("u1")
    missing = -bits.shape[-1] % 8
    if missing:
        rest = zeros((*bits.shape[:-1], missing), "u1", **options_of(x))
        bits = concat([bits, rest], axis=-1)
    eights = reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    made = total(eights * _powers_of_two(bitorder, x), axis=-1, dtype="u1")
    return made if axis is None else moveaxis(made, -1, as_integer("axis", axis))


def unpackbits(
    a: Operand,
    axis: SupportsIndex | None = None,
    count: SupportsIndex | None = None,
    bitorder: str = "big",
) -> USMArray:
    """Make an element of each bit of bytes. Does not wait.

    Args:
        a: an array of uint8.
        axis: the axis of the bits. None: the elements are taken in C order.
        count: how many bits are unpacked; a negative number leaves out so many at the end.
        bitorder: whether the highest bit comes first, 'big', or the lowest, 'little'.

    Returns:
        A new USMArray of uint8.

    Example:
        >>> print(usmx.unpackbits(usmx.asarray([161], 'u1')))
        [1 0 1 0 0 0 0 1]
    """
    from usmx._container.manipulation import concat
    from usmx._core import moveaxis, zeros

    x = array_of(a)
    if x.dtype != numpy.uint8:
        raise TypeError(f"unpackbits needs elements of uint8, found {x.dtype}")
    x = reshape(x, -1) if axis is None else moveaxis(x, as_integer("axis", axis), -1)
    bits = ((x[..., None] & _powers_of_two(bitorder, x)) != 0).astype("u1")
    made = reshape(bits, (*x.shape[:-1], x.shape[-1] * 8))
    if count is not None:
        wanted = as_integer("count", count)
        if wanted > made.shape[-1]:
            rest = (*made.shape[:-1], wanted - made.shape[-1])
            made = concat([made, zeros(rest, "u1", **options_of(x))], axis=-1)
        if wanted < -made.shape[-1]:
            raise ValueError(f"unpackbits: there are {made.shape[-1]} bits, found count {wanted}")
        made = made[..., :wanted]
    return made if axis is None else moveaxis(made, -1, as_integer("axis", axis))


def _powers_of_two(bitorder, x):
    powers = [1, 2, 4, 8, 16, 32, 64, 128]
    if bitorder not in ("big", "little"):
        raise ValueError(f"bitorder must be 'big' or 'little', found {bitorder!r}")
    return asarray(powers[::-1] if bitorder == "big" else powers, "u1", **options_of(x))


def broadcast(*arrays: Operand) -> Any:
    """Describe how arrays are broadcast together: ``numpy.broadcast`` of their shapes.

    Does not wait.

    Args:
        arrays: arrays.

    Returns:
        A ``numpy.broadcast``, whose `shape`, `size` and `ndim` say what the result has.

    Example:
        >>> usmx.broadcast(usmx.ones((2, 1)), usmx.ones(3)).shape
        (2, 3)
    """
    shapes = (array_of(each).shape for each in arrays)
    return numpy.broadcast(*(numpy.broadcast_to(0, shape) for shape in shapes))
