"""LAPACK's routines on CUDA devices, by cuSOLVER and cuBLAS (docs/decisions.md, 191).

The libraries store matrices by columns, and write where they read. So each routine works on copies:
of the rows, which are the columns of the transposed matrix, or of the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._compute.call import compute, new_cache
from usmx._compute.products import matmul
from usmx._compute.reductions import reduce
from usmx._compute.table import REDUCTIONS, ROWS
from usmx._container.asynchronous import wait_at_exit
from usmx._container.host import numpy
from usmx._container.numpy_names import diagonal
from usmx._container.patterns import eye
from usmx._core import (
    ElementwiseKernel,
    _dtype,
    asarray,
    broadcast_to,
    empty,
    matrix_transpose,
    reshape,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import NumpyType, UsmType

_LARGEST_OF_STACKS = 128  # rows of the matrices that functions for stacks factor
_LARGEST_INVERSE = 32  # rows of the matrices that one function inverts
_LARGEST_OF_JACOBI = 32  # rows and columns of the matrices of a stack that one call decomposes
_PACKAGES = "python -m pip install nvidia-cusolver (for CUDA 13) or nvidia-cusolver-cu12"

_found: list[bool] = []


def is_found(x: USMArray) -> bool:
    """Whether cuSOLVER can be used. What is missing may come later."""
    if not _found and _core._find_solver_library(x._own_queue.sycl_device)[1]:
        _found.append(True)
    return bool(_found)


def missing(function: str, x: USMArray) -> RuntimeError:
    """Make the error that says how cuSOLVER comes."""
    reason = _core._find_solver_library(x._own_queue.sycl_device)[2]
    return RuntimeError(
        f"{function}: cuSOLVER cannot be used: {reason}: {_PACKAGES}; or make the array with "
        "usm_type='shared', for the host to compute"
    )


# ---- parts


def _new(like, shape, dtype=None):
    return empty(shape, dtype or like.dtype, usm_type="device", sycl_queue=like._own_queue)


def _compact(x):
    """A new array of the same elements in C order, with one dimension for the stack."""
    made = _new(x, x.shape)
    _core._copy(x, made)
    return reshape(made, (-1, *x.shape[-2:]))


def _rows(x):
    """The rows one after another: by columns, that is the transposed matrix."""
    return _compact(x)


def _columns(x):
    return _compact(matrix_transpose(x))


def _real_type(x):
    return "float32" if x.dtype.char in "fF" else "float64"


def _start(routine, arrays, option=False):
    _core._start_cuda_solver(routine, arrays, option)


def _new_info(x):
    return _new(x, (x.shape[0],), "int32")


def _call(name, *operands):
    return compute(ROWS[name], operands)


def _conjugated(x):
    return _call("conj", x) if x.dtype.kind == "c" else x


_kernels: dict[Any, ElementwiseKernel] = new_cache()


def _triangle(x, is_upper):
    """The elements on and above the diagonal, or on and below it, and 0 elsewhere; in C order."""
    kernel = _kernels.get(is_upper)
    if kernel is None:
        compare = "<=" if is_upper else ">="
        kernel = _kernels[is_upper] = ElementwiseKernel(
            "T x, int64 rows, int64 columns",
            "T y",
            f"y = i / columns % rows {compare} i % columns ? x : T(0)",
            "triangle",
        )
    return kernel(x, *x.shape[-2:], _new(x, x.shape))


# ---- routines: the results of all matrices, and which of them have none


def _factored(x):
    """The factors of the transposed matrices, pivots, and info."""
    a = _rows(x)
    count, size = a.shape[:2]
    is_stack = count > 1 and size <= _LARGEST_OF_STACKS
    pivots = _new(a, (count, size), "int32" if is_stack else "int64")
    info = _new_info(a)
    _start("lu", (a, pivots, info))
    return a, pivots, info


def _solve(inputs, _):
    a, pivots, info = _factored(inputs[0])
    x = _columns(inputs[1])
    _start("lu_solve", (a, pivots, x), True)
    return (matrix_transpose(x),), info


def _inv(inputs, _):
    (x,) = inputs
    if x.shape[-1] <= _LARGEST_INVERSE:
        a = _rows(x)
        made, info = _new(a, a.shape), _new_info(a)
        _start("inverse", (a, made, info))
        return (made,), info
    a, pivots, info = _factored(x)
    unit = eye(a.shape[-1], dtype=a.dtype, usm_type="device", sycl_queue=a._own_queue)
    made = _compact(broadcast_to(unit, a.shape))
    _start("lu_solve", (a, pivots, made))
    return (made,), info


def _signs_and_logarithms(x):
    """For each matrix the diagonal of its factor, the determinant's sign, its size's logarithm."""
    a, pivots, _ = _factored(x)
    values = diagonal(a, 0, -2, -1)
    in_place = asarray(
        numpy.arange(1, a.shape[-1] + 1, dtype=pivots.dtype), sycl_queue=a._own_queue
    )
    swaps = reduce(REDUCTIONS["count_nonzero"], _call("not_equal", pivots, in_place), -1)
    parity = _call("subtract", 1, _call("multiply", 2, _call("remainder", swaps, 2)))
    sizes = _call("abs", values)
    signs = _call("divide", values, _call("where", _call("equal", sizes, 0), 1, sizes))
    sign = reduce(REDUCTIONS["prod"], signs, -1, dtype=a.dtype)
    sign = _call("multiply", sign, parity.astype(sizes.dtype))
    return values, sign, reduce(REDUCTIONS["sum"], _call("log", sizes), -1, dtype=sizes.dtype)


def _slogdet(inputs, _):
    _, sign, logarithm = _signs_and_logarithms(*inputs)
    return (sign, logarithm), None


def _det(inputs, _):
    values, sign, logarithm = _signs_and_logarithms(*inputs)
    # The steps of the product may leave the range of the type, and come back.
    product = reduce(REDUCTIONS["prod"], values, -1, dtype=values.dtype)
    size = _call("abs", product)
    direct = _call("multiply", size, sign)
    is_fine = _call("logical_and", _call("isfinite", size), _call("not_equal", size, 0))
    return (
        _call("where", is_fine, direct, _call("multiply", sign, _call("exp", logarithm))),
    ), None


def _cholesky(inputs, is_upper):
    a = _rows(*inputs)
    info = _new_info(a)
    _start("cholesky", (a, info), not is_upper)
    # NaN anywhere makes the last element of the diagonal NaN, and no info.
    failed = _call("logical_or", _call("not_equal", info, 0), _call("isnan", a[:, -1, -1]))
    return (_triangle(a, is_upper),), failed


def _qr_raw(inputs, _):
    """Householder's vectors, by columns, and their factors."""
    a = _columns(*inputs)
    factors = _new(a, (a.shape[0], min(a.shape[1:])))
    _start("qr", (a, factors))
    return (a, factors), None


