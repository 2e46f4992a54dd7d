"""Random numbers in unified shared memory, the same ones on every device."""

from __future__ import annotations

import threading
from math import prod
from operator import index
from typing import TYPE_CHECKING

from usmx._compute.call import cpp, new_cache, output, text_of
from usmx._compute.promotion import default_float
from usmx._container.host import _numpy
from usmx._core import ElementwiseKernel, _dtype, _queue_argument, empty
from usmx._text import short_repr

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DeviceLike, DTypeLike, NumpyType, QueueLike, Shape, UsmType

__all__ = ["Generator", "default_rng"]

_kernels: dict[tuple[str, NumpyType], ElementwiseKernel] = new_cache()
_EXPRESSIONS = {
    "random": ("", "random_fraction<T>(philox(key, first + i, 0))"),
    "uniform": (", T low, T width", "low + width * random_fraction<T>(philox(key, first + i, 0))"),
    "normal": (", T loc, T scale", "loc + scale * random_normal<T>(philox(key, first + i, 0))"),
    "integers": (
        ", uint64 low, uint64 count",
        "T(uint64_t(low) + random_below(key, first + i, count))",
    ),
}


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
        [5 7 8 2 7]
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


class Generator:
    """A generator of random numbers by counters (Philox4x32-10).

    The numbers depend on the seed and on how many the generator has made before: not on the device,
    the kind or the layout of memory. Those of `normal` may differ between devices in the last
    places, as functions of real numbers do. The methods do not wait. Several threads may use a
    generator. It can be pickled.

    Args:
        seed: as for `default_rng`.

    Example:
        >>> rng = usmx.random.Generator(7)
        >>> x = rng.standard_normal((1000, 1000), dtype='f4')
        >>> abs(float(x.mean())) < 0.01
        True
    """

    def __init__(self, seed: Any = None) -> None:
        sequence = _numpy().random.SeedSequence
        source = seed if isinstance(seed, sequence) else sequence(seed)
        self._key = int(source.generate_state(1, "u8")[0])
        self._next = 0
        self._lock = threading.Lock()

    def __getstate__(self) -> tuple[int, int]:
        """The seed and the number of the next element."""
        return self._key, self._next

    def __setstate__(self, state: tuple[int, int]) -> None:
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
        """Make numbers from 0 on, below 1, all as likely.

        Args:
            size: the shape. None: no dimensions.
            dtype: float32 or float64. By default float64, or float32 on a device without it.
            out: the array that is filled. By default a new one.
            device: where the array is, as for `usmx.empty`.
            usm_type: its kind of memory.
            sycl_queue: its queue.

        Returns:
            `out`, or a new USMArray.

        Raises:
            TypeError: `dtype` is another type.
            ValueError: `out` has another shape, or is read-only.

        Example:
            >>> usmx.random.default_rng(7).random(3).shape
            (3,)
        """
        made = self._array(size, dtype, out, device, usm_type, sycl_queue)
        return self._fill("random", made)
