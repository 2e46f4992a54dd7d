"""The distributions of a generator beside the uniform and the normal one.

Parameters are numbers or arrays, which are broadcast together.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypedDict

from usmx._compute.call import compute, is_number, output, written
from usmx._compute.table import ROWS
from usmx._container.creation import beside
from usmx._container.host import numpy
from usmx._core import USMArray, _as_array, _draws_integers, broadcast_to
from usmx._random.draws import array_for, float_type, real_number, require_writable, shape_of

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Unpack

    from usmx._typing import DeviceLike, DTypeLike, Operand, QueueLike, Shape, UsmType


class Options(TypedDict, total=False):
    """Where new numbers are made, and the type of real ones."""

    dtype: DTypeLike | None
    device: DeviceLike | None
    usm_type: UsmType | None
    sycl_queue: QueueLike | None


# Requirements of a parameter, and their words.
_POSITIVE = (lambda x: x > 0, "above 0")
_NOT_NEGATIVE = (lambda x: x >= 0, "0 or more")
_PART = (lambda x: (x >= 0) & (x <= 1), "from 0 to 1")
_PART_ABOVE_0 = (lambda x: (x > 0) & (x <= 1), "above 0 and at most 1")
_ANY = (lambda x: x == x, "a number")
# Above it the counts do not fit into int64.
_MOST = 2.0**62
_SMALL_PARTS = 0.1  # the largest parameter of dirichlet() whose gamma variables may all be 0
_MEAN = (lambda x: (x >= 0) & (x < _MOST), "from 0 to 2**62")


class Distributions:
    """The methods of a generator that draw from further distributions."""

    def _drawn(
        self: Any, name: str, size: Shape | None, options: Options, **parameters: tuple[Any, Any]
    ) -> USMArray:
        """Numbers of a distribution; each parameter comes with the rule that it keeps."""
        for key in options.keys() - Options.__annotations__.keys():
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
        where = {key: options.get(key) for key in ("device", "sycl_queue")}
        arrays = [each for each, _ in parameters.values() if not is_number(each)]
        views = [_as_array(each) for each in arrays]
        first = next((view for view in views if view is not None), None)
        if first is not None and where == {"device": None, "sycl_queue": None}:
            where["sycl_queue"] = first._own_queue
        real = float_type(name, options.get("dtype"), None, **where)
        given = {
            key: _parameter(name, key, value, rule, real, first, where)
            for key, (value, rule) in parameters.items()
        }
        shapes = [each.shape for each in given.values() if isinstance(each, USMArray)]
        shape = numpy.broadcast_shapes(*shapes) if size is None else shape_of(name, size)
        usm_type = options.get("usm_type")
        kind = numpy.dtype("i8") if _draws_integers(name) else real
        made = array_for(name, shape, kind, None, where["device"], usm_type, where["sycl_queue"])
        values = [
            broadcast_to(each, shape) if isinstance(each, USMArray) else each
            for each in given.values()
        ]
        return self._fill(name, made, *values, real=real)

    def _normal_around(
        self: Any, loc: Any, scale: Any, size: Any, out: USMArray | None, options: Options
    ) -> USMArray:
        """Normal numbers whose parameters are arrays."""
        options, size = _options_and_size("normal", options, size, out)
        rules = {"loc": (loc, _ANY), "scale": (scale, _NOT_NEGATIVE)}
        return written("normal", out, self._drawn("normal", size, options, **rules))

    def _uniform_between(
        self: Any, low: Any, high: Any, size: Any, out: USMArray | None, options: Options
    ) -> USMArray:
        """Uniform numbers between ends that are arrays."""
        options, size = _options_and_size("uniform", options, size, out)
        first, end = _as_operand(low), _as_operand(high)
        width = end - first
        rules = {"low": (first, _ANY), "width": (width, _NOT_NEGATIVE)}
        return written("uniform", out, self._drawn("uniform", size, options, **rules))

    def exponential(
        self, scale: Operand = 1.0, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the exponential distribution, the same numbers on every device.

        Args:
            scale: the mean, 0 or more: a number or an array.
            size: the shape. By default that of the parameters.
            options: `dtype`, `device`, `usm_type` and `sycl_queue`, as of ``random``.

        Raises:
            ValueError: a parameter is outside of its range. Arrays of parameters are waited for.

        Example:
            >>> x = usmx.random.default_rng(7).exponential(2.0, 10_000)
            >>> abs(float(x.mean()) - 2) < 0.1
            True
        """
        return self._drawn("exponential", size, options, scale=(scale, _NOT_NEGATIVE))

    def standard_exponential(
        self, size: Shape | None = None, *, out: USMArray | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the exponential distribution with mean 1, the same numbers on every device."""
        options, size = _options_and_size("standard_exponential", options, size, out)
        made = self.exponential(1.0, size, **options)
        return written("standard_exponential", out, made)

    def lognormal(
        self,
        mean: Operand = 0.0,
        sigma: Operand = 1.0,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw numbers whose logarithms are normal, with this mean and standard deviation."""
        return self._drawn(
            "lognormal", size, options, mean=(mean, _ANY), sigma=(sigma, _NOT_NEGATIVE)
        )

    def rayleigh(
        self, scale: Operand = 1.0, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the Rayleigh distribution."""
        return self._drawn("rayleigh", size, options, scale=(scale, _NOT_NEGATIVE))

    def weibull(
        self, a: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the Weibull distribution of shape `a`."""
        return self._drawn("weibull", size, options, a=(a, _POSITIVE))

    def pareto(self, a: Operand, size: Shape | None = None, **options: Unpack[Options]) -> USMArray:
        """Draw from the Pareto II distribution of shape `a`."""
        return self._drawn("pareto", size, options, a=(a, _POSITIVE))

    def power(self, a: Operand, size: Shape | None = None, **options: Unpack[Options]) -> USMArray:
        """Draw numbers below 1 with the density ``a * x**(a - 1)``."""
        return self._drawn("power", size, options, a=(a, _POSITIVE))

    def gumbel(
        self,
        loc: Operand = 0.0,
        scale: Operand = 1.0,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the Gumbel distribution."""
        return self._drawn("gumbel", size, options, loc=(loc, _ANY), scale=(scale, _NOT_NEGATIVE))

    def laplace(
        self,
        loc: Operand = 0.0,
        scale: Operand = 1.0,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the Laplace distribution."""
        return self._drawn("laplace", size, options, loc=(loc, _ANY), scale=(scale, _NOT_NEGATIVE))

    def logistic(
        self,
        loc: Operand = 0.0,
        scale: Operand = 1.0,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the logistic distribution."""
        return self._drawn("logistic", size, options, loc=(loc, _ANY), scale=(scale, _NOT_NEGATIVE))

    def triangular(
        self,
        left: float,
        mode: float,
        right: float,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the triangular distribution between `left` and `right`, most often at `mode`.

        Raises:
            ValueError: the numbers are in another order, or all equal.
        """
        if not left <= mode <= right or left == right:
            raise ValueError(
                f"triangular: left, mode and right must grow, found {left}, {mode}, {right}"
            )
        ends = {"left": (left, _ANY), "mode": (mode, _ANY), "right": (right, _ANY)}
        return self._drawn("triangular", size, options, **ends)

    def gamma(
        self,
        shape: Operand,
        scale: Operand = 1.0,
        size: Shape | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the gamma distribution (G. Marsaglia and W. W. Tsang, 2000).

        Args:
            shape: the shape, 0 or more: a number or an array.
            scale: the scale, 0 or more.
            size: the shape of the result. By default that of the parameters.
            options: `dtype`, `device`, `usm_type` and `sycl_queue`, as of ``random``.

        Raises:
            ValueError: a parameter is outside of its range. Arrays of parameters are waited for.

        Example:
            >>> x = usmx.random.default_rng(7).gamma(3.0, 2.0, 10_000)
            >>> abs(float(x.mean()) - 6) < 0.2
            True
        """
        rules = {"shape": (shape, _NOT_NEGATIVE), "scale": (scale, _NOT_NEGATIVE)}
        return self._drawn("gamma", size, options, **rules)

    def standard_gamma(
        self,
        shape: Operand,
        size: Shape | None = None,
        *,
        out: USMArray | None = None,
        **options: Unpack[Options],
    ) -> USMArray:
        """Draw from the gamma distribution of scale 1."""
        options, size = _options_and_size("standard_gamma", options, size, out)
        return written("standard_gamma", out, self.gamma(shape, 1.0, size, **options))

    def chisquare(
        self, df: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the chi-squared distribution of `df` degrees of freedom."""
        return self._drawn("chisquare", size, options, df=(df, _POSITIVE))

    def beta(
        self, a: Operand, b: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the beta distribution: two gamma numbers' share, by their logarithms.

        Args:
            a, b: the parameters, above 0: numbers or arrays.
            size: the shape. By default that of the parameters.
            options: `dtype`, `device`, `usm_type` and `sycl_queue`, as of ``random``.

        Raises:
            ValueError: a parameter is outside of its range. Arrays of parameters are waited for.

        Example:
            >>> x = usmx.random.default_rng(7).beta(2.0, 6.0, 10_000)
            >>> abs(float(x.mean()) - 0.25) < 0.01
            True
        """
        return self._drawn("beta", size, options, a=(a, _POSITIVE), b=(b, _POSITIVE))

    def f(
        self, dfnum: Operand, dfden: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the F distribution of these degrees of freedom."""
        rules = {"dfnum": (dfnum, _POSITIVE), "dfden": (dfden, _POSITIVE)}
        return self._drawn("f", size, options, **rules)

    def standard_t(
        self, df: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from Student's distribution of `df` degrees of freedom."""
        return self._drawn("standard_t", size, options, df=(df, _POSITIVE))

    def standard_cauchy(self, size: Shape | None = None, **options: Unpack[Options]) -> USMArray:
        """Draw from the Cauchy distribution."""
        return self._drawn("standard_cauchy", () if size is None else size, options)

    def poisson(
        self, lam: Operand = 1.0, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the Poisson distribution (above a mean of 10: W. Hörmann's PTRS, 1993).

        Args:
            lam: the mean, 0 or more: a number or an array.
            size: the shape. By default that of the parameters.
            options: `device`, `usm_type` and `sycl_queue`, as of ``random``; `dtype` is the type in
                which it computes.

        Returns:
            A new USMArray of int64.

        Raises:
            ValueError: a parameter is outside of its range. Arrays of parameters are waited for.

        Example:
            >>> x = usmx.random.default_rng(7).poisson(4.0, 10_000)
            >>> abs(float(x.mean()) - 4) < 0.1
            True
        """
        return self._drawn("poisson", size, options, lam=(lam, _MEAN))

    def binomial(
        self, n: Operand, p: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw from the binomial distribution (for many successes: W. Hörmann's BTRS, 1993).

        Args:
            n: how many trials: an integer or an array of integers, 0 or more.
            p: the probability of a success, from 0 to 1.
            size: the shape. By default that of the parameters.
            options: `device`, `usm_type` and `sycl_queue`, as of ``random``; `dtype` is the type in
                which it computes.

        Returns:
            A new USMArray of int64.

        Raises:
            ValueError: a parameter is outside of its range. Arrays of parameters are waited for.

        Example:
            >>> x = usmx.random.default_rng(7).binomial(10, 0.3, 10_000)
            >>> abs(float(x.mean()) - 3) < 0.1
            True
        """
        return self._drawn("binomial", size, options, n=(n, _NOT_NEGATIVE), p=(p, _PART))

    def negative_binomial(
        self, n: Operand, p: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw how many failures come before `n` successes of probability `p`."""
        _require_counts_of_int64(n, p)
        return self._drawn(
            "negative_binomial", size, options, n=(n, _POSITIVE), p=(p, _PART_ABOVE_0)
        )

    def geometric(
        self, p: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw how many trials there are up to the first success of probability `p`."""
        return self._drawn("geometric", size, options, p=(p, _PART_ABOVE_0))

    def dirichlet(
        self, alpha: Operand, size: Shape | None = None, **options: Unpack[Options]
    ) -> USMArray:
        """Draw parts whose sum is 1 from the Dirichlet distribution.

        Args:
            alpha: the parameters, above 0: an array of one dimension.
            size: the shape, to which the axis of the parts is added.
            options: `dtype`, `device`, `usm_type` and `sycl_queue`, as of ``random``.

        Waits for the parameters, if these are a USMArray.
        """
        lengths = () if size is None else shape_of("dirichlet", size)
        view = _as_array(alpha)
        given = numpy.asarray(alpha) if view is None else view
        shape = (*lengths, *given.shape)
        scale = (1.0, _POSITIVE)
        if given.size and float(given.min()) > 0 and float(given.max()) < _SMALL_PARTS:
            # The gamma variables may all be 0, their logarithms are not: by Ahrens and Dieter the
            # logarithm of one of `a` is that of one of `a + 1`, and -e / a of an exponential one.
            more = self._drawn("gamma", shape, options, shape=(given + 1.0, _POSITIVE), scale=scale)
            drawn = self._drawn("exponential", shape, options, scale=scale)
            less = drawn / given.astype(drawn.dtype)
            made = compute(ROWS["log"], (more,)) - less
            made = compute(ROWS["exp"], (made - made.max(-1, keepdims=True),))
        else:
            made = self._drawn("gamma", shape, options, shape=(given, _POSITIVE), scale=scale)
        return made / made.sum(-1, keepdims=True)  # type: ignore[no-any-return]


def _require_counts_of_int64(n: Any, p: Any) -> None:
    """Refuse numbers of trials and probabilities that negative_binomial() could not count."""
    if not is_number(n) or not is_number(p):
        return
    trials = real_number("negative_binomial", "n", n)
    part = real_number("negative_binomial", "p", p)
    # The mean, and what the number of trials may add to it: as NumPy bounds them.
    if trials > 0 and 0 < part <= 1 and not (1 - part) / part * (trials + 10 * trials**0.5) < _MOST:
        raise ValueError("negative_binomial: n is too large, or p too small, for int64")


def is_array(parameter: Any) -> bool:
    """Whether a parameter is an array or lists, and no number."""
    view = _as_array(parameter)
    return isinstance(parameter, (list, tuple, numpy.ndarray)) if view is None else True


def _options_and_size(function, options, size, out):
    """The options and size of numbers that are copied to `out`, if there is one."""
    if out is None:
        return options, size
    require_writable(function, output(function, out))
    if size is not None and shape_of(function, size) != out.shape:
        raise ValueError(f"{function}: out must have shape {size}, found {out.shape}")
    options = {"dtype": out.dtype, "usm_type": out.usm_type, "sycl_queue": out._own_queue}
    return options, out.shape


def _as_operand(obj):
    view = _as_array(obj)
    return numpy.asarray(obj) if view is None else view


def _parameter(function, name, value, rule, real, first, where):
    """A parameter as the kernel takes it: a number, or an array beside the others."""
    holds, words = rule
    kind = numpy.dtype("i8") if (function, name) == ("binomial", "n") else real
    if is_number(value) or (first is None and numpy.ndim(value) == 0):
        number = real_number(function, name, value)
        if not holds(number) or not isfinite(number):
            raise ValueError(f"{function}: {name} must be {words}, found {value}")
        return int(number) if kind == numpy.int64 else number
    if first is None:
        from usmx._core import _queue_argument, asarray

        queue = _queue_argument(where["sycl_queue"], where["device"])
        array = asarray(value, sycl_queue=queue)
    else:
        array = beside(first, value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{function}: {name} must be of real numbers, found {array.dtype}")
    if not bool(holds(array).all()):
        raise ValueError(f"{function}: {name} must be {words}, found an element that is not")
    return array.astype(kind, copy=False)
