"""Kernels that users write: compiled from source, launched with arguments that are checked."""

import concurrent.futures
import ctypes
import gc
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import usmx

AXPY = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) axpy(float a, const float* x, float* y) {
  const auto i = usmx::global_id();
  y[i] += a * x[i];
}"""


# Kernels for CUDA devices are compiled by NVIDIA's compiler, which says the same in other words.
IS_CUDA = usmx.SyclDevice().backend == "cuda"
UNDECLARED = "identifier {} is undefined" if IS_CUDA else "use of undeclared identifier {}"
NOT_FOUND = 'open source file "{}"' if IS_CUDA else "'{}' file not found"


def undeclared(name):
    return UNDECLARED.format(f'"{name}"' if IS_CUDA else f"'{name}'")


def kernel(body, name="f", **options):
    return usmx.Kernel("#include <usmx/kernel.hpp>\n" + body, name, **options)


@pytest.fixture(scope="module")
def axpy():
    return usmx.Kernel(AXPY, "axpy")


def ones(count=1024, **how):
    return usmx.ones(count, dtype="f4", **how)


# ---- what runs


def test_launch_computes_and_gives_an_event(axpy):
    x, y = ones(), ones()
    event = axpy(1024, 64, 2.0, x, y)
    assert isinstance(event, usmx.SyclEvent)
    event.wait()
    np.testing.assert_array_equal(usmx.asnumpy(y), 3)


def test_launches_are_in_order_without_waits(axpy):
    x, y = ones(), usmx.zeros(1024, dtype="f4")
    for _ in range(20):
        axpy(1024, None, 1, x, y)
    np.testing.assert_array_equal(usmx.asnumpy(y), 20)


def test_memory_lives_until_the_kernel_ends(axpy):
    y = ones()
    for _ in range(20):
        axpy(1024, None, 1, ones(), y)
    gc.collect()
    np.testing.assert_array_equal(usmx.asnumpy(y), 21)


def test_signature_is_as_in_the_source(axpy):
    assert axpy.signature == "axpy(float, const float*, float*)"
    assert axpy.name == "axpy"
    assert repr(axpy) == "<usmx.Kernel axpy(float, const float*, float*)>"


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_all_kinds_of_memory(axpy, kind):
    x, y = ones(usm_type=kind), ones(usm_type=kind)
    axpy(1024, 64, 2, x, y)
    np.testing.assert_array_equal(usmx.asnumpy(y), 3)


def test_two_and_three_dimensions():
    place = kernel(
        "USMX_KERNEL(3) f(int* out) { auto [i, j, k] = usmx::global_id<3>();"
        "  out[(i * 3 + j) * 4 + k] = 100 * i + 10 * j + k; }"
    )
    out = usmx.zeros((2, 3, 4), dtype="i4")
    place((2, 3, 4), (1, 3, 2), out)
    i, j, k = np.indices((2, 3, 4))
    np.testing.assert_array_equal(usmx.asnumpy(out), 100 * i + 10 * j + k)
    flat = kernel(
        "USMX_KERNEL(2) f(int* out) { auto [i, j] = usmx::global_id<2>(); out[i * 5 + j] = i; }"
    )
    out = usmx.zeros((4, 5), dtype="i4")
    flat((4, 5), None, out)
    np.testing.assert_array_equal(usmx.asnumpy(out), np.indices((4, 5))[0])


def test_local_memory_is_shared_by_a_group():
    reverse = kernel(
        "USMX_KERNEL(1) f(const float* x, float* y, usmx::local_memory<float> s) {"
        "  s[usmx::local_id()] = x[usmx::global_id()]; usmx::barrier();"
        "  y[usmx::global_id()] = s[usmx::local_size() - 1 - usmx::local_id()]; }"
    )
    x, y = usmx.arange(64, dtype="f4"), usmx.zeros(64, dtype="f4")
    reverse(64, 16, x, y, usmx.local_memory("f4", 16))
    expected = np.arange(64).reshape(4, 16)[:, ::-1].ravel()
    np.testing.assert_array_equal(usmx.asnumpy(y), expected)


def test_structures_by_value_from_numpy_and_ctypes():
    f = kernel(
        "struct line { float slope; double offset; };"
        "USMX_KERNEL(1) f(line l, double* y, line* all) { y[0] = l.slope * 2 + l.offset; all[0] = l; }"
    )
    line = np.dtype([("slope", "f4"), ("offset", "f8")], align=True)
    y, copied = usmx.zeros(1), usmx.zeros(1, dtype=line)
    f(1, None, np.array((1.5, 0.25), dtype=line)[()], y, copied)
    assert y.item() == 3.25
    assert copied.item() == (1.5, 0.25)

    class Line(ctypes.Structure):
        _fields_ = (("slope", ctypes.c_float), ("offset", ctypes.c_double))

    f(1, None, Line(2.5, 1.0), y, copied)
    assert y.item() == 6.0
    packed = np.dtype([("slope", "f4"), ("offset", "f8")])
    with pytest.raises(
        ValueError, match=r"argument 1 \(line\): expected a structure of 16 bytes, found one of 12"
    ):
        f(1, None, np.zeros((), dtype=packed)[()], y, copied)
    with pytest.raises(
        TypeError, match=r"argument 3 \(line\*\): expected elements of structures of 16 bytes"
    ):
        f(1, None, Line(), y, usmx.zeros(1, dtype=packed))


@pytest.mark.parametrize(
    "value",
    [
        3,
        3.0,
        True + 2,
        np.int64(3),
        np.uint8(3),
        np.float32(3),
        np.float16(3),
        np.float64(3),
        np.array(3),
        ctypes.c_int(3),
    ],
)
def test_numbers_of_python_numpy_and_ctypes(value):
    f = kernel("USMX_KERNEL(1) f(short a, double b, double* y) { y[0] = a; y[1] = b; }")
    y = usmx.zeros(2)
    f(1, None, value, value, y)
    assert usmx.asnumpy(y).tolist() == [3, 3]


def test_macros_headers_and_options():
    f = kernel(
        '#include "mine.hpp"\nUSMX_KERNEL(1) f(int* x) { *x = N + YES + OPTION + value; }',
        defines={"N": 8, "YES": True},
        headers={"mine.hpp": "constexpr int value = 100;"},
        options=["-DOPTION=1"],
    )
    x = usmx.zeros(1, dtype="i4")
    f(1, 1, x)
    assert x.item() == 110


@pytest.mark.parametrize(
    "options",
    [
        ["-Ihere"],
        ["-I", "here"],
        ["-isystem", "./here"],
        ["-iquotehere"],
    ],
)
@pytest.mark.skipif(IS_CUDA, reason="NVRTC has other options")
def test_relative_folders_in_options_begin_where_the_caller_is(options, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/my.h").write_text("constexpr int value = 7;\n")
    monkeypatch.chdir(tmp_path)
    f = kernel('#include "my.h"\nUSMX_KERNEL(1) f(int* x) { *x = value; }', options=options)
    x = usmx.zeros(1, dtype="i4")
    f(1, 1, x)
    assert x.item() == 7


@pytest.mark.skipif(IS_CUDA, reason="NVRTC has other options")
@pytest.mark.parametrize(
    "options", [["-Werror"], ["-Werror", "-Wall", "-Wextra"], ["-w"], ["-Wno-everything"]]
)
def test_clean_kernel_is_clean_whatever_is_said_about_warnings(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = kernel("USMX_KERNEL(2) f(float* x) { x[0] += 1; }", options=options)
    x = ones(1)
    f((1, 1), None, x)
    assert x.item() == 2


@pytest.mark.skipif(IS_CUDA, reason="NVRTC has other options")
def test_warning_of_a_kernel_is_an_error_where_that_is_asked_for():
    source = "USMX_KERNEL(1) f(float* x) { int unused; x[0] += 1; }"
    with pytest.raises(usmx.CompileError, match="unused variable 'unused'"):
        kernel(source, options=["-Werror", "-Wall"])


@pytest.mark.slow
def test_launch_may_have_more_items_than_an_int_counts():
    f = kernel("USMX_KERNEL(1) f(long* x) { if (usmx::global_id() > x[0]) x[1] = x[0] + 1; }")
    count = 2**31 + 1024
    x = usmx.asarray(np.array([count - 2, 0]))
    f(count, 1024, x).wait()
    assert x[1].item() == count - 1


def test_printf_writes_what_c_writes(capfd):
    f = kernel(
        "USMX_KERNEL(1) f(const float* x, usmx::half h, bool b, signed char c, unsigned long u) {\n"
        'if (usmx::global_id() == 2) usmx::printf("%d %ld: %.2f %.3e %s%% %d %d %lx|", 7, usmx::global_size(), x[2], h, "of 5", b, c, u);\n'
        'if (x[usmx::global_id()] >= 0) usmx::printf("."); }'
    )
    f(4, None, usmx.asarray(np.array([0, 1, -2.5, 4], "f4")), 0.5, True, -3, 2**63).wait()
    written = capfd.readouterr().out
    assert written.replace("-2.50", "").replace("5.000", "").count(".") == 3
    assert "7 4: -2.50 5.000e-01 of 5% 1 -3 8000000000000000|" in written


@pytest.mark.skipif(IS_CUDA, reason="CUDA's takes any format")
def test_printf_of_no_literal_is_an_error_that_says_so():
    with pytest.raises(usmx.CompileError, match="; expected a literal as its format"):
        kernel('USMX_KERNEL(1) f(int* x) { usmx::printf(*x < 0 ? "a" : "b"); }')


def test_printf_in_an_operation_and_a_preamble(capfd):
    f = usmx.ElementwiseKernel(
        "int32 x", "int32 y", 'if (x > 2) printf("[%d at %ld]", x, i); y = twice(x)', "f",
        preamble='inline int twice(int x) { if (x == 0) usmx::printf("[none]"); return 2 * x; }',
    )  # fmt: skip
    assert usmx.asnumpy(f(usmx.asarray(np.array([4, 1, 0, 3], "i4")))).tolist() == [8, 2, 0, 6]
    written = capfd.readouterr().out
    assert sorted(written[1:-1].split("][")) == ["3 at 3", "4 at 0", "none"]


def test_constants_are_tables_of_the_source_or_structures():
    f = kernel(
        "constexpr double weights[3] = {0.25, 0.5, 0.25};\nconst int shifts[] = {4, 5};\n"
        "struct table { float values[8]; };\n"
        "USMX_KERNEL(1) f(table t, double* y) { const auto i = usmx::global_id();\n"
        "y[i] = weights[i % 3] + shifts[i % 2] + t.values[i]; }"
    )
    values = np.arange(8, dtype="f4") ** 2
    y = usmx.zeros(8)
    f(8, None, np.array((values,), dtype=[("values", "f4", 8)])[()], y)
    i = np.arange(8)
    expected = np.array([0.25, 0.5, 0.25])[i % 3] + np.array([4, 5])[i % 2] + values
    np.testing.assert_array_equal(usmx.asnumpy(y), expected)


@pytest.mark.parametrize("written", ["const float& a", "float& a", "const point& a"])
def test_references_are_no_parameters(written):
    expected = "a parameter must be .* by value, found" if IS_CUDA else "; expected a number or a structure by value, without '&'"  # fmt: skip
    with pytest.raises((usmx.CompileError, TypeError), match=expected):
        kernel(f"struct point {{ float x; }}; USMX_KERNEL(1) f({written}, float* y) {{ *y = 1; }}")


def test_functions_take_references_and_structures():
    f = kernel(
        "struct point { float x, y; };\n"
        "template <class T> T larger(const T& a, const T& b) { return a < b ? b : a; }\n"
        "inline void turn(point& p) { const float x = p.x; p.x = -p.y; p.y = x; }\n"
        "USMX_KERNEL(1) f(point* p) { const auto i = usmx::global_id(); turn(p[i]); p[i].x = larger(p[i].x, 0.5f); }"
    )
    dtype = np.dtype([("x", "f4"), ("y", "f4")])
    host = np.array([(1, 2), (3, -4)], dtype)
    p = usmx.asarray(host)
    f(2, None, p)
    assert usmx.asnumpy(p).tolist() == [(0.5, 1), (4, 3)]


def test_module_has_several_kernels_of_one_source():
    m = usmx.KernelModule(
        "#include <usmx/kernel.hpp>\n"
        "USMX_KERNEL(1) one(int* x) { *x = 1; }\nUSMX_KERNEL(2) two(unsigned* x) { *x = 2; }",
        names=["one", "two"],
    )
    assert list(m) == ["one", "two"]
    assert m["two"].signature == "two(unsigned int*)"
    x = usmx.zeros(1, dtype="u4")
    m["two"]((1, 1), None, x)
    assert x.item() == 2
    with pytest.raises(KeyError, match="expected one, two, found 'three'"):
        m["three"]


def test_queue_and_events_can_be_given(axpy):
    x, y = ones(), ones()
    queue = usmx.SyclQueue(property="in_order")
    first = axpy(1024, 64, 1, x, y, queue=queue)
    axpy(1024, 64, 1, x, y, queue=queue, after=[first])
    np.testing.assert_array_equal(usmx.asnumpy(y), 3)


def test_kernel_runs_on_the_queue_of_its_arrays(axpy):
    queue = usmx.SyclQueue(property="in_order")
    x, y = ones(sycl_queue=queue), ones(sycl_queue=queue)
    axpy(1024, 64, 1, x, y)
    queue.wait()
    np.testing.assert_array_equal(usmx.asnumpy(y), 2)


# ---- views


@pytest.fixture(scope="module")
def scale():
    return kernel(
        "USMX_KERNEL(2) f(usmx::view<const float, 2> x, usmx::view<float, 2> y) {"
        "  const auto [i, j] = usmx::global_id<2>(); y(i, j) = 10 * x(i, j); }"
    )


@pytest.mark.parametrize(
    "of",
    [
        lambda x: x[:3, :4],
        lambda x: x[:4, :3].T,
        lambda x: x[5:2:-1, ::-2],
        lambda x: x[1::2, 1::2],
        lambda x: usmx.broadcast_to(x[0, :4], (3, 4)),
        lambda x: usmx.broadcast_to(x[:3, :1], (3, 4)),
    ],
)
def test_views_take_any_layout(scale, of):
    x = usmx.arange(48, dtype="f4").reshape(6, 8)
    y = usmx.zeros((6, 8), dtype="f4")
    scale((3, 4), None, of(x), y[::2, ::2])
    expected = np.zeros((6, 8), "f4")
    expected[::2, ::2] = 10 * usmx.asnumpy(of(x))
    np.testing.assert_array_equal(usmx.asnumpy(y), expected)


def test_views_are_in_the_signature(scale):
    assert scale.signature == "f(usmx::view<const float, 2>, usmx::view<float, 2>)"


def test_views_are_in_order_with_other_work(scale):
    x, y = ones((64, 64)), usmx.zeros((64, 64), dtype="f4")
    for _ in range(50):
        usmx.copy_async(x, usmx.full((64, 64), 2, dtype="f4"))
        scale((64, 64), None, x.T, y[::-1])
        usmx.copy_async(x, ones((64, 64)))
        assert y[0, 0].item() == 20


def test_arguments_of_views_are_checked(scale):
    x = ones((3, 4))
    place = r"^f\(usmx::view<const float, 2>, usmx::view<float, 2>\), argument 1 \(usmx::view<const float, 2>\): "
    size = (3, 4)
    refused(
        ValueError, place + r"expected an array with 2 dimensions, found shape \(12,\)$",
        ones(12), x, of=scale, size=size,
    )  # fmt: skip
    refused(
        TypeError, place + "expected elements of float32, found int32$",
        usmx.zeros((3, 4), dtype="i4"), x, of=scale, size=size,
    )  # fmt: skip
    refused(TypeError, place + "expected an array in USM, found an object of type float$", 2.0, x, of=scale, size=size)  # fmt: skip
    refused(ValueError, r"argument 2 .* may write, found a read-only one", x, x.readonly(), of=scale, size=size)  # fmt: skip
    scale((3, 4), None, x.readonly(), x)


STENCIL = """
USMX_KERNEL(2) stencil(usmx::view<const float, 2> x, usmx::view<float, 2> y) {
  const auto [i, j] = usmx::global_id<2>();
  y(i, j) = x(i, j)
      + x(i + 1, j);
}"""


def test_debug_names_argument_line_and_indices():
    stencil = kernel(STENCIL, "stencil", debug=True)
    x, y = ones((3, 4)), usmx.zeros((3, 4), dtype="f4")
    stencil((2, 4), None, x, y)
    assert y[1, 3].item() == 2
    refused(
        IndexError,
        r"^stencil\(usmx::view<const float, 2>, usmx::view<float, 2>\), argument 1 "
        r"\(usmx::view<const float, 2>\): <source>:6: expected indices inside shape \(3, 4\), found \(3, [0-3]\)$",
        x,
        y,
        of=stencil,
        size=(3, 4),
    )
    assert y[2, 3].item() == 1  # the bad access gave 0


def test_debug_keeps_bad_writes_away_from_arrays():
    f = kernel(
        "USMX_KERNEL(1) f(usmx::view<int, 1> x) { x[usmx::global_id() + 1] = 7; }", debug=True
    )
    x = usmx.zeros(16, dtype="i4")
    refused(IndexError, r"<source>:2: .*shape \(4,\), found \(4,\)", x[4:8], of=f, size=4)
    np.testing.assert_array_equal(usmx.asnumpy(x), [0] * 5 + [7] * 3 + [0] * 8)
    refused(IndexError, r"shape \(0,\), found", x[:0], of=f, size=4)


def test_module_can_be_compiled_for_debugging():
    module = usmx.KernelModule(
        "#include <usmx/kernel.hpp>\n" + STENCIL, names=["stencil"], debug=True
    )
    x = ones((3, 4))
    refused(IndexError, "<source>:6", x, x, of=module["stencil"], size=(3, 4))


# ---- what is refused before the launch


def refused(error, message, *arguments, of, size=1024, local=None, **how):
    with pytest.raises(error, match=message):
        of(size, local, *arguments, **how)


def test_arguments_are_counted(axpy):
    x = ones()
    axpy(1024, None, 1, x, x)
    refused(TypeError, "takes 3 arguments, found 2", 1, x, of=axpy)
    refused(TypeError, "takes 3 arguments, found 4", 1, x, x, x, of=axpy)


def test_kinds_of_arguments_are_compared(axpy):
    x = ones()
    place = r"^axpy\(float, const float\*, float\*\), argument 2 \(const float\*\): "
    refused(
        TypeError,
        place
        + "expected an array in USM, found an object of type list; usmx.asarray makes an array",
        1,
        [1.0],
        x,
        of=axpy,
    )
    refused(
        TypeError, "expected an array in USM, found an object of type float", 1, 1.0, x, of=axpy
    )
    refused(
        TypeError,
        "expected an array in USM, found an object of type numpy.ndarray",
        1,
        np.ones(9, "f4"),
        x,
        of=axpy,
    )
    refused(TypeError, "expected a number for float, found an array", x, x, x, of=axpy)
    for value in ("1", None, b"1", [1], np.ones(1)):
        refused(
            TypeError,
            "argument 1 .float.: expected a number for float, found an object",
            value,
            x,
            x,
            of=axpy,
        )


def test_element_types_are_compared(axpy):
    x = ones()
    refused(
        TypeError,
        "expected elements of float32, found float64",
        1,
        usmx.ones(1024, dtype="f8"),
        x,
        of=axpy,
    )
    refused(
        TypeError,
        "expected elements of float32, found int32",
        1,
        x,
        usmx.ones(1024, dtype="i4"),
        of=axpy,
    )


def test_read_only_array_is_not_written(axpy):
    x = ones()
    axpy(1024, None, 1, x.readonly(), x)
    refused(
        ValueError,
        "an array that the kernel may write, found a read-only one",
        1,
        x,
        x.readonly(),
        of=axpy,
    )


def test_gaps_are_refused_for_pointers(axpy):
    x = ones()
    refused(
        ValueError,
        r"C-contiguous array, found shape \(512,\) with strides \(2,\)",
        1,
        x[::2],
        x,
        of=axpy,
    )
    refused(ValueError, "C-contiguous", 1, ones((4, 8)).T, x, of=axpy)


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("int", 2.5), ("int", 1 << 40), ("int", -(1 << 31) - 1), ("unsigned", -1), ("signed char", 128),
        ("unsigned long", 1 << 64), ("float", 1 << 200), ("long", 1 << 63), ("int", float("nan")), ("int", float("inf")),
        ("float", (1 << 24) + 1), ("float", 1e39), ("double", (1 << 53) + 1), ("_Float16", 70000.0),
        ("bool", 2), ("int", np.float32(0.5)), ("unsigned char", np.int16(-1)),
    ],
)  # fmt: skip
def test_number_that_does_not_fit_is_refused(type_name, value):
    f = kernel(f"USMX_KERNEL(1) f({type_name} a) {{}}")
    refused(ValueError, r"argument 1 \(.*\): expected .*, found ", value, of=f, size=1)


def test_number_with_more_digits_than_python_prints_is_refused():
    f = kernel("USMX_KERNEL(1) f(int a) {}")
    refused(ValueError, "found an integer of 16610 bits", 10**5000, of=f, size=1)


@pytest.mark.parametrize(
    ("size", "local", "message"),
    [
        (8, 3, r"divides the global size \(8,\), found \(3,\)"),
        (8, 0, "divides the global size"),
        ((2, 4), None, "sizes of 1 dimension, as in the kernel, found 2"),
        ((2, 2, 2, 2), None, "1 to 3 dimensions, found 4"),
        ((), None, "1 to 3 dimensions, found 0"),
        (8, (2, 2), "as many dimensions as global_size, 1, found 2"),
        (-8, None, "must not be negative, found -8"),
        (1 << 30, 1 << 30, "at most"),
    ],
)
def test_sizes_are_checked(axpy, size, local, message):
    x = ones()
    refused(ValueError, message, 1, x, x, of=axpy, size=size, local=local)


def test_no_work_items_do_nothing_once_the_arguments_are_checked(axpy):
    none = usmx.empty(0, "f4")
    axpy(0, None, 1, none, none).wait()
    axpy(0, 4, 1, none, none).wait()
    refused(TypeError, "argument 3", 1, none, "text", of=axpy, size=0)


def test_size_that_is_no_integer_is_refused(axpy):
    x = ones()
    refused(TypeError, "global_size", 1, x, x, of=axpy, size=8.0)


def test_arrays_of_two_queues_are_refused(axpy):
    x, y = ones(), ones(sycl_queue=usmx.SyclQueue(property="in_order"))
    refused(usmx.ExecutionPlacementError, "on the same queue", 1, x, y, of=axpy)


def test_memory_of_another_context_is_refused(axpy):
    import dpctl

    queue = dpctl.SyclQueue(dpctl.SyclContext([dpctl.SyclDevice()]), dpctl.SyclDevice())
    if "cuda" in repr(queue):
        pytest.skip("contexts share memory")
    x, y = ones(), ones(sycl_queue=queue)
    refused(ValueError, "memory of the kernel's context", 1, x, y, of=axpy, queue=x.sycl_queue)


def test_local_memory_is_checked():
    f = kernel("USMX_KERNEL(1) f(usmx::local_memory<float> s) { s[0] = 1; }")
    f(1, 1, usmx.local_memory("f4", 1)).wait()
    refused(
        ValueError, "bytes of local memory, found", usmx.local_memory("f4", 1 << 40), of=f, size=1
    )
    refused(
        TypeError,
        "expected elements of float32, found int32",
        usmx.local_memory("i4", 1),
        of=f,
        size=1,
    )
    refused(TypeError, "expected local memory, found an array", ones(), of=f, size=1)
    with pytest.raises(ValueError, match="n must be at least 1, found 0"):
        usmx.local_memory("f4", 0)


# ---- what does not compile


def test_compile_error_names_the_users_line():
    with pytest.raises(usmx.CompileError, match="<source>:3:8: " + undeclared("nothing")) as failed:
        kernel("USMX_KERNEL(1) f(int* x) {\n  *x = nothing;\n}")
    (found,) = failed.value.diagnostics
    assert found == ("<source>", 3, 8, "error", undeclared("nothing"))
    assert found.severity == "error"


def test_compiler_warnings_are_python_warnings():
    with pytest.warns(usmx.CompileWarning, match=r"<source>:2:\d: .*careful") as seen:
        kernel("#warning careful\nUSMX_KERNEL(1) f(int* x) { *x = 1; }")
    assert [each.filename for each in seen] == [__file__]


def test_correct_source_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        usmx.Kernel(AXPY, "axpy")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "name", "error", "message"),
    [
        ("", "f", usmx.CompileError, r"no function 'f': expected USMX_KERNEL\(1\) f\("),
        (
            "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* x) {\n",
            "f",
            usmx.CompileError,
            "of which a brace may be open",
        ),
        ("#include <usmx/kernel.hpp>\nvoid f(int* x) {}", "f", ValueError, "'f' is no kernel"),
        (
            "",
            "f) {} int g(",
            ValueError,
            "must be an identifier of C\\+\\+, found 'f\\) {} int g\\('",
        ),
        ("\0", "f", ValueError, "null character at 0"),
        (
            "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int** x) {}",
            "f",
            TypeError,
            r"found int \*\*",
        ),
        (3, "f", TypeError, "'source' must be a string"),
        ("", 3, TypeError, "'name' must be a string"),
        ('#include "missing.hpp"', "f", usmx.CompileError, NOT_FOUND.format("missing.hpp")),
    ],
)
def test_source_that_is_no_program_is_refused(source, name, error, message):
    with pytest.raises(error, match=message):
        usmx.Kernel(source, name)


def test_options_and_names_are_sequences():
    with pytest.raises(TypeError, match="options must be a sequence of strings"):
        usmx.Kernel(AXPY, "axpy", options="-O1")
    with pytest.raises(TypeError, match="names must be a sequence of strings"):
        usmx.KernelModule(AXPY, "axpy")
    with pytest.raises(ValueError, match="the name of a macro must be an identifier"):
        usmx.Kernel(AXPY, "axpy", defines={"N(x)": 8})


@pytest.mark.parametrize(
    "source",
    [
        "#pragma clang __debug crash\nUSMX_KERNEL(1) f(int* x) {}",
        "USMX_KERNEL(1) f(__attribute__((opencl_local)) float* x) { *x = 1; }",
    ],
    ids=["crash", "exit"],
)
@pytest.mark.skipif(IS_CUDA, reason="NVIDIA's compiler does not crash on these")
def test_source_that_crashes_the_compiler_is_an_error(source):
    with pytest.raises(usmx.CompileError, match="the compiler ended early, with"):
        kernel(source)


@pytest.mark.skipif(IS_CUDA, reason="NVIDIA's compiler has other limits")
def test_brackets_that_are_too_deep_for_the_compiler_are_an_error_that_says_so():
    deep = "(" * 100_000 + "1" + ")" * 100_000
    with pytest.raises(usmx.CompileError, match="bracket nesting level exceeded maximum of 1000"):
        kernel(f"USMX_KERNEL(1) f(int* x) {{ *x = {deep}; }}")


def test_undefined_function_is_an_error_that_names_it():
    with pytest.raises(usmx.CompileError, match="missing"):
        kernel("int missing(int); USMX_KERNEL(1) f(int* x) { *x = missing(1); }")


@pytest.mark.slow
@pytest.mark.skipif(IS_CUDA, reason="CUDA's driver finds these, and says so in its own words")
@pytest.mark.parametrize(
    ("declared", "use", "name"),
    [
        ('extern "C" int getpid();', "getpid()", "getpid"),
        ('extern "C" void abort();', "(abort(), 1)", "abort"),
        ('extern "C" int puts(const char*);', 'puts("")', "puts"),
        ('extern "C" int _exit(int);', "_exit(3)", "_exit"),
        ("namespace std { void terminate(); }", "(std::terminate(), 1)", r"std::terminate\(\)"),
        ('int mine() __asm__("getpid");', "mine()", "getpid"),
        ('extern "C" int daylight;', "daylight", "daylight"),
        ('extern "C" double lgamma(double);\nextern "C" int getpid();', "getpid() + lgamma(1.0)",
         "getpid"),
    ],
)  # fmt: skip
def test_what_only_the_host_defines_is_an_error(declared, use, name):
    source = f"{declared}\nUSMX_KERNEL(1) f(int* x) {{ if (*x == 7) *x = {use}; }}"
    with pytest.raises(usmx.CompileError, match=f"uses what has no definition: '{name}'"):
        kernel(source)


def test_mathematical_functions_of_c_are_defined():
    x = usmx.ones(1, dtype="f8")
    kernel('extern "C" double lgamma(double);\nUSMX_KERNEL(1) f(double* x) { *x = lgamma(6.0); }')(
        1, 1, x
    )
    assert x.item() == pytest.approx(math.lgamma(6))


def test_complex_arrays_are_parameters():
    conjugate = kernel(
        "USMX_KERNEL(1) f(const usmx::complex<float>* x, usmx::complex<float>* y) {"
        " y[0] = conj(x[0]) / x[1]; }"
    )
    x = usmx.asarray(np.array([3 + 4j, 2j], dtype="c8"))
    y = usmx.zeros(1, dtype="c8")
    conjugate(1, 1, x, y)
    assert y.item() == (3 - 4j) / 2j
    with pytest.raises(TypeError, match="found complex128"):
        conjugate(1, 1, x, usmx.zeros(1, dtype="c16"))


@pytest.mark.parametrize("part", ["float", "double"])
@pytest.mark.parametrize("value", [1 - 2j, np.complex64(1 - 2j), np.complex128(1 - 2j), 3, 0.5])
def test_complex_numbers_are_arguments(part, value):
    f = kernel(
        f"USMX_KERNEL(1) f(usmx::complex<{part}> z, usmx::complex<{part}>* y) {{ *y = z * 2; }}"
    )
    y = usmx.zeros(1, dtype="c8" if part == "float" else "c16")
    f(1, 1, value, y)
    assert y.item() == value * 2


def test_complex_numbers_are_for_complex_parameters_that_hold_them(axpy):
    x = ones()
    refused(
        TypeError,
        r"argument 1 \(float\): expected a number for float, found the complex number \(-0-1.5j\)$",
        complex(-0.0, -1.5),
        x,
        x,
        of=axpy,
    )
    f = kernel("USMX_KERNEL(1) f(usmx::complex<float> z, float* x) { *x = real(z); }")
    with pytest.raises(ValueError, match=r"expected a number that usmx::complex<float> can hold"):
        f(1, 1, 1e39j, x)
    with pytest.raises(ValueError, match=r"expected a number that usmx::complex<float> can hold"):
        f(1, 1, 2**24 + 1, x)
    f(1, 1, complex("nan+infj"), x)
    assert math.isnan(usmx.asnumpy(x)[0])


def test_source_that_is_not_cached_sees_files_as_they_are_now(tmp_path):
    header = tmp_path / "value.hpp"
    x = usmx.zeros(1, dtype="i4")
    for value in (1, 2):
        header.write_text(f"constexpr int value = {value};", encoding="utf-8")
        kernel(f'#include "{header}"\nUSMX_KERNEL(1) f(int* x) {{ *x = value; }}')(1, 1, x)
        assert x.item() == value


# ---- in other processes

FROM_CACHE = f"""
import pathlib, sys, usmx
axpy = usmx.Kernel({AXPY!r} + sys.argv[1], "axpy")
y = usmx.ones(8, dtype="f4")
axpy(8, None, 2.0, y, y).wait()
assert (usmx.asnumpy(y) == 3).all()
assert axpy.signature == "axpy(float, const float*, float*)"
print(pathlib.Path("/proc/thread-self/children").read_text() != "")  # whether a compiler ran
"""


def run(program, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_second_process_does_not_compile(tmp_path):
    cache = {"USMX_CACHE_DIR": str(tmp_path / "cache")}
    assert run(FROM_CACHE, "", **cache) == "True"
    assert (
        len(list((tmp_path / "cache").glob("user-*"))) == 1
    )  # devices may keep other kernels there
    assert run(FROM_CACHE, "", **cache) == "False"
    assert run(FROM_CACHE, "//", **cache) == "True"


@pytest.mark.slow
def test_processes_fill_the_cache_at_once(tmp_path):
    cache = {"USMX_CACHE_DIR": str(tmp_path)}
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: run(FROM_CACHE, "", **cache), range(4)))
    assert len(list(tmp_path.glob("user-*"))) == 1
    assert not list(tmp_path.glob("*.part"))
    assert run(FROM_CACHE, "", **cache) == "False"


@pytest.mark.slow
def test_damaged_cache_is_compiled_again(tmp_path):
    cache = {"USMX_CACHE_DIR": str(tmp_path)}
    run(FROM_CACHE, "", **cache)
    (entry,) = tmp_path.glob("user-*")
    entry.write_bytes(entry.read_bytes()[:-100])
    assert run(FROM_CACHE, "", **cache) == "True"
    assert run(FROM_CACHE, "", **cache) == "False"


def test_ctrl_c_ends_a_compilation():
    program = f"import usmx\nprint('begun', flush=True)\nusmx.Kernel({ENDLESS!r}, 'f')"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout.readline() == "begun\n"
        while not compilers_of(child.pid):
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate()
    assert error.rstrip().endswith("KeyboardInterrupt")


ENDLESS = "#include <usmx/kernel.hpp>\n#include __FILE__\nUSMX_KERNEL(1) f(int* x) {}"
SHORT = "#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* x) { *x = 1; }"


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("source", [ENDLESS, SHORT], ids=["at work", "idle"])
@pytest.mark.parametrize("delay", [0, 0.01, 0.03, 0.3])  # the compiler listens after a while
def test_compiler_ends_at_once_when_the_program_is_killed(source, delay):
    # The option keeps it out of the disk cache.
    program = f"import usmx\nusmx.Kernel({source!r}, 'f', options=['-I/'])\ninput()"
    with subprocess.Popen([sys.executable, "-P", "-c", program], stdin=subprocess.PIPE) as child:
        while not (compilers := compilers_of(child.pid)):
            pass
        if source == SHORT:
            while "S" not in state_of(compilers[0]):
                time.sleep(0.01)
        time.sleep(delay)
        child.kill()
    begin = time.monotonic()
    while state_of(compilers[0]) not in ("", "Z"):
        assert time.monotonic() - begin < 4, "it would end by itself after 5 s without work"
        time.sleep(0.01)


@pytest.mark.slow
def test_compiler_of_a_large_program_is_kept_for_the_next_kernel():
    """The kernel counts a parent's memory among what its child has had."""
    run("""
import pathlib, usmx
large = bytearray(b"1") * (1200 << 20)
def compiler():
    usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) { *x = 1; }", "f", options=["-I/"])
    return pathlib.Path("/proc/thread-self/children").read_text()
first = compiler()
assert first != "" and compiler() == first
""")


