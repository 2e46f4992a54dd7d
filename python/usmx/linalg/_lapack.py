"""Calls of LAPACK's routines for stacks of matrices, and who computes them.

The library's functions check, and compute by oneMKL's LAPACK for the host or by cuSOLVER, in the
order of all work on the arrays (docs/decisions.md, 202). NumPy computes here where they do not, and
waits (163).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute.call import arrays_of
from usmx._compute.promotion import default_float
from usmx._compute.vendors import unreached
from usmx._container.host import numpy
from usmx._core import USMArray, _dtype, asnumpy, empty
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


class LinAlgError(numpy.linalg.LinAlgError):
    """A matrix for which a function has no result, such as a singular one.

    It is NumPy's class, too, and a ValueError.
    """


_core._set_linalg_error(LinAlgError)


class _Checks(threading.local):
    """Whether the thread's calls wait for their results, and raise."""

    are_on: bool = True


_checks = _Checks()


@contextmanager
def unchecked() -> Iterator[None]:
    """Let the calls of this thread neither wait nor raise for matrices that have no result.

    Within ``with usmx.linalg.unchecked():`` such results are NaN. It changes nothing where NumPy
    computes, which always waits, and for errors that are seen in the arguments.

    Example:
        >>> with usmx.linalg.unchecked():
        ...     x = usmx.linalg.inv(usmx.zeros((2, 2)))
        >>> print(x)
        [[nan nan]
         [nan nan]]
    """
    before, _checks.are_on = _checks.are_on, False
    try:
        yield
    finally:
        _checks.are_on = before


# ---- operands

COMPUTED = frozenset(map(_dtype, ("float32", "float64", "complex64", "complex128")))


def as_arrays(function: str, names: Sequence[str], operands: Sequence[Any]) -> Sequence[USMArray]:
    """The operands as USMArrays; those of the host are copied to where the first USMArray is."""
    if all(type(x) is USMArray for x in operands):
        return operands
    return arrays_of(f"linalg.{function}", names, operands)


def as_computed(function: str, name: str, x: Any) -> USMArray:
    """An array in a type that LAPACK has: integers and bools become the default real type."""
    if type(x) is not USMArray:
        (x,) = arrays_of(f"linalg.{function}", (name,), (x,))
    if x.dtype in COMPUTED:
        return x
    if x.dtype.kind not in "biu":
        raise TypeError(f"linalg.{function}: array type {x.dtype} is unsupported in linalg")
    return x.astype(default_float(x._own_queue.sycl_device))


def as_matrices(function: str, x: Any, *, square: bool = False, name: str = "x") -> USMArray:
    """An array of matrices in a type that LAPACK has. LinAlgError for other shapes."""
    x = as_computed(function, name, x)
    if x.ndim < 2:
        raise LinAlgError(
            f"linalg.{function}: {name} must have at least 2 dimensions, found shape {x.shape}"
        )
    if square and x.shape[-1] != x.shape[-2]:
        raise LinAlgError(
            f"linalg.{function}: the last 2 dimensions of {name} must be square, found shape "
            f"{x.shape}"
        )
    return x


# ---- calls

ASKS_CALLER_FIRST = False  # tests set it: then all is computed as without oneMKL
SOLVER = None  # tests set it: what plays cuSOLVER, or True for oneMKL's LAPACK for GPUs


def run(routine: str, name: str, x: Any, *, option: bool = False) -> Any:
    """Call a routine for all matrices of `x`: the result, or a tuple of them.

    The call waits where the routine may fail, unless `unchecked()` is in force.
    """
    made = _core._linalg(routine, x, None, option, *_ways())
    if made is None:
        (x,) = arrays_of(f"linalg.{name}", ("x",), (x,))
        return run(routine, name, x, option=option)
    return made


def solved(x1: Any, x2: Any) -> USMArray:
    """Solve equations, as `solve` of the package."""
    made = _core._linalg("solve", x1, x2, False, *_ways())
    if made is None:
        x1, x2 = as_arrays("solve", ("x1", "x2"), (x1, x2))
        return _core._linalg("solve", x1, x2, False, *_ways())
    return made


