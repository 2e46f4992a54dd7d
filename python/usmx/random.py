"""Random numbers in unified shared memory, the same ones on every device."""

from __future__ import annotations

import sys
import threading
from math import isfinite
from typing import TYPE_CHECKING

from usmx._compute.call import cpp, new_cache, output
from usmx._compute.promotion import default_float, limits_of
from usmx._container.creation import as_integer
from usmx._container.host import numpy
from usmx._core import ElementwiseKernel, _device_text, _dtype, _queue_argument, empty
from usmx._text import short_repr

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DeviceLike, DTypeLike, NumpyType, QueueLike, Shape, UsmType

__all__ = ["Generator", "default_rng"]

_kernels: dict[tuple[str, NumpyType], ElementwiseKernel] = new_cache()
# The parameters of each distribution beside the seed and the number of the first element, and the
# expression for element `i`.
_DISTRIBUTIONS = {
    "uniform": (
        ("T low", "T width"),
        "low + width * random_fraction<T>(philox(key, first + i, 0))",
    ),
    "normal": (("T loc", "T scale"), "loc + scale * random_normal<T>(key, first + i)"),
    "integers": (
        ("uint64 low", "uint64 count"),
        "T(uint64_t(low) + random_below(key, first + i, count))",
    ),
}

# The methods of a generator that do what names of NumPy's and PyTorch's do.
_METHODS = {
    "normal": "normal",
    "rand": "random",
    "randint": "integers",
    "randn": "standard_normal",
    "random": "random",
    "random_integers": "integers",
    "random_sample": "random",
    "ranf": "random",
    "sample": "random",
    "standard_normal": "standard_normal",
    "uniform": "uniform",
}
_ON_THE_DEVICE = {
    "choice": "a[rng.integers(a.shape[0], size=n)], with replacement",
    "permutation": "a[usmx.argsort(rng.random(a.shape[0]))]",
    "shuffle": "a[:] = a[usmx.argsort(rng.random(a.shape[0]))]",
}


if not TYPE_CHECKING:

    def __getattr__(name):
        """Numbers come from a generator: the error says what makes those of `name`."""
        rng = "usmx.random.default_rng(seed)"
        use = f": use {rng}" if name in ("RandomState", "manual_seed", "seed") else _use(name, rng)
        text = f"module 'usmx.random' has no attribute {name!r}{use}"
        raise AttributeError(text, name=name, obj=sys.modules[__name__])


def _use(name: str, rng: str) -> str:
    """The end of a message about a name that `rng`, the text of a generator, may stand for."""
    if name in _METHODS:
        return f": use {rng}.{_METHODS[name]}(...)"
    if name in _ON_THE_DEVICE:
        return f": use {_ON_THE_DEVICE[name].replace('rng', rng)}"
    try:
        numpys = dir(numpy.random.Generator)
    except ImportError:
        return ""
    if name.startswith("_") or name in ("bit_generator", "spawn") or name not in numpys:
        return ""
    return f": use usmx.asarray(numpy.random.default_rng(seed).{name}(...))"


