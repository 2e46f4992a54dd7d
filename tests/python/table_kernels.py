"""All functions of the table for one type of operands, in few kernels: a kernel for each type of results."""

import contextlib

import numpy as np
import usmx
from usmx._compute.call import preamble, types_of
from usmx._compute.table import ROWS

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
NUMPYS = {name: getattr(np, row.numpy) for name, row in ROWS.items()}
NUMPYS["round"] = np.round  # of integers, too


def rows_of(dtype, count):
    """The functions of so many operands that are defined for a type, and the types of each."""
    device = usmx.default_queue().sycl_device
    found = {}
    for name, row in ROWS.items():
        if len(row.operands) == count and not row.conditions:
            with contextlib.suppress(TypeError):
                found[name] = types_of(row, (np.dtype(dtype),) * count, device)
    return found


def computed(dtype, operands):
    """Each function's results for host arrays of one dimension: a dictionary of host arrays."""
    kinds = rows_of(dtype, len(operands))
    names = ["x"] if len(operands) == 1 else ["x1", "x2"]
    inputs = ", ".join(f"{np.dtype(dtype)} {name}" for name in names)
    results = {}
    for result in {types.result for types in kinds.values()}:
        functions = [name for name, types in kinds.items() if types.result == result]
        statements = [
            f"{{ {kinds[name].operation(ROWS[name], result, f'all[{k} * count + i]')}; }}"
            for k, name in enumerate(functions)
        ]
        kernel = usmx.ElementwiseKernel(
            f"{inputs}, int64 count",
            f"raw {result} all",
            "\n".join(statements),
            preamble=preamble(),
        )
        count = operands[0].size
        all_results = usmx.zeros(len(functions) * count, result)
        kernel(*map(usmx.asarray, operands), count, all_results)
        parts = usmx.asnumpy(all_results).reshape(len(functions), count)
        results |= dict(zip(functions, parts, strict=True))
    return results
