"""Calls of LAPACK's routines for stacks of matrices, and who computes them.

oneMKL's LAPACK computes on the host, in the order of all work on the arrays. Without it NumPy
computes, which waits (docs/decisions.md, 163). On CUDA devices cuSOLVER computes (191).
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute.call import arrays_of
from usmx._compute.promotion import common_type, default_float
from usmx._container.asynchronous import wait_at_exit
from usmx._container.compute_follows_data import common_queue, common_usm_type
from usmx._container.host import numpy
from usmx._container.manipulation import common_shape
from usmx._container.patterns import eye
from usmx._core import USMArray, _dtype, asnumpy, broadcast_to, empty
from usmx.linalg import _cuda

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from usmx._typing import NumpyType


class LinAlgError(numpy.linalg.LinAlgError):
    """A matrix for which a function has no result, such as a singular one.

    It is NumPy's class, too, and a ValueError.
    """


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
_REAL = {
    "float32": "float32",
    "float64": "float64",
    "complex64": "float32",
    "complex128": "float64",
}
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def real_type(dtype: NumpyType) -> NumpyType:
    """The type of the parts of complex numbers; a real type itself."""
    return _dtype(_REAL[dtype.name])


def complex_type(dtype: NumpyType) -> NumpyType:
    """The complex type whose parts are of a type; a complex type itself."""
    return _dtype(_COMPLEX.get(dtype.name, dtype.name))


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


def as_fitting(arrays: Sequence[USMArray]) -> list[USMArray]:
    """Matrices in their common type, broadcast to a common stack."""
    first, second = arrays
    if first.dtype != second.dtype:
        common = common_type([first.dtype, second.dtype], first._own_queue.sycl_device)
        arrays = [x if x.dtype == common else x.astype(common) for x in arrays]
    if first.shape[:-2] != second.shape[:-2]:
        stack = common_shape([x.shape[:-2] for x in arrays])
        arrays = [broadcast_to(x, (*stack, *x.shape[-2:])) for x in arrays]
    return [*arrays]


# ---- calls

_MESSAGES = {
    "cholesky": "the matrix is not positive definite",
    "eig": "the eigenvalues did not converge",
    "eigh": "the eigenvalues did not converge",
    "eigvals": "the eigenvalues did not converge",
    "eigvalsh": "the eigenvalues did not converge",
    "inv": "the matrix is singular",
    "lstsq": "the singular values did not converge",
    "solve": "the matrix is singular",
    "svd": "the singular values did not converge",
    "svdvals": "the singular values did not converge",
}
_FAILED, _NOT_FINITE, _NO_MEMORY = 1, 2, 3
# What results are where the matrices have no elements; 0 for all others.
_OF_NO_ELEMENTS: dict[str, tuple[Any, ...]] = {
    "det": (1,), "qr": (eye, 0), "slogdet": (1, 0), "svd": (eye, 0, eye),
}  # fmt: skip


_found: list[bool] = []


def has_mkl() -> bool:
    """Whether oneMKL's functions of the host are there. What is missing may come later."""
    if not _found and _core._find_host_library()[0]:
        _found.append(True)
    return bool(_found)


def run(
    routine: str,
    inputs: tuple[USMArray, ...],
    shapes: Sequence[tuple[int, ...]],
    types: Sequence[NumpyType] | None = None,
    *,
    option: bool = False,
    tolerance: float = 0.0,
) -> tuple[USMArray, ...]:
    """Call a routine for all matrices of a stack.

    `shapes` are those of one matrix's results, and `types` their element types: by default that of
    the input. The call waits where the routine may fail, unless `unchecked()` is in force.
    """
    first, *others = inputs
    queue = common_queue(inputs) if others else first._own_queue
    kind = common_usm_type(inputs) if others else first.usm_type
    stack = first.shape[:-2]
    types = types or [first.dtype] * len(shapes)
    if first.size and _core._is_cuda(first) and not (others and not others[0].size):
        found = _by_cuda(routine, inputs, kind, shapes, types, tolerance or option)
        if found is not None:
            return found
    outputs = tuple([
        empty((*stack, *shape), dtype, usm_type=kind, sycl_queue=queue)
        for shape, dtype in zip(shapes, types, strict=True)
    ])  # fmt: skip
    if not first.size or (others and not others[0].size):
        _fill(outputs, _OF_NO_ELEMENTS.get(routine, (0,) * len(outputs)))
        return outputs
    beyond = [x for x in inputs if not _core._host_reaches(x)]
    if beyond and (routine in _cuda.ROUTINES or not _core._is_cuda(first)):
        raise _not_reached(routine, beyond[0])
    if beyond or (not _found and not has_mkl()):
        _by_numpy(routine, inputs, outputs, option, tolerance)
        return outputs
    is_checked = _checks.are_on and routine in _MESSAGES
    fate = _core._run_lapack(routine, inputs, outputs, option, tolerance, is_checked)
    wait_at_exit()
    if fate:
        raise _failure(routine, fate)
    return outputs


def _fill(outputs, values):
    for out, value in zip(outputs, values, strict=True):
        if value is eye:
            value = eye(*out.shape[-2:], dtype=out.dtype, sycl_queue=out._own_queue)
        out[...] = value


def _by_cuda(routine, inputs, kind, shapes, types, option):
    """The results by cuSOLVER; None where the host computes."""
    if routine not in _cuda.ROUTINES or not _cuda.is_found(inputs[0]):
        return None
    stack = inputs[0].shape[:-2]
    outputs = [((*stack, *shape), dtype) for shape, dtype in zip(shapes, types, strict=True)]
    found = _cuda.run(routine, inputs, outputs, kind, option=option, is_checked=_checks.are_on)
    if found is None:
        raise _failure(routine, _FAILED)
    return found


def _not_reached(routine, x):
    if _core._is_cuda(x):
        return _cuda.missing(f"linalg.{routine}", x)
    return NotImplementedError(
        f"linalg.{routine}: oneMKL's LAPACK computes on memory that the host reaches, found memory "
        f"of kind {x.usm_type!r} on {x._own_queue.sycl_device.name}: usmx does not call this "
        "device's own library yet; make the array with usm_type='shared'"
    )


def _failure(routine, fate):
    if fate == _NO_MEMORY:
        return MemoryError(f"linalg.{routine}: no memory for LAPACK's workspace")
    if fate == _NOT_FINITE and routine in ("eig", "eigvals"):
        return LinAlgError(f"linalg.{routine}: the array must not contain infinities or NaN")
    return LinAlgError(f"linalg.{routine}: {_MESSAGES[routine]}")


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


def _by_numpy(routine, inputs, outputs, option, tolerance):
    """Let NumPy compute on copies. Where it fails for a stack, one matrix after the other."""
    hosts = [asnumpy(x) for x in inputs]
    try:
        _write(outputs, _NUMPYS[routine](*hosts, option, tolerance))
    except numpy.linalg.LinAlgError:
        if _checks.are_on:
            are_finite = all(numpy.isfinite(x).all() for x in hosts)
            raise _failure(routine, _FAILED if are_finite else _NOT_FINITE) from None
        for index in numpy.ndindex(inputs[0].shape[:-2]):
            targets = tuple(out[(*index, ...)] for out in outputs)
            try:
                _write(targets, _NUMPYS[routine](*(x[index] for x in hosts), option, tolerance))
            except numpy.linalg.LinAlgError:
                _write(targets, [numpy.nan] * len(targets))


def _write(outputs, results):
    for out, result in zip(outputs, results, strict=True):
        out[...] = numpy.asarray(result, out.dtype)
