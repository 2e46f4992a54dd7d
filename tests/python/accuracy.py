"""How far mathematics is from the true values: what the tests hold to bounds, and tools/measure_accuracy.py prints.

Errors are in units in the last place, for each operand one; infinity where a result is of another kind, as a number for NaN.
"""

import functools
import re
from pathlib import Path

import kernel_functions
import numpy as np
import usmx
from kernel_functions import BINARY, COMPLEX, COMPLEX_BINARY, RANGES, TERNARY, UNARY
from table_kernels import DTYPES, NUMPYS, computed, values
from usmx._compute.table import ROWS

# ---- the units of processors for which Intel's driver has mathematics of its own

# By the value of CL_CONFIG_CPU_TARGET_ARCH, the best one first, and what a processor needs for it.
TARGETS = {
    "sapphirerapids": {"avx512f", "avx512bw", "avx512_fp16", "amx_tile"},
    "skx": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "core-avx2": {"avx2", "fma", "bmi1", "bmi2", "f16c"},
    "corei7-avx": {"avx"},
    "corei7": {"sse4_2", "popcnt"},
}
TARGET_VARIABLE = "CL_CONFIG_CPU_TARGET_ARCH"


def targets_of(flags):
    """The targets of a processor with these features, its own one first."""
    return [target for target, needed in TARGETS.items() if needed <= flags]


def machine_targets():
    """The targets that this machine can run; none where no driver of Intel's is."""
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return targets_of(set(flags[1].split())) if flags and usmx.SyclDevice().is_cpu else []


# ---- the functions of the table

# What has an infinity is tested against the array API's rule.
FINITE_ONLY = {"floor_divide"}
# Of two zeros NumPy's choice depends on the processor; C has the second one.
SIGN_OF_ZERO_IS_FREE = {"maximum", "minimum", "nextafter"}
WIDER = {"f2": "f4", "f4": "f8", "c8": "c16", "c16": "G"}  # than the results' type; of others "g"
IS_CUDA = usmx.SyclDevice().backend == "cuda"


def true_values(name, operands, dtype):
    """NumPy's results in a wider type."""
    wide = [each.astype(WIDER.get(dtype, "g")) for each in operands]
    if name == "log1p" and wide[0].dtype.kind == "c":
        return complex_log1p(wide[0])
    return NUMPYS[name](*wide)


def complex_log1p(z):
    """NumPy's adds 1 first, and so loses small parts."""
    x, y = z.real, z.imag
    is_near = np.maximum(abs(x), abs(y)) < 0.5
    real = np.where(is_near, np.log1p(x * (2 + x) + y * y) / 2, np.log(abs(1 + z)))
    return real + 1j * np.arctan2(y, 1 + x)


def is_as_numpys(found, numpys, is_zero_free):
    same = (found == numpys) | ((found != found) & (numpys != numpys))
    if is_zero_free or found.dtype.kind in "biu":
        return same
    parts = [(found.real, numpys.real), (found.imag, numpys.imag)] if found.dtype.kind == "c" else [(found, numpys)]  # fmt: skip
    for a, b in parts:
        same &= (np.signbit(a) == np.signbit(b)) | (a != 0)
    return same


def units_away(found, wide, unit_of):
    """In units in the last place of another number, where both are finite."""
    part = found.real.dtype
    unit = np.spacing(np.minimum(np.abs(unit_of).astype(part), np.finfo(part).max))
    away = np.abs(found.astype("G" if found.dtype.kind == "c" else "g") - wide) / unit.astype("g")
    is_finite = np.isfinite(found) & np.isfinite(wide.astype(found.dtype))
    return np.where(is_finite, away, 0)


def bound_of(name, dtype):
    """The table's, for a result; 0: the result is NumPy's."""
    row = ROWS[name]
    is_real_function = row.result == "float" or np.dtype(dtype).kind in "fc"
    return row.errors[np.dtype(dtype).kind == "c"] if is_real_function else 0


