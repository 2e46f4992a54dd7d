"""Element-wise kernels: any layout and broadcasting as NumPy has them, types, outputs, refusals."""

import numpy as np
import pytest
import usmx
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def axpy():
    return usmx.ElementwiseKernel("T a, T x, T y", "T out", "out = a * x + y", "axpy")


@pytest.fixture(scope="module")
def twice():
    return usmx.ElementwiseKernel("T x", "T y", "y = 2 * x", "twice")


def numbers(*shape, dtype="f4"):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


def equal(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_array_equal(usmx.asnumpy(found), expected)


# ---- layouts


VIEWS = {
    "c": lambda a: a,
    "f": lambda a: a.T,
    "f with gaps": lambda a: a.T[::2],
    "every other": lambda a: a[::2, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "one reversed": lambda a: a[:, ::-1],
    "rows with gaps": lambda a: a[:, 1:-1],
    "a column": lambda a: a[:, 3],
    "one element": lambda a: a[2, 3],
    "no elements": lambda a: a[:0],
    "new axes": lambda a: a[None, :, None],
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("shape", [(8, 8), (40, 70), (131, 3)])
def test_layouts_of_one_input(twice, name, shape):
    if name == "a column" or name == "one element" or shape[1] > 3:
        shape = (shape[0], max(shape[1], 8))
    a = numbers(*shape)
    equal(twice(VIEWS[name](usmx.asarray(a))), 2 * VIEWS[name](a))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("left", ["c", "f", "every other", "reversed"])
@pytest.mark.parametrize("right", ["c", "f", "every other", "one reversed"])
@pytest.mark.parametrize("size", [4, 67, 130])
def test_two_inputs_of_different_layouts(axpy, left, right, size):
    def view(kind, a):
        return VIEWS[kind](np.repeat(np.repeat(a, 2, 0), 2, 1) if kind == "every other" else a)

    x, y = numbers(size, size), numbers(size, size) + 7
    found = axpy(
        3,
        VIEWS[left](usmx.asarray(view_base(left, x))),
        VIEWS[right](usmx.asarray(view_base(right, y))),
    )
    equal(found, np.float32(3) * view(left, x) + view(right, y))


def view_base(kind, a):
    return np.repeat(np.repeat(a, 2, 0), 2, 1) if kind == "every other" else a


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((5, 6), (6,)),
        ((5, 6), (5, 1)),
        ((5, 1), (1, 6)),
        ((4, 1, 6), (5, 1)),
        ((), (3, 2)),
        ((1,), (0,)),
    ],
)
def test_inputs_are_broadcast(axpy, left, right):
    x, y = numbers(*left), numbers(*right)
    equal(axpy(2, usmx.asarray(x), usmx.asarray(y)), np.float32(2) * x + y)


def test_more_dimensions_than_a_kernel_has(axpy):
    x = numbers(*[2] * 11)
    y = x.transpose(np.random.default_rng(0).permutation(11))
    got = axpy(
        2,
        usmx.asarray(x)[..., ::-1],
        usmx.asarray(x).transpose(tuple(np.random.default_rng(0).permutation(11).tolist())),
    )
    equal(got, 2 * x[..., ::-1] + y)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_views_are_as_in_numpy(axpy, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 5), max_size=4)))

    def view(a, draw):
        axes = draw(st.permutations(range(a.ndim)))
        steps = tuple(slice(None, None, draw(st.sampled_from([1, -1, 2]))) for _ in axes)
        return axes, steps

    arrays = []
    for _ in range(2):
        axes = data.draw(st.permutations(range(len(shape))))
        steps = [data.draw(st.sampled_from([1, -1, 2])) for _ in shape]
        inverse = np.argsort(axes) if axes else []
        base = numbers(*[shape[k] * abs(steps[k]) for k in axes])
        index = tuple(slice(None, None, s) for s in steps)

        def of(a, inverse=inverse, index=index):
            return a.transpose(tuple(int(k) for k in inverse))[index] if index else a

        arrays.append((of(base), of(usmx.asarray(base))))
    equal(axpy(3, arrays[0][1], arrays[1][1]), np.float32(3) * arrays[0][0] + arrays[1][0])


# ---- the index, several outputs, partial writes


def test_index_counts_in_c_order():
    place = usmx.ElementwiseKernel("T x", "int64 y", "y = i", "place")
    expected = numbers(6, 9, dtype="i8")
    equal(place(usmx.zeros((6, 9), dtype="f4")), expected)
    equal(place(usmx.zeros((9, 6), dtype="f4").T), expected)
    out = usmx.zeros((9, 12), dtype="i8").T[::-2]
    equal(place(usmx.zeros((6, 9), dtype="f4"), out=out), expected)


def test_index_without_inputs():
    ramp = usmx.ElementwiseKernel("", "T y", "y = i * i", "ramp")
    equal(ramp(size=(2, 3), dtype="f4"), numbers(2, 3) ** 2)
    equal(ramp(size=5, dtype="i4"), numbers(5, dtype="i4") ** 2)