def _qr_r(inputs, _):
    (a, factors), _ = _qr_raw(inputs, None)
    return (_triangle(matrix_transpose(a)[:, : factors.shape[1]], True),), None


def _qr(inputs, is_complete):
    (a, factors), _ = _qr_raw(inputs, None)
    count, columns, rows = a.shape
    least = factors.shape[1]
    kept = rows if is_complete else least
    upper = _triangle(matrix_transpose(a)[:, :kept], True)
    q = a
    if columns != kept:
        q = _new(a, (count, kept, rows))
        _core._copy(a[:, :least], q[:, :least])
    _start("q", (q, factors))
    return (matrix_transpose(q), upper), None


def _eigenvalues(x, is_upper, has_vectors):
    a = _rows(x)
    # XsyevBatched's vectors of complex64 are not orthonormal in some releases (pytorch#192483).
    if a.dtype == _dtype("complex64") and a.shape[0] > 1:
        a = a.astype("complex128")
    values = _new(a, a.shape[:2], _real_type(a))
    info = _new_info(a)
    # The lower triangle is the transposed matrix's upper one.
    _start("eigh" if has_vectors else "eigvalsh", (a, values, info), not is_upper)
    failed = _call("logical_or", _call("not_equal", info, 0), _call("isnan", values[:, 0]))
    return a, values, failed


def _eigh(inputs, is_upper):
    a, values, failed = _eigenvalues(*inputs, is_upper, True)
    return (values, _conjugated(matrix_transpose(a))), failed


def _eigvalsh(inputs, is_upper):
    _, values, failed = _eigenvalues(*inputs, is_upper, False)
    return (values,), failed


