"""Fourier transforms, by the array API and NumPy (docs/reference/fft.md).

The library's functions check, and compute by oneMKL's transforms of the host or by cuFFT, in the
order of all work on the arrays (docs/decisions.md, 203). Without oneMKL NumPy computes, which waits
(163).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core, _functions
from usmx._compute.call import arrays_of, compute, written
from usmx._compute.promotion import default_float
from usmx._compute.table import ROWS
from usmx._compute.vendors import unreached
from usmx._container.creation import as_axis, as_integer
from usmx._container.host import numpy
from usmx._container.manipulation import roll
from usmx._core import asarray, asnumpy, copy, empty
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DeviceLike, DTypeLike, Norm, Producer, QueueLike, UsmType

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


# ---- transforms of one axis


def fft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Transform along an axis. Does not wait.

    Args:
        x: an array. float16 is computed as float32; integers and bools become the default real
            type, and real numbers complex.
        n: the number of elements that are transformed: what `x` has more is left out, and what it
            has less counts as 0. By default all.
        axis: an integer. A negative one counts from the end.
        norm: where the result is divided by n: 'backward' in the inverse transform, 'forward' in
            this one, 'ortho' in both, by the root of n.
        out: an array of the result's shape to which the result is copied.

    Returns:
        A new complex USMArray of the shape of `x`, but for the axis, which has n elements; or
        `out`.

    Raises:
        ValueError: n is less than 1, or another `norm`.
        TypeError: no array, or structured elements.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.fft.fft(usmx.asarray([1.0, 0.0, 0.0, 0.0])))
        [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
    """
    return _transformed("fft", x, n, _one(axis), norm, out)