def test_several_outputs():
    f = usmx.ElementwiseKernel("T x", "T y, bool z", "y = -x; z = x > 3", "both")
    x = numbers(8)
    y, z = f(usmx.asarray(x))
    equal(y, -x)
    equal(z, x > 3)
    given_z = usmx.zeros(8, dtype="?")
    y, z = f(usmx.asarray(x), out=(None, given_z))
    assert z is given_z
    equal(z, x > 3)


def test_output_that_is_written_in_part_keeps_its_elements():
    f = usmx.ElementwiseKernel("T x", "T y", "if (x > 3) y += x", "some")
    x, y = numbers(8), usmx.ones(8, dtype="f4")
    assert f(usmx.asarray(x), y) is y
    equal(y, np.where(x > 3, x + 1, 1))


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("view", ["c", "f", "every other", "reversed"])
@pytest.mark.parametrize("index", ["", "if (i < 0) return; "])
def test_return_ends_the_operation_of_one_element(view, index):
    f = usmx.ElementwiseKernel(
        "T x, T z", "T y", f"y = x + z; {index}if (x > 40) {{ y = 100; return; }} y += 1"
    )
    a, b = numbers(130, 134), numbers(130, 134) % 5
    x, z = VIEWS[view](a), VIEWS[view](b)
    if view == "f":  # the operand that is not transposed makes the loop one of tiles
        z = np.ascontiguousarray(z)
    expected = np.where(x > 40, 100, x + z + 1).astype("f4")
    other = usmx.asarray(z) if view == "f" else VIEWS[view](usmx.asarray(b))
    equal(f(VIEWS[view](usmx.asarray(a)), other), expected)


@pytest.mark.parametrize("view", ["c", "f", "every other"])
def test_raw_arrays_tell_their_shape(view):
    f = usmx.ElementwiseKernel(
        "raw T x",
        "T y",
        "y = i < x.ndim ? x.shape()[i] : i == 2 ? x.size() : x(x.shape()[0] - 1, 0)",
    )
    a = numbers(12, 14)
    host = VIEWS[view](a)
    equal(
        f(VIEWS[view](usmx.asarray(a)), size=4),
        np.array([*host.shape, host.size, host[-1, 0]], "f4"),
    )


def test_return_with_raw_arrays_and_atomic_operations():
    count = usmx.ElementwiseKernel(
        "int32 k", "raw int32 bins", "if (k % 2) return; usmx::atomic_add(bins[k / 2], 1)"
    )
    k = np.arange(1000, dtype="i4") % 12
    equal(count(usmx.asarray(k), usmx.zeros(6, dtype="i4")), np.bincount(k[k % 2 == 0] // 2))


@pytest.mark.parametrize("statement", ["continue", "break"])
@pytest.mark.parametrize("view", ["c", "f", "every other"])
def test_loops_of_the_generated_source_are_out_of_reach(statement, view):
    f = usmx.ElementwiseKernel("T x, T z", "T y", f"y = x + z; if (x > 3) {statement}")
    x = numbers(100, 100)
    other = x if view == "f" else VIEWS[view](x)
    said = f"'{statement}' statement not in|a {statement} statement may only be used within"
    with pytest.raises(usmx.CompileError, match=said):
        f(VIEWS[view](usmx.asarray(x)), usmx.asarray(other))


def test_loops_of_the_operation_are_its_own():
    f = usmx.ElementwiseKernel(
        "T x", "T y", "y = 0; for (int k = 0; k < 9; ++k) { if (k == 4) continue; y += x; }"
    )
    equal(f(usmx.asarray(numbers(50))), 8 * numbers(50))


def test_operation_returns_no_value():
    f = usmx.ElementwiseKernel("T x", "T y", "return x")
    with pytest.raises(
        usmx.CompileError, match="operation:1:.*(should not return a value|return value type)"
    ):
        f(usmx.ones(3))


@pytest.mark.parametrize("raw", ["", "raw "])
@pytest.mark.parametrize(("macro", "dtype", "found"), [("float double", "float32", "double"), ("unsigned", "uint8", "char")])  # fmt: skip
def test_type_to_which_a_macro_gives_another_meaning_is_refused(macro, dtype, found, raw):
    """Else the kernel would write beside the array: its elements have other sizes."""
    base = usmx.zeros(24, dtype=dtype)
    identity = usmx.ElementwiseKernel(
        f"{raw}{dtype} x", f"{dtype} y", f"y = x{'[i]' if raw else ''}", "identity",
        preamble=f"#define {macro}",
    )  # fmt: skip
    with pytest.raises(usmx.CompileError, match=rf'^identity: .* expected "x" to be .*{dtype[:4].replace("uint", "unsigned char")}.*, found .*{found}'):  # fmt: skip
        identity(usmx.ones(8, dtype=dtype), base[8:16])
    assert not usmx.asnumpy(base).any()


def test_number_to_whose_type_a_macro_gives_another_meaning_is_refused():
    scale = usmx.ElementwiseKernel(
        "int32 x, float32 by", "int32 y", "y = x * by", "scale", preamble="#define float double"
    )
    with pytest.raises(usmx.CompileError, match='expected "by" to be float, found double'):
        scale(usmx.ones(8, dtype="i4"), 2)


@pytest.mark.parametrize("macro", ["long int", "int char", "const", "for if", "return"])
def test_macro_of_a_word_of_generated_code_is_refused(macro):
    base = usmx.zeros(3000, dtype="f4")
    twice = usmx.ElementwiseKernel("T x", "T y", "y = 2 * x", preamble=f"#define {macro}")
    with pytest.raises(usmx.CompileError, match=rf"must not define the macro {macro.split()[0]}\b"):
        twice(usmx.ones(1000, dtype="f4"), base[1000:2000])
    assert not usmx.asnumpy(base).any()


def test_macro_of_another_type_is_the_programs_own():
    half = usmx.ElementwiseKernel(
        "float32 x", "float32 y", "y = x / double(3)", preamble="#define double float"
    )
    assert half(usmx.ones(2, dtype="f4")).tolist() == [np.float32(1) / np.float32(3)] * 2


def test_prelude_functions_variables_and_preamble():
    f = usmx.ElementwiseKernel(
        "T x", "T y", "T z = square(x);\ny = sqrt(z)", "norm",
        preamble="template <class U> U square(U x) { return x * x; }",
    )  # fmt: skip
    equal(f(usmx.asarray(-numbers(5))), numbers(5))


# ---- outputs


def test_output_in_place(twice):
    x = usmx.asarray(numbers(5, 7))
    assert twice(x, out=x) is x
    equal(x, 2 * numbers(5, 7))
    twice(x.T, out=x.T)
    equal(x, 4 * numbers(5, 7))


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (lambda a: a[:-1], lambda a: a[1:]),
        (lambda a: a[1:], lambda a: a[:-1]),
        (lambda a: a[::-1], lambda a: a),
        (lambda a: a.T, lambda a: a),
        (lambda a: a[:1], lambda a: a),
        (lambda a: a[:, ::2], lambda a: a[:, 1::2]),
    ],
)
def test_output_that_overlaps_an_input(twice, read, written):
    a = numbers(200, 200)
    b = usmx.asarray(a)
    twice(read(b), out=written(b))
    written(a)[...] = 2 * read(a).copy()
    equal(b, a)


