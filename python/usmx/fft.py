"""Fourier transforms, by the array API and NumPy: oneMKL computes (docs/reference/fft.md).

oneMKL's transforms of the host run in the order of all work on the arrays. Without it NumPy
computes, which waits (docs/decisions.md, 163). On CUDA devices cuFFT computes (190).
"""

from __future__ import annotations

from math import prod, sqrt
from typing import TYPE_CHECKING

from usmx import _core, _functions
from usmx._compute.call import arrays_of, compute, written
from usmx._compute.promotion import default_float
from usmx._compute.table import ROWS
from usmx._container.asynchronous import wait_at_exit
from usmx._container.creation import as_axis, as_integer
from usmx._container.host import numpy
from usmx._container.manipulation import roll
from usmx._core import USMArray, _dtype, asarray, asnumpy, copy, empty, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

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
    return written("fft.fft", out, _complex("fft", x, (n,), (axis,), norm, True))


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
    return written("fft.ifft", out, _complex("ifft", x, (n,), (axis,), norm, False))


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
    return written("fft.rfft", out, _real("rfft", x, (n,), (axis,), norm))


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
    return written("fft.irfft", out, _to_real("irfft", x, (n,), (axis,), norm))


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
    x = compute(ROWS["conj"], (_prepared("hfft", x, "c"),))
    return written("fft.hfft", out, _to_real("hfft", x, (n,), (axis,), _swapped(norm)))


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
    found = _real("ihfft", x, (n,), (axis,), _swapped(norm))
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
    return written("fft.fftn", out, _complex("fftn", x, s, axes, norm, True))


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
    return written("fft.ifftn", out, _complex("ifftn", x, s, axes, norm, False))


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
    return written("fft.rfftn", out, _real("rfftn", x, s, axes, norm))


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
    default 2 * (m - 1) along the last of the axes, for m elements.

    Returns:
        A new real USMArray; or `out`.

    Example:
        >>> print(usmx.fft.irfftn(usmx.asarray([[4.0, 0.0], [0.0, 0.0]])))
        [[1. 1.]
         [1. 1.]]
    """
    return written("fft.irfftn", out, _to_real("irfftn", x, s, axes, norm))


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


def _complex(function, x, s, axes, norm, is_forward):
    x = _prepared(function, x, "c")
    s, axes = _extents_and_axes(function, x, s, axes)
    return _along(x, s, axes, is_forward, _scale(function, norm, prod(s), is_forward))


def _real(function, x, s, axes, norm):
    x = _prepared(function, x, "f")
    s, axes = _extents_and_axes(function, x, s, axes)
    if not axes:
        raise ValueError(f"fft.{function}: at least 1 axis must be transformed")
    scale = _scale(function, norm, prod(s), True)
    count = _count_together(axes)
    x = _fitted(x, s[-count:], axes[-count:])
    shape = [*x.shape]
    shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    is_last = count == len(axes)
    some = axes[-count:]
    x = _transformed(x, tuple(shape), _complex_of(x), some, True, scale if is_last else 1.0)
    return _along(x, s[:-count], axes[:-count], True, scale)


def _to_real(function, x, s, axes, norm):
    x = _prepared(function, x, "c")
    given = s
    s, axes = _extents_and_axes(function, x, s, axes)
    if not axes:
        raise ValueError(f"fft.{function}: at least 1 axis must be transformed")
    if given is None or given[-1] in (None, -1):
        s[-1] = 2 * (x.shape[axes[-1]] - 1)
        _require_points(function, s)
    # What the spectrum says beyond the first half counts in oneMKL's transforms of several axes,
    # and not in NumPy's, which takes the first axes first. usmx's function for cuFFT knows it.
    count = _count_together(axes) if _by_cufft(x) else 1
    x = _along(x, s[:-count][::-1], axes[:-count][::-1], False, 1.0)
    x = _fitted(x, [*s[-count:-1], s[-1] // 2 + 1], axes[-count:])
    shape = [*x.shape]
    shape[axes[-1]] = s[-1]
    dtype = _dtype("float32" if x.dtype == _dtype("complex64") else "float64")
    scale = _scale(function, norm, prod(s), False)
    return _transformed(x, tuple(shape), dtype, axes[-count:], False, scale)


def _along(x, s, axes, is_forward, scale):
    """Transform complex numbers along axes, the last ones first; each is cut or padded to `s`."""
    while axes:
        count = _count_together(axes)
        x = _fitted(x, s[-count:], axes[-count:])
        some, axes, s = axes[-count:], axes[:-count], s[:-count]
        x = _transformed(x, x.shape, x.dtype, some, is_forward, 1.0 if axes else scale)
    return x


def _count_together(axes):
    """How many of the last axes one transform takes: it takes no axis twice."""
    last = axes[-_MOST_AXES:]
    while len({*last}) < len(last):
        last = last[1:]
    return len(last)


def _prepared(function, x, kind):
    """The array in a type that can be transformed: of real ('f') or complex ('c') numbers."""
    if type(x) is not USMArray:
        (x,) = arrays_of(f"fft.{function}", ("x",), (x,))
    if x.dtype.kind == kind and x.dtype.itemsize > 2:
        return x
    if x.dtype.kind not in "biufc":
        raise TypeError(f"fft.{function}: arrays of type {x.dtype} are not supported")
    if kind == "f" and x.dtype.kind == "c":
        raise TypeError(f"fft.{function}: expected real numbers, found {x.dtype}")
    is_single = x.dtype == _dtype("float32") or x.dtype == _dtype("float16")
    real = _dtype("float32") if is_single else default_float(x._own_queue.sycl_device)
    if kind == "f":
        return x.astype(real)
    return x.astype(_dtype("complex64" if real.itemsize == 4 else "complex128"))


def _complex_of(x):
    return _dtype("complex64" if x.dtype == _dtype("float32") else "complex128")


def _extents_and_axes(function, x, s, axes):
    """The extents and the axes of a transform, as lists."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    axes = [as_axis(axis, x.ndim) for axis in axes]
    extents = [x.shape[axis] for axis in axes]
    if s is not None:
        if len(s) != len(axes):
            raise ValueError(
                f"fft.{function}: s and axes must have the same length, found {s} and {axes}"
            )
        all_of_axis = (None, -1) if function[-1] in "n2" else (None,)
        for k, extent in enumerate(s):
            if extent not in all_of_axis:
                extents[k] = as_integer("n", extent)
    _require_points(function, extents)
    return extents, axes