def table_errors(name, dtype, operands, found):
    """(errors, operands, results): those inside of what NumPy defines as usmx does."""
    operands, found = inside_the_domain(name, dtype, operands, found)
    if ROWS[name].result == "float" and np.dtype(dtype).kind in "biu":
        operands = [each.astype("f8") for each in operands]  # NumPy takes a smaller type
    with np.errstate(all="ignore"):
        numpys = NUMPYS[name](*operands).astype(found.dtype)
        if bound_of(name, dtype) == 0 or found.dtype.kind in "biu":
            right = is_as_numpys(found, numpys, name in SIGN_OF_ZERO_IS_FREE)
            return np.where(right, 0, np.inf), operands, found
        wide = true_values(name, operands, dtype)
        unit_of = np.abs(wide)
        if name == "logaddexp":
            unit_of = np.maximum(unit_of, np.maximum(*np.abs(operands)).astype(wide.dtype))
        away = units_away(found, wide, unit_of)
        if found.dtype.kind != "c":  # of complex ones C leaves some open
            is_finite = np.isfinite(found)
            is_other = is_finite != np.isfinite(wide.astype(found.dtype))
            is_other |= ~is_finite & ~is_as_numpys(found, numpys, True)
            away = np.where(is_other, np.inf, away)
    return away, operands, found


def inside_the_domain(name, dtype, operands, found):
    """Without what NumPy refuses, and what the array API and NumPy have different rules for."""
    keep = np.ones(found.size, bool)
    if name in FINITE_ONLY:
        keep &= np.isfinite(operands[0]) & np.isfinite(operands[1])
    if name == "pow" and np.dtype(dtype).kind == "i":
        keep &= operands[1] >= 0
    if name == "pow" and np.dtype(dtype).kind == "c":
        size = np.abs(operands[0])
        keep &= (size > 0.3) & (size < 4) & (np.abs(operands[1]) < 4)
    if name in ("multiply", "square", "divide") and np.dtype(dtype).kind == "c":
        most = np.sqrt(np.finfo(dtype).max) / 4  # NumPy's products overflow in another order
        keep &= np.all([np.abs(each) < most for each in operands], axis=0)
    if IS_CUDA and found.dtype.kind == "f" and (name == "hypot" or np.dtype(dtype).kind == "c"):
        # CUDA's hypot rounds the greatest numbers to infinity, where it is also the size of a complex number.
        parts = operands if name == "hypot" else [operands[0].real, operands[0].imag]
        keep &= ~(np.hypot(*parts).astype(found.dtype) == np.finfo(found.dtype).max)
    return [each[keep] for each in operands], found[keep]


@functools.cache
def table_results(dtype, count, seed=46):
    """The operands, and by name what the functions of so many operands make of them."""
    operands = values(np.random.default_rng(seed), dtype, count)
    with np.errstate(all="ignore"):
        return operands, computed(dtype, operands)


def worst_of_table(dtypes, seed):
    """By (name, type): the greatest error."""
    worst = {}
    for dtype in dtypes:
        for count in (1, 2):
            operands, results = table_results(dtype, count, seed)
            for name, found in results.items():
                errors, _, _ = table_errors(name, dtype, operands, found)
                worst[name, dtype] = float(errors.max())
    return worst


# ---- the functions of the kernel language

REFERENCES = UNARY | BINARY | TERNARY
REAL_TYPES = ["f2", "f4", "f8"]
COMPLEX_TYPES = ["c8", "c16"]
COUNT = 100_000


def special(dtype):
    limits = np.finfo(dtype)
    return np.array(
        [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, -2.5, 3, 100, -100, np.inf, -np.inf, np.nan, limits.max, limits.min,
         limits.tiny, limits.smallest_subnormal, -limits.smallest_subnormal, limits.eps, 1 + limits.eps,
         1 - limits.epsneg], dtype,
    )  # fmt: skip