def test_outputs_that_overlap_each_other():
    f = usmx.ElementwiseKernel("T x", "T y, T z", "y = x; z = -x", "two")
    x, both = numbers(100), usmx.zeros(101, dtype="f4")
    f(usmx.asarray(x), out=(both[1:], both[:-1]))
    expected = np.zeros(101, "f4")
    expected[1:] = x
    expected[:-1] = -x
    equal(both, expected)


def test_output_by_position_and_inputs_broadcast_to_it(axpy):
    out = usmx.zeros((2, 3), dtype="f4")
    assert axpy(1, 2, 3, out) is out
    equal(out, np.full((2, 3), 5, "f4"))


def test_order_of_the_result(twice, axpy):
    x = usmx.asarray(numbers(4, 5))
    assert twice(x.T).flags.f_contiguous
    assert axpy(1, x, x).flags.c_contiguous
    assert axpy(1, x.T, usmx.asarray(numbers(5, 4))).flags.c_contiguous


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [("shared", "host", "shared"), ("device", "shared", "device"), ("host", "host", "host")],
)
def test_kind_of_the_result(axpy, left, right, kind):
    x, y = usmx.ones(4, dtype="f4", usm_type=left), usmx.ones(4, dtype="f4", usm_type=right)
    assert axpy(1, x, y).usm_type == kind


def test_queue_of_the_result(twice):
    queue = usmx.SyclQueue(property="in_order")
    assert twice(usmx.ones(4, sycl_queue=queue)).sycl_queue == queue


def test_calls_come_after_each_other(twice):
    x = usmx.ones(1000, dtype="f8")
    for _ in range(20):
        twice(x, out=x)
    equal(x, np.full(1000, 2.0**20))


def test_arrays_of_other_producers(axpy):
    class Producer:
        def __init__(self, a):
            self.a = a

        @property
        def __sycl_usm_array_interface__(self):
            return self.a.__sycl_usm_array_interface__

    x, y = numbers(6), usmx.zeros(6, dtype="f4")
    out = Producer(y)
    assert axpy(2, Producer(usmx.asarray(x)), 1, out=out) is out
    equal(y, 2 * x + 1)


