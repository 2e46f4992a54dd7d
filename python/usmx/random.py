"""Random numbers in unified shared memory.

Names of NumPy's such as `rand` and `seed` are methods of one generator that all threads share.
"""

from __future__ import annotations

import sys
import threading
from math import isfinite
from typing import TYPE_CHECKING

from usmx._compute.call import output
from usmx._compute.promotion import limits_of
from usmx._container.creation import as_integer
from usmx._container.host import numpy
from usmx._core import _draw
from usmx._functions import hand_out
from usmx._random.choices import Choices
from usmx._random.distributions import Options, is_array
from usmx._random.draws import (
    array_for,
    element_type,
    float_type,
    floats_for,
    in_type,
    real_number,
)

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._core import USMArray
    from usmx._typing import DeviceLike, DTypeLike, Operand, QueueLike, Shape, UsmType

__all__ = ["Generator", "RandomState", "default_rng"]


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


def _key_of(seed):
    """The 64 bits that a seed stands for."""
    sequence = numpy.random.SeedSequence
    source = seed if isinstance(seed, sequence) else sequence(seed)
    return int(source.generate_state(1, "u8")[0])


_OTHERS = {
    **dict.fromkeys(
        (
            "BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence",
            "bit_generator", "get_bit_generator", "set_bit_generator",
        ),
        "usmx.random.default_rng(seed), whose numbers all come from Philox4x32-10",
    ),
    "random_integers": "usmx.random.randint(low, high + 1)",
    "spawn": "usmx.random.default_rng([seed, k]), where k is 0, 1, 2 and so on",
}  # fmt: skip


def _use(name: str) -> str:
    """The end of a message about a name that NumPy's module or its generator has."""
    if name in _OTHERS:
        return f": use {_OTHERS[name]}"
    try:
        numpys = dir(numpy.random.Generator)
    except ImportError:
        return ""
    if name.startswith("_") or name not in numpys:
        return ""
    drawn = f"numpy.random.default_rng(seed).{name}(...)"
    made = f"frombuffer({drawn}, 'u1')" if name == "bytes" else f"asarray({drawn})"
    return f": use usmx.{made}"


