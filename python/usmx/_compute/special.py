"""Calls of special functions, whose kernels are generated and compiled when they are first called.

Their mathematics is in src/compute/device/special.hpp, for float and double.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from usmx._compute.call import cpp, new_cache, operands_of, written
from usmx._compute.promotion import WEAK, common_type, default_float, number_converter
from usmx._container.host import numpy
from usmx._core import ElementwiseKernel, USMArray, _device_text

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import NumpyType, Operand

# What the functions of the kernel language and of special.hpp are called there, by SciPy's names.
OPERATIONS = {
    **{
        name: name
        for name in [
            "beta",
            "betainc",
            "betaincc",
            "betaln",
            "chdtr",
            "chdtrc",
            "digamma",
            "entr",
            "erf",
            "erfc",
            "erfcinv",
            "erfcx",
            "erfinv",
            "expit",
            "exprel",
            "gammainc",
            "gammaincc",
            "gammasgn",
            "i0",
            "i0e",
            "i1",
            "i1e",
            "kl_div",
            "log_expit",
            "log_ndtr",
            "logit",
            "ndtr",
            "ndtri",
            "rel_entr",
            "rgamma",
            "stdtr",
            "xlog1py",
            "xlogy",
        ]
    },
    "gamma": "tgamma",
    "gammaln": "lgamma",
    "psi": "digamma",
}

# float cancels in these, or takes the powers of large exponents: float32 is computed in double, on
# devices that have it.
_WIDE = frozenset((
    "beta", "betainc", "betaincc", "betaln", "chdtr", "chdtrc", "digamma", "gammainc", "gammaincc",
    "kl_div", "rgamma", "stdtr",
))  # fmt: skip

_kernels: dict[tuple[str, NumpyType, bool], ElementwiseKernel] = new_cache()


def special(name: str, out: Any, *operands: Operand) -> USMArray:
    """The function of arrays and numbers, which are broadcast together."""
    label = f"special.{name}"
    names = ("x",) if len(operands) == 1 else ("x1", "x2", "x3")[: len(operands)]
    found = operands_of(label, names, operands)
    first = next(each for each in found if isinstance(each, USMArray))
    device = first._own_queue.sycl_device
    kinds = [each.dtype if isinstance(each, USMArray) else type(each) for each in found]
    dtype = common_type(kinds, device)
    if dtype.kind in "biu":
        dtype = default_float(device)
    if dtype.kind != "f":
        raise TypeError(f"{label} is defined for real numbers, found {dtype}")
    converted = [
        each.astype(dtype, copy=False)
        if isinstance(each, USMArray)
        else number_converter(dtype)(each)
        if type(each) in WEAK
        else each.astype(dtype)
        for each in found
    ]
    return written(label, out, _kernel(name, dtype, len(operands), device)(*converted))


def function_of(ufunc: Any) -> str | None:
    """The name of a ufunc of SciPy's that there is a kernel for."""
    name = ufunc.__name__
    scipys = sys.modules.get("scipy.special._ufuncs")
    return name if name in OPERATIONS and getattr(scipys, name, None) is ufunc else None


def _kernel(name, dtype, count, device):
    is_double = dtype.itemsize == 8 or (name in _WIDE and device.has_aspect_fp64)
    found = _kernels.get((name, dtype, is_double))
    if found is None:
        computed = cpp(numpy.dtype("f8" if is_double else "f4"))
        arguments = ", ".join(f"{computed}(x{k})" for k in range(count))
        found = _kernels[name, dtype, is_double] = ElementwiseKernel(
            ", ".join(f"{dtype} x{k}" for k in range(count)),
            f"{dtype} y",
            f"y = {cpp(dtype)}({OPERATIONS[name]}({arguments}))",
            f"special_{name}",
            preamble=_device_text("special.hpp"),
        )
    return found
