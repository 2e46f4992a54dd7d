"""Reductions: axes, layouts, several inputs and outputs, identity, refusals."""

import warnings

import numpy as np
import pytest
import usmx
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def total():
    return usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")


@pytest.fixture(scope="module")
def largest():
    return usmx.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest")


def numbers(*shape, dtype="i8"):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


def equal(found, expected):
    assert found.shape == np.shape(expected)
    np.testing.assert_array_equal(usmx.asnumpy(found), expected)


# ---- axes and layouts


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (2, 1), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(total, largest, axis, keepdims):
    x = numbers(7, 5, 33)
    for kernel, reference in ((total, np.sum), (largest, np.max)):
        equal(
            kernel(usmx.asarray(x), axis=axis, keepdims=keepdims),
            reference(x, axis=axis, keepdims=keepdims),
        )


VIEWS = {
    "c": lambda a: a,
    "f": lambda a: a.T,
    "every other": lambda a: a[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1],
    "a column": lambda a: a[:, 1:2],
    "gaps": lambda a: a[:, 1:-1],
    "new axis": lambda a: a[:, None],
}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(3, 5), (64, 64), (1000, 3), (3, 1000), (129, 257)])
def test_layouts(total, view, axis, shape):
    x = numbers(*shape)
    equal(total(VIEWS[view](usmx.asarray(x)), axis=axis), VIEWS[view](x).sum(axis=axis))


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 127, 1000, 16384, 16385, 100_003])
def test_counts_around_sizes_of_groups_and_parts(total, largest, count):
    x = numbers(count)
    equal(total(usmx.asarray(x)), x.sum())
    equal(largest(usmx.asarray(-x[::-1])), 0)
    equal(largest(usmx.asarray(x - count)), -1)
    both = np.stack([x, 2 * x], axis=1)
    equal(total(usmx.asarray(both), axis=0), both.sum(axis=0))
    equal(largest(usmx.asarray(both - 2 * count), axis=0), (both - 2 * count).max(axis=0))


def test_value_without_identity_is_never_part_of_the_result(largest):
    for shape in ((5,), (70,), (4, 3), (100, 100)):
        x = numbers(*shape) - 100_000
        for axis in (None, *range(len(shape))):
            equal(largest(usmx.asarray(x), axis=axis), x.max(axis=axis))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_view_is_as_in_numpy(total, data):
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    axes = data.draw(st.permutations(range(len(shape))))
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in shape)
    reduced = tuple(k for k in range(len(shape)) if data.draw(st.booleans()))
    x = numbers(*shape)

    def view(a):
        return a.transpose(tuple(axes))[steps]

    equal(total(view(usmx.asarray(x)), axis=reduced), view(x).sum(axis=reduced))


# ---- inputs and outputs


def test_several_inputs_are_broadcast():
    dot = usmx.ReductionKernel(
        "T x, T y, T scale", "T z", "scale * x * y", "a + b", "z = a", "0", "dot"
    )
    x, y = numbers(40, 50), numbers(50)
    equal(dot(usmx.asarray(x), usmx.asarray(y), 3), 3 * (x * y).sum())
    equal(dot(usmx.asarray(x), usmx.asarray(y), 3, axis=1), 3 * (x * y).sum(axis=1))
    equal(dot(usmx.asarray(y), usmx.asarray(x), 3, axis=0), 3 * (x * y).sum(axis=0))