# ---- rounding


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("expression", ["a * b - c", "a * b + c", "c - a * b", "a * a - b * b"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_each_operation_is_rounded_as_in_numpy(expression, dtype):
    a, b, c = (np.random.default_rng(k).normal(size=100_000).astype(dtype) for k in range(3))
    kernel = usmx.ElementwiseKernel("T a, T b, T c", "T y", f"y = {expression}")
    found = kernel(*map(usmx.asarray, (a, b, c)))
    equal(found, eval(expression, {"a": a, "b": b, "c": c}))


def test_contraction_is_an_option():
    a, b, c = (np.random.default_rng(k).normal(size=100_000) for k in range(3))
    options = ["-ffp-contract=fast"]
    kernel = usmx.ElementwiseKernel("T a, T b, T c", "T y", "y = a * b - c", options=options)
    found = usmx.asnumpy(kernel(*map(usmx.asarray, (a, b, c))))
    np.testing.assert_allclose(found, a * b - c, rtol=1e-9, atol=1e-15)
    assert (found != a * b - c).any()


# ---- types


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
def test_type_variable_stands_for_any_type(twice, dtype):
    x = numbers(9, dtype=dtype)
    y = twice(usmx.asarray(x))
    assert y.dtype == x.dtype
    equal(y, 2 * x)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("out = x + y", lambda x, y: x + y),
        ("out = 2 - x", lambda x, y: 2 - x),
        ("out = -x * y", lambda x, y: -x * y),
        ("out = x / y", lambda x, y: x / y),
        ("out = x; out += y; out *= 2; out -= x; out /= y", lambda x, y: ((x + y) * 2 - x) / y),
        ("out = conj(x)", lambda x, y: x.conj()),
        ("out = abs(x)", lambda x, y: abs(x)),
        ("out = arg(x)", lambda x, y: np.angle(x)),
        ("out = T(imag(x), y.real())", lambda x, y: x.imag + 1j * y.real),
        ("out = x == y ? 1 : x != y ? 2 : 3", lambda x, y: np.where(x == y, 1, 2)),
    ],
)
def test_complex_numbers_are_as_in_numpy(dtype, operation, expected):
    random = np.random.default_rng(3)
    x, y = (
        (random.normal(size=(33, 40)) + 1j * random.normal(size=(33, 40))).astype(dtype)
        for _ in range(2)
    )
    y[3] = x[3]
    found = usmx.ElementwiseKernel("T x, T y", "T out", operation)(usmx.asarray(x), usmx.asarray(y))
    assert found.dtype == dtype
    tolerance = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(usmx.asnumpy(found), expected(x, y), tolerance, tolerance)


def test_complex_division_neither_overflows_nor_hides_zero():
    divide = usmx.ElementwiseKernel("T x, T y", "T out", "out = x / y")
    x = np.array([1e30 + 1e30j, 1 + 1j, 0], dtype="c8")
    y = np.array([1e30 - 1e30j, 0, 0], dtype="c8")
    with np.errstate(all="ignore"):
        equal(divide(usmx.asarray(x), usmx.asarray(y)), x / y)


def test_complex_parameters_take_real_numbers_that_fit_and_any_layout():
    scale = usmx.ElementwiseKernel("T x, T a", "T out", "out = a * x")
    x = (np.arange(60) * (1 + 2j)).astype("c16").reshape(6, 10)
    equal(scale(usmx.asarray(x).T[::2, ::-1], 3), 3 * x.T[::2, ::-1])
    equal(scale(usmx.asarray(x), 2.5), 2.5 * x)
    with pytest.raises(ValueError, match="can hold"):
        scale(usmx.asarray(x.astype("c8")), 1e300)
    with pytest.raises(ValueError, match="can hold"):
        scale(usmx.asarray(x.astype("c8")), 2**24 + 1)


def test_real_output_of_complex_input():
    magnitude = usmx.ElementwiseKernel("complex64 x", "float32 out", "out = abs(x)")
    x = np.array([3 + 4j, -5 + 12j], dtype="c8")
    equal(magnitude(usmx.asarray(x)), np.array([5, 13], dtype="f4"))
    with pytest.raises(TypeError, match="must have elements of complex64"):
        magnitude(usmx.asarray(x.astype("c16")))


def test_type_of_numbers_alone(twice):
    assert twice(2).item() == 4
    assert twice(2).dtype == np.int64
    assert twice(2.5).dtype == np.float64
    assert twice(2, dtype="f4").dtype == np.float32
    assert usmx.ElementwiseKernel("T x, T y", "T z", "z = x + y")(1, 2.5).item() == 3.5


def test_concrete_types():
    f = usmx.ElementwiseKernel("int32 x, float y", "f4 z", "z = x * y")
    z = f(usmx.asarray(numbers(3, dtype="i4")), 0.5)
    assert z.dtype == np.float32
    equal(z, numbers(3) / 2)


# ---- what is refused


