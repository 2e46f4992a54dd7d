"""What the work items of a group do together: reductions, scans, votes, exchanges, atomic operations, local arrays."""

import numpy as np
import pytest
import usmx

HEADER = "#include <usmx/kernel.hpp>\n"
TYPES = {"i1": "signed char", "u2": "unsigned short", "i4": "int", "u4": "unsigned", "i8": "long", "f2": "_Float16", "f4": "float", "f8": "double"}  # fmt: skip
GROUP = 48


def run(body, x, results, group=GROUP):
    """Arrays of the type of x that `body` sets, one element for each work item."""
    kind = TYPES[x.dtype.str[1:]]
    parameters = ", ".join(f"{kind}* {name}" for name in results)
    source = HEADER + (
        f"USMX_KERNEL(1) f(const {kind}* in, {parameters}) {{ using namespace usmx;\n"
        f"const auto at = global_id(); const auto x = in[at];\n{body}\n}}"
    )
    outs = [usmx.zeros(x.size, dtype=x.dtype) for _ in results]
    usmx.Kernel(source, "f")(x.size, group, usmx.asarray(x), *outs)
    return [usmx.asnumpy(out) for out in outs]


def small_numbers(dtype, count=4 * GROUP):
    x = np.random.default_rng(45).integers(0, 3, count)
    return (x - 1 if np.dtype(dtype).kind != "u" else x).astype(dtype)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", TYPES)
def test_work_groups_put_values_together(dtype):
    x = small_numbers(dtype)
    found = run(
        "a[at] = group_reduce_add(x); b[at] = group_reduce_min(x); c[at] = group_reduce_max(x);"
        "d[at] = group_inclusive_scan_add(x); e[at] = group_exclusive_scan_add(x);",
        x, "abcde",
    )  # fmt: skip
    rows = x.reshape(-1, GROUP)
    scans = rows.cumsum(axis=1, dtype=dtype)
    for k, reduced in enumerate((rows.sum(1, dtype=dtype), rows.min(1), rows.max(1))):
        np.testing.assert_array_equal(found[k], np.repeat(reduced, GROUP))
    np.testing.assert_array_equal(found[3], scans.ravel())
    np.testing.assert_array_equal(found[4], (scans - rows).ravel())


def sub_groups(group=GROUP, count=4 * GROUP):
    """The size of each work item's sub-group, its place there, and where its sub-group begins."""
    x = np.zeros(count, "i8")
    size, place = run("a[at] = subgroup_size(); b[at] = subgroup_local_id();", x, "ab", group)
    return size, place, np.arange(count) - place


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", TYPES)
def test_sub_groups_put_values_together(dtype):
    x = small_numbers(dtype)
    size, place, first = sub_groups()
    found = run(
        "a[at] = subgroup_reduce_add(x); b[at] = subgroup_reduce_min(x); c[at] = subgroup_reduce_max(x);"
        "d[at] = subgroup_inclusive_scan_add(x); e[at] = subgroup_exclusive_scan_add(x);",
        x, "abcde",
    )  # fmt: skip
    for k in range(x.size):
        mine = x[first[k] : first[k] + size[k]]
        assert [found[j][k] for j in range(3)] == [mine.sum(dtype=dtype), mine.min(), mine.max()]
        assert found[3][k] == mine[: place[k] + 1].sum(dtype=dtype)
        assert found[4][k] == mine[: place[k]].sum(dtype=dtype)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", TYPES)
def test_work_items_of_a_sub_group_exchange_values(dtype):
    x = np.arange(4 * GROUP).astype(dtype)
    size, place, first = sub_groups()
    found = run(
        "a[at] = subgroup_shuffle(x, 1); b[at] = subgroup_shuffle_down(x, 3); c[at] = subgroup_shuffle_up(x, 2);"
        "d[at] = subgroup_shuffle_xor(x, 1);",
        x, "abcd",
    )  # fmt: skip
    own = np.arange(x.size)
    np.testing.assert_array_equal(found[0], x[first + 1])
    np.testing.assert_array_equal(found[1], x[np.where(place + 3 < size, own + 3, own)])
    np.testing.assert_array_equal(found[2], x[np.where(place >= 2, own - 2, own)])
    np.testing.assert_array_equal(
        found[3], x[np.where((place ^ 1) < size, first + (place ^ 1), own)]
    )