def compilers_of(process):
    """The numbers of the processes of usmx-compile that this one has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return [
        child
        for child in children
        if Path(f"/proc/{child}/comm").read_text(encoding="ascii") == "usmx-compile\n"
    ]


def state_of(process):
    """A letter: Z for one that has ended, S for one that waits; none where there is no process."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


# ---- other producers


def test_dpnp_arrays_are_arguments(axpy):
    import dpnp

    x, y = dpnp.ones(1024, dtype="f4"), dpnp.ones(1024, dtype="f4")
    axpy(1024, 64, 2, x, y).wait()
    assert (y.asnumpy() == 3).all()


@pytest.mark.parametrize("sizes", [(), (2, 2, 2, 2)])
def test_range_of_no_or_too_many_dimensions_is_dpctls_error_and_a_value_error(sizes):
    kernel = usmx.Kernel("#include <usmx/kernel.hpp>\nUSMX_KERNEL(1) f(int* a) { *a = 1; }", "f")
    with pytest.raises(usmx.SyclKernelInvalidRangeError, match="1 to 3 dimensions") as caught:
        kernel(sizes, None, usmx.zeros(1, "i4"))
    assert isinstance(caught.value, ValueError)


USES_MUCH_LOCAL_MEMORY = """
#include <usmx/kernel.hpp>
USMX_KERNEL(1) greedy(float* x) {
  usmx::local_array<float, 1 << 22> all;
  all[usmx::local_id()] = x[usmx::global_id()];
  usmx::barrier();
  x[usmx::global_id()] = all[63 - usmx::local_id()];
}"""


def test_launch_that_the_runtime_refuses_is_dpctls_error_and_names_the_kernel():
    x = usmx.ones(64, "f4")
    if x.sycl_device.local_mem_size >= 1 << 24:
        pytest.skip("the device has 16 MiB of local memory")
    try:
        kernel = usmx.Kernel(USES_MUCH_LOCAL_MEMORY, "greedy")
    except usmx.CompileError:
        pytest.skip("this device's driver refuses such a kernel when it is loaded")
    with pytest.raises(usmx.SyclKernelSubmitError, match="^greedy: the SYCL runtime refuses") as it:
        kernel(64, 64, x)
    assert isinstance(it.value, RuntimeError)
    assert (usmx.asnumpy(x) == 1).all()