def test_several_outputs_and_a_wider_type():
    f = usmx.ReductionKernel(
        "T x",
        "float y, int64 z",
        "x",
        "a + b",
        "y = a; z = (long)a",
        "0",
        "both",
        reduce_type="float64",
    )
    x = numbers(10, 10, dtype="f4") + np.float32(0.25)
    y, z = f(usmx.asarray(x), axis=0)
    equal(y, x.sum(axis=0, dtype="f8"))
    equal(z, x.sum(axis=0, dtype="f8").astype("i8"))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_return_ends_the_last_statements_of_one_result(axis):
    f = usmx.ReductionKernel(
        "T x",
        "T y, bool z",
        "x",
        "a + b",
        "y = a; z = false; if (a % 2) return; y /= 2; z = true",
        "0",
    )
    x = numbers(71, 65)
    total = x.sum(axis=axis)
    y, z = f(usmx.asarray(x), axis=axis)
    equal(y, np.where(total % 2, total, total // 2))
    equal(z, total % 2 == 0)


def test_norm():
    norm = usmx.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    x = np.random.default_rng(0).random((300, 200)).astype("f4")
    for axis in (None, 0, 1):
        found = usmx.asnumpy(norm(usmx.asarray(x), axis=axis))
        np.testing.assert_allclose(found, np.sqrt((x.astype("f8") ** 2).sum(axis=axis)), rtol=1e-5)


def test_result_is_the_same_each_time(total):
    x = usmx.asarray(np.random.default_rng(0).random((1000, 1001)).astype("f4"))
    for axis in (None, 0, 1):
        first = usmx.asnumpy(total(x, axis=axis))
        for _ in range(5):
            np.testing.assert_array_equal(usmx.asnumpy(total(x, axis=axis)), first)


def test_given_output(total):
    x = numbers(6, 7)
    out = usmx.zeros((14,), dtype="i8")[::-2]
    assert total(usmx.asarray(x), axis=0, out=out) is out
    equal(out, x.sum(axis=0))
    out = usmx.zeros((6, 1), dtype="i8")
    assert total(usmx.asarray(x), out, axis=1, keepdims=True) is out
    equal(out, x.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("size", [50, 400], ids=["one kernel elsewhere", "two kernels"])
@pytest.mark.parametrize("axis", [0, 1])
def test_output_may_overlap_an_input(total, size, axis):
    x = numbers(size, size)
    a = usmx.asarray(x)
    out = a[3] if axis == 0 else a[:, 3]
    total(a, axis=axis, out=out)
    equal(out, x.sum(axis=axis))


def test_output_may_overlap_a_raw_input():
    weighted = usmx.ReductionKernel(
        "T x, raw T w", "T y", "x * w[i]", "a + b", "y = a * w[0]", "0", "weighted"
    )
    x = numbers(40, 30)
    weights = numbers(40)[:30] + 1
    w = usmx.asarray(np.concatenate([weights, weights[:10]]))
    weighted(usmx.asarray(x), w, w, axis=1)
    equal(w, (x * weights).sum(axis=1) * weights[0])


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_kind_and_queue_of_the_result(total, kind):
    queue = usmx.SyclQueue(property="in_order")
    y = total(usmx.ones(4, usm_type=kind, sycl_queue=queue))
    assert (y.usm_type, y.sycl_queue, y.item()) == (kind, queue, 4)


def test_reductions_come_after_work_on_their_inputs(total):
    double = usmx.ElementwiseKernel("T x", "T y", "y = 2 * x")
    x = usmx.ones(100_000, dtype="i8")
    for _ in range(10):
        double(x, out=x)
    equal(total(x), 100_000 << 10)


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
def test_types(largest, dtype):
    x = numbers(100, dtype=dtype)
    found = largest(usmx.asarray(x))
    assert found.dtype == x.dtype
    equal(found, x.max())


# ---- values besides the elements


def random(*shape, dtype="f8"):
    return np.random.default_rng(45).normal(size=shape).astype(dtype)


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("axis", [None, 0, 1, (1, 0)])
def test_index_is_the_place_among_the_elements_of_a_result(view, axis):
    sum_of_places = usmx.ReductionKernel("T x", "int64 y", "i * (x > 0)", "a + b", "y = a", "0")
    x = random(70, 66)
    host = VIEWS[view](x)
    axes = tuple(range(host.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    kept_last = np.moveaxis(host, sorted(axes), range(-len(axes), 0))
    flat = kept_last.reshape(*kept_last.shape[: host.ndim - len(axes)], -1)
    expected = ((flat > 0) * np.arange(flat.shape[-1])).sum(axis=-1)
    equal(sum_of_places(VIEWS[view](usmx.asarray(x)), axis=axis), expected)


ARGMAX = {
    "in_params": "T x",
    "out_params": "int64 y",
    "map_expr": "best{x, i}",
    "reduce_expr": "b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a",
    "post_map_expr": "y = a.place",
    "identity": None,
    "name": "argmax",
    "reduce_type": "best",
    "preamble": "struct best { T value; long place; };",
}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("shape", [(3, 5), (1000, 7), (7, 1000), (129, 257), (20, 30, 40)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_argmax_by_a_structure_of_the_preamble(shape, dtype):
    argmax = usmx.ReductionKernel(**ARGMAX)
    x = (100 * random(*shape)).astype(dtype)
    for axis in (None, *range(len(shape))):
        equal(argmax(usmx.asarray(x), axis=axis), x.argmax(axis=axis))
        equal(argmax(usmx.asarray(x.T.copy()).transpose(), axis=axis), x.argmax(axis=axis))


def test_mean_and_variance_by_a_structure_of_three_numbers():
    moments = usmx.ReductionKernel(
        "T x", "T mean, T variance", "moments{x, 0, 1}", "joined(a, b)",
        "mean = a.mean; variance = a.squares / n", "moments{0, 0, 0}", "moments", reduce_type="moments",
        preamble="""
struct moments { T mean; T squares; long count; };
inline moments joined(moments a, moments b) {
  const long count = a.count + b.count;
  const T step = b.mean - a.mean;
  return {a.mean + step * b.count / count, a.squares + b.squares + step * step * a.count * b.count / count, count};
}""",
    )  # fmt: skip
    x = 1000 + random(200, 300)
    for axis in (None, 0, 1):
        mean, variance = moments(usmx.asarray(x), axis=axis)
        np.testing.assert_allclose(usmx.asnumpy(mean), x.mean(axis=axis), rtol=1e-13)
        np.testing.assert_allclose(usmx.asnumpy(variance), x.var(axis=axis), rtol=1e-12)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_number_of_elements_of_a_result(axis):
    mean = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a / n", "0")
    weighted = usmx.ReductionKernel("T x", "T y", "x / n", "a + b", "y = a", "0")
    x = random(130, 70)
    for kernel in (mean, weighted):
        found = usmx.asnumpy(kernel(usmx.asarray(x), axis=axis))
        np.testing.assert_allclose(found, x.mean(axis=axis), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(usmx.asnumpy(mean(usmx.zeros((0, 2)), axis=0)), [np.nan, np.nan])


def test_parameter_called_n_is_the_parameter():
    scaled = usmx.ReductionKernel("T x, int32 n", "T y", "x * n", "a + b", "y = a + n", "0")
    assert scaled(usmx.ones(5), 3).item() == 18


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_numbers_and_raw_arrays_are_in_the_last_statements(axis):
    norm = usmx.ReductionKernel(
        "T x, T p, raw T bias", "T y", "pow(abs(x), p)", "a + b", "y = pow(a, 1 / p) + bias[1]", "0"
    )
    x = random(60, 50)
    found = norm(usmx.asarray(x), 3, usmx.asarray(np.array([7.0, 2.0])), axis=axis)
    np.testing.assert_allclose(
        usmx.asnumpy(found), (abs(x) ** 3).sum(axis=axis) ** (1 / 3) + 2, 1e-12
    )


@pytest.mark.parametrize(
    ("identity", "dtype", "expected"),
    [
        (0, "f4", 0), (-1.5, "f8", -1.5), (True, "?", True), (float("-inf"), "f4", -np.inf), (float("nan"), "f8", np.nan),
        (np.float32(0.1), "f4", np.float32(0.1)), (-(2**63), "i8", -(2**63)), (2**64 - 1, "u8", 2**64 - 1),
        (2 - 3j, "c16", 2 - 3j), (np.int8(-3), "i4", -3), ("-INFINITY", "f4", -np.inf),
    ],
)  # fmt: skip
def test_identity_may_be_a_number(identity, dtype, expected):
    first = usmx.ReductionKernel("T x", "T y", "x", "a", "y = a", identity)
    found = usmx.asnumpy(first(usmx.zeros((0,), dtype=dtype)))
    np.testing.assert_array_equal(found, np.array(expected, dtype))


def test_identity_is_a_text_or_a_number():
    with pytest.raises(TypeError, match="identity must be a string, a number or None, found"):
        usmx.ReductionKernel("T x", "T y", "x", "a", "y = a", [0])


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("expression", ["fmax(a, b)", "hypot(a, b)", "pow(a, b)", "a < b ? b : a"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_our_own_loops_cause_no_warning(expression, axis):
    kernel = usmx.ReductionKernel("T x", "T y", "x", expression, "y = a", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(usmx.ones((100, 100), dtype="f4"), axis=axis)
        kernel(usmx.ones((100, 100)), axis=axis)


@pytest.mark.parametrize("macro", ["float double", "long int"])
def test_macro_that_changes_what_a_reduction_reads_or_writes_is_refused(macro):
    base = usmx.zeros(24, dtype="f4")
    total = usmx.ReductionKernel(
        "float32 x", "float32 y", "x", "a + b", "y = a", "0", preamble=f"#define {macro}"
    )
    with pytest.raises(usmx.CompileError, match='expected "x" to be|must not define the macro'):
        total(usmx.ones((4, 8), dtype="f4"), base[8:12], axis=1)
    assert not usmx.asnumpy(base).any()
    places = usmx.ReductionKernel(
        "int32 x", "float32 y", "x", "a + b", "y = a", "0", reduce_type="int32",
        preamble=f"#define {macro}",
    )  # fmt: skip
    with pytest.raises(usmx.CompileError, match='expected "y" to be|must not define the macro'):
        places(usmx.ones((4, 8), dtype="i4"), base[8:12], axis=1)
    assert not usmx.asnumpy(base).any()


@pytest.mark.parametrize("what", ["reduce_type", "block_type"])
def test_type_of_values_is_one_of_the_preamble(what):
    with pytest.raises(ValueError, match=f"{what} must .* one of the preamble's, found 'pair'"):
        usmx.ReductionKernel("T x", "T y", "x", "a", "y = a", "0", **{what: "pair"})


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize(("shape", "axis"), [((20_000,), None), ((30, 700), 1), ((700, 30), 0)])
def test_structure_may_have_the_name_that_usmx_gives_its_own_sums(shape, axis):
    total = usmx.ReductionKernel(
        "int32 x", "int64 y", "summed{x}", "summed{a.value + b.value}", "y = a.value", "summed{0}",
        reduce_type="summed", preamble="struct summed { long value; };",
    )  # fmt: skip
    host = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    assert np.array_equal(usmx.asnumpy(total(usmx.asarray(host), axis=axis)), host.sum(axis))


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("block_type", ["float32", "T", "block"])
@pytest.mark.parametrize(("shape", "axis"), [((2**16,), None), ((3, 2**14), 1), ((2**14, 3), 0)])
def test_blocks_are_put_together_in_their_type(shape, axis, block_type):
    def total(x, **blocks):
        kernel = usmx.ReductionKernel(
            "T x", "float64 y", "x", "a + b", "y = a", "0", reduce_type="float64",
            preamble="using block = float;", **blocks,
        )  # fmt: skip
        return usmx.asnumpy(kernel(x, axis=axis))

    host = np.where(np.random.default_rng(5).integers(0, 2, shape), 1, 2.0**-25).astype("f4")
    x, exact = usmx.asarray(host), host.sum(axis, dtype="f8")
    rounded = total(x, block_type=block_type)
    assert np.array_equal(total(x), exact)
    assert np.all(rounded != exact)  # 1 + 2**-25 is 1 in float32
    assert np.allclose(rounded, exact, rtol=3 * 2.0**-24, atol=0)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_checked_index_of_a_raw_array_is_an_error(axis):
    f = usmx.ReductionKernel(
        "int64 k, raw T table", "T y", "table[k]", "a + b", "y = a * table(n - 10, 0)", "0", "gather", debug=True
    )  # fmt: skip
    table = random(7, 2)
    places = np.random.default_rng(45).integers(0, table.size, (10, 12))
    ok = usmx.asarray(places), usmx.asarray(table)
    by = table[(places.size if axis is None else places.shape[axis]) - 10 :][:1, 0]
    if by.size:  # else the last statements read row 110
        np.testing.assert_allclose(
            usmx.asnumpy(f(*ok, axis=axis)), table.reshape(-1)[places].sum(axis) * by[0]
        )
    else:
        with pytest.raises(
            IndexError, match=r"post_map_expr:1: .*shape \(7, 2\), found \(110, 0\)$"
        ):
            f(*ok, axis=axis)
    places[3, 4] = 14
    with pytest.raises(
        IndexError,
        match=r"^gather\(.*argument 2 .*map_expr:1: expected an index inside size 14, found 14$",
    ):
        f(usmx.asarray(places), usmx.asarray(table), axis=axis)


POINT = np.dtype([("x", "f8"), ("y", "f4")], align=True)


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_structures_are_reduced(axis):
    f = usmx.ReductionKernel(
        "point p, raw point by", "point sum, float64 x",
        "p", "point{a.x + b.x, a.y < b.y ? b.y : a.y}", "sum = a; x = a.x * by[1].x", "point{-1, -1}", "f",
        preamble="struct point { double x; float y; };",
    )  # fmt: skip
    host = np.zeros((50, 70), POINT)
    host["x"], host["y"] = numbers(50, 70), random(50, 70)
    by = np.array([(1, 1), (3, 1)], POINT)
    found, x = f(usmx.asarray(host), usmx.asarray(by), axis=axis)
    assert found.dtype == POINT
    np.testing.assert_array_equal(usmx.asnumpy(found)["x"], host["x"].sum(axis))
    np.testing.assert_array_equal(usmx.asnumpy(found)["y"], host["y"].max(axis))
    equal(x, 3 * host["x"].sum(axis))
    found, _ = f(usmx.asarray(host[:0, :0]), usmx.asarray(by))
    assert found.item() == (-1, -1)
    for wrong in (host, by):
        other = usmx.zeros(wrong.shape, dtype=[("x", "f8")])
        arguments = [usmx.asarray(host), usmx.asarray(by)]
        arguments[0 if wrong is host else 1] = other
        with pytest.raises(
            TypeError, match="16 bytes, as point has|which is point by argument 'p'"
        ):
            f(*arguments, axis=axis)


# ---- no elements


def test_reduction_of_no_elements_is_the_identity(total, largest):
    product = usmx.ReductionKernel("T x", "T y", "x", "a * b", "y = a", "1", "product")
    x = usmx.zeros((0, 3))
    equal(total(x, axis=0), np.zeros(3))
    equal(product(x, axis=0), np.ones(3))
    equal(product(x), 1)
    equal(product(x, axis=1), np.ones(0))
    equal(largest(x, axis=1), np.ones(0))
    with pytest.raises(
        ValueError,
        match=r"largest has no identity: expected axes with elements, found shape \(0, 3\)",
    ):
        largest(x, axis=0)


# ---- what is refused


def test_axes_are_checked(total):
    x = usmx.ones((2, 3))
    with pytest.raises(IndexError, match="axis 2"):
        total(x, axis=2)
    with pytest.raises(ValueError, match="axis must not have an axis twice"):
        total(x, axis=(0, -2))
    with pytest.raises(TypeError, match="axis"):
        total(x, axis=1.0)


def test_outputs_are_checked(total):
    x = usmx.ones((2, 3))
    with pytest.raises(ValueError, match=r"expected an array of shape \(3,\), found \(2,\)"):
        total(x, axis=0, out=usmx.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        total(x, axis=0, out=usmx.ones(3).readonly())
    with pytest.raises(TypeError, match="must have elements of float64"):
        total(x, out=usmx.ones((), dtype="f4"))


def test_an_input_must_be_an_array(total):
    with pytest.raises(TypeError, match="total: at least one input must be an array"):
        total(1.0)
    with pytest.raises(TypeError, match="argument 'x' must be an array in USM or a number"):
        total([1.0])


def test_more_dimensions_than_kernels_take(total):
    x = usmx.zeros([3] * 10, dtype="i1")[(slice(None, 2),) * 10]
    with pytest.raises(
        ValueError, match="at most 8 dimensions once neighbours are joined, found 10"
    ):
        total(x)


def test_names_and_types_are_checked():
    with pytest.raises(ValueError, match="must not use the name 'a'"):
        usmx.ReductionKernel("T a", "T y", "a", "a + b", "y = a", "0")
    with pytest.raises(ValueError, match="reduce_type must be .* found 'U'"):
        usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", reduce_type="U")


@pytest.mark.parametrize("broken", ["map_expr", "reduce_expr", "post_map_expr", "identity"])
def test_errors_name_what_was_written(broken):
    parts = {"map_expr": "x", "reduce_expr": "a + b", "post_map_expr": "y = a", "identity": "0"}
    parts[broken] += " + nothing"
    f = usmx.ReductionKernel("T x", "T y", **parts)
    with pytest.raises(usmx.CompileError, match="nothing") as caught:
        f(usmx.ones(3))
    assert caught.value.diagnostics[0].file == broken
    assert caught.value.diagnostics[0].line == 1


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("name", ["value", "map", "kept", "reduced", "part", "result", "reduce"])
def test_parameters_and_kernels_may_have_names_of_the_generated_source(name):
    kernel = usmx.ReductionKernel(f"T {name}", "T y", name, "a + b", "y = a", "0", name)
    assert kernel(usmx.arange(4)).item() == 6


def test_name_may_be_left_out():
    kernel = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    assert kernel(usmx.ones(4)).item() == 4


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_complex_numbers_are_reduced(dtype, axis):
    add = usmx.ReductionKernel("T x, T y", "T out", "x * conj(y)", "a + b", "out = a", "0")
    x = (np.arange(3000) % 7 - 1j * (np.arange(3000) % 5)).astype(dtype).reshape(60, 50)
    found = add(usmx.asarray(x), usmx.asarray(x)[::-1], axis=axis)
    np.testing.assert_array_equal(usmx.asnumpy(found), (x * x[::-1].conj()).sum(axis=axis))
    empty = add(usmx.asarray(x[:0]), usmx.asarray(x[:0]), axis=0)
    np.testing.assert_array_equal(usmx.asnumpy(empty), np.zeros(50, dtype))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_raw_array_is_a_table_of_the_expression(axis):
    look = usmx.ReductionKernel("int32 k, raw T table", "T y", "table[k]", "a + b", "y = a", "0")
    table = np.arange(12, dtype="f8").reshape(3, 4)
    places = (np.arange(20 * 30, dtype="i4") % 12).reshape(20, 30)
    found = look(usmx.asarray(places), usmx.asarray(table).T, axis=axis)
    expected = table.T.reshape(-1)[places].sum(axis=axis)
    np.testing.assert_array_equal(usmx.asnumpy(found), expected)


def test_outputs_of_reductions_are_not_raw():
    with pytest.raises(ValueError, match="outputs of a reduction must not be raw, found 'y'"):
        usmx.ReductionKernel("T x", "raw T y", "x", "a + b", "y = a", "0")