def fitted(a: Any, b: Any, rcond: float | None) -> tuple[USMArray, USMArray, int, USMArray]:
    """Fit by least squares, as `lstsq` of the package."""
    a, b = as_arrays("lstsq", ("a", "b"), (a, b))
    try:
        rcond = None if rcond is None else float(rcond)
    except (TypeError, ValueError):
        text = f"linalg.lstsq: rcond must be a number or None, found {short_repr(rcond)}"
        raise TypeError(text) from None
    return _core._lstsq(a, b, rcond, *_ways())


def _ways():
    return _checks.are_on, _by_numpy, ASKS_CALLER_FIRST, SOLVER


# ---- NumPy's functions, as routines


def _as_upper(x):
    """NumPy reads the lower triangle in most of its releases."""
    return numpy.conj(numpy.swapaxes(x, -1, -2))


def _numpy_lstsq(a, b, tolerance):
    x, sums, rank, values = numpy.linalg.lstsq(a, b, rcond=tolerance)
    return x, sums if sums.size else numpy.zeros(b.shape[-1], values.dtype), rank, values


_NUMPYS: dict[str, Any] = {
    "cholesky": lambda x, upper, _: (
        (_as_upper(numpy.linalg.cholesky(_as_upper(x))) if upper else numpy.linalg.cholesky(x)),
    ),
    "det": lambda x, *_: (numpy.linalg.det(x),),
    "eig": lambda x, *_: numpy.linalg.eig(x),
    "eigh": lambda x, upper, _: numpy.linalg.eigh(x, "U" if upper else "L"),
    "eigvals": lambda x, *_: (numpy.linalg.eigvals(x),),
    "eigvalsh": lambda x, upper, _: (numpy.linalg.eigvalsh(x, "U" if upper else "L"),),
    "inv": lambda x, *_: (numpy.linalg.inv(x),),
    "lstsq": lambda a, b, _, tolerance: _numpy_lstsq(a, b, tolerance),
    "qr": lambda x, full, _: numpy.linalg.qr(x, "complete" if full else "reduced"),
    "qr_r": lambda x, *_: (numpy.linalg.qr(x, "r"),),
    "qr_raw": lambda x, *_: numpy.linalg.qr(x, "raw"),
    "slogdet": lambda x, *_: numpy.linalg.slogdet(x),
    "solve": lambda a, b, *_: (numpy.linalg.solve(a, b),),
    "svd": lambda x, full, _: numpy.linalg.svd(x, full_matrices=full),
    "svdvals": lambda x, *_: (numpy.linalg.svd(x, compute_uv=False),),
}


def _by_numpy(routine, inputs, results, kind, option, tolerance, is_checked):
    """Let NumPy compute on copies. Where it fails for a stack, one matrix after the other.

    `results` are the shapes and types of the results.
    """
    first = inputs[0]
    for x in inputs:
        if not _core._host_reaches(x):
            raise unreached(f"linalg.{routine}", x, _core._find_solver_library)
    outputs = tuple([
        empty(shape, dtype, usm_type=kind, sycl_queue=first._own_queue)
        for shape, dtype in results
    ])  # fmt: skip
    hosts = [asnumpy(x) for x in inputs]
    try:
        _write(outputs, _NUMPYS[routine](*hosts, option, tolerance))
    except numpy.linalg.LinAlgError:
        if is_checked:
            are_finite = all(numpy.isfinite(x).all() for x in hosts)
            _core._raise_matrix_fate(routine, not are_finite)
        for index in numpy.ndindex(first.shape[:-2]):
            targets = tuple(out[(*index, ...)] for out in outputs)
            try:
                _write(targets, _NUMPYS[routine](*(x[index] for x in hosts), option, tolerance))
            except numpy.linalg.LinAlgError:
                _write(targets, [numpy.nan] * len(targets))
    return outputs


def _write(outputs, results):
    for out, result in zip(outputs, results, strict=True):
        out[...] = numpy.asarray(result, out.dtype)
