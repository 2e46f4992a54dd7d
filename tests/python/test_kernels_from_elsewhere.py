"""Each row of the table of docs/how-to/kernels-from-elsewhere.md is a program that runs; the page of the language has each name."""

import inspect
import re
import subprocess

import numpy as np
import pytest
import usmx
from documents import ROOT

PAGE = (ROOT / "docs/how-to/kernels-from-elsewhere.md").read_text()
ROWS = {cells[0]: cells[1:] for cells in re.findall(r"^\| ([^|]+?) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.M) if cells[0] != "notion"}  # fmt: skip
LANGUAGE = (ROOT / "docs/reference/kernel-language.md").read_text()
PROGRAMS = {}
GROUP, COUNT = 32, 96
AT = np.arange(COUNT)
IS_CUDA = usmx.SyclDevice().backend == "cuda"


def row(notion):
    """The program of a row: it returns pairs of what it found and what NumPy expects."""

    def of(program):
        PROGRAMS[notion] = program
        return program

    return of


def kernel(body, parameters="int* y", before="", name="f", **how):
    source = f"#include <usmx/kernel.hpp>\n{before}\nUSMX_KERNEL(1) {name}({parameters}) {{\nconst auto i = usmx::global_id(); (void)i;\n{body}\n}}"
    return usmx.Kernel(source, name, **how)


def run(body, parameters="int* y", arguments=(), before="", count=COUNT, dtype="i4", group=GROUP):
    """The elements of y that the body sets, one for each work item."""
    y = usmx.zeros(count, dtype=dtype)
    kernel(body, parameters, before)(count, group, *arguments, y)
    return usmx.asnumpy(y)


def sub_groups():
    """For each work item: the size of its sub-group, its place there, and where its sub-group begins."""
    size = run("y[i] = usmx::subgroup_size();")
    place = run("y[i] = usmx::subgroup_local_id();")
    return size, place, AT - place


def of_sub_groups(values, function):
    """function(values of a work item's sub-group) for each work item."""
    size, _, first = sub_groups()
    return np.array([function(values[f : f + s]) for f, s in zip(first, size, strict=True)])


# ---- in the program


@row("a kernel from source")
def _():
    f = usmx.Kernel(
        "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* y) { y[usmx::global_id()] = 3; }", "f"
    )
    y = usmx.zeros(4, dtype="i4")
    f(4, None, y)
    yield y, [3] * 4


@row("several kernels of one source")
def _():
    source = (
        "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* y) { *y = 1; }\nUSMX_KERNEL(1) g(int* y) { *y += 2; }"
    )  # fmt: skip
    both = usmx.KernelModule(source, ["f", "g"])
    y = usmx.zeros(1, dtype="i4")
    both["f"](1, None, y)
    both["g"](1, None, y)
    yield y, [3]


@row("macros")
def _():
    y = usmx.zeros(2, dtype="i4")
    kernel("y[i] = N;", defines={"N": 4})(2, None, y)
    yield y, [4, 4]


@row("a launch")
def _():
    n, group = 12, 4
    f = kernel("x[i] = a * usmx::local_size();", "int* x, int a")
    x = usmx.zeros(n, dtype="i4")
    f(n, group, x, 2)
    yield x, [8] * n


@row("a launch of several dimensions")
def _():
    rows, columns = 2, 3
    f = usmx.Kernel(
        "#include <usmx/kernel.hpp>\nUSMX_KERNEL(2) f(int* x) { auto [i, j] = usmx::global_id<2>(); x[3 * i + j] = 10 * i + j; }",
        "f",
    )
    x = usmx.zeros((rows, columns), dtype="i4")
    f((rows, columns), None, x)
    yield x, [[0, 1, 2], [10, 11, 12]]


@row("another queue")
def _():
    n, queue = 4, usmx.SyclQueue(property="in_order")
    x = usmx.zeros(n, dtype="i4")
    f = kernel("y[i] = i;")
    f(n, None, x, queue=queue)
    yield x, range(n)


@row("events")
def _():
    n = 4
    x = usmx.zeros(n, dtype="i4")
    f = kernel("y[i] = 2 * y[i] + 1;")
    event = f(n, None, x)
    f(n, None, x, after=[event])
    yield x, [3] * n


@row("waiting")
def _():
    x = usmx.zeros(4, dtype="i4", usm_type="shared")
    f = kernel("y[i] = 7;")
    event = f(4, None, x)
    event.wait()
    yield np.asarray(x), [7] * 4


@row("a number as an argument")
def _():
    yield run("y[i] = a + b;", "float a, unsigned char b, int* y", (2, 3.0), count=2, group=None), [5, 5]  # fmt: skip
    with pytest.raises(ValueError, match="expected an integer from 0 to 255, found 256"):
        run("y[i] = a + b;", "float a, unsigned char b, int* y", (2, 256), count=2, group=None)


@row("a structure as an argument")
def _():
    value = np.array((2, 0.5), np.dtype([("k", "i4"), ("x", "f8")], align=True))[()]
    found = run("y[i] = p.k * i + p.x * 2;", "pair p, int* y", (value,), "struct pair { int k; double x; };")  # fmt: skip
    yield found, 2 * AT + 1


@row("an expression for each element")
def _():
    scale = usmx.ElementwiseKernel("T x, T a", "T y", "y = a * x", "scale")
    yield scale(usmx.arange(4), 3), 3 * np.arange(4)


@row("its place among all elements")
def _():
    f = usmx.ElementwiseKernel("T x", "T y", "y = x + i")
    yield f(usmx.zeros((2, 3)).T), [[0, 1], [2, 3], [4, 5]]


@row("an array that the operation indexes")
def _():
    f = usmx.ElementwiseKernel("raw T x, int64 row, int64 column", "T y", "y = i < 2 ? x[i + 1] : x(row, column)")  # fmt: skip
    x = np.array([[1, 2], [3, 4]])
    yield f(usmx.asarray(x), 1, 1, size=3), [2, 3, 4]


@row("the shape of a raw array")
def _():
    f = usmx.ElementwiseKernel("raw T x", "T y", "y = i == 0 ? x.shape()[0] : i == 1 ? x.ndim : x.size()")  # fmt: skip
    yield f(usmx.zeros((4, 5), dtype="i8"), size=3), [4, 2, 20]


@row("a reduction")
def _():
    total = usmx.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", 0)
    yield total(usmx.arange(5)), 30


@row("the number of elements of a reduction")
def _():
    mean = usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a / n", 0)
    yield mean(usmx.asarray([[1.0, 2.0], [3.0, 6.0]]), axis=0), [2, 4]


@row("code before the kernel")
def _():
    f = usmx.ElementwiseKernel(
        "T x", "T y", "y = g(x)", preamble="template <class T> T g(T x) { return x + 1; }"
    )
    yield f(usmx.arange(3)), [1, 2, 3]


@row("bad indices")
def _():
    f = usmx.ElementwiseKernel("raw T x", "T y", "y = x[i + 1]", debug=True)
    with pytest.raises(IndexError, match=r"operation:1: .*shape \(3,\), found \(3,\)"):
        f(usmx.zeros(3), size=3)
    yield f(usmx.arange(3), size=2), [1, 2]


# ---- in a kernel


@row("a kernel")
def _():
    f = usmx.Kernel("#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(float* x) { *x = 1; }", "f")
    x = usmx.zeros(1, dtype="f4")
    f(1, None, x)
    yield x, [1]


@row("a function")
def _():
    yield run("y[i] = g(i);", before="inline float g(float a) { return 2 * a; }"), 2 * AT


@row("the place of a work item")
def _():
    yield run("y[i] = usmx::global_id();"), AT


@row("its place in two dimensions")
def _():
    f = usmx.Kernel(
        "#include <usmx/kernel.hpp>\nUSMX_KERNEL(2) f(usmx::view<int, 2> x) { auto [i, j] = usmx::global_id<2>(); x(i, j) = 10 * i + j; }",
        "f",
    )
    x = usmx.zeros((3, 2), dtype="i4").T
    f((2, 3), None, x)
    yield x, [[0, 1, 2], [10, 11, 12]]


@row("how many there are")
def _():
    yield run("y[i] = usmx::global_size();"), [COUNT] * COUNT


@row("the place in the group")
def _():
    yield run("y[i] = usmx::local_id();"), AT % GROUP


@row("the size of a group")
def _():
    yield run("y[i] = usmx::local_size();"), [GROUP] * COUNT


@row("the group")
def _():
    yield run("y[i] = usmx::group_id();"), AT // GROUP


@row("how many groups there are")
def _():
    yield run("y[i] = usmx::group_count();"), [COUNT // GROUP] * COUNT


@row("an array with strides")
def _():
    f = kernel("x(i, 1) = x(i, 0) + x.extent(0);", "usmx::view<float, 2> x")
    x = usmx.asarray(np.arange(12, dtype="f4").reshape(2, 6)).T[::2]
    f(3, None, x)
    yield x, [[0, 3], [2, 5], [4, 7]]


@row("an array of a work item")
def _():
    yield run("float t[4]; for (int k = 0; k < 4; ++k) t[k] = i + k; y[i] = t[i % 4];"), AT + AT % 4


@row("an array of a group")
def _():
    yield (
        run(
            "usmx::local_array<float, 64> t; const auto at = usmx::local_id(); t[at] = i; usmx::barrier();\n"
            "y[i] = t[usmx::local_size() - 1 - at];"
        ),
        AT // GROUP * GROUP + GROUP - 1 - AT % GROUP,
    )


@row("an array of a group, whose size each launch chooses")
def _():
    n = GROUP
    found = run(
        "const auto at = usmx::local_id(); t[at] = i; usmx::barrier(); y[i] = t[(at + 1) % usmx::local_size()];",
        "usmx::local_memory<float> t, int* y", (usmx.local_memory("f4", n),),
    )  # fmt: skip
    yield found, AT // GROUP * GROUP + (AT + 1) % GROUP


@row("constants")
def _():
    yield run("y[i] = w[i % 3];", before="constexpr float w[3] = {1, 2, 1};"), np.array([1, 2, 1])[AT % 3]  # fmt: skip


@row("constants that a launch passes")
def _():
    w = np.array(([1, 2, 4],), [("values", "f4", 3)])[()]
    found = run("y[i] = w.values[i % 3];", "table w, int* y", (w,), "struct table { float values[3]; };")  # fmt: skip
    yield found, np.array([1, 2, 4])[AT % 3]


@row("waiting for the group")
def _():
    body = (
        "usmx::local_array<int, 64> t; const auto at = usmx::local_id(); t[at] = at; usmx::barrier();\n"
        "int sum = 0; for (int k = 0; k < usmx::local_size(); ++k) sum += t[k]; y[i] = sum;"
    )
    yield run(body), [sum(range(GROUP))] * COUNT


def changed(body, parameters="int* x, int v, int* y", v=3, dtype="i4", start=5):
    """The element that all work items change, and what they got."""
    x = usmx.asarray(np.array([start], dtype))
    got = run("const int at = 0; " + body, parameters, (x, v))
    return x.item(), got


@row("an atomic sum")
def _():
    found, got = changed("y[i] = usmx::atomic_add(x[at], v);")
    yield found, 5 + 3 * COUNT
    yield np.sort(got), 5 + 3 * AT
    for dtype, name in (("u1", "unsigned char"), ("i2", "short"), ("i8", "long"), ("f4", "float")):
        found, _ = changed("y[i] = usmx::atomic_add(x[at], v);", f"{name}* x, int v, int* y", v=1, dtype=dtype)  # fmt: skip
        yield found, 5 + COUNT


@row("the smaller and the larger one, atomically")
def _():
    yield changed("y[i] = usmx::atomic_min(x[at], v - int(i));")[0], 3 - (COUNT - 1)
    yield changed("y[i] = usmx::atomic_max(x[at], v + int(i));")[0], 3 + COUNT - 1


@row("bits, atomically")
def _():
    yield changed("y[i] = usmx::atomic_and(x[at], v);")[0], 5 & 3
    yield changed("y[i] = usmx::atomic_or(x[at], v);")[0], 5 | 3
    yield changed("y[i] = usmx::atomic_xor(x[at], v << i % 4);")[0], 5


@row("an atomic exchange")
def _():
    found, got = changed("y[i] = usmx::atomic_exchange(x[at], i);", start=-1)
    yield np.sort(np.append(got, found)), np.arange(-1, COUNT)


@row("an exchange on a condition")
def _():
    body = "int a = x[at], seen; while ((seen = usmx::atomic_compare_exchange(x[at], a, a + v)) != a) a = seen; y[i] = a;"
    found, got = changed(body)
    yield found, 5 + 3 * COUNT
    yield np.sort(got), 5 + 3 * AT


@row("the size of a sub-group, and a place in it")
def _():
    size = run("y[i] = usmx::subgroup_size();")
    place = run("y[i] = usmx::subgroup_local_id();")
    begins = np.flatnonzero(place == 0)
    yield place, np.concatenate([np.arange(n) for n in size[begins]])


@row("the sub-group in the group")
def _():
    _, place, _ = sub_groups()
    begins = (place == 0).reshape(-1, GROUP)
    yield run("y[i] = usmx::subgroup_id();"), begins.cumsum(1).ravel() - 1
    yield run("y[i] = usmx::subgroup_count();"), np.repeat(begins.sum(1), GROUP)


@row("another work item's value")
def _():
    _, _, first = sub_groups()
    yield run("const int v = i, k = 1; y[i] = usmx::subgroup_shuffle(v, k);"), first + 1


@row("the value of a work item further on, and of one before")
def _():
    size, place, _ = sub_groups()
    down = run("const int v = i, d = 3; y[i] = usmx::subgroup_shuffle_down(v, d);")
    yield down, np.where(place + 3 < size, AT + 3, AT)
    up = run("const int v = i, d = 2; y[i] = usmx::subgroup_shuffle_up(v, d);")
    yield up, np.where(place >= 2, AT - 2, AT)


@row("the value of a partner")
def _():
    size, place, first = sub_groups()
    found = run("const int v = i, b = 1; y[i] = usmx::subgroup_shuffle_xor(v, b);")
    yield found, np.where((place ^ 1) < size, first + (place ^ 1), AT)


@row("votes of a sub-group")
def _():
    yield run("const bool c = i == 40; y[i] = usmx::subgroup_any(c);"), of_sub_groups(AT == 40, np.any)  # fmt: skip
    yield run("const bool c = i != 40; y[i] = usmx::subgroup_all(c);"), of_sub_groups(AT != 40, np.all)  # fmt: skip


@row("votes of a group")
def _():
    yield run("const bool c = i == 40; y[i] = usmx::group_any(c);"), AT // GROUP == 40 // GROUP
    yield run("const bool c = i != 40; y[i] = usmx::group_all(c);"), AT // GROUP != 40 // GROUP


@row("a sum of a sub-group")
def _():
    for function, reduced in (
        ("usmx::subgroup_reduce_add", np.sum),
        ("usmx::subgroup_reduce_min", np.min),
        ("usmx::subgroup_reduce_max", np.max),
    ):
        found = run(f"const int v = i * i % 37; y[i] = {function}(v);")
        yield found, of_sub_groups(AT * AT % 37, reduced)


@row("a sum of a group")
def _():
    rows = (AT * AT % 37).reshape(-1, GROUP)
    for function, reduced in (
        ("usmx::group_reduce_add", np.sum),
        ("usmx::group_reduce_min", np.min),
        ("usmx::group_reduce_max", np.max),
    ):
        found = run(f"const int v = i * i % 37; y[i] = {function}(v);")
        yield found, np.repeat(reduced(rows, axis=1), GROUP)


@row("running sums of a sub-group")
def _():
    _, place, first = sub_groups()
    sums = np.array([AT[f : f + p + 1].sum() for f, p in zip(first, place, strict=True)])
    yield run("const int v = i; y[i] = usmx::subgroup_inclusive_scan_add(v);"), sums
    yield run("const int v = i; y[i] = usmx::subgroup_exclusive_scan_add(v);"), sums - AT


@row("running sums of a group")
def _():
    sums = AT.reshape(-1, GROUP).cumsum(axis=1).ravel()
    yield run("const int v = i; y[i] = usmx::group_inclusive_scan_add(v);"), sums
    yield run("const int v = i; y[i] = usmx::group_exclusive_scan_add(v);"), sums - AT


@row("mathematics")
def _():
    v, w = AT + 1.0, 1.5
    found = run("const double v = i + 1, w = 1.5; y[i] = usmx::sqrt(v) + usmx::rsqrt(v) + usmx::pow(v, w);", "double* y", dtype="f8")  # fmt: skip
    yield np.allclose(found, np.sqrt(v) + 1 / np.sqrt(v) + v**w, rtol=1e-14), True


@row("infinity, NaN, the largest number")
def _():
    found = run("y[i] = i == 0 ? INFINITY : i == 1 ? NAN : usmx::numeric_limits<float>::max();", "float* y", dtype="f4", count=3, group=None)  # fmt: skip
    yield found, np.array([np.inf, np.nan, np.finfo("f4").max], "f4")


@row("bits of an integer")
def _():
    yield run("const int v = i; y[i] = usmx::popcount(v) + 100 * usmx::clz(v);"), [k.bit_count() + 100 * (32 - k.bit_length()) for k in range(COUNT)]  # fmt: skip


@row("half precision")
def _():
    yield run("usmx::half h = i; y[i] = h / 3;", "usmx::half* y", dtype="f2"), AT.astype("f2") / np.float16(3)  # fmt: skip


@row("complex numbers")
def _():
    yield run("y[i] = usmx::complex<float>(i, 1) * usmx::complex<float>(0, 1);", "usmx::complex<float>* y", dtype="c8"), (AT + 1j) * 1j  # fmt: skip


@row("text")
def _():
    kernel('const int v = 7; if (i == 0) usmx::printf("%d", v); y[i] = 0;')(2, None, usmx.zeros(2, dtype="i4")).wait()  # fmt: skip
    yield None, None  # test_printf_is_seen reads it


def test_printf_is_seen(capfd):
    list(PROGRAMS["text"]())
    assert capfd.readouterr().out == "7"


# ---- the rows


def test_every_row_has_a_program():
    assert sorted(ROWS) == sorted(PROGRAMS)
    assert len(ROWS) > 50


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.level_zero
@pytest.mark.parametrize("notion", PROGRAMS)
def test_program_of_the_row_computes_what_numpy_does(notion):
    pairs = list(PROGRAMS[notion]())
    assert pairs
    for found, expected in pairs:
        found = usmx.asnumpy(found) if isinstance(found, usmx.USMArray) else found
        if isinstance(expected, range):
            expected = list(expected)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("notion", PROGRAMS)
def test_program_of_the_row_uses_the_names_of_the_last_column(notion):
    code = " ".join(re.findall(r"`([^`]+)`", ROWS[notion][-1]))
    names = set(re.findall(r"usmx(?:::|\.)\w+|\b[A-Z_]{3,}\b|\b\w+(?==)|\b\w+\(\)", code))
    text = inspect.getsource(PROGRAMS[notion])
    if "run(" in text or "kernel(" in text:
        text += inspect.getsource(kernel)
    assert [name for name in sorted(names) if name not in text] == []


def foreign_names():
    """Names of CUDA and OpenCL in the table that a kernel may use, but those that are names of usmx, too."""
    in_kernels = PAGE[PAGE.index("### In a kernel") :]
    for cells in ROWS.values():
        if f"| {cells[-1]} |" in in_kernels and "usmx::" in cells[-1]:
            for name in re.findall(r"`(\w+)[`(]", " ".join(cells[:2])):
                if f"`{name.removesuffix('f')}" not in LANGUAGE:
                    yield name


@pytest.mark.skipif(IS_CUDA, reason="CUDA has these names")
@pytest.mark.parametrize("name", list(foreign_names()))
def test_names_of_the_table_come_with_the_name_here(name):
    with pytest.raises(usmx.CompileError, match=rf"undeclared identifier '{name}'.*; expected \w"):
        kernel(f"y[i] = {name}(1);")


def test_foreign_names_are_found():
    names = set(foreign_names())
    assert {"atomicCAS", "__shfl_sync", "get_global_id", "work_group_any", "__half"} <= names
    assert len(names) > 40


# ---- the page of all names


def outside_of_blocks(text):
    """The declarations of namespace usmx, and those outside of it, without what is in braces."""
    kept, depth, namespaces = "", 0, 0
    for part in re.split(r"(namespace usmx \{|[{}])", text):
        if part.startswith("namespace usmx"):
            namespaces, depth, kept = 1, depth + 1, kept + ";"
        elif part == "{":
            depth += 1
        elif part == "}":
            depth -= 1
            namespaces, kept = min(namespaces, depth), kept + ";"
        elif depth == namespaces:
            kept += part
    return [each.strip() for each in kept.split(";")]


def declared_name(declaration):
    """Of an alias, a class or a function; None for operators and for the compiler's own functions."""
    attributes = r"(?:__attribute__\(\(\w+\)\)\s*|\[\[.*?\]\]\s*)*"
    found = re.search(r"^using (\w+) =", declaration)
    found = found or re.search(rf"(?:^|>\s*)(?:class|struct)\s+{attributes}(\w+)", declaration)
    names = [found[1]] if found else re.findall(r"\b(\w+)\(", declaration)
    names = [name for name in names if name not in ("decltype", "__attribute__")]
    is_public = names and "operator" not in declaration and not names[0].startswith("__")
    return names[0] if is_public else None


def names_of_the_headers():
    header = ROOT / "include/usmx/kernel.hpp"
    command = ["g++", "-E", "-P", "-w", "-D__SYCL_DEVICE_ONLY__", f"-I{ROOT}/include", "-x", "c++"]
    text = subprocess.run([*command, header], check=True, capture_output=True, text=True).stdout
    names = {declared_name(each) for each in outside_of_blocks(text)} - {None}
    names |= set(re.findall(r"^#define ([A-Z]\w*)", header.with_name("kernel_math.hpp").read_text(), re.M))  # fmt: skip
    return {name for name in names if not name.startswith("USMX_")} | {"USMX_KERNEL"}


def test_page_of_the_language_has_every_name_of_the_headers_and_no_other():
    cells = " ".join(re.findall(r"^\| (.*?) \|", LANGUAGE, re.M))
    of_page = set(re.findall(r"`(\w+)", cells)) | set(re.findall(r"\b(\w+)[(<]", cells))
    of_page -= {"name", "bool", "char", "short", "int", "long", "float", "double"}
    found = names_of_the_headers()
    assert {"atomic_compare_exchange", "view", "M_PI", "erfcinv", "printf", "size_t", "group_any"} <= found  # fmt: skip
    with_f = {f"{name}f" for name in of_page}  # of which the page speaks in one sentence
    assert found - of_page - with_f == {"id"}  # what global_id<2>() gives
    assert of_page - found == set()