def test_types_of_arrays_are_compared(axpy):
    x = usmx.ones(3, dtype="f4")
    with pytest.raises(
        TypeError,
        match="axpy: argument 'y' must have elements of float32, which is T by argument 'x', found float64",
    ):
        axpy(1, x, usmx.ones(3))
    f = usmx.ElementwiseKernel("float32 x", "T y", "y = x", "f")
    with pytest.raises(
        TypeError, match="f: argument 'x' must have elements of float32, found int32"
    ):
        f(usmx.ones(3, dtype="i4"), dtype="f4")
    with pytest.raises(TypeError, match="the type T of 'y' is not known"):
        f(x)
    with pytest.raises(
        TypeError, match="dtype must be float32, the type of output 'out', found int8"
    ):
        axpy(1, x, x, dtype="i1")
    with pytest.raises(TypeError, match="found T{=f:a:=f:b:}"):
        axpy(1, usmx.zeros(3, dtype=[("a", "f4"), ("b", "f4")]), 1)


@pytest.mark.parametrize("value", ["1", None, [1.0], np.ones(3, "f4"), slice(1)])
def test_what_is_no_array_and_no_number_is_refused(axpy, value):
    with pytest.raises(
        TypeError,
        match="axpy: argument 'x' must be an array in USM or a number, found an object of type",
    ):
        axpy(1, value, usmx.ones(3, dtype="f4"))


def test_numbers_must_fit():
    f = usmx.ElementwiseKernel("T x, T a", "T y", "y = a * x", "scale")
    with pytest.raises(
        ValueError,
        match=r"scale\(const int\*, int, int\*\), argument 2 \(int\): expected an integer from",
    ):
        f(usmx.ones(3, dtype="i4"), 2.5)
    with pytest.raises(ValueError, match="expected a number that float can hold"):
        f(usmx.ones(3, dtype="f4"), 1e39)


def test_shapes_are_compared(axpy):
    with pytest.raises(ValueError, match=r"broadcast together, found \(3,\), \(4,\)"):
        axpy(1, usmx.ones(3, dtype="f4"), usmx.ones(4, dtype="f4"))
    with pytest.raises(ValueError, match=r"expected an array of shape \(3,\), found \(1,\)"):
        axpy(1, usmx.ones(3, dtype="f4"), 1, out=usmx.ones(1, dtype="f4"))


def test_outputs_are_checked(axpy):
    x = usmx.ones(3, dtype="f4")
    with pytest.raises(ValueError, match="an array that can be written, found a read-only one"):
        axpy(1, x, x, out=x.readonly())
    with pytest.raises(
        TypeError, match="argument 'out' must be an array in USM, found an object of type float"
    ):
        axpy(1, x, x, out=1.0)
    with pytest.raises(TypeError, match="given twice"):
        axpy(1, x, x, x, out=x)
    with pytest.raises(TypeError, match="axpy takes 3 inputs.*found 2 arguments"):
        axpy(1, x)


def test_arrays_of_two_queues_are_refused(axpy):
    x = usmx.ones(3, dtype="f4")
    y = usmx.ones(3, dtype="f4", sycl_queue=usmx.SyclQueue(property="in_order"))
    with pytest.raises(usmx.ExecutionPlacementError, match="on the same queue"):
        axpy(1, x, y)


def test_errors_name_the_line_of_the_operation():
    f = usmx.ElementwiseKernel("T x", "T y", "T z = x;\ny = nothing", "f")
    with pytest.raises(usmx.CompileError, match="nothing") as caught:
        f(usmx.ones(3))
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column) == ("operation", 2, 5)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ("T", "T y", "in_params must be pairs of type and name"),
        ("T x, T x", "T y", "different names, found 'x' twice"),
        ("T x", "", "at least one output"),
        ("T i", "T y", "must not use the name 'i'"),
        ("float33 x", "T y", "the type of 'x' must be one of bool, int8.*found 'float33'"),
        ("complex32 x", "T y", "found 'complex32'"),
        ("1 x", "T y", "a type variable must be a letter, found '1'"),
        (", ".join(f"T x{k}" for k in range(23)), "T y", "at most 23 parameters, found 24"),
    ],
)
def test_parameters_are_checked(inputs, outputs, message):
    with pytest.raises(ValueError, match=message):
        usmx.ElementwiseKernel(inputs, outputs, "y = x")


def test_as_many_parameters_as_allowed():
    names = [f"x{k}" for k in range(22)]
    f = usmx.ElementwiseKernel(
        ", ".join(f"T {n}" for n in names), "T y", "y = i + " + " + ".join(names)
    )
    x = usmx.ones((3, 4))[:, ::2]
    equal(f(*[x] * 22), 22 + numbers(3, 2, dtype="f8"))


def test_output_whose_elements_share_memory_is_computed_apart():
    memory = usmx.arange(8, dtype="f4")
    crowded = usmx.USMArray((4, 5), "f4", memory, strides=(1, 1))
    expected = np.arange(8, dtype="f4")
    view = np.lib.stride_tricks.as_strided(expected, (4, 5), (4, 4))
    np.add(view, 1, out=view)
    usmx.ElementwiseKernel("T x, T y", "T z", "z = x + y")(crowded, 1, out=crowded)
    assert usmx.asnumpy(memory).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("name", ["at", "column", "loop", "place", "row", "tile0"])