def _require_points(function, extents):
    if extents and min(extents) < 1:
        raise ValueError(
            f"fft.{function}: Invalid number of FFT data points: it must be at least 1, found "
            f"{min(extents)}"
        )


def _fitted(x, s, axes):
    """The array with these extents: cut, or with zeros at the end."""
    shape = [*x.shape]
    for extent, axis in zip(s, axes, strict=True):
        shape[axis] = extent
    shape = tuple(shape)
    if shape == x.shape:
        return x
    part = x[tuple(map(slice, shape))]
    if part.shape == shape:
        return part
    longer = zeros(shape, x.dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
    longer[tuple(map(slice, part.shape))] = part
    return longer


_SCALES = {  # of n, forward and backward
    "backward": (lambda n: 1.0, lambda n: 1.0 / n),
    "forward": (lambda n: 1.0 / n, lambda n: 1.0),
    "ortho": (lambda n: 1.0 / sqrt(n), lambda n: 1.0 / sqrt(n)),
}
_SWAPPED = {"backward": "forward", "forward": "backward", None: "forward"}


def _scale(function, norm, count, is_forward):
    scales = _SCALES.get("backward" if norm is None else norm)
    if scales is None:
        raise ValueError(
            f"fft.{function}: norm must be 'backward', 'ortho' or 'forward', found {norm!r}"
        )
    return scales[0 if is_forward else 1](count)


def _swapped(norm):
    return _SWAPPED.get(norm, norm)


_MOST_AXES = 7  # of a plan

_found: list[bool] = []


def _has_mkl():
    if not _found and _core._find_host_library()[0]:
        _found.append(True)
    return bool(_found)


_found_cufft: list[bool] = []
_PARTS = {"complex64": "float32", "complex128": "float64"}


def _by_cufft(x):
    """Whether cuFFT transforms an array. What is missing may come later."""
    if not _core._is_cuda(x):
        return False
    if not _found_cufft and _core._find_transform_library(x._own_queue.sycl_device)[1]:
        _found_cufft.append(True)
    return bool(_found_cufft)


def _transformed(x, shape, dtype, axes, is_forward, scale):
    """A new array for the transform along axes that each occur once."""
    made = empty(shape, dtype, usm_type=x.usm_type, sycl_queue=x._own_queue)
    if not made.size:
        return made
    if _by_cufft(x):
        _core._start_cuda_fourier(x, made, axes, is_forward)
        wait_at_exit()
        if scale != 1.0:
            parts = made.view(_dtype(_PARTS.get(dtype.name, dtype.name)))
            parts *= scale
        return made
    if not _core._host_reaches(x):
        if _core._is_cuda(x):
            reason = _core._find_transform_library(x._own_queue.sycl_device)[2]
            raise RuntimeError(
                f"fft: cuFFT cannot be used: {reason}: python -m pip install nvidia-cufft (for "
                "CUDA 13) or nvidia-cufft-cu12; or make the array with usm_type='shared', for the "
                "host to compute"
            )
        raise NotImplementedError(
            "fft: oneMKL transforms memory that the host reaches, found memory of kind "
            f"{x.usm_type!r} on {x._own_queue.sycl_device.name}: usmx does not call this device's "
            "own library yet; make the array with usm_type='shared'"
        )
    if not _found and not _has_mkl():
        made[...] = _by_numpy(asnumpy(x), shape, dtype, axes, is_forward) * scale
        return made
    has_forward_steps = x.flags.c_contiguous or min(x.strides) > 0
    if not has_forward_steps or not _core._run_fourier(x, made, axes, is_forward, scale):
        x = copy(x, order="C")
        if not _core._run_fourier(x, made, axes, is_forward, scale):
            raise ValueError(f"fft: oneMKL refuses a transform of shape {shape} along {axes}")
    wait_at_exit()
    return made


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
    _require_points("fftfreq", [as_integer("n", n)])
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
    _require_points("rfftfreq", [as_integer("n", n)])
    return _frequencies(numpy.fft.rfftfreq(n, d), dtype, device, usm_type, sycl_queue)


def _frequencies(values, dtype, device, usm_type, sycl_queue):
    place = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    place = {key: value for key, value in place.items() if value is not None}
    if dtype is None:
        queue = empty((), "u1", **place)._own_queue
        dtype = default_float(queue.sycl_device)
    return asarray(values, dtype=dtype, **place)


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