def _decomposed(x, is_full, routine):
    """U, the singular values and Vh of matrices, and which of them have none.

    The routines get no more columns than rows: those of the transposed matrix, if need be.
    """
    rows, columns = x.shape[-2:]
    is_transposed = columns >= rows
    a = _rows(x) if is_transposed else _columns(x)
    count, short, long = a.shape
    are_finite = reduce(REDUCTIONS["all"], _call("isfinite", a), (-2, -1))
    values, info = _new(a, (count, short), _real_type(a)), _new_info(a)
    is_one_call = routine == "svd" and count > 1 and long <= _LARGEST_OF_JACOBI
    first = _new(a, (count, long if is_full or is_one_call else short, long))  # by columns
    second = _new(a, (count, short, short))
    _start(routine, (a, values, first, second, info))
    first = first if is_full else first[:, :short]
    # Jacobi's method makes V by columns, and the other one Vh: both are V by rows, transposed.
    v = second if routine == "svd" else _conjugated(matrix_transpose(second))
    if is_transposed:  # of U S Vh, which is conj(V) S U^T
        u, vh = _conjugated(matrix_transpose(v)), first
    else:
        u, vh = matrix_transpose(first), _conjugated(v)
    failed = _call("logical_or", _call("not_equal", info, 0), _call("logical_not", are_finite))
    return (u, values, vh), failed


def _svd(inputs, is_full):
    return _decomposed(*inputs, is_full, "svd")


def _svd_by_steps(inputs, is_full):
    return _decomposed(*inputs, is_full, "svd_steps")


def _svdvals(inputs, _):
    # Without room for vectors, Jacobi's method touches memory that is not its own.
    (_, values, _), failed = _decomposed(*inputs, False, "svd")
    return (values,), failed


def _svdvals_by_steps(inputs, _):
    (_, values, _), failed = _decomposed(*inputs, False, "svd_steps")
    return (values,), failed


def _lstsq(inputs, tolerance):
    a, b = inputs
    (u, values, vh), failed = _decomposed(a, False, "svd")
    is_kept = _call("greater", values, _call("multiply", values[:, :1], tolerance))
    inverses = _call("where", is_kept, _call("reciprocal", values), 0.0)
    parts = matmul(_conjugated(matrix_transpose(u)), b)
    x = matmul(_conjugated(matrix_transpose(vh)), _call("multiply", inverses[..., None], parts))
    sizes = _call("abs", _call("subtract", b, matmul(a, x)))
    sums = reduce(REDUCTIONS["sum"], _call("multiply", sizes, sizes), -2)
    return (x, sums, reduce(REDUCTIONS["count_nonzero"], is_kept, -1), values), failed


ROUTINES: dict[str, Callable[..., tuple[tuple[USMArray, ...], USMArray | None]]] = {
    "cholesky": _cholesky, "det": _det, "eigh": _eigh, "eigvalsh": _eigvalsh, "inv": _inv,
    "lstsq": _lstsq, "qr": _qr, "qr_r": _qr_r, "qr_raw": _qr_raw, "slogdet": _slogdet,
    "solve": _solve, "svd": _svd, "svdvals": _svdvals,
}  # fmt: skip
# Methods of more steps, which converge for more matrices.
_SECOND = {"svd": _svd_by_steps, "svdvals": _svdvals_by_steps}


# ---- calls


def run(
    routine: str,
    inputs: tuple[USMArray, ...],
    outputs: Sequence[tuple[tuple[int, ...], NumpyType]],
    kind: UsmType,
    *,
    option: float,
    is_checked: bool,
) -> tuple[USMArray, ...] | None:
    """Compute arrays of the given shapes and types. None if a matrix has no result.

    `option` is the routine's choice, or its tolerance. Waits if `is_checked`; else the results of
    matrices that have none are NaN.
    """
    results, failed = ROUTINES[routine](inputs, option)
    wait_at_exit()
    if is_checked and failed is not None and _any(failed):
        if routine not in _SECOND or not _are_finite(inputs[0]):
            return None
        results, failed = _SECOND[routine](inputs, option)
        if failed is None or _any(failed):
            return None
    if not is_checked and failed is not None:
        results = tuple(_without(x, failed) for x in results)
    return tuple(
        _as_output(x, shape, dtype, kind)
        for x, (shape, dtype) in zip(results, outputs, strict=True)
    )


def _are_finite(x):
    return bool(reduce(REDUCTIONS["all"], _call("isfinite", x)))


def _any(failed):
    if failed.size == 1:
        return bool(failed[0])
    return bool(reduce(REDUCTIONS["any"], failed))


def _without(x, failed):
    if x.dtype.kind == "i":  # a rank
        return x
    is_lost = reshape(_call("not_equal", failed, 0), (-1, *(1,) * (x.ndim - 1)))
    return _call("where", is_lost, float("nan"), x)


def _as_output(x, shape, dtype, kind):
    """The array in C order, with the stack's dimensions, and of the kind that the result has."""
    if x.dtype == dtype and x.flags.c_contiguous and x.usm_type == kind:
        return reshape(x, shape)
    made = empty(shape, dtype, usm_type=kind, sycl_queue=x._own_queue)
    _core._copy(x, reshape(made, x.shape))
    return made
