"""Special functions by the names of `scipy.special`, on the device (docs/reference/special.md).

`scipy.special` itself calls them for USM arrays, if SCIPY_ARRAY_API is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _functions
from usmx._compute.special import special
from usmx._numpy.documents import complete

if TYPE_CHECKING:
    from usmx._core import USMArray
    from usmx._typing import Operand

__all__ = [
    "beta", "betainc", "betaincc", "betaln", "chdtr", "chdtrc", "digamma", "entr", "erf",
    "erfc", "erfcinv", "erfcx", "erfinv", "expit", "exprel", "gamma", "gammainc", "gammaincc",
    "gammaln", "gammasgn", "i0", "i0e", "i1", "i1e", "kl_div", "log_expit", "log_ndtr",
    "logit", "ndtr", "ndtri", "psi", "rel_entr", "rgamma", "stdtr", "xlog1py", "xlogy",
]  # fmt: skip


# ---- the error function and the normal distribution


def erf(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the error function. Does not wait.

    Example:
        >>> print(usmx.special.erf(usmx.asarray([0.0, 1.0])))
        [0.         0.84270079]
    """
    return special("erf", out, x)


def erfc(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute 1 - erf(x), without cancellation where that is small. Does not wait.

    Example:
        >>> print(usmx.special.erfc(usmx.asarray([0.0, 5.0])))
        [1.00000000e+00 1.53745979e-12]
    """
    return special("erfc", out, x)


def erfcx(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute exp(x**2) * erfc(x), which does not underflow. Does not wait.

    Example:
        >>> print(usmx.special.erfcx(usmx.asarray([0.0, 50.0])))
        [1.         0.01128154]
    """
    return special("erfcx", out, x)


def erfinv(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Invert `erf`. Does not wait.

    Example:
        >>> print(usmx.special.erfinv(usmx.asarray([0.0, 0.5])))
        [0.         0.47693628]
    """
    return special("erfinv", out, x)


def erfcinv(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Invert `erfc`. Does not wait.

    Example:
        >>> print(usmx.special.erfcinv(usmx.asarray([1.0, 0.5])))
        [-0.          0.47693628]
    """
    return special("erfcinv", out, x)


def ndtr(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the distribution function of the normal distribution. Does not wait.

    Example:
        >>> print(usmx.special.ndtr(usmx.asarray([0.0, 1.0])))
        [0.5        0.84134475]
    """
    return special("ndtr", out, x)


def ndtri(p: Operand, /, out: USMArray | None = None) -> USMArray:
    """Invert `ndtr`: the quantiles of the normal distribution. Does not wait.

    Example:
        >>> print(usmx.special.ndtri(usmx.asarray([0.5, 0.975])))
        [0.         1.95996398]
    """
    return special("ndtri", out, p)


def log_ndtr(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the logarithm of `ndtr`, far out too. Does not wait.

    Example:
        >>> print(usmx.special.log_ndtr(usmx.asarray([0.0, -100.0])))
        [-6.93147181e-01 -5.00552421e+03]
    """
    return special("log_ndtr", out, x)


# ---- logistic functions and entropies


def expit(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the logistic function, 1 / (1 + exp(-x)). Does not wait.

    Example:
        >>> print(usmx.special.expit(usmx.asarray([0.0, 1.0])))
        [0.5        0.73105858]
    """
    return special("expit", out, x)


def logit(p: Operand, /, out: USMArray | None = None) -> USMArray:
    """Invert `expit`: the logarithm of p / (1 - p). Does not wait.

    Example:
        >>> print(usmx.special.logit(usmx.asarray([0.5, 0.75])))
        [0.         1.09861229]
    """
    return special("logit", out, p)


def log_expit(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the logarithm of `expit`. Does not wait.

    Example:
        >>> print(usmx.special.log_expit(usmx.asarray([0.0, -50.0])))
        [ -0.69314718 -50.        ]
    """
    return special("log_expit", out, x)


def exprel(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute (exp(x) - 1) / x, which is 1 at 0. Does not wait.

    Example:
        >>> print(usmx.special.exprel(usmx.asarray([0.0, 1.0])))
        [1.         1.71828183]
    """
    return special("exprel", out, x)


def entr(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute -x * log(x), which is 0 at 0 and -infinity below. Does not wait.

    Example:
        >>> print(usmx.special.entr(usmx.asarray([0.0, 0.5])))
        [0.         0.34657359]
    """
    return special("entr", out, x)


def rel_entr(x: Operand, y: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute x * log(x / y), which is 0 for x = 0. Does not wait.

    Example:
        >>> print(usmx.special.rel_entr(usmx.asarray([0.0, 0.5]), 0.25))
        [0.         0.34657359]
    """
    return special("rel_entr", out, x, y)


def kl_div(x: Operand, y: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute x * log(x / y) - x + y. Does not wait.

    Example:
        >>> print(usmx.special.kl_div(usmx.asarray([0.0, 0.5]), 0.25))
        [0.25       0.09657359]
    """
    return special("kl_div", out, x, y)


def xlogy(x: Operand, y: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute x * log(y), which is 0 for x = 0. Does not wait.

    Example:
        >>> print(usmx.special.xlogy(usmx.asarray([0.0, 2.0]), 3.0))
        [0.         2.19722458]
    """
    return special("xlogy", out, x, y)


def xlog1py(x: Operand, y: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute x * log(1 + y), which is 0 for x = 0. Does not wait.

    Example:
        >>> print(usmx.special.xlog1py(usmx.asarray([0.0, 2.0]), 2.0))
        [0.         2.19722458]
    """
    return special("xlog1py", out, x, y)


# ---- the gamma and beta functions


def gamma(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the gamma function. Does not wait.

    Example:
        >>> print(usmx.special.gamma(usmx.asarray([5.0, 0.5])))
        [24.          1.77245385]
    """
    return special("gamma", out, x)


def gammaln(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the logarithm of the gamma function's magnitude. Does not wait.

    Example:
        >>> print(usmx.special.gammaln(usmx.asarray([5.0, 1000.0])))
        [3.17805383e+00 5.90522042e+03]
    """
    return special("gammaln", out, x)


def gammasgn(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Find the sign of the gamma function. Does not wait.

    Example:
        >>> print(usmx.special.gammasgn(usmx.asarray([5.0, -0.5])))
        [ 1. -1.]
    """
    return special("gammasgn", out, x)


def rgamma(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute 1 / gamma(x), which is 0 at the poles. Does not wait.

    Example:
        >>> print(usmx.special.rgamma(usmx.asarray([5.0, -1.0])))
        [0.04166667 0.        ]
    """
    return special("rgamma", out, x)


def digamma(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the derivative of `gammaln`. Does not wait.

    Example:
        >>> print(usmx.special.digamma(usmx.asarray([1.0, 100.0])))
        [-0.57721566  4.60016185]
    """
    return special("digamma", out, x)


psi = digamma


def gammainc(a: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the regularized lower incomplete gamma function. Does not wait.

    Example:
        >>> print(usmx.special.gammainc(usmx.asarray([1.0, 10.0]), 2.0))
        [8.64664717e-01 4.64980750e-05]
    """
    return special("gammainc", out, a, x)


def gammaincc(a: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the regularized upper incomplete gamma function, 1 - gammainc(a, x). Does not wait.

    Example:
        >>> print(usmx.special.gammaincc(usmx.asarray([1.0, 10.0]), 2.0))
        [0.13533528 0.9999535 ]
    """
    return special("gammaincc", out, a, x)


def beta(a: Operand, b: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the beta function, gamma(a) * gamma(b) / gamma(a + b). Does not wait.

    Example:
        >>> print(usmx.special.beta(usmx.asarray([1.0, 10.0]), 2.0))
        [0.5        0.00909091]
    """
    return special("beta", out, a, b)


def betaln(a: Operand, b: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the logarithm of the beta function's magnitude. Does not wait.

    Example:
        >>> print(usmx.special.betaln(usmx.asarray([1.0, 1000.0]), 2.0))
        [ -0.69314718 -13.81651006]
    """
    return special("betaln", out, a, b)


def betainc(a: Operand, b: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the regularized incomplete beta function. Does not wait.

    Example:
        >>> print(usmx.special.betainc(usmx.asarray([1.0, 10.0]), 2.0, 0.5))
        [0.75       0.00585938]
    """
    return special("betainc", out, a, b, x)


def betaincc(a: Operand, b: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute 1 - betainc(a, b, x). Does not wait.

    Example:
        >>> print(usmx.special.betaincc(usmx.asarray([1.0, 10.0]), 2.0, 0.5))
        [0.25       0.99414062]
    """
    return special("betaincc", out, a, b, x)


# ---- distributions of statistics


def chdtr(v: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the distribution function of chi-squared with v degrees of freedom. Does not wait.

    Example:
        >>> print(usmx.special.chdtr(usmx.asarray([1.0, 10.0]), 2.0))
        [0.84270079 0.00365985]
    """
    return special("chdtr", out, v, x)


def chdtrc(v: Operand, x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute 1 - chdtr(v, x). Does not wait.

    Example:
        >>> print(usmx.special.chdtrc(usmx.asarray([1.0, 10.0]), 2.0))
        [0.15729921 0.99634015]
    """
    return special("chdtrc", out, v, x)


def stdtr(df: Operand, t: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the distribution function of Student's t with df degrees of freedom. Does not wait.

    Example:
        >>> print(usmx.special.stdtr(usmx.asarray([1.0, 10.0]), 2.0))
        [0.85241638 0.96330598]
    """
    return special("stdtr", out, df, t)


# ---- modified Bessel functions of the first kind


def i0(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the modified Bessel function of the first kind of order 0. Does not wait.

    Example:
        >>> print(usmx.special.i0(usmx.asarray([0.0, 1.0])))
        [1.         1.26606588]
    """
    return special("i0", out, x)


def i0e(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute exp(-abs(x)) * i0(x), which does not overflow. Does not wait.

    Example:
        >>> print(usmx.special.i0e(usmx.asarray([0.0, 1000.0])))
        [1.         0.01261724]
    """
    return special("i0e", out, x)


def i1(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute the modified Bessel function of the first kind of order 1. Does not wait.

    Example:
        >>> print(usmx.special.i1(usmx.asarray([0.0, 1.0])))
        [0.        0.5651591]
    """
    return special("i1", out, x)


def i1e(x: Operand, /, out: USMArray | None = None) -> USMArray:
    """Compute exp(-abs(x)) * i1(x), which does not overflow. Does not wait.

    Example:
        >>> print(usmx.special.i1e(usmx.asarray([0.0, 1000.0])))
        [0.         0.01261093]
    """
    return special("i1e", out, x)


for _name in __all__:
    complete(globals()[_name])
_functions.hand_out(globals(), __all__)


if not TYPE_CHECKING:  # for which every name that is not there would be an Any

    def __getattr__(name):
        """Say what takes the place of a name that is not here."""
        from usmx._container.elsewhere import refuse_name_of_module

        refuse_name_of_module("special", name)