class Generator(Choices):
    """A generator of random numbers by counters (Philox4x32-10).

    The numbers depend on the seed and on how many the generator has made before: not on the kind or
    the layout of memory. Those of `random`, `integers`, `uniform`, `normal`, `standard_normal`,
    `exponential` and what chooses and mixes elements do not depend on the device either; others use
    its functions of mathematics, whose last digits may differ. A call that raises has made none.
    The methods do not wait unless they say so. Several threads may use a generator. It can be
    pickled.

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
        self._key = _key_of(seed)
        self._next = 0
        self._lock = threading.Lock()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Say what takes the place of a method that is not here."""
            text = f"'Generator' object has no attribute {name!r}{_use(name)}"
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
        usm_type: UsmType | None = None,
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
        made = floats_for("random", size, dtype, out, device, usm_type, sycl_queue)
        return self._fill("uniform", made, 0.0, 1.0)

    def uniform(
        self,
        low: Operand = 0.0,
        high: Operand = 1.0,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        *,
        out: USMArray | None = None,
        device: DeviceLike | None = None,
        usm_type: UsmType | None = None,
        sycl_queue: QueueLike | None = None,
    ) -> USMArray:
        """Make numbers from `low` on, below `high`, each as likely as the others.

        Args:
            low: the least number, or an array of them.
            high: the end, which is not less, or an array of them. Rounding may give the end itself,
                as in NumPy.
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
        if is_array(low) or is_array(high):
            options: Options = {
                "dtype": dtype, "device": device, "usm_type": usm_type, "sycl_queue": sycl_queue,
            }  # fmt: skip
            return self._uniform_between(low, high, size, out, options)
        first, end = real_number("uniform", "low", low), real_number("uniform", "high", high)
        wanted = float_type("uniform", dtype, out, device, sycl_queue)
        ends = [in_type(wanted, value) for value in (first, end, end - first)]
        if not all(map(isfinite, ends)):
            raise OverflowError(
                f"uniform: low, high and high - low must be finite in {wanted}, found {low} and "
                f"{high}"
            )
        if end < first:
            raise ValueError(f"uniform: high must not be less than low, found {low} and {high}")
        made = array_for("uniform", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("uniform", made, ends[0], ends[2])

    def standard_normal(
        self,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        out: USMArray | None = None,
        *,
        device: DeviceLike | None = None,
        usm_type: UsmType | None = None,
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
        made = floats_for("standard_normal", size, dtype, out, device, usm_type, sycl_queue)
        return self._fill("normal", made, 0.0, 1.0)

    def normal(
        self,
        loc: Operand = 0.0,
        scale: Operand = 1.0,
        size: Shape | None = None,
        dtype: DTypeLike | None = None,
        *,
        out: USMArray | None = None,
        device: DeviceLike | None = None,
        usm_type: UsmType | None = None,
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
        if is_array(loc) or is_array(scale):
            options: Options = {
                "dtype": dtype, "device": device, "usm_type": usm_type, "sycl_queue": sycl_queue,
            }  # fmt: skip
            return self._normal_around(loc, scale, size, out, options)
        mean, deviation = real_number("normal", "loc", loc), real_number("normal", "scale", scale)
        if not deviation >= 0:
            raise ValueError(f"normal: scale must be 0 or more, found {scale}")
        wanted = float_type("normal", dtype, out, device, sycl_queue)
        for name, value in (("loc", mean), ("scale", deviation)):
            if isfinite(value) and not isfinite(in_type(wanted, value)):
                raise OverflowError(
                    f"normal: {name} must be in the range of {wanted}, found {value}"
                )
        made = array_for("normal", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("normal", made, in_type(wanted, mean), in_type(wanted, deviation))

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
        usm_type: UsmType | None = None,
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
            element_type("integers", dtype, expected)
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
        made = array_for("integers", size, wanted, out, device, usm_type, sycl_queue)
        return self._fill("integers", made, first % 2**64, (last - first + 1) % 2**64)

    def _fill(self, name: str, made: USMArray, *parameters: Any, real: Any = None) -> USMArray:
        """Draw into an array; `real` is the type in which the kernel computes, if it is another."""
        with self._lock:
            key, first = self._key, self._next
            self._next = end = first + made.size
        try:
            _draw(name, made.dtype if real is None else real, key, first % 2**64, parameters, made)
        except BaseException:
            with self._lock:
                if self._next == end:  # else another thread has made numbers after these
                    self._next = first
            raise
        return made


class RandomState(Generator):
    """A generator with the names of NumPy's older functions, such as `rand` and `randint`.

    The functions of the module are methods of one that all threads share: `usmx.random.seed`,
    `usmx.random.rand` and so on. It begins with the system's random numbers. The numbers differ
    from NumPy's.

    Args:
        seed: what ``numpy.random.SeedSequence`` takes, such as an integer. None: the system's
            random numbers.

    Example:
        >>> usmx.random.RandomState(7).rand(2, 3).shape
        (2, 3)
        >>> usmx.random.seed(7)
        >>> print(usmx.random.randint(10, size=5))
        [1 6 7 9 0]
    """

    def seed(self, seed: Any = None) -> None:
        """Begin again, with another seed: what ``numpy.random.SeedSequence`` takes."""
        key = _key_of(seed)
        with self._lock:
            self._key, self._next = key, 0

    def get_state(self) -> tuple[int, int]:
        """Give the seed and the number of the next element, for `set_state`."""
        with self._lock:
            return self._key, self._next

    def set_state(self, state: tuple[int, int]) -> None:
        """Go on from a state that `get_state` has given."""
        with self._lock:
            self._key, self._next = state

    def rand(self, *size: SupportsIndex) -> USMArray:
        """Make numbers from 0 on, below 1, in an array of these extents."""
        return self.random(size)

    def randn(self, *size: SupportsIndex) -> USMArray:
        """Make numbers of the standard normal distribution in an array of these extents."""
        return self.standard_normal(size)

    def random_sample(self, size: Shape | None = None) -> USMArray:
        """Make numbers from 0 on, below 1."""
        return self.random(size)

    def randint(
        self,
        low: SupportsIndex,
        high: SupportsIndex | None = None,
        size: Shape | None = None,
        dtype: DTypeLike = "i8",
    ) -> USMArray:
        """Make integers from `low` on, below `high`; or from 0 on, below `low`."""
        return self.integers(low, high, size, dtype)

    ranf = sample = random_sample


# The names of the module that are methods of the generator that all threads share.
_SHARED = frozenset(
    (
        "beta", "binomial", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma",
        "geometric", "get_state", "gumbel", "laplace", "logistic", "lognormal",
        "multivariate_normal", "negative_binomial", "normal", "pareto", "permutation", "poisson",
        "power", "rand", "randint", "randn", "random", "random_sample", "ranf", "rayleigh",
        "sample", "seed", "set_state", "shuffle", "standard_cauchy", "standard_exponential",
        "standard_gamma", "standard_normal", "standard_t", "triangular", "uniform", "weibull",
    )
)  # fmt: skip
_made_once = threading.Lock()

if TYPE_CHECKING:
    _shared = RandomState()
    beta = _shared.beta
    binomial = _shared.binomial
    chisquare = _shared.chisquare
    choice = _shared.choice
    dirichlet = _shared.dirichlet
    exponential = _shared.exponential
    f = _shared.f
    gamma = _shared.gamma
    geometric = _shared.geometric
    get_state = _shared.get_state
    gumbel = _shared.gumbel
    laplace = _shared.laplace
    logistic = _shared.logistic
    lognormal = _shared.lognormal
    multivariate_normal = _shared.multivariate_normal
    negative_binomial = _shared.negative_binomial
    normal = _shared.normal
    pareto = _shared.pareto
    permutation = _shared.permutation
    poisson = _shared.poisson
    power = _shared.power
    rand = _shared.rand
    randint = _shared.randint
    randn = _shared.randn
    random = _shared.random
    random_sample = _shared.random_sample
    ranf = _shared.ranf
    rayleigh = _shared.rayleigh
    sample = _shared.sample
    seed = _shared.seed
    set_state = _shared.set_state
    shuffle = _shared.shuffle
    standard_cauchy = _shared.standard_cauchy
    standard_exponential = _shared.standard_exponential
    standard_gamma = _shared.standard_gamma
    standard_normal = _shared.standard_normal
    standard_t = _shared.standard_t
    triangular = _shared.triangular
    uniform = _shared.uniform
    weibull = _shared.weibull
else:

    def __getattr__(name):
        """The methods of the shared generator, which is made when it is first used."""
        module = globals()
        if name == "_shared":
            with _made_once:
                if "_shared" not in module:
                    module["_shared"] = RandomState()
            return module["_shared"]
        if name in _SHARED:
            module[name] = getattr(sys.modules[__name__]._shared, name)
            return module[name]
        text = f"module 'usmx.random' has no attribute {name!r}{_use(name)}"
        raise AttributeError(text, name=name, obj=sys.modules[__name__])

    def __dir__():
        return sorted({*globals(), *_SHARED})

    hand_out(globals(), __all__)