def test_votes():
    x = np.zeros(4 * GROUP, "i4")
    x[GROUP + 5] = 1
    x[2 * GROUP :] = 1
    any_, all_, any_of_sub, all_of_sub = run(
        "a[at] = group_any(x); b[at] = group_all(x); c[at] = subgroup_any(x); d[at] = subgroup_all(x);", x, "abcd"
    )  # fmt: skip
    rows = x.reshape(-1, GROUP).astype(bool)
    np.testing.assert_array_equal(any_, np.repeat(rows.any(1), GROUP))
    np.testing.assert_array_equal(all_, np.repeat(rows.all(1), GROUP))
    size, _, first = sub_groups()
    mine = [x[f : f + s].astype(bool) for f, s in zip(first, size, strict=True)]
    assert any_of_sub.tolist() == [each.any() for each in mine]
    assert all_of_sub.tolist() == [each.all() for each in mine]


def test_sub_groups_are_counted():
    x = np.zeros(2 * GROUP, "i4")
    number, count = run("a[at] = subgroup_id(); b[at] = subgroup_count();", x, "ab")
    _, place, _ = sub_groups(count=2 * GROUP)
    starts = (place == 0).reshape(2, GROUP)
    np.testing.assert_array_equal(number, (starts.cumsum(1) - 1).ravel())
    np.testing.assert_array_equal(count, np.repeat(starts.sum(1), GROUP))


# ---- local arrays and atomic operations


def test_local_array_of_three_dimensions():
    source = HEADER + (
        "USMX_KERNEL(3) f(int* x) { usmx::local_array<int, 2, 3, 4> t; const auto l = usmx::local_id<3>();\n"
        "t[l.i][l.j][l.k] = 100 * l.i + 10 * l.j + l.k; usmx::barrier();\n"
        "x[(l.i * 3 + l.j) * 4 + l.k] = t[1 - l.i][2 - l.j][3 - l.k] + (t.data()[23] - 123); }"
    )
    x = usmx.zeros((2, 3, 4), dtype="i4")
    usmx.Kernel(source, "f")((2, 3, 4), (2, 3, 4), x)
    i, j, k = np.indices((2, 3, 4))
    np.testing.assert_array_equal(usmx.asnumpy(x), (100 * i + 10 * j + k)[::-1, ::-1, ::-1])


@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "f4", "f8"])
def test_compare_exchange_of_every_type(dtype):
    kind = TYPES[dtype]
    source = HEADER + (
        f"USMX_KERNEL(1) f({kind}* sum, {kind}* old) {{ {kind} found = *sum, seen;\n"
        "while ((seen = usmx::atomic_compare_exchange(*sum, found, found + 1)) != found) found = seen;\n"
        "old[usmx::global_id()] = found; }"
    )
    total, old = usmx.zeros(1, dtype=dtype), usmx.zeros(500, dtype=dtype)
    usmx.Kernel(source, "f")(500, None, total, old)
    assert total.item() == 500
    np.testing.assert_array_equal(np.sort(usmx.asnumpy(old)), np.arange(500))


