"""Operands for the functions of the table, and all functions for one type of them, in few kernels."""

import contextlib
import os

import numpy as np
import usmx
from usmx._compute.call import preamble, types_of
from usmx._compute.table import ROWS

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
NUMPYS = {name: getattr(np, row.numpy) for name, row in ROWS.items()}
NUMPYS["round"] = np.round  # of integers, too

COUNT = int(os.environ.get("USMX_TEST_VALUES", "20000"))  # random ones


def special(dtype):
    limits = np.finfo(dtype)
    return np.array(
        [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, 2.5, -2.5, 3, -3, 7, 0.1, -0.1, 10, 100, -100, 20.5, 88.5, np.inf, -np.inf,
         np.nan, limits.max, limits.min, limits.tiny, -limits.tiny, limits.smallest_subnormal, -limits.smallest_subnormal,
         limits.eps, 1 + limits.eps, 1 - limits.epsneg, np.pi, np.pi / 2, 1e-3, 1e-4], "g",
    ).astype(dtype)  # fmt: skip


def integers(random, dtype):
    limits = np.iinfo(dtype)
    chosen = [0, 1, 2, 3, 5, 7, 8, 15, 31, 63, 64, -1, -2, -3, -7, limits.max, limits.max - 1, limits.min, limits.min + 1]  # fmt: skip
    chosen = [each for each in chosen if limits.min <= each <= limits.max]
    return np.concatenate(
        [
            np.array(chosen, dtype),
            random.integers(limits.min, limits.max, 100, dtype, endpoint=True),
        ]
    )


def values(random, dtype, count):
    """Special numbers and random ones: for two operands each with each, and pairs."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        few, many = np.array([False, True]), random.integers(0, 2, 100).astype(bool)
    elif kind in "iu":
        few = integers(random, dtype)
        many = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, COUNT, dtype)
    elif kind == "f":
        few, many = special(dtype), (random.normal(size=COUNT) * 20).astype(dtype)
    else:
        parts = special(np.dtype(dtype).type(0).real.dtype)
        few = np.empty((parts.size, parts.size), dtype)
        few.real, few.imag = parts[:, None], parts
        few = few.ravel() if count == 1 else random.choice(few.ravel(), 100)
        many = (random.normal(size=COUNT) + 1j * random.normal(size=COUNT)).astype(dtype) * 4
    if count == 1:
        return [np.concatenate([few, many])]
    pairs = np.meshgrid(few, few)
    return [np.concatenate([pair.ravel(), random.permutation(many)[: many.size]]) for pair in pairs]


def rows_of(dtype, count):
    """The functions of so many operands that are defined for a type, and the types of each."""
    device = usmx.default_queue().sycl_device
    found = {}
    for name, row in ROWS.items():
        if len(row.operands) == count and not row.conditions:
            with contextlib.suppress(TypeError):
                found[name] = types_of(row, (np.dtype(dtype),) * count, device)
    return found


def groups_of(kinds):
    """Functions of one type of result, few enough: Intel's compiler for GPUs takes minutes for a kernel of 26 complex ones."""
    for result in {types.result for types in kinds.values()}:
        functions = [name for name, types in kinds.items() if types.result == result]
        most = 6 if np.dtype(result).kind == "c" else 20
        for start in range(0, len(functions), most):
            yield result, functions[start : start + most]


def computed(dtype, operands):
    """Each function's results for host arrays of one dimension: a dictionary of host arrays."""
    kinds = rows_of(dtype, len(operands))
    names = ["x"] if len(operands) == 1 else ["x1", "x2"]
    inputs = ", ".join(f"{np.dtype(dtype)} {name}" for name in names)
    results = {}
    for result, functions in groups_of(kinds):
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
