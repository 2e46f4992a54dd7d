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
from usmx._container.numpy_names import diagonal
from usmx._container.patterns import eye
from usmx._core import (
    ElementwiseKernel,
    ReductionKernel,
    _dtype,
    broadcast_to,
    empty,
    matrix_transpose,
    reshape,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from usmx._core import USMArray
    from usmx._typing import NumpyType, UsmType

_LARGEST_OF_STACKS = 128  # rows of the matrices that functions for stacks factor
_LARGEST_INVERSE = 32  # rows of the matrices that one function inverts
_LARGEST_OF_JACOBI = 32  # rows and columns of the matrices that one call decomposes

_found: list[bool] = []


def is_found(x: USMArray) -> bool:
    """Whether cuSOLVER can be used. What is missing may come later."""
    if not _found and _core._find_solver_library(x._own_queue.sycl_device)[1]:
        _found.append(True)
    return bool(_found)


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


def _failed(info, result):
    """Which matrices have no result: a number of theirs is NaN, or the library says so."""
    return _kernel("failed", "int32 info, T x", "bool y", "y = info != 0 || !(x == x)")(
        info, result
    )


def _failed_or_not_finite(info, are_finite):
    operation = "y = info != 0 || !is_finite"
    kernel = _kernel("failed_or_not_finite", "int32 info, bool is_finite", "bool y", operation)
    return kernel(info, are_finite)


def _are_finite(x):
    """Whether all numbers of each matrix are: Jacobi's methods do not say that they are not."""
    kernel = _kernels.get("are_finite")
    if kernel is None:
        kernel = _kernels["are_finite"] = ReductionKernel(
            "T x", "bool y", "isfinite(x)", "a && b", "y = a", "true", "are_finite"
        )
    return kernel(x, axis=(-2, -1))


def _call(name, *operands):
    return compute(ROWS[name], operands)


def _conjugated(x):
    return _call("conj", x) if x.dtype.kind == "c" else x


_kernels: dict[str, ElementwiseKernel | ReductionKernel] = new_cache()


def _kernel(name, inputs, outputs, operation):
    found = _kernels.get(name)
    if found is None:
        found = _kernels[name] = ElementwiseKernel(inputs, outputs, operation, name)
    return found


def _triangle(x, is_upper):
    """The elements on and above the diagonal, or on and below it, and 0 elsewhere; in C order."""
    name, compare = ("upper", "<=") if is_upper else ("lower", ">=")
    operation = f"y = i / columns % rows {compare} i % columns ? x : T(0)"
    kernel = _kernel(name, "T x, int64 rows, int64 columns", "T y", operation)
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


# A product of a diagonal, as a number of the size of 1 and an exponent of 2: its steps would leave
# the range of the type, and come back.
_SCALED = """
using part = decltype(real(T()));
struct scaled { T value; int exponent; };
inline scaled scaled_of(T value, int exponent) {
  const part size = max(fabs(real(value)), fabs(imag(value)));
  if (size == 0) return {value, 0};
  if (!isfinite(size)) return {value, exponent};
  const int most = sizeof(part) == 4 ? 120 : 1000;
  const int shift = min(max(ilogb(size) + 1, -most), most);
  return {value * ldexp(part(1), -shift), exponent + shift};
}
inline scaled multiplied(scaled a, scaled b) {
  return scaled_of(a.value * b.value, a.exponent + b.exponent);
}
"""
_SIGN_AND_LOGARITHM = """
const part size = abs(a.value);
sign = size == 0 ? T(0) : a.value / size;
logarithm = log(size) + a.exponent * part(0.69314718055994530942);
"""


def _product_of_factor(name, outputs, post, x, types):
    """Reduce the diagonals of the factors of matrices, with the signs of the pivots."""
    a, pivots, _ = _factored(x)
    kernel = _kernels.get(name)
    if kernel is None:
        kernel = _kernels[name] = ReductionKernel(
            "T x, P pivot",
            outputs,
            "scaled_of(pivot == i + 1 ? x : -x, 0)",
            "multiplied(a, b)",
            post,
            "scaled{T(1), 0}",
            name,
            reduce_type="scaled",
            preamble=_SCALED,
        )
    made = tuple(_new(a, a.shape[:1], each) for each in types)
    kernel(diagonal(a, 0, -2, -1), pivots, *made, axis=-1)
    return made


def _slogdet(inputs, _):
    (x,) = inputs
    outputs = "T sign, R logarithm"
    types = (x.dtype, _real_type(x))
    return _product_of_factor("slogdet", outputs, _SIGN_AND_LOGARITHM, x, types), None


def _det(inputs, _):
    (x,) = inputs
    is_complex = x.dtype.kind == "c"
    parts = ("real(a.value)", "imag(a.value)")[: 1 + is_complex]
    product = ", ".join(f"ldexp({part}, a.exponent)" for part in parts)
    name = "complex_det" if is_complex else "det"
    return _product_of_factor(name, "T y", f"y = T({product})", x, (x.dtype,)), None


def _cholesky(inputs, is_upper):
    # The libraries factor by the lower triangle in a half to a third of the other one's time.
    a = _rows(*inputs) if is_upper else _columns(*inputs)
    info = _new_info(a)
    _start("cholesky", (a, info))
    # NaN anywhere makes the last element of the diagonal NaN, and no info.
    factors = a if is_upper else matrix_transpose(a)
    return (_triangle(factors, is_upper),), _failed(info, a[:, -1, -1])


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
    may_be_by_jacobi = a.shape[1] <= _LARGEST_OF_JACOBI
    are_finite = _are_finite(_triangle(a, is_upper)) if may_be_by_jacobi else None
    # The lower triangle is the transposed matrix's upper one.
    _start("eigh" if has_vectors else "eigvalsh", (a, values, info), not is_upper)
    if are_finite is not None:
        return a, values, _failed_or_not_finite(info, are_finite)
    return a, values, _failed(info, values[:, 0])


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
    are_finite = _are_finite(a)
    values, info = _new(a, (count, short), _real_type(a)), _new_info(a)
    is_one_call = routine == "svd" and long <= _LARGEST_OF_JACOBI
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
    return (u, values, vh), _failed_or_not_finite(info, are_finite)


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
        if routine not in _SECOND or not _are_finite(inputs[0]).all():
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