SMALL = {"?": "bool", "i1": "signed char", "u1": "unsigned char", "i2": "short", "u2": "unsigned short", "f2": "_Float16"}  # fmt: skip
OPERATIONS = {
    "add": lambda x, y: (x + y).astype(x.dtype),
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def atomics(dtype, body, count, elements, begin=1):
    """What `count` work items leave in some elements, of which none begins a word of 4 bytes, and what each gets."""
    kind = SMALL.get(dtype) or TYPES[dtype]
    source = HEADER + (
        f"USMX_KERNEL(1) f(usmx::view<{kind}, 1> x, {kind}* old, const {kind}* by) {{\n"
        f"const auto at = usmx::global_id(); auto& element = x[at % x.size()];\n{body}\n}}"
    )
    x = usmx.asarray(np.concatenate([[9] * begin, elements, [9] * 5]).astype(dtype))
    by = np.random.default_rng(45).integers(0, 2 if dtype == "?" else 100, count).astype(dtype)
    old = usmx.zeros(count, dtype=dtype)
    inner = x[begin : begin + len(elements)]
    usmx.Kernel(source, "f")(count, None, inner, old, usmx.asarray(by))
    whole = usmx.asnumpy(x)
    np.testing.assert_array_equal(whole[:begin], np.full(begin, 9).astype(dtype))
    np.testing.assert_array_equal(whole[-5:], np.full(5, 9).astype(dtype))
    return usmx.asnumpy(inner), usmx.asnumpy(old), by


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", SMALL)
def test_atomic_operations_on_elements_of_one_and_two_bytes(dtype, operation):
    if dtype == "f2" and operation in ("and", "or", "xor"):
        said = "invalid operands to binary expression|no operator"
        with pytest.raises(usmx.CompileError, match=said):
            atomics(dtype, f"old[at] = usmx::atomic_{operation}(element, by[at]);", 1, [1])
        return
    start = np.array([3, 0, 1, 2, 0, 5, 7]).astype(dtype)
    count = 70 if dtype == "f2" else 7_000  # sums of more are not exact
    found, old, by = atomics(dtype, f"old[at] = usmx::atomic_{operation}(element, by[at]);", count, start)  # fmt: skip
    for k, first in enumerate(start):
        expected = first
        with np.errstate(over="ignore"):
            for each in by[k :: len(start)]:
                expected = OPERATIONS[operation](expected, each)
        assert found[k] == expected
        assert first in old[k :: len(start)]  # what the first one got


@pytest.mark.parametrize("dtype", SMALL)
def test_atomic_exchange_on_elements_of_one_and_two_bytes(dtype):
    start = np.array([1, 0, 0]).astype(dtype)
    found, old, by = atomics(dtype, "old[at] = usmx::atomic_exchange(element, by[at]);", 300, start, begin=3)  # fmt: skip
    for k in range(3):  # each value goes in once, and comes out once but for the last one
        given = np.sort(np.append(by[k::3], start[k]))
        np.testing.assert_array_equal(given, np.sort(np.append(old[k::3], found[k])))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "f2"])
def test_compare_exchange_on_elements_of_one_and_two_bytes(dtype):
    body = (
        "auto found = element, seen = found;\n"
        "while ((seen = usmx::atomic_compare_exchange(element, found, found + 1)) != found) found = seen;\n"
        "old[at] = found;"
    )
    found, old, _ = atomics(dtype, body, 500, [0, 0, 0, 0, 0])
    assert found.tolist() == [100] * 5
    np.testing.assert_array_equal(np.sort(old), np.repeat(np.arange(100), 5))


@pytest.mark.parametrize(
    ("parameter", "variable", "argument"),
    [
        ("", "usmx::local_array<unsigned char, 5> t;", ()),
        (", usmx::local_memory<unsigned char> t", "", (usmx.local_memory("u1", 5),)),
    ],
)
def test_atomic_operations_in_local_memory_of_bytes(parameter, variable, argument):
    """Five bytes: compute-sanitizer finds it if the word with the last one is not all there."""
    source = HEADER + (
        f"USMX_KERNEL(1) f(const unsigned char* x, unsigned char* y{parameter}) {{ {variable}\n"
        "const auto at = usmx::local_id(); if (at < 5) t[at] = 0; usmx::barrier();\n"
        "usmx::atomic_add(t[x[at]], 1); usmx::barrier(); if (at < 5) y[at] = t[at]; }"
    )
    x = np.random.default_rng(45).integers(0, 5, 200).astype("u1")
    y = usmx.zeros(5, dtype="u1")
    usmx.Kernel(source, "f")(200, 200, usmx.asarray(x), y, *argument)
    np.testing.assert_array_equal(usmx.asnumpy(y), np.bincount(x, minlength=5))


def test_compare_exchange_of_complex_numbers_and_what_is_refused():
    source = HEADER + (
        "USMX_KERNEL(1) f(usmx::complex<float>* x) { auto found = *x;\n"
        "for (;;) { const auto seen = usmx::atomic_compare_exchange(*x, found, found + usmx::complex<float>(1, 2));\n"
        "if (seen == found) return; found = seen; } }"
    )
    x = usmx.zeros(1, dtype="c8")
    usmx.Kernel(source, "f")(300, None, x)
    assert x.item() == 300 + 600j
    for call, message in (
        ("atomic_add(*x, *x)", "atomic operations need numbers"),
        ("atomic_compare_exchange(*x, *x, *x)", "need elements of 1, 2, 4 or 8 bytes"),
    ):
        with pytest.raises(usmx.CompileError, match=message):
            usmx.Kernel(
                HEADER + f"USMX_KERNEL(1) f(usmx::complex<double>* x) {{ usmx::{call}; }}", "f"
            )
