"""Linear algebra, by the array API and NumPy: oneMKL computes (docs/reference/linalg.md)."""

from typing import TYPE_CHECKING

from usmx import _functions
from usmx._compute.products import (
    matmul as matmul,
)
from usmx._compute.products import (
    tensordot as tensordot,
)
from usmx._compute.products import (
    vecdot as vecdot,
)
from usmx._core import matrix_transpose as matrix_transpose
from usmx.linalg._composed import (
    cond as cond,
)
from usmx.linalg._composed import (
    cross as cross,
)
from usmx.linalg._composed import (
    diagonal as diagonal,
)
from usmx.linalg._composed import (
    matrix_norm as matrix_norm,
)
from usmx.linalg._composed import (
    matrix_power as matrix_power,
)
from usmx.linalg._composed import (
    matrix_rank as matrix_rank,
)
from usmx.linalg._composed import (
    multi_dot as multi_dot,
)
from usmx.linalg._composed import (
    norm as norm,
)
from usmx.linalg._composed import (
    outer as outer,
)
from usmx.linalg._composed import (
    pinv as pinv,
)
from usmx.linalg._composed import (
    tensorinv as tensorinv,
)
from usmx.linalg._composed import (
    tensorsolve as tensorsolve,
)
from usmx.linalg._composed import (
    trace as trace,
)
from usmx.linalg._composed import (
    vector_norm as vector_norm,
)
from usmx.linalg._lapack import LinAlgError as LinAlgError
from usmx.linalg._lapack import unchecked as unchecked
from usmx.linalg._routines import (
    cholesky as cholesky,
)
from usmx.linalg._routines import (
    det as det,
)
from usmx.linalg._routines import (
    eig as eig,
)
from usmx.linalg._routines import (
    eigh as eigh,
)
from usmx.linalg._routines import (
    eigvals as eigvals,
)
from usmx.linalg._routines import (
    eigvalsh as eigvalsh,
)
from usmx.linalg._routines import (
    inv as inv,
)
from usmx.linalg._routines import (
    lstsq as lstsq,
)
from usmx.linalg._routines import (
    qr as qr,
)
from usmx.linalg._routines import (
    slogdet as slogdet,
)
from usmx.linalg._routines import (
    solve as solve,
)
from usmx.linalg._routines import (
    svd as svd,
)
from usmx.linalg._routines import (
    svdvals as svdvals,
)

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet",
    "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "unchecked",
    "vecdot", "vector_norm",
]  # fmt: skip

_functions.hand_out(globals(), __all__)

if not TYPE_CHECKING:  # for which every name that is not there would be an Any

    def __getattr__(name):
        """Say what takes the place of a name that is not here."""
        from usmx._container.elsewhere import refuse_name_of_module

        refuse_name_of_module("linalg", name)