def random_numbers(random, dtype, low=-1000, high=1000):
    """Some of a range, some of its small ones, and some of any bits at all."""
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    of_all = random.integers(0, np.iinfo(bits).max, COUNT // 2, bits, endpoint=True).view(dtype)
    small = random.uniform(max(low, -2.5), min(high, 2.5), COUNT // 4)
    ordinary = np.concatenate([random.uniform(low, high, COUNT // 4), small])
    return np.concatenate([ordinary.astype(dtype), of_all])


def arguments_of(name, count, dtype, seed=45):
    """Arrays of special numbers, each with each, and of random ones."""
    random = np.random.default_rng(seed)
    low, high = RANGES.get(name, (-1000, 1000))
    ordinary = [random_numbers(random, dtype, low, high) for _ in range(count)]
    corners = np.meshgrid(*[special(dtype)] * count)
    return [np.concatenate([a, b.ravel()]) for a, b in zip(ordinary, corners, strict=True)]


def distances(found, expected):
    """In units in the last place of the type of what was found; of equal NaN and infinities none."""
    dtype = found.dtype
    with np.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(dtype).max)).astype(np.longdouble)
        away = np.abs(found.astype(np.longdouble) - expected.astype(np.longdouble)) / unit
    is_same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    away = np.where(is_same & ~(away <= 0.5), 0.5 * np.isfinite(rounded), away)
    return np.where(np.isnan(away), np.inf, away)


def call(name, count):
    return f"y = usmx::{name}({', '.join(f'x{k}' for k in range(count))})"


def groups_of(functions):
    """Each function's group, by its name: a kernel of six is compiled as quickly as a kernel of one."""
    names = list(functions)
    return {name: tuple(names[k // 6 * 6 : k // 6 * 6 + 6]) for k, name in enumerate(names)}


GROUPS = groups_of(UNARY) | groups_of(BINARY) | groups_of(TERNARY)


def computed_by_one_kernel(calls, arrays, output):
    """The results of several functions: each has its own call and as many arrays, all of one size."""
    operands = [np.concatenate(column) for column in zip(*arrays, strict=True)]
    inputs = ", ".join(f"raw T x{k}" for k in range(len(operands)))
    count = operands[0].size // len(calls)
    statements = []
    c_type = {"T": "T", "float32": "float", "float64": "double"}[output]
    for k, each in enumerate(calls):
        of_its_own = re.sub("x[0-9]", lambda operand, k=k: f"{operand[0]}[{k} * count + i]", each)
        statements.append(f"{{ {c_type} y; {of_its_own}; all[{k} * count + i] = y; }}")
    kernel = usmx.ElementwiseKernel(
        f"{inputs}, int64 count", f"raw {output} all", "\n".join(statements)
    )
    results = usmx.zeros(operands[0].size, operands[0].dtype if output == "T" else output)
    kernel(*map(usmx.asarray, operands), count, results, size=count)
    return usmx.asnumpy(results).reshape(len(calls), count)


@functools.cache
def arguments_and_results(group, dtype, seed):
    """By name: the arrays that a function of real numbers gets, and what it makes of them."""
    count = 1 if group[0] in UNARY else 2 if group[0] in BINARY else 3
    arrays = [arguments_of(name, count, dtype, seed) for name in group]
    results = computed_by_one_kernel([call(name, count) for name in group], arrays, "T")
    return dict(zip(group, zip(arrays, results, strict=True), strict=True))


def kernel_errors(name, dtype, seed=45):
    """(errors, arguments, results, true values) of a function of real numbers."""
    arrays, found = arguments_and_results(GROUPS[name], dtype, seed)[name]
    with np.errstate(all="ignore"):
        expected = REFERENCES[name](
            *[each.astype(kernel_functions.WIDER[dtype]) for each in arrays]
        )
    return distances(found, expected), arrays, found, expected


def complex_numbers(random, dtype):
    parts = np.dtype(dtype).type(0).real.dtype
    numbers = np.empty(COUNT, dtype)
    numbers.real = random_numbers(random, parts, -20, 20)
    numbers.imag = random_numbers(random, parts, -20, 20)
    on_circle = np.exp(1j * random.uniform(0, 7, 10000)) * (1 + 1e-3 * random.normal(size=10000))
    return np.concatenate([numbers, on_circle.astype(dtype)])


def complex_distances(found, expected):
    """In units in the last place of the magnitude, where all are finite."""
    part = found.real.dtype
    with np.errstate(all="ignore"):
        magnitude = np.abs(expected).astype(part)
        away = np.abs(found.astype(np.clongdouble) - expected) / np.spacing(magnitude).astype(
            np.longdouble
        )
    away = np.where(np.isnan(away), np.inf, away)
    return np.where(np.isfinite(magnitude) & np.isfinite(expected), away, 0)


REAL_RESULTS = ("real", "imag", "abs", "arg", "norm")
COMPLEX_GROUPS = groups_of(name for name in COMPLEX if name not in REAL_RESULTS) | groups_of(
    REAL_RESULTS
)


@functools.cache
def complex_results(group, dtype, seed):
    """By name: what the functions make of all complex numbers."""
    numbers = complex_numbers(np.random.default_rng(seed), dtype)
    is_real = group[0] in REAL_RESULTS
    output = {"c8": "float32", "c16": "float64"}[dtype] if is_real else "T"
    calls = [call(name, 1) for name in group]
    results = computed_by_one_kernel(calls, [[numbers]] * len(group), output)
    return dict(zip(group, results, strict=True))


def complex_errors(name, dtype, seed=45):
    """(errors, arguments, results, true values) of a function of complex numbers."""
    random = np.random.default_rng(seed)
    if name in COMPLEX_BINARY:
        z, w = (
            (random.uniform(-3, 3, COUNT) + 1j * random.uniform(-3, 3, COUNT)).astype(dtype)
            for _ in range(2)
        )
        w[::2] = np.round(w[::2].real)
        arrays = [z, w]
        (found,) = computed_by_one_kernel([call(name, 2)], [arrays], "T")
    else:
        arrays = [complex_numbers(random, dtype)]
        found = complex_results(COMPLEX_GROUPS[name], dtype, seed)[name]
    with np.errstate(all="ignore"):
        reference = (COMPLEX | COMPLEX_BINARY)[name]
        expected = reference(*[each.astype(kernel_functions.WIDER[dtype]) for each in arrays])
    return complex_distances(found, expected), arrays, found, expected


def worst_of_kernel_language(dtypes, seed):
    """By (name, type): the greatest error."""
    worst = {}
    for dtype in dtypes:
        if dtype in COMPLEX_TYPES:
            of_type = {name: complex_errors(name, dtype, seed) for name in COMPLEX_BOUNDS}
        else:
            names = REFERENCES if dtype in REAL_TYPES else ()
            of_type = {name: kernel_errors(name, dtype, seed) for name in names}
        worst |= {(name, dtype): float(found[0].max()) for name, found in of_type.items()}
    return worst


# ---- the bounds that are documented

PAGE = (Path(__file__).parents[2] / "docs/reference/kernel-language.md").read_text()
ROW = re.compile(r"^\| `(\w+)\(([\w, *&]*)\)` \|[^|]*\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.M)
COMPLEX_ROW = re.compile(r"^\| `(\w+)\((z(?:, w)?)\)` \|[^|]*\| ([\d.]+) \| ([\d.]+) \|$", re.M)
BOUNDS = {row[0]: dict(zip(REAL_TYPES, map(float, row[2:]), strict=True)) for row in ROW.findall(PAGE)}  # fmt: skip
COMPLEX_BOUNDS = {row[0]: dict(zip(COMPLEX_TYPES, map(float, row[2:]), strict=True)) for row in COMPLEX_ROW.findall(PAGE)}  # fmt: skip


def documented(part, name, dtype):
    """The bound of a function of the "table" or of the "kernel-language"."""
    if part == "table":
        return bound_of(name, dtype)
    return (COMPLEX_BOUNDS if dtype in COMPLEX_TYPES else BOUNDS)[name][dtype]


def worst_of(part, dtypes=None, seed=45):
    """By (name, type): the greatest error of each function of the part."""
    measure = worst_of_table if part == "table" else worst_of_kernel_language
    return measure(dtypes or DTYPES, seed)