def default_rng(seed: Any = None) -> Generator:
    """Make a generator of random numbers.

    Args:
        seed: what ``numpy.random.SeedSequence`` takes, such as an integer or a sequence of
            integers, or such an object. None: the system's random numbers. A generator is returned
            as it is.

    Returns:
        A `Generator`.

    Raises:
        TypeError, ValueError: as NumPy raises them for a seed.

    Example:
        >>> print(usmx.random.default_rng(7).integers(10, size=5))
        [1 6 7 9 0]
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


class Generator:
    """A generator of random numbers by counters (Philox4x32-10).

    The numbers depend on the seed and on how many the generator has made before: not on the device,
    the kind or the layout of memory. A call that raises has made none. The methods do not wait.
    Several threads may use a generator. It can be pickled.

    Args:
        seed: what ``numpy.random.SeedSequence`` takes, such as an integer or a sequence of
            integers, or such an object. None: the system's random numbers.

    Example:
        >>> rng = usmx.random.Generator(7)
        >>> x = rng.standard_normal((1000, 1000), dtype='f4')
        >>> abs(float(x.mean())) < 0.01
        True
    """

    def __init__(self, seed: Any = None) -> None:
        sequence = numpy.random.SeedSequence
        source = seed if isinstance(seed, sequence) else sequence(seed)
        self._key = int(source.generate_state(1, "u8")[0])
        self._next = 0
        self._lock = threading.Lock()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Say what takes the place of a method that is not here."""
            text = f"'Generator' object has no attribute {name!r}{_use(name, 'rng')}"
            raise AttributeError(text, name=name, obj=self)

    def __getstate__(self) -> tuple[int, int]:
        """The seed and the number of the next element."""
        return self._key, self._next

    def __setstate__(self, state: tuple[int, int]) -> None:
        """Go on from a state of another generator."""
        self._key, self._next = state
        self._lock = threading.Lock()

    def random(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
        *,
        device: DeviceLike | None = None,
        usm_type: UsmType = "device",
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make numbers from 0 on, below 1, each as likely as the others.

        Args:
            size: the shape: an integer or a tuple of integers. None: no dimensions.
            dtype: float32 or float64. By default float64, or float32 on a device without it.
            out: the array that is filled. By default a new one.
            device: where a new array is: a filter string, a SyclDevice, a SyclQueue or a Device. By
                default the default device.
            usm_type: its kind of memory: 'device', 'shared' or 'host'.
            sycl_queue: its queue. By default the queue that usmx keeps for the device.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `dtype` is another type, or `size` is of another one.
            ValueError: `size` is negative; `out` has another shape, or is read-only.

        Example:
            >>> usmx.random.default_rng(7).random(3).shape
            (3,)
        """
        made = _floats("random", size, dtype, out, device, usm_type, sycl_queue)
        return self._fill("uniform", made, 0.0, 1.0)

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        *,
        out: USMArray | None = None,
        device: DeviceLike | None = None,
        usm_type: UsmType = "device",
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make numbers from `low` on, below `high`, each as likely as the others.

        Args:
            low: the least number.
            high: the end, which is not less. Rounding may give the end itself, as in NumPy.
            size, dtype, out, device, usm_type, sycl_queue: as of ``random``.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `low` or `high` is no real number, `dtype` is another type than float32 and
                float64, or `size` is of another one.
            ValueError: `high` is less than `low`; `size` is negative; `out` has another shape, or
                is read-only.
            OverflowError: an end, or the difference of the ends, is not finite in the element type.

        Example:
            >>> x = usmx.random.default_rng(7).uniform(-1, 1, 1000)
            >>> bool((x >= -1).all() and (x < 1).all())
            True
        """
        first, end = _real("uniform", "low", low), _real("uniform", "high", high)
        wanted = _float_type("uniform", dtype, out, device, sycl_queue)
        ends = [_in_type(wanted, value) for value in (first, end, end - first)]
        if not all(map(isfinite, ends)):
            raise OverflowError(
                f"uniform: low, high and high - low must be finite in {wanted}, found {low} and "
                f"{high}"
            )
        if end < first:
            raise ValueError(f"uniform: high must not be less than low, found {low} and {high}")
        made = _array("uniform", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("uniform", made, ends[0], ends[2])

    def standard_normal(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
        *,
        device: DeviceLike | None = None,
        usm_type: UsmType = "device",
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make numbers of the normal distribution with mean 0 and standard deviation 1.

        Args:
            size, dtype, out, device, usm_type, sycl_queue: as of ``random``.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `dtype` is another type than float32 and float64, or `size` is of another
                one.
            ValueError: `size` is negative; `out` has another shape, or is read-only.

        Example:
            >>> usmx.random.default_rng(7).standard_normal((2, 3), 'f4').dtype
            dtype('float32')
        """
        made = _floats("standard_normal", size, dtype, out, device, usm_type, sycl_queue)
        return self._fill("normal", made, 0.0, 1.0)

    def normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        *,
        out: USMArray | None = None,
        device: DeviceLike | None = None,
        usm_type: UsmType = "device",
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make numbers of a normal distribution.

        Args:
            loc: the mean.
            scale: the standard deviation, 0 or more.
            size, dtype, out, device, usm_type, sycl_queue: as of ``random``.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `loc` or `scale` is no real number, `dtype` is another type than float32 and
                float64, or `size` is of another one.
            ValueError: `scale` or `size` is negative, or `scale` is NaN; `out` has another shape,
                or is read-only.
            OverflowError: `loc` or `scale` is finite, but not in the element type.

        Example:
            >>> x = usmx.random.default_rng(7).normal(100, 2, 10_000)
            >>> 99.9 < float(x.mean()) < 100.1
            True
        """
        mean, deviation = _real("normal", "loc", loc), _real("normal", "scale", scale)
        if not deviation >= 0:
            raise ValueError(f"normal: scale must be 0 or more, found {scale}")
        wanted = _float_type("normal", dtype, out, device, sycl_queue)
        for name, value in (("loc", mean), ("scale", deviation)):
            if isfinite(value) and not isfinite(_in_type(wanted, value)):
                raise OverflowError(
                    f"normal: {name} must be in the range of {wanted}, found {value}"
                )
        made = _array("normal", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("normal", made, _in_type(wanted, mean), _in_type(wanted, deviation))

    def integers(
        self,
        low: SupportsIndex,
        high: SupportsIndex | None = None,
        size: Shape | None = None,
        dtype: DTypeLike = "i8",
        endpoint: bool = False,
        *,
        out: USMArray | None = None,
        device: DeviceLike | None = None,
        usm_type: UsmType = "device",
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make integers from `low` on, below `high`, each as likely as the others.

        Args:
            low: the least integer; or the end, from 0 on, if there is no `high`.
            high: the end.
            dtype: an integer type, or bool. With `out`, its type.
            endpoint: whether the end is among the integers.
            size, out, device, usm_type, sycl_queue: as of ``random``.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `low` or `high` is no integer, `dtype` is no integer type, or `size` is of
                another type.
            ValueError: there is no integer between the ends, or the type lacks some of them; `size`
                is negative; `out` has another shape, or is read-only.

        Example:
            >>> dice = usmx.random.default_rng(7).integers(1, 6, 1000, endpoint=True)
            >>> int(dice.min()), int(dice.max())
            (1, 6)
        """
        first = as_integer("integers: low", low)
        first, end = (0, first) if high is None else (first, as_integer("integers: high", high))
        last = end if endpoint else end - 1
        expected = "an integer type or bool"
        wanted = (
            _element_type("integers", dtype, expected)
            if out is None
            else output("integers", out).dtype
        )
        if wanted.kind not in "biu":
            raise TypeError(f"integers: dtype must be {expected}, found {wanted}")
        least, greatest = (0, 1) if wanted.kind == "b" else limits_of(wanted)
        if last < first:
            raise ValueError(f"integers: there must be one between the ends, found {low}, {high}")
        if first < least or last > greatest:
            raise ValueError(
                f"integers: {wanted} has those from {least} to {greatest}, found {first} to {last}"
            )
        made = _array("integers", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("integers", made, first % 2**64, (last - first + 1) % 2**64)

    def _fill(self, name: str, made: USMArray, *parameters: float) -> USMArray:
        with self._lock:
            first = self._next
            self._next = end = first + made.size
        try:
            return _kernel(name, made.dtype)(self._key, first % 2**64, *parameters, out=made)
        except BaseException:
            with self._lock:
                if self._next == end:  # else another thread has made numbers after these
                    self._next = first
            raise


def _kernel(name, dtype):
    found = _kernels.get((name, dtype))
    if found is None:
        more, expression = _DISTRIBUTIONS[name]
        inputs = ("uint64 key", "uint64 first", *more)
        found = _kernels[name, dtype] = ElementwiseKernel(
            ", ".join(inputs).replace("T ", f"{dtype} "),
            f"{dtype} out",
            f"out = {expression}",
            f"random_{name}",
            preamble=f"{_device_text('random.hpp')}\nusing T = {cpp(dtype)};\n",
        )
    return found


def _array(function, size, dtype, out, device, usm_type, sycl_queue):
    """The array that is filled, of the given shape."""
    shape = None if size is None else _shape(function, size)
    if out is None:
        queue = _queue_argument(sycl_queue, device)
        return empty(shape or (), dtype, usm_type=usm_type, sycl_queue=queue)
    if shape not in (None, out.shape):
        raise ValueError(f"{function}: out must have shape {shape}, found {out.shape}")
    return out


def _shape(function, size):
    """The extents that an integer, or a tuple or list of integers, stands for."""
    extents = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if any(isinstance(each, bool) for each in extents):
        raise TypeError(f"{function}: size must be an integer or a tuple of integers, found {size}")
    shape = tuple(as_integer(f"{function}: size", each) for each in extents)
    if min(shape, default=0) < 0:
        raise ValueError(f"{function}: size must not be negative, found {size}")
    return shape


def _float_type(function, dtype, out, device, sycl_queue):
    """The element type of real numbers."""
    expected = "float32 or float64"
    wanted = None if dtype is None else _element_type(function, dtype, expected)
    if out is not None:
        found = output(function, out).dtype
        if wanted not in (None, found):
            raise TypeError(f"{function}: out must be of type {wanted}, found {found}")
        wanted = found
    elif wanted is None:
        wanted = default_float(_queue_argument(sycl_queue, device).sycl_device)
    if wanted not in (numpy.float32, numpy.float64):
        raise TypeError(f"{function}: dtype must be {expected}, found {wanted}")
    return wanted


def _element_type(function, dtype, expected):
    try:
        return _dtype(dtype)
    except ValueError:
        text = f"{function}: dtype must be {expected}, found {short_repr(dtype)}"
        raise TypeError(text) from None


def _floats(function, size, dtype, out, device, usm_type, sycl_queue):
    wanted = _float_type(function, dtype, out, device, sycl_queue)
    return _array(function, size, wanted, out, device, usm_type, sycl_queue)


def _real(function, name, value):
    """A Python float. Texts are no numbers, although float() reads them."""
    try:
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{function}: {name} must be a number, found {short_repr(value)}") from None
    except OverflowError:
        text = f"{function}: {name} must be in the range of float64, found {short_repr(value)}"
        raise OverflowError(text) from None


def _in_type(dtype, value):
    """The value as that type has it; infinite where it is beyond the type."""
    if dtype == numpy.float64:
        return value
    with numpy.errstate(over="ignore"):
        return float(dtype.type(value))
