"""The mathematical functions of kernels: every name takes every type, and is as near to the true value as the documents say."""

import functools
import warnings

import kernel_functions
import numpy as np
import pytest
import usmx
from accuracy import (
    BOUNDS,
    COMPLEX_BOUNDS,
    COMPLEX_TYPES,
    IS_CUDA,
    REAL_TYPES,
    REFERENCES,
    arguments_of,
    call,
    complex_errors,
    computed_by_one_kernel,
    groups_of,
    kernel_errors,
)
from kernel_functions import BINARY, COMPLEX, COMPLEX_BINARY, UNARY

# CUDA's functions have bounds of their own (CUDA C++ Programming Guide, "Mathematical Functions").
CUDA_BOUNDS = {"f2": 0.51, "f4": 6, "f8": 10}
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def computed(operation, arrays, output="T"):
    inputs = ", ".join(f"T x{k}" for k in range(len(arrays)))
    kernel = usmx.ElementwiseKernel(inputs, f"{output} y", operation)
    return usmx.asnumpy(kernel(*map(usmx.asarray, arrays)))


# ---- the table


def test_every_row_of_the_table_has_a_reference():
    assert set(BOUNDS) == set(REFERENCES)
    assert set(COMPLEX_BOUNDS) == set(COMPLEX) | set(COMPLEX_BINARY)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("name", REFERENCES)
def test_functions_are_as_near_as_the_table_says(name, dtype):
    away, arrays, found, expected = kernel_errors(name, dtype)
    bound = BOUNDS[name][dtype]
    if IS_CUDA and bound:
        bound = max(bound, CUDA_BOUNDS[dtype])
        away[is_out_of_cudas_bounds(name, arrays, expected)] = 0
    assert_within(bound, away, arrays, found, expected)


def assert_within(bound, away, arrays, found, expected):
    worst = int(np.argmax(away))
    assert away[worst] <= bound, (
        [each[worst] for each in arrays], found[worst], expected[worst]
    )  # fmt: skip


def is_out_of_cudas_bounds(name, arrays, expected):
    """Where CUDA promises nothing: roots of lgamma, and hypot next to the greatest number."""
    if name == "lgamma":
        return (arrays[0] > -10.001) & (arrays[0] < -2.2)
    if name == "hypot":
        return np.abs(expected) >= np.finfo(arrays[0].dtype).max
    return np.zeros(len(expected), bool)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", COMPLEX_TYPES)
@pytest.mark.parametrize("name", COMPLEX_BOUNDS)
def test_complex_functions_are_as_near_as_the_table_says(name, dtype):
    assert_within(COMPLEX_BOUNDS[name][dtype], *complex_errors(name, dtype))


@pytest.mark.slow
@pytest.mark.skipif(IS_CUDA, reason="it is CUDA's own there")
@pytest.mark.parametrize(("dtype", "most"), [("f4", 256), ("f8", 2**17)])
def test_cube_roots_of_cubes_are_exact(dtype, most):
    roots = np.arange(-most, most + 1).astype(dtype)
    scales = np.array([1, 2.0**10, 2.0**-10], dtype)[:, None]
    found = computed("y = cbrt(x0)", [(roots**3 * scales**3).ravel()])
    np.testing.assert_array_equal(found, (roots * scales).ravel())


PARTS = [0.0, -0.0, 1.0, -2.5, 100.0, -100.0, np.inf, -np.inf, np.nan]
CORNERS = np.array([complex(x, y) for x in PARTS for y in PARTS])


OF_CORNERS = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")