def test_parameters_and_kernels_may_have_names_of_the_generated_source(name):
    kernel = usmx.ElementwiseKernel(f"T {name}", "T y", f"y = {name} + 1", name)
    assert usmx.asnumpy(kernel(usmx.arange(3))).tolist() == [1, 2, 3]


# ---- raw arrays


def test_raw_array_is_indexed_by_the_operation():
    gather = usmx.ElementwiseKernel("int64 k, raw T table", "T out", "out = table[k]", "gather")
    table, places = numbers(5, 7), numbers(4, 8, dtype="i8")[:, ::2]
    found = gather(usmx.asarray(places), usmx.asarray(table))
    equal(found, table.reshape(-1)[places])


@pytest.mark.parametrize("name", VIEWS)
def test_raw_arrays_of_any_layout_are_counted_in_c_order(name):
    flat = usmx.ElementwiseKernel("raw T x", "T out", "out = x[i]", "flat")
    a = numbers(6, 9)
    expected = VIEWS[name](a).reshape(-1)
    equal(flat(VIEWS[name](usmx.asarray(a)), size=expected.size), expected)


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("name", ["c", "f", "every other", "reversed"])
def test_raw_array_has_the_indices_and_extents_of_a_view(name):
    blur = usmx.ElementwiseKernel(
        "raw T x",
        "T out",
        "const long row = i / x.extent(1), column = i % x.extent(1);\n"
        "out = x(row, column) + (column > 0 ? x(row, column - 1) : 0)",
        "blur",
    )
    a = VIEWS[name](numbers(6, 8))
    expected = a.copy()
    expected[:, 1:] += a[:, :-1]
    equal(blur(VIEWS[name](usmx.asarray(numbers(6, 8))), size=a.shape), expected)


def test_raw_arrays_of_many_dimensions_are_one_row_if_they_can_be():
    flat = usmx.ElementwiseKernel("raw T x", "T out", "out = x[i]", "flat")
    x = usmx.asarray(numbers(*[2] * 9))
    equal(flat(x, size=512), numbers(512))
    with pytest.raises(ValueError, match="raw argument 'x' must have at most 8 dimensions"):
        flat(x.transpose(tuple(range(8, -1, -1))), size=512)


def test_raw_output_is_written_where_the_operation_says():
    count = usmx.ElementwiseKernel(
        "int32 k", "raw int32 bins", "usmx::atomic_add(bins[k], 1)", "count"
    )
    bins = usmx.zeros(10, dtype="i4")[::2]
    assert count(usmx.asarray(np.array([0, 4, 4, 1], "i4")), bins) is bins
    equal(bins, np.array([1, 1, 0, 0, 2], "i4"))
    with pytest.raises(TypeError, match="argument 'bins' must be an array in USM, found none"):
        count(usmx.zeros(3, dtype="i4"))
    with pytest.raises(ValueError, match="found a read-only one"):
        count(usmx.zeros(3, dtype="i4"), bins.readonly())


def test_output_that_overlaps_a_raw_input_is_computed_apart():
    reverse = usmx.ElementwiseKernel("raw T x", "T y", "y = x[x.size() - 1 - i]", "reverse")
    x = usmx.asarray(numbers(3000))
    reverse(x, size=3000, out=x)
    equal(x, numbers(3000)[::-1])


def test_raw_arrays_alone_need_a_size():
    flat = usmx.ElementwiseKernel("raw T x", "T out", "out = x[i]", "flat")
    with pytest.raises(ValueError, match="flat: expected a size, since all arrays are raw"):
        flat(usmx.ones(3))
    with pytest.raises(TypeError, match="argument 'x' must be an array in USM, found a number"):
        flat(1.0, size=3)


def test_size_must_be_that_of_the_arrays(twice):
    x = usmx.ones((2, 3))
    assert twice(x, size=(2, 3)).shape == (2, 3)
    with pytest.raises(
        ValueError, match=r"expected the size of the arrays, \(2, 3\), found \(3,\)"
    ):
        twice(x, size=3)


# ---- structures


PARTICLE = np.dtype([("x", "f4"), ("y", "f4"), ("mass", "f8"), ("id", "i4")], align=True)
PREAMBLE = "struct particle { float x, y; double mass; int id; };"


def particles(*shape):
    found = np.zeros(shape, PARTICLE)
    for k, name in enumerate(PARTICLE.names):
        found[name] = (numbers(*shape) + k) % 13
    return found


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("name", ["c", "f", "every other", "reversed", "a column"])
def test_structures_of_the_preamble_are_elements(name):
    f = usmx.ElementwiseKernel(
        "particle p, float32 by", "particle q, float64 size",
        "q = p; q.x = by * p.x; q.id = i; size = p.mass * (p.x + p.y)", "scaled", preamble=PREAMBLE,
    )  # fmt: skip
    host = VIEWS[name](particles(40, 24))
    found, size = f(VIEWS[name](usmx.asarray(particles(40, 24))), 2)
    assert found.dtype == PARTICLE
    expected = host.copy()
    expected["x"] *= 2
    expected["id"] = np.arange(host.size).reshape(host.shape)
    equal(found, expected)
    equal(size, host["mass"] * (host["x"] + host["y"]))
    x = VIEWS[name](usmx.asarray(particles(40, 24)))
    f(x, 2, out=(x, None))
    equal(x, expected)


