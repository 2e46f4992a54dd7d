"""Functions of arrays: element by element, reductions, sorting, products. Each row waits."""

from collections.abc import Callable
from typing import Any

import numpy
import usmx

from bench.cases.kernels import _axpy
from bench.libraries import dpnp_tensor, installed_peer
from bench.pairing import Aim, Case, Peer, Statement

SIDE = 1024  # of matrices that are multiplied


def _case(title: str, code: str, size: int, aims: tuple[float, float], *names: str) -> Case:
    """`code` with arrays a and b of float32 and the functions of these names."""
    random = numpy.random.default_rng(46)
    host = [random.random(size, dtype="f4") + numpy.float32(0.5) for _ in range(2)]

    def statement(library: Any, wait: str) -> Statement:
        a, b = (library.asarray(each) for each in host)
        functions = {name: getattr(library, name) for name in names}
        return Statement(f"z = {code}{wait}", a=a, b=b, **functions)

    return Case(
        title,
        statement(usmx, "; z.wait()"),
        [
            Peer("NumPy", statement(numpy, ""), Aim(ratio=aims[0])),
            *installed_peer(
                "dpnp.tensor",
                lambda: statement(dpnp_tensor, "; z.sycl_queue.wait()"),
                Aim(ratio=aims[1]),
            ),
        ],
    )


def add_100() -> Case:
    return _case("a + b, 100 f4", "a + b", 100, (6, 0.1))


def add_10_4() -> Case:
    return _case("a + b, 10^4 f4", "a + b", 10**4, (2, 0.2))


def add_10_6() -> Case:
    return _case("a + b, 10^6 f4", "a + b", 10**6, (1.2, 0.3))


def add_10_7() -> Case:
    return _case("a + b, 10^7 f4", "a + b", 10**7, (0.8, 0.3))


def sine_10_6() -> Case:
    return _case("sin(a), 10^6 f4", "sin(a)", 10**6, (0.3, 0.2), "sin")


def sum_10_7() -> Case:
    return _case("sum(a), 10^7 f4", "sum(a)", 10**7, (1.1, 0.4), "sum")


def max_10_7() -> Case:
    return _case("max(a), 10^7 f4", "max(a)", 10**7, (1.1, 0.4), "max")


def mean_10_7() -> Case:
    return _case("mean(a), 10^7 f4", "mean(a)", 10**7, (1.1, 0.4), "mean")


def argmax_10_7() -> Case:
    return _case("argmax(a), 10^7 f4", "argmax(a)", 10**7, (1.5, 0.2), "argmax")


def sort_10_6() -> Case:
    return _case("sort(a), 10^6 f4", "sort(a)", 10**6, (1.2, 0.5), "sort")


def cumulative_sum_10_7() -> Case:
    code = "cumulative_sum(a)"
    return _case(code + ", 10^7 f4", code, 10**7, (0.4, 0.15), "cumulative_sum")


def product_of_matrices() -> Case:
    code = f"reshape(a, ({SIDE}, {SIDE})) @ reshape(b, ({SIDE}, {SIDE}))"
    return _case(f"a @ b, {SIDE}x{SIDE} f4", code, SIDE * SIDE, (1.1, 1), "reshape")


def fused() -> Case:
    """As fast as a kernel of the expression."""
    fuse: Callable[..., Any] = usmx.fuse
    arrays = {name: usmx.ones(10**7, dtype="f4") for name in ("x", "y", "out")}
    by_hand = Statement("axpy(2.0, x, y, out=out).wait()", axpy=_axpy(), **arrays)
    ours = Statement(
        "axpy(2.0, x, y, out=out).wait()", axpy=fuse(lambda a, x, y: a * x + y), **arrays
    )
    return Case("fuse: a * x + y, 10^7 f4", ours, [Peer("by hand", by_hand, Aim(ratio=1.1))])


CASES = (
    add_100,
    add_10_4,
    add_10_6,
    add_10_7,
    sine_10_6,
    sum_10_7,
    max_10_7,
    mean_10_7,
    argmax_10_7,
    sort_10_6,
    cumulative_sum_10_7,
    product_of_matrices,
    fused,
)
