"""Functions that are routines of LAPACK: solutions, factorizations, eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from usmx._compute.call import compute
from usmx._compute.sorting import argsort, sort
from usmx._compute.table import ROWS
from usmx._container.indexing import take_along_axis
from usmx._core import USMArray, broadcast_to, flip, matrix_transpose
from usmx.linalg._lapack import fitted, run, solved

if TYPE_CHECKING:
    from typing import Any, Literal

    from usmx._typing import Producer


class EighResult(NamedTuple):
    """Results of `eigh`."""

    eigenvalues: USMArray
    eigenvectors: USMArray


class EigResult(NamedTuple):
    """Results of `eig`."""

    eigenvalues: USMArray
    eigenvectors: USMArray


class QRResult(NamedTuple):
    """Results of `qr`."""

    Q: USMArray
    R: USMArray


class SlogdetResult(NamedTuple):
    """Results of `slogdet`."""

    sign: USMArray
    logabsdet: USMArray


class SVDResult(NamedTuple):
    """Results of `svd`."""

    U: USMArray
    S: USMArray
    Vh: USMArray


# ---- solutions


def solve(x1: Producer, x2: Producer, /) -> USMArray:
    """Solve ``x1 @ x = x2`` for each matrix of a stack. Waits for the result (see `unchecked`).

    Args:
        x1: square matrices, of shape (..., N, N).
        x2: a vector of shape (N,), or matrices of shape (..., N, K). The first dimensions of both
            are broadcast together.

    Returns:
        A new USMArray of shape (..., N) for a vector, else (..., N, K), of the type to which the
        operands are promoted.

    Raises:
        LinAlgError: a matrix is singular, or not square.
        ValueError: the shapes do not fit.
        TypeError: elements of a type that LAPACK lacks, such as float16.
        ExecutionPlacementError: the queues differ.

    Example:
        >>> a = usmx.asarray([[2.0, 0.0], [0.0, 4.0]])
        >>> print(usmx.linalg.solve(a, usmx.asarray([2.0, 8.0])))
        [1. 2.]
    """
    return solved(x1, x2)


def inv(x: Producer, /) -> USMArray:
    """Invert each matrix of a stack. Waits for the result (see `unchecked`).

    Args:
        x: square matrices, of shape (..., N, N).

    Returns:
        A new USMArray of the same shape.

    Raises:
        LinAlgError: a matrix is singular, or not square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.inv(usmx.asarray([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    return run("inv", "inv", x)


def det(x: Producer, /) -> USMArray:
    """Compute the determinant of each matrix of a stack. Does not wait.

    Args:
        x: square matrices, of shape (..., N, N).

    Returns:
        A new USMArray of shape (...). The determinant of a singular matrix is 0 or small.

    Raises:
        LinAlgError: the matrices are not square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.det(usmx.asarray([[2.0, 0.0], [0.0, 4.0]])))
        8.0
    """
    return run("det", "det", x)


def slogdet(x: Producer, /) -> SlogdetResult:
    """Compute the sign and the logarithm of the determinant of each matrix. Does not wait.

    Args:
        x: square matrices, of shape (..., N, N).

    Returns:
        `sign`, which is complex for complex matrices, and the real `logabsdet`, both of shape
        (...). They are 0 and -inf for a singular matrix.

    Raises:
        LinAlgError: the matrices are not square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> sign, logarithm = usmx.linalg.slogdet(usmx.asarray([[0.0, 1.0], [1.0, 0.0]]))
        >>> print(sign, logarithm)
        -1.0 0.0
    """
    return SlogdetResult(*run("slogdet", "slogdet", x))


def lstsq(a: Producer, b: Producer, rcond: float | None = None) -> tuple[Any, Any, int, Any]:
    """Find the x for which ``a @ x`` is nearest to `b`, by singular values. Waits.

    Args:
        a: a matrix of shape (M, N).
        b: a vector of shape (M,), or a matrix of shape (M, K), of which each column is fitted.
        rcond: singular values of at most `rcond` times the largest count as 0. By default the
            precision of the type times max(M, N).

    Returns:
        A tuple: `x`; the sums of the squares of what is left, of shape (K,), or empty if the rank
        is less than N or M is not above N; the rank, an int; the singular values.

    Raises:
        LinAlgError: the singular values did not converge; `a` is no matrix.
        ValueError: the shapes do not fit.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> a = usmx.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
        >>> x, *_ = usmx.linalg.lstsq(a, usmx.asarray([1.0, 3.0, 5.0]))
        >>> print(usmx.round(x, 6))
        [2. 1.]
    """
    return fitted(a, b, rcond)


# ---- factorizations


def cholesky(x: Producer, /, *, upper: bool = False) -> USMArray:
    """Factor each matrix of a stack by Cholesky's method. Waits (see `unchecked`).

    Args:
        x: Hermitian and positive definite matrices, of shape (..., N, N). Only the triangle that
            `upper` says is read.
        upper: whether the factor is the upper one, U of ``conj(U.T) @ U``, in place of L of
            ``L @ conj(L.T)``.

    Returns:
        A new USMArray of the same shape, whose other triangle is 0.

    Raises:
        LinAlgError: a matrix is not positive definite, or not square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.cholesky(usmx.asarray([[4.0, 2.0], [2.0, 5.0]])))
        [[2. 0.]
         [1. 2.]]
    """
    return run("cholesky", "cholesky", x, option=bool(upper))


_MODES = ("reduced", "complete", "r", "raw")


def qr(x: Producer, /, *, mode: Literal["reduced", "complete", "r", "raw"] = "reduced") -> Any:
    """Factor each matrix of a stack into an orthonormal and an upper triangular one. Does not wait.

    Args:
        x: matrices of shape (..., M, N).
        mode: 'reduced' for matrices of shape (..., M, K) and (..., K, N), where K is the less of M
            and N; 'complete' for (..., M, M) and (..., M, N). NumPy's 'r' is R alone, and 'raw'
            LAPACK's vectors, transposed, and factors.

    Returns:
        `Q` and `R`, new USMArrays; R alone for the mode 'r'.

    Raises:
        ValueError: another mode.
        LinAlgError: `x` has less than two dimensions.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> q, r = usmx.linalg.qr(usmx.asarray([[0.0, 1.0], [2.0, 0.0]]))
        >>> print(usmx.round(q @ r, 6))
        [[0. 1.]
         [2. 0.]]
    """
    if mode not in _MODES:
        raise ValueError(f"linalg.qr: mode must be one of {_MODES}, found {mode!r}")
    if mode in ("r", "raw"):
        return run(f"qr_{mode}", "qr", x)
    return QRResult(*run("qr", "qr", x, option=mode == "complete"))


def svd(
    x: Producer, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Decompose each matrix of a stack by singular values. Waits (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N).
        full_matrices: whether U and Vh are square. Otherwise they have K columns and rows, where K
            is the less of M and N.
        compute_uv: NumPy's; without U and Vh the function is `svdvals`.
        hermitian: NumPy's; whether the matrices are Hermitian: then `eigh` decomposes them.

    Returns:
        `U` of shape (..., M, M) or (..., M, K), the real `S` of shape (..., K) in descending
        order, and `Vh` of shape (..., N, N) or (..., K, N): ``U * S[..., None, :] @ Vh`` is `x`,
        but for rounding, if `full_matrices` is false.

    Raises:
        LinAlgError: the method did not converge, as for NaN; `x` has less than two dimensions.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> u, s, vh = usmx.linalg.svd(usmx.asarray([[0.0, 2.0], [1.0, 0.0]]))
        >>> print(s)
        [2. 1.]
    """
    if hermitian:
        return _svd_of_hermitian(x, compute_uv)
    if not compute_uv:
        return svdvals(x)
    return SVDResult(*run("svd", "svd", x, option=bool(full_matrices)))


def _svd_of_hermitian(x, has_vectors):
    """The singular values are the sizes of the eigenvalues, and Vh has their signs."""
    if not has_vectors:
        return flip(sort(compute(ROWS["abs"], (eigvalsh(x),)), axis=-1), axis=-1)
    values, vectors = eigh(x)
    sizes = compute(ROWS["abs"], (values,))
    order = flip(argsort(sizes, axis=-1), axis=-1)
    signs = take_along_axis(compute(ROWS["copysign"], (1.0, values)), order, axis=-1)
    u = take_along_axis(vectors, broadcast_to(order[..., None, :], vectors.shape), axis=-1)
    rows = matrix_transpose(compute(ROWS["multiply"], (u, signs[..., None, :])))
    return SVDResult(u, take_along_axis(sizes, order, axis=-1), compute(ROWS["conj"], (rows,)))


def svdvals(x: Producer, /) -> USMArray:
    """Compute the singular values of each matrix of a stack. Waits (see `unchecked`).

    Args:
        x: matrices of shape (..., M, N).

    Returns:
        A new real USMArray of shape (..., K), in descending order, where K is the less of M and N.

    Raises:
        LinAlgError: the method did not converge, as for NaN; `x` has less than two dimensions.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.svdvals(usmx.asarray([[0.0, 2.0], [1.0, 0.0]])))
        [2. 1.]
    """
    return run("svdvals", "svdvals", x)


# ---- eigenvalues


def eigh(x: Producer, /, UPLO: Literal["L", "U"] = "L") -> EighResult:
    """Compute the eigenvalues and eigenvectors of Hermitian matrices. Waits (see `unchecked`).

    Args:
        x: symmetric or Hermitian matrices, of shape (..., N, N).
        UPLO: the triangle that is read, 'L' for the lower or 'U' for the upper one.

    Returns:
        The real `eigenvalues` of shape (..., N) in ascending order, and the `eigenvectors` of
        shape (..., N, N): the columns, of length 1.

    Raises:
        LinAlgError: the method did not converge, as for NaN; the matrices are not square.
        ValueError: another `UPLO`.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.eigh(usmx.asarray([[0.0, 2.0], [2.0, 0.0]])).eigenvalues)
        [-2.  2.]
    """
    return EighResult(*run("eigh", "eigh", x, option=_is_upper("eigh", UPLO)))


def eigvalsh(x: Producer, /, UPLO: Literal["L", "U"] = "L") -> USMArray:
    """Compute the eigenvalues of Hermitian matrices. Waits (see `unchecked`).

    Args:
        x: symmetric or Hermitian matrices, of shape (..., N, N).
        UPLO: the triangle that is read, 'L' for the lower or 'U' for the upper one.

    Returns:
        A new real USMArray of shape (..., N), in ascending order.

    Raises:
        LinAlgError: the method did not converge, as for NaN; the matrices are not square.
        ValueError: another `UPLO`.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.eigvalsh(usmx.asarray([[0.0, 2.0], [2.0, 0.0]])))
        [-2.  2.]
    """
    return run("eigvalsh", "eigvalsh", x, option=_is_upper("eigvalsh", UPLO))


def _is_upper(function, triangle):
    if not isinstance(triangle, str) or triangle.upper() not in ("L", "U"):
        raise ValueError(f"linalg.{function}: UPLO must be 'L' or 'U', found {triangle!r}")
    return triangle.upper() == "U"


def eig(x: Producer, /) -> EigResult:
    """Compute the eigenvalues and eigenvectors of square matrices. Waits (see `unchecked`).

    Args:
        x: square matrices, of shape (..., N, N).

    Returns:
        The complex `eigenvalues` of shape (..., N) in no order, and the complex `eigenvectors` of
        shape (..., N, N): the columns, of length 1.

    Raises:
        LinAlgError: the method did not converge, an element is not finite, or the matrices are not
            square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.eig(usmx.asarray([[0.0, -1.0], [1.0, 0.0]])).eigenvalues)
        [0.+1.j 0.-1.j]
    """
    return EigResult(*run("eig", "eig", x))


def eigvals(x: Producer, /) -> USMArray:
    """Compute the eigenvalues of square matrices. Waits (see `unchecked`).

    Args:
        x: square matrices, of shape (..., N, N).

    Returns:
        A new complex USMArray of shape (..., N), in no order.

    Raises:
        LinAlgError: the method did not converge, an element is not finite, or the matrices are not
            square.
        TypeError: elements of a type that LAPACK lacks, such as float16.

    Example:
        >>> print(usmx.linalg.eigvals(usmx.asarray([[0.0, -1.0], [1.0, 0.0]])))
        [0.+1.j 0.-1.j]
    """
    return run("eigvals", "eigvals", x)