@functools.cache
def results_for_corners(group):
    calls = [call(name, 1) for name in group]
    return dict(
        zip(group, computed_by_one_kernel(calls, [[CORNERS]] * len(group), "T"), strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_CORNERS)
def test_special_complex_numbers_are_as_c99_has_them(name):
    """NumPy has them from the C library. C99 leaves some signs open."""
    found = results_for_corners(groups_of(OF_CORNERS)[name])[name]
    with np.errstate(all="ignore"):
        expected = COMPLEX[name](CORNERS)
    open_sign = np.isnan(expected.real) | np.isnan(expected.imag) | np.isinf(CORNERS)
    for part in ("real", "imag"):
        a, b = getattr(found, part), getattr(expected, part)
        np.testing.assert_allclose(
            np.where(open_sign, np.abs(a), a), np.where(open_sign, np.abs(b), b), 1e-14
        )
        is_closed = ~open_sign & (a == 0)
        np.testing.assert_array_equal(np.signbit(a[is_closed]), np.signbit(b[is_closed]))


def test_branch_cuts_are_closed_on_the_side_of_the_sign_of_zero():
    z = np.array([complex(-4, 0.0), complex(-4, -0.0)])
    np.testing.assert_array_equal(computed("y = sqrt(x0)", [z]), [2j, -2j])
    np.testing.assert_allclose(computed("y = log(x0)", [z]).imag, [np.pi, -np.pi])


# ---- functions with other results


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_parts_and_neighbours_of_numbers_are_numpys(dtype):
    x, y = arguments_of("", 2, dtype)
    kernel = usmx.ElementwiseKernel(
        "T x, T y",
        "T fraction, int32 exponent, T rest, T whole, T next, T scaled, int32 kinds",
        """int of_x; T of_modf;
fraction = frexp(x, &of_x); exponent = of_x;
rest = modf(x, &of_modf); whole = of_modf;
next = nextafter(x, y);
scaled = ldexp(x, 3);
kinds = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x)""",
    )
    found = [usmx.asnumpy(each) for each in kernel(usmx.asarray(x), usmx.asarray(y))]
    with np.errstate(all="ignore"):
        expected = [
            *np.frexp(x), *np.modf(x), np.nextafter(x, y), np.ldexp(x, 3),
            np.isnan(x) + 2 * np.isinf(x) + 4 * np.isfinite(x) + 8 * np.signbit(x),
        ]  # fmt: skip
    is_finite = np.isfinite(x)
    np.testing.assert_array_equal(found[1][is_finite], expected[1][is_finite])
    for k in (0, 2, 3, 4, 5, 6):
        np.testing.assert_array_equal(found[k], expected[k])
    for k in (0, 2, 3, 4):
        is_number = ~np.isnan(expected[k]) & (
            (k != 4) | (x != y)
        )  # C has the second one of two zeros
        np.testing.assert_array_equal(
            np.signbit(found[k])[is_number], np.signbit(expected[k])[is_number]
        )


@pytest.mark.parametrize("dtype", DTYPES[1:9])
def test_bits_of_integers(dtype):
    random = np.random.default_rng(45)
    limits = np.iinfo(dtype)
    x = random.integers(limits.min, limits.max, 2000, dtype, endpoint=True)
    x[:4] = [0, 1, limits.max, limits.min]
    n = random.integers(-70, 70, 2000, "i4")
    width = limits.bits
    unsigned = [int(each) & ((1 << width) - 1) for each in x]
    kernel = usmx.ElementwiseKernel(
        "T x, int32 n", "int32 bits, int32 leading, int32 trailing, T left, T right",
        "bits = popcount(x); leading = clz(x); trailing = ctz(x); left = rotl(x, n); right = rotr(x, n)",
    )  # fmt: skip
    bits, leading, trailing, left, right = map(
        usmx.asnumpy, kernel(usmx.asarray(x), usmx.asarray(n))
    )
    assert bits.tolist() == [each.bit_count() for each in unsigned]
    assert leading.tolist() == [width - each.bit_length() for each in unsigned]
    assert trailing.tolist() == [
        (each & -each).bit_length() - 1 if each else width for each in unsigned
    ]

    def turned(word, by):
        return (word << by | word >> (width - by)) & ((1 << width) - 1)

    for found, sign in ((left, 1), (right, -1)):
        expected = [
            turned(word, int(sign * by) % width) for word, by in zip(unsigned, n, strict=True)
        ]
        assert (found.astype(f"u{width // 8}") == np.array(expected, f"u{width // 8}")).all()


# ---- types


def every_call(value, other):
    """Statements that call each function with these two, without usmx::."""
    calls = [f"y += float({name}({value}));" for name in UNARY]
    calls += [f"y += float({name}({value}, {other}));" for name in BINARY]
    calls += [
        f"y += float(fma({value}, {other}, {value}) + clamp({value}, {other}, {value}) + ldexp({value}, 2) + ilogb({value}));",
        f"{{ int e; y += float(frexp({value}, &e) + nextafter({value}, {other})); }}",
        f"y += isnan({value}) + isinf({value}) + isfinite({value}) + signbit({value});",
        f"y += float(real({value}) + imag({value}) + conj({value}) + norm({value}) + arg({value}));",
    ]
    return "\n".join(calls)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_function_takes_every_type_without_ambiguity(dtype):
    x = np.array([1, 0], dtype)
    kernel = usmx.ElementwiseKernel("T x", "float y", "y = 0;\n" + every_call("x", "x"))
    assert kernel(usmx.asarray(x)).shape == (2,)


FOR_FLOAT = {
    **{name: "x" for name in UNARY if name != "abs"},
    **{name: "x, x" for name in BINARY if name not in ("min", "max")},
    "fma": "x, x, x", "ldexp": "x, 2", "frexp": "x, &exponent", "modf": "x, &whole", "nextafter": "x, x",
}  # fmt: skip


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_function_has_a_form_for_float(dtype):
    calls = [f"{prefix}{name}f({given})" for name, given in FOR_FLOAT.items() for prefix in ("", "usmx::")]  # fmt: skip
    are_float = " && ".join(f"__is_same(decltype({call}), float)" for call in calls)
    kernel = usmx.ElementwiseKernel(
        "T x", "float sum, bool are_all",
        f"int exponent; float whole; sum = {' + '.join(calls)}; are_all = {are_float} && ilogbf(x) == 0 && usmx::ilogbf(x) == 0;",
    )  # fmt: skip
    _, are_all = kernel(usmx.ones(1, dtype=dtype))
    assert are_all.item()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u8"])
def test_every_function_takes_mixed_types(dtype):
    others = ["2", "2.0", "2.0f", "half(2)", "2u", "2L", "true", "short(2)"]
    calls = [f"y += float({name}(x, {other}) + {name}({other}, x));" for other in others for name in BINARY]  # fmt: skip
    kernel = usmx.ElementwiseKernel("T x", "float y", "y = 0;\n" + "\n".join(calls))
    assert kernel(usmx.ones(1, dtype=dtype)).shape == (1,)


TYPES_OF_RESULTS = [
    ("sqrt(1)", "double"), ("sqrt(half(1))", "half"), ("sqrt(1.f)", "float"), ("pow(1.f, 2.0)", "double"),
    ("pow(1.f, 2)", "double"), ("fmax(half(1), 1.f)", "float"), ("sqrtf(2.0)", "float"), ("powf(2, 3)", "float"),
    ("min(1, 2L)", "long"), ("max(short(1), short(2))", "short"), ("min(1, 2.f)", "float"),
    ("clamp(half(1), 0, 1)", "half"), ("clamp(1.f, 0, 1.0)", "double"), ("abs(char(1))", "char"),
    ("abs(1.f)", "float"), ("floor(1)", "double"), ("ilogb(half(1))", "int"), ("signbit(1)", "bool"),
    ("norm(complex<float>(1))", "float"), ("pow(complex<float>(1), 2.0)", "complex<float>"),
    ("exp(complex<float>(1)) * complex<double>(1)", "complex<double>"), ("conj(1.f)", "float"),
    ("numeric_limits<int8_t>::max()", "signed char"), ("popcount(1L)", "int"), ("rotl(short(1), 2)", "short"),
]  # fmt: skip


@functools.cache
def kernel_of_types():
    """Tells of each row whether the expression has the type: one kernel for all."""
    lines = [f"y[{k}] = __is_same(decltype({expression}), {type_name});" for k, (expression, type_name) in enumerate(TYPES_OF_RESULTS)]  # fmt: skip
    source = f"#include <usmx/kernel.hpp>\nusing namespace usmx;\nUSMX_KERNEL(1) f(bool* y) {{ {' '.join(lines)} }}"
    y = usmx.zeros(len(lines), dtype="?")
    usmx.Kernel(source, "f")(1, None, y)
    return dict(zip(TYPES_OF_RESULTS, y.tolist(), strict=True))


@pytest.mark.parametrize(("expression", "type_name"), TYPES_OF_RESULTS)
def test_types_of_results_are_those_of_cpp(expression, type_name):
    if IS_CUDA and expression == "pow(1.f, 2)":
        pytest.skip("CUDA's own pow(float, int) fits better, and is a float")
    assert kernel_of_types()[expression, type_name]


def test_integers_keep_all_their_bits():
    x = np.array([2**62 + 1, -(2**62) - 3, 5], "i8")
    np.testing.assert_array_equal(computed("y = abs(x0)", [x]), np.abs(x))
    np.testing.assert_array_equal(computed("y = min(x0, x1)", [x, x[::-1]]), np.minimum(x, x[::-1]))
    np.testing.assert_array_equal(computed("y = clamp(x0, -7, x1)", [x, x]), np.maximum(x, -7))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4"])
def test_square_of_the_magnitude_of_an_integer_is_not_wrapped(dtype):
    x = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    np.testing.assert_array_equal(computed("y = norm(x0)", [x], "double"), x.astype("f8") ** 2)


def test_constants_and_names_of_types():
    kernel = usmx.ElementwiseKernel(
        "", "double y",
        "const double all[] = {INFINITY, NAN, M_PI, M_E, M_SQRT2, numeric_limits<float>::max(), numeric_limits<half>::epsilon(),"
        " numeric_limits<double>::min(), double(numeric_limits<int64_t>::min()), numeric_limits<uint8_t>::max(),"
        " sizeof(int8_t) + 10 * sizeof(uint16_t) + 100 * sizeof(int32_t) + 1000 * sizeof(uint64_t), sizeof(size_t)}; y = all[i]",
    )  # fmt: skip
    expected = [np.inf, np.nan, np.pi, np.e, 2**0.5, np.finfo("f4").max, 2.0**-10, np.finfo("f8").tiny, -(2.0**63), 255, 8421, 8]  # fmt: skip
    np.testing.assert_array_equal(usmx.asnumpy(kernel(size=12)), expected)


@pytest.mark.parametrize("prefix", ["", "usmx::"])
def test_a_preamble_has_the_names_of_an_operation(prefix):
    kernel = usmx.ElementwiseKernel(
        "T x", "T y", f"y = twice(x) + {prefix}max(x, 1)",
        preamble=f"template <class U> U twice(U x) {{ return 2 * {prefix}floor(x) + {prefix}numeric_limits<U>::epsilon(); }}",
    )  # fmt: skip
    x = np.array([0.5, 2.5], "f4")
    np.testing.assert_array_equal(
        usmx.asnumpy(kernel(usmx.asarray(x))), [1 + np.float32(2**-23), 6.5]
    )


@pytest.mark.parametrize(
    "preamble",
    [
        "template <class U> U rsqrt(U x) { return 7; }",
        "template <class U> U rsqrt(const U& x) { return 7; }",
        "inline float rsqrt(float x) { return 7; }",
    ],
)
def test_functions_of_the_preamble_win_over_those_of_one_name(preamble):
    if IS_CUDA and preamble.startswith("template"):
        pytest.skip("CUDA's own rsqrt(float) fits better than a template")
    kernel = usmx.ElementwiseKernel("T x", "T y", "y = rsqrt(x)", preamble=preamble)
    assert kernel(usmx.ones(1, dtype="f4")).item() == 7


@pytest.mark.skipif(IS_CUDA, reason="NVRTC does not take these options")
def test_the_headers_of_kernels_cause_no_warning():
    options = ["-Wall", "-Wextra", "-ffast-math"]
    kernel = usmx.ElementwiseKernel("T x", "float y", every_call("x", "x"), options=options)
    with warnings.catch_warnings():
        warnings.simplefilter("error", usmx.CompileWarning)
        kernel(usmx.ones(1, dtype="f4"))


def test_references_agree_with_values_that_are_known():
    np.testing.assert_allclose(
        kernel_functions.erfinv(np.array([0.5, -0.9])),
        [0.4769362762044699, -1.1630871536766743],
        1e-14,
    )
    np.testing.assert_allclose(
        kernel_functions.erfcinv(np.array([1e-10])), [4.572824967389486], 1e-14
    )
    np.testing.assert_array_equal(
        kernel_functions.sinpi(np.array([0.5, 1, 1.5, 1e15])), [1, 0, -1, 0]
    )