def ifft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Invert `fft`. Does not wait. Arguments, result and errors are those of `fft`.

    Example:
        >>> print(usmx.fft.ifft(usmx.asarray([4.0, 0.0, 0.0, 0.0])))
        [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
    """
    return _transformed("ifft", x, n, _one(axis), norm, out)


def rfft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Transform real numbers along an axis. Does not wait.

    Arguments and errors are those of `fft`. Complex numbers raise a TypeError.

    Returns:
        A new complex USMArray of the first n // 2 + 1 elements of what `fft` returns; or `out`.

    Example:
        >>> print(usmx.fft.rfft(usmx.asarray([1.0, 0.0, 0.0, 0.0])))
        [1.+0.j 1.+0.j 1.+0.j]
    """
    return _transformed("rfft", x, n, _one(axis), norm, out)


def irfft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Invert `rfft`. Does not wait.

    Arguments and errors are those of `fft`, but that `n` counts the elements of the result: by
    default 2 * (m - 1) for an axis of m elements.

    Returns:
        A new real USMArray; or `out`.

    Example:
        >>> print(usmx.fft.irfft(usmx.asarray([4.0, 0.0, 0.0])))
        [1. 1. 1. 1.]
    """
    return _transformed("irfft", x, n, _one(axis), norm, out)


def hfft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Transform a Hermitian sequence, of which `x` has the first half, to real numbers.

    Does not wait. Arguments, result and errors are those of `irfft`.

    Example:
        >>> print(usmx.fft.hfft(usmx.asarray([1.0, 0.0, 0.0])))
        [1. 1. 1. 1.]
    """
    (x,) = arrays_of("fft.hfft", ("x",), (x,))
    if x.dtype.kind == "c":
        x = compute(ROWS["conj"], (x,))
    return _transformed("hfft", x, n, _one(axis), norm, out)


def ihfft(
    x: Producer,
    /,
    n: int | None = None,
    axis: SupportsIndex = -1,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Invert `hfft`. Does not wait. Arguments, result and errors are those of `rfft`.

    Example:
        >>> print(usmx.fft.ihfft(usmx.asarray([4.0, 0.0, 0.0, 0.0])))
        [1.-0.j 1.-0.j 1.-0.j]
    """
    found = _transformed("ihfft", x, n, _one(axis), norm, None)
    return written("fft.ihfft", out, compute(ROWS["conj"], (found,)))


# ---- transforms of several axes


def fftn(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Transform along several axes. Does not wait.

    Args:
        x: an array, as for `fft`.
        s: the numbers of elements along the axes, as `n` of `fft`; -1 means all.
        axes: integers. By default the last ones, as many as `s` has, or all. An axis that comes
            again is transformed again, the last ones first.
        norm, out: as for `fft`.

    Returns:
        A new complex USMArray; or `out`.

    Raises:
        ValueError: an extent is less than 1, `s` and `axes` have different lengths, or another
            `norm`.
        TypeError: no array, or structured elements.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.fft.fftn(usmx.ones((2, 2))))
        [[4.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]
    """
    return _transformed("fftn", x, _several(s), _several(axes), norm, out)


def ifftn(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Invert `fftn`. Does not wait. Arguments, result and errors are those of `fftn`.

    Example:
        >>> print(usmx.fft.ifftn(usmx.ones((2, 2))))
        [[1.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]
    """
    return _transformed("ifftn", x, _several(s), _several(axes), norm, out)


def rfftn(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Transform real numbers along several axes. Does not wait.

    Arguments and errors are those of `fftn`. Complex numbers raise a TypeError.

    Returns:
        A new complex USMArray, which has n // 2 + 1 elements along the last of the axes; or `out`.

    Example:
        >>> print(usmx.fft.rfftn(usmx.ones((2, 2))))
        [[4.+0.j 0.+0.j]
         [0.+0.j 0.+0.j]]
    """
    return _transformed("rfftn", x, _several(s), _several(axes), norm, out)


def irfftn(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """Invert `rfftn`. Does not wait.

    Arguments and errors are those of `fftn`, but that `s` counts the elements of the result: by
    default 2 * (m - 1) along the last of the axes, for m elements, where -1 means m.

    Returns:
        A new real USMArray; or `out`.

    Example:
        >>> print(usmx.fft.irfftn(usmx.asarray([[4.0, 0.0], [0.0, 0.0]])))
        [[1. 1.]
         [1. 1.]]
    """
    return _transformed("irfftn", x, _several(s), _several(axes), norm, out)


def fft2(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """NumPy's name of `fftn` along two axes."""
    return fftn(x, s, axes, norm, out)


def ifft2(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """NumPy's name of `ifftn` along two axes."""
    return ifftn(x, s, axes, norm, out)


def rfft2(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """NumPy's name of `rfftn` along two axes."""
    return rfftn(x, s, axes, norm, out)


def irfft2(
    x: Producer,
    /,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: Norm | None = "backward",
    out: USMArray | None = None,
) -> USMArray:
    """NumPy's name of `irfftn` along two axes."""
    return irfftn(x, s, axes, norm, out)


# ---- what all transforms share


ASKS_CALLER_FIRST = False  # tests set it: then all is computed as without a library


def _one(axis):
    """An axis, which is no tuple."""
    return as_integer("axis", axis) if type(axis) is not int else axis


def _several(numbers):
    return None if numbers is None else tuple(numbers)


def _transformed(function, x, extents, axes, norm, out):
    made = _core._fft(function, x, extents, axes, norm, _computed_here, ASKS_CALLER_FIRST)
    if made is None:
        (x,) = arrays_of(f"fft.{function}", ("x",), (x,))
        return _transformed(function, x, extents, axes, norm, out)
    return made if out is None else written(f"fft.{function}", out, made)


def _computed_here(x, made, axes, is_forward, scale):
    """Transform along axes that each occur once, by NumPy."""
    if not _core._host_reaches(x):
        raise unreached("fft", x, _core._find_transform_library)
    made[...] = _by_numpy(asnumpy(x), made.shape, made.dtype, axes, is_forward) * scale
    return True


def _by_numpy(x, shape, dtype, axes, is_forward):
    if is_forward:
        made = (numpy.fft.fftn if x.dtype == dtype else numpy.fft.rfftn)(x, axes=axes)
    elif x.dtype == dtype:
        made = numpy.fft.ifftn(x, axes=axes, norm="forward")
    else:
        made = numpy.fft.irfft(x, shape[axes[-1]], axes[-1], norm="forward")
    return made.astype(dtype, copy=False)


# ---- frequencies


def fftfreq(
    n: int,
    /,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make the frequencies of the elements that `fft` returns. Does not wait.

    Args:
        n: the number of elements that are transformed.
        d: the distance between two of them.
        dtype: the element type. By default the default real type.
        device, usm_type, sycl_queue: where the array is made, as for `usmx.asarray`.

    Returns:
        A new USMArray of shape (n,): 0, 1, ... and then the negative ones, over n * d.

    Raises:
        ValueError: n is less than 1.

    Example:
        >>> print(usmx.fft.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]
    """
    d = _spacing("fftfreq", n, d)
    return _frequencies(numpy.fft.fftfreq(n, d), dtype, device, usm_type, sycl_queue)


def rfftfreq(
    n: int,
    /,
    d: float = 1.0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
) -> USMArray:
    """Make the frequencies of the elements that `rfft` returns. Does not wait.

    Arguments and errors are those of `fftfreq`.

    Returns:
        A new USMArray of shape (n // 2 + 1,): 0, 1, ... over n * d.

    Example:
        >>> print(usmx.fft.rfftfreq(4))
        [0.   0.25 0.5 ]
    """
    d = _spacing("rfftfreq", n, d)
    return _frequencies(numpy.fft.rfftfreq(n, d), dtype, device, usm_type, sycl_queue)


def _spacing(function, n, d):
    """The spacing of `n` points, of which there is one at least."""
    if as_integer("n", n) < 1:
        raise ValueError(
            f"fft.{function}: Invalid number of FFT data points: it must be at least 1, found {n}"
        )
    if isinstance(d, complex) or getattr(getattr(d, "dtype", None), "kind", "f") == "c":
        raise TypeError(f"fft.{function}: d must be a real number, found {short_repr(d)}")
    return d


def _frequencies(values, dtype, device, usm_type, sycl_queue):
    options = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    options = {key: value for key, value in options.items() if value is not None}
    if dtype is None:
        queue = empty((), "u1", **options)._own_queue
        dtype = default_float(queue.sycl_device)
    return asarray(values, dtype=dtype, **options)


def fftshift(
    x: Producer, /, axes: SupportsIndex | Sequence[SupportsIndex] | None = None
) -> USMArray:
    """Move frequency 0 to the middle of the axes. Does not wait.

    Args:
        x: an array.
        axes: an integer or several. By default all.

    Returns:
        A new USMArray of the same shape and type.

    Raises:
        TypeError: no array.
        numpy.exceptions.AxisError: there is no such axis.

    Example:
        >>> print(usmx.fft.fftshift(usmx.fft.fftfreq(4)))
        [-0.5  -0.25  0.    0.25]
    """
    return _shifted("fftshift", x, axes, lambda extent: extent // 2)


def ifftshift(
    x: Producer, /, axes: SupportsIndex | Sequence[SupportsIndex] | None = None
) -> USMArray:
    """Invert `fftshift`. Does not wait. Arguments, result and errors are those of `fftshift`.

    Example:
        >>> print(usmx.fft.ifftshift(usmx.asarray([-0.5, -0.25, 0.0, 0.25])))
        [ 0.    0.25 -0.5  -0.25]
    """
    return _shifted("ifftshift", x, axes, lambda extent: -(extent // 2))


def _shifted(function, x, axes, shift):
    (x,) = arrays_of(f"fft.{function}", ("x",), (x,))
    if axes is None:
        axes = range(x.ndim)
    axes = [as_axis(axis, x.ndim) for axis in (axes if hasattr(axes, "__iter__") else (axes,))]
    if not axes:
        return copy(x)
    return roll(x, tuple(shift(x.shape[axis]) for axis in axes), tuple(axes))


_functions.hand_out(globals(), __all__)

if not TYPE_CHECKING:  # for which every name that is not there would be an Any

    def __getattr__(name):
        """Say what takes the place of a name that is not here."""
        from usmx._container.elsewhere import refuse_name_of_module

        refuse_name_of_module("fft", name)