def test_raw_arrays_of_structures():
    f = usmx.ElementwiseKernel(
        "raw particle p, int32 k", "raw particle q, float64 y",
        "q[i].id = p(k, 1).id; q[i].x = p[k].x; y = p.size() + sizeof(particle)", preamble=PREAMBLE, debug=True,
    )  # fmt: skip
    host, k = particles(6, 4)[::2], np.array([2, 0, 1], "i4")
    q = usmx.zeros(3, dtype=PARTICLE)
    _, y = f(usmx.asarray(particles(6, 4))[::2], usmx.asarray(k), q, usmx.empty(3))
    assert usmx.asnumpy(q)["id"].tolist() == host["id"][k, 1].tolist()
    assert usmx.asnumpy(q)["x"].tolist() == host["x"].reshape(-1)[k].tolist()
    assert usmx.asnumpy(y).tolist() == [12 + PARTICLE.itemsize] * 3


def test_type_of_a_new_structure_is_that_of_an_input_or_dtype():
    make = usmx.ElementwiseKernel("float32 x", "particle p", "p = {x, 1, 2, int(i)}", "make", preamble=PREAMBLE)  # fmt: skip
    x = usmx.asarray(numbers(3))
    found = usmx.asnumpy(make(x, dtype=PARTICLE))
    assert found.tolist() == [(k, 1, 2, k) for k in range(3)]
    with pytest.raises(TypeError, match="make: the type particle of 'p' is not known, since no argument has it; dtype names it"):  # fmt: skip
        make(x)
    with pytest.raises(TypeError, match="make: dtype must be float32|make: dtype must be a structured type"):  # fmt: skip
        usmx.ElementwiseKernel("particle q", "particle p", "p = q", "make", preamble=PREAMBLE)(
            usmx.asarray(particles(3)), dtype="f4"
        )


class Misplaced:
    """The elements of an array but the last one, 4 bytes further on."""

    def __init__(self, array):
        self.array = array
        self.__sycl_usm_array_interface__ = dict(array.__sycl_usm_array_interface__)
        pointer, readonly = self.__sycl_usm_array_interface__["data"]
        self.__sycl_usm_array_interface__["data"] = (pointer + 4, readonly)
        self.__sycl_usm_array_interface__["shape"] = (len(array) - 1,)


def test_structures_are_compared_by_their_size_and_type():
    f = usmx.ElementwiseKernel("particle p, particle q", "float32 y", "y = p.x - q.x", "f", preamble=PREAMBLE)  # fmt: skip
    p = usmx.asarray(particles(3))
    packed = usmx.zeros(3, dtype=np.dtype([*PARTICLE.descr[:2], ("mass", "f8")]))
    with pytest.raises(TypeError, match="f: argument 'p' must have elements of 24 bytes, as particle has, found 16 bytes: T{"):  # fmt: skip
        f(packed, packed)
    with pytest.raises(TypeError, match="argument 'q' must have elements of T{.*, which is particle by argument 'p', found T{"):  # fmt: skip
        f(p, packed)
    with pytest.raises(TypeError, match="argument 'q' must have elements of a structured type, for particle, found float32"):  # fmt: skip
        f(p, usmx.asarray(numbers(3)))
    with pytest.raises(TypeError, match="argument 'q' must be an array in USM, found a number"):
        f(p, 3)
    with pytest.raises(TypeError, match="a structure of the preamble stands for a structured type"):
        usmx.ElementwiseKernel("T x", "T y", "y = x")(p)
    with pytest.raises(ValueError, match="must be one of .*, or a structure of the preamble, found 'atom'"):  # fmt: skip
        usmx.ElementwiseKernel("atom x", "T y", "y = 1", preamble=PREAMBLE)
    misplaced = Misplaced(p)
    with pytest.raises(ValueError, match="argument 'p' must have an address that is a multiple of 8, as particle needs"):  # fmt: skip
        f(misplaced, misplaced)
    equal(f(p, p), np.zeros(3, "f4"))


def test_large_structures_stay_out_of_tiles():
    f = usmx.ElementwiseKernel(
        "page p, float32 z", "float32 y", "y = p.v[3] + z", preamble="struct page { float v[512]; };"
    )  # fmt: skip
    host = np.zeros((30, 20), [("v", "f4", 512)])
    host["v"][..., 3] = numbers(30, 20)
    z = numbers(20, 30)
    equal(f(usmx.asarray(host).T, usmx.asarray(z)), numbers(30, 20).T + z)


