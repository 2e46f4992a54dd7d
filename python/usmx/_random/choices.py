"""Choices and permutations of a generator: elements of arrays."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TYPE_CHECKING

from usmx._compute.call import require_fitting, written
from usmx._compute.sorting import argsort, searchsorted
from usmx._container.compute_follows_data import options_of
from usmx._container.creation import as_axis, as_integer
from usmx._container.host import numpy, on_host
from usmx._container.indexing import take, take_along_axis
from usmx._core import USMArray, _as_array, asarray, reshape
from usmx._random.distributions import Distributions
from usmx._random.draws import require_writable, shape_of

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from usmx._typing import Operand, Shape

_ALL_WORDS = 2**64


class Choices(Distributions):
    """The methods of a generator that choose from arrays, and that put them in another order."""

    def _order(self: Any, count: int, options: dict[str, Any]) -> USMArray:
        """The integers below `count` in a random order."""
        return argsort(self.integers(0, _ALL_WORDS, count, "u8", **options), stable=True)

    def choice(
        self: Any,
        a: Any,
        size: Shape | None = None,
        replace: bool = True,
        p: Operand | None = None,
        axis: SupportsIndex = 0,
        shuffle: bool = True,
    ) -> USMArray:
        """Choose parts of an array at random. Waits only to look at probabilities.

        Args:
            a: an array, or an integer, which stands for ``arange(a)``.
            size: how many: an integer or a tuple of integers. By default 1, without an axis.
            replace: whether a part may be chosen again.
            p: the probability of each part. By default all are as likely.
            axis: the axis of the parts.
            shuffle: changes nothing: the order is random in any case.

        Returns:
            A new USMArray, in which the axes of `size` are in the place of `axis`.

        Raises:
            ValueError: there are too few parts, or `p` are no probabilities of them.

        Example:
            >>> rng = usmx.random.default_rng(7)
            >>> rng.choice(5, 3, replace=False).shape
            (3,)
            >>> print(rng.choice(usmx.asarray([1, 2]), 4, p=[0, 1]))
            [2 2 2 2]
        """
        x = _parts(a)
        options = {} if isinstance(x, int) else options_of(x)
        k = 0 if isinstance(x, int) else as_axis(axis, x.ndim)
        count = x if isinstance(x, int) else x.shape[k]
        shape = () if size is None else shape_of("choice", size)
        wanted = 1
        for extent in shape:
            wanted *= extent
        if count <= 0 and wanted:
            raise ValueError("choice: there is nothing to choose from")
        if not replace and wanted > count:
            raise ValueError(
                f"choice: expected at most {count} without replacement, found {wanted}"
            )
        weights = None if p is None else _probabilities(p, count)
        chosen = reshape(self._chosen(count, wanted, replace, weights, options), shape)
        return chosen if isinstance(x, int) else _taken(x, chosen, k)

    def _chosen(self: Any, count, wanted, replace, weights, options):
        """The indices of the parts."""
        if weights is None:
            if replace:
                return self.integers(0, max(count, 1), wanted, **options)
            return self._order(count, options)[:wanted]
        if replace:
            ends = numpy.cumsum(weights)
            ends = asarray(ends / ends[-1], **_near(options))
            return searchsorted(ends, self.random(wanted, ends.dtype, **options), side="right")
        # The least of exponential numbers over their weights (P. Efraimidis and P. Spirakis, 2006)
        if (weights > 0).sum() < wanted:
            raise ValueError("choice: fewer probabilities are above 0 than parts are chosen")
        with numpy.errstate(divide="ignore"):
            inverse = asarray(1 / weights, **_near(options))
        return argsort(self.exponential(1.0, count, dtype=inverse.dtype, **options) * inverse)[
            :wanted
        ]

    def permutation(self: Any, x: Any, axis: SupportsIndex = 0) -> USMArray:
        """Put the parts of an array into a random order. Does not wait.

        Args:
            x: an array, or an integer, which stands for ``arange(x)``.
            axis: the axis of the parts.

        Returns:
            A new USMArray.

        Example:
            >>> print(usmx.sort(usmx.random.default_rng(7).permutation(4)))
            [0 1 2 3]
        """
        parts = _parts(x)
        if isinstance(parts, int):
            return self._order(parts, {})  # type: ignore[no-any-return]
        k = as_axis(axis, parts.ndim)
        return take(parts, self._order(parts.shape[k], options_of(parts)), axis=k)

    def permuted(
        self: Any, x: Operand, *, axis: SupportsIndex | None = None, out: USMArray | None = None
    ) -> USMArray:
        """Put the elements along an axis into a random order, each row into its own.

        Does not wait.

        Args:
            x: an array.
            axis: the axis. None: all elements are mixed.
            out: where the result is written: it may be `x`. By default a new array.

        Example:
            >>> x = usmx.asarray([[1, 2, 3], [4, 5, 6]])
            >>> print(usmx.sort(usmx.random.default_rng(7).permuted(x, axis=1)))
            [[1 2 3]
             [4 5 6]]
        """
        view = _as_array(x)
        array = asarray(x) if view is None else view
        options = options_of(array)
        if out is not None:  # is refused before numbers are drawn
            require_fitting("permuted", out, array)
            require_writable("permuted", out)
        if axis is None:
            flat = reshape(array, -1)
            made = reshape(flat[self._order(flat.size, options)], array.shape)
        else:
            k = as_axis(axis, array.ndim)
            words = self.integers(0, _ALL_WORDS, array.shape, "u8", **options)
            made = take_along_axis(array, argsort(words, axis=k, stable=True), axis=k)
        return written("permuted", out, made)

    def shuffle(self: Any, x: Any, axis: SupportsIndex = 0) -> None:
        """Put the parts of an array into a random order, in place.

        Does not wait; it waits for a list.

        Args:
            x: an array that can be written, or a list.
            axis: the axis of the parts.

        Example:
            >>> x = usmx.arange(4)
            >>> usmx.random.default_rng(7).shuffle(x)
            >>> print(usmx.sort(x))
            [0 1 2 3]
        """
        view = _as_array(x)
        if view is not None:
            require_writable("shuffle", view)
            k = as_axis(axis, view.ndim)
            view[...] = take(view, self._order(view.shape[k], options_of(view)), axis=k)
        elif isinstance(x, numpy.ndarray):
            x[...] = numpy.take(x, on_host(self._order(x.shape[axis], {})), axis)
        elif isinstance(x, MutableSequence):
            x[:] = [x[k] for k in self._order(len(x), {}).tolist()]
        else:
            raise TypeError(f"shuffle: x must be an array or a list, found {type(x).__name__}")

    def multivariate_normal(
        self: Any,
        mean: Operand,
        cov: Operand,
        size: Shape | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> USMArray:
        """Draw vectors of the normal distribution with this mean and covariance matrix. Waits.

        NumPy takes the matrix apart on the host.

        Args:
            mean: the mean: an array of one dimension.
            cov: the covariance: a symmetric matrix.
            size: the shape, to which the axis of the vectors is added.
            check_valid: what happens if the matrix is no covariance: 'warn', 'raise' or 'ignore'.
            tol: how far the matrix may be from one.
            method: how the matrix is taken apart: 'svd', 'eigh' or 'cholesky'.

        Raises:
            ValueError: the shapes do not fit, or the matrix is no covariance.

        Example:
            >>> rng = usmx.random.default_rng(7)
            >>> rng.multivariate_normal([0, 0], [[1, 0], [0, 1]], 5).shape
            (5, 2)
        """
        view = next((v for v in (_as_array(mean), _as_array(cov)) if v is not None), None)
        options = {} if view is None else options_of(view)
        center, matrix = numpy.asarray(on_host(mean), float), numpy.asarray(on_host(cov), float)
        if center.ndim != 1 or matrix.shape != (center.size, center.size):
            raise ValueError(
                f"multivariate_normal: expected a vector and its square matrix, found shapes "
                f"{center.shape} and {matrix.shape}"
            )
        factor = _factor(matrix, method, check_valid, tol)
        shape = () if size is None else shape_of("multivariate_normal", size)
        x: Any = self.standard_normal((*shape, center.size), **options)
        kind = {**_near(options), "dtype": x.dtype}
        return x @ asarray(factor.T, **kind) + asarray(center, **kind)  # type: ignore[no-any-return]


def _factor(matrix, method, check_valid, tol):
    """A matrix that gives the covariance, multiplied with its transpose."""
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError(f"check_valid must be 'warn', 'raise' or 'ignore', found {check_valid!r}")
    if method == "cholesky":
        return numpy.linalg.cholesky(matrix)
    if method not in ("svd", "eigh"):
        raise ValueError(f"method must be 'svd', 'eigh' or 'cholesky', found {method!r}")
    values, vectors = numpy.linalg.eigh((matrix + matrix.T) / 2)
    is_valid = (
        numpy.allclose(matrix, matrix.T, rtol=tol, atol=tol)
        and (values >= -tol * max(1.0, float(numpy.abs(values).max(initial=0)))).all()
    )
    if not is_valid and check_valid != "ignore":
        text = "multivariate_normal: cov must be symmetric and positive semidefinite"
        if check_valid == "raise":
            raise ValueError(text)
        import warnings

        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return vectors * numpy.sqrt(numpy.maximum(values, 0))


def _parts(a):
    """An array, or how many integers there are."""
    view = _as_array(a)
    if view is not None and view.ndim > 0:
        return view
    if view is not None or numpy.ndim(a) == 0:
        return as_integer("a", a)
    return asarray(a)


def _near(options):
    """Arguments that copy an array of the host's there, to the type that the device has."""
    from usmx._compute.promotion import default_float
    from usmx._core import _queue_argument

    queue = options.get("sycl_queue", _queue_argument(None, None))
    return {**options, "dtype": default_float(queue.sycl_device)}


def _probabilities(p, count):
    weights = numpy.asarray(on_host(p), float)
    if weights.shape != (count,):
        raise ValueError(f"choice: p must have shape {(count,)}, found {weights.shape}")
    if not (weights >= 0).all():
        raise ValueError("choice: probabilities must be 0 or more")
    if abs(weights.sum() - 1) > _near_one(p):
        raise ValueError(f"choice: probabilities must sum up to 1, found {weights.sum()}")
    return weights


def _near_one(p):
    """How far a sum of probabilities of this type may be from 1."""
    dtype = getattr(p, "dtype", None)
    return 1e-8 if dtype not in ("f2", "f4") else float(numpy.finfo(dtype).eps) ** 0.5


def _taken(x, chosen, k):
    """The parts of these indices, whose axes are in the place of axis `k`."""
    found = take(x, reshape(chosen, -1), axis=k)
    return reshape(found, (*x.shape[:k], *chosen.shape, *x.shape[k + 1 :]))