# ---- checked indices


@pytest.fixture(scope="module")
def checked_gather():
    return usmx.ElementwiseKernel(
        "int64 k, raw T table", "T out", "\nout = table[k];", "gather", debug=True
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("name", ["c", "f", "every other", "reversed"])
@settings(max_examples=30)
@given(data=st.data())
def test_checked_index_is_refused_where_numpy_refuses_it(checked_gather, name, data):
    host = VIEWS[name](numbers(6, 8))
    places = np.array(data.draw(st.lists(st.integers(-3, host.size + 3), min_size=1, max_size=40)))
    table = VIEWS[name](usmx.asarray(numbers(6, 8)))
    bad = places[(places < 0) | (places >= host.size)]
    if bad.size == 0:
        equal(checked_gather(usmx.asarray(places), table), host.reshape(-1)[places])
        return
    with pytest.raises(IndexError) as caught:
        checked_gather(usmx.asarray(places), table)
    beginning, _, found = str(caught.value).rpartition(", found ")
    assert beginning == (
        "gather(const long*, usmx::view<const float, 2>, float*), argument 2 (usmx::view<const float, 2>): "
        f"operation:2: expected an index inside size {host.size}"
    )
    assert int(found) in bad


def test_checked_writes_reach_no_other_array():
    put = usmx.ElementwiseKernel(
        "int64 k", "raw int32 y", "usmx::atomic_add(y[k], 7)", "put", debug=True
    )
    y = usmx.zeros(16, dtype="i4")
    with pytest.raises(IndexError, match=r"operation:1: .*inside shape \(4,\), found \((-1|4),\)$"):
        put(usmx.asarray(np.array([0, 4, 3, -1])), y[4:8])
    equal(y, np.array([0] * 4 + [7, 0, 0, 7] + [0] * 8, "i4"))
    put(usmx.asarray(np.array([1, 2])), y[4:8])
    equal(y[4:8], np.full(4, 7, "i4"))


def test_checked_indices_of_several_dimensions_and_arrays():
    f = usmx.ElementwiseKernel(
        "raw T x, raw T z", "T y", "y = x(i, 1) + shifted(z, i)", "f", debug=True,
        preamble="template <class V> auto shifted(const V& z, long i) {\n  return z(0, i + 1); }",
    )  # fmt: skip
    x, z = usmx.ones((3, 2)), usmx.ones((1, 4))
    equal(f(x, z, size=3), np.full(3, 2.0))
    with pytest.raises(
        IndexError, match=r"argument 1 .* operation:1: .*shape \(3, 2\), found \(3, 1\)$"
    ):
        f(x, usmx.ones((1, 5)), size=4)
    with pytest.raises(
        IndexError, match=r"argument 2 .* preamble:2: .*shape \(1, 3\), found \(0, 3\)$"
    ):
        f(x, z[:, :3], size=3)


def test_checked_kernel_without_raw_arrays_and_many_parts():
    equal(
        usmx.ElementwiseKernel("T x", "T y", "y = x", debug=True)(usmx.asarray(numbers(5))),
        numbers(5),
    )
    f = usmx.ElementwiseKernel("T x, raw T t", "T y", "y = x + t[1]", debug=True)
    x = usmx.asarray(numbers(*[2] * 10)).transpose([9, 1, 3, 5, 7, 2, 4, 6, 8, 0])[..., ::-1]
    equal(f(x, usmx.ones(2, dtype="f4")), usmx.asnumpy(x) + 1)
    with pytest.raises(IndexError, match=r"shape \(1,\), found \(1,\)$"):
        f(x, usmx.ones(1, dtype="f4"))


def test_debug_is_a_bool():
    with pytest.raises(TypeError, match="debug.* must be a bool"):
        usmx.ElementwiseKernel("T x", "T y", "y = x", debug="yes")


# ---- complex numbers as arguments


@pytest.mark.parametrize("value", [1 - 2j, np.complex64(1 - 2j), np.complex128(1 - 2j)])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers_are_arguments(axpy, dtype, value):
    x = (np.arange(6) * (3 + 1j)).astype(dtype)
    equal(axpy(value, usmx.asarray(x), 1), (value * x + 1).astype(dtype))


def test_complex_number_names_the_type_of_a_variable(twice):
    assert twice(1 + 2j).dtype == np.complex128
    assert twice(1 + 2j).item() == 2 + 4j
    assert twice(1 + 2j, dtype="c8").dtype == np.complex64


def test_complex_numbers_that_a_type_cannot_hold_are_refused(axpy):
    x = usmx.ones(3, dtype="c8")
    with pytest.raises(ValueError, match=r"can hold, found \(1\+2(\.0+\d*)?e\+300j\)"):
        axpy(1 + 2e300j, x, x)
    with pytest.raises(TypeError, match=r"a number for float, found the complex number \(0\+1j\)"):
        axpy(1j, usmx.ones(3, dtype="f4"), 1)
