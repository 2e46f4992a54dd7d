"""What users of CuPy and OpenCL write first, and mistakes that are easily made: each error says what to write instead."""

import re
from pathlib import Path

import numpy as np
import pytest
import usmx
from documents import ROOT

HEADER = "#include <usmx/kernel.hpp>\n"
AXPY = HEADER + (
    "USMX_KERNEL(1) axpy(float a, const float* x, float* y) {\n"
    "  y[usmx::global_id()] += a * x[usmx::global_id()];\n}"
)


@pytest.fixture(scope="module")
def axpy():
    return usmx.Kernel(AXPY, "axpy")


@pytest.fixture
def x():
    return usmx.ones(8, dtype="f4")


# ---- arguments


def test_two_queues_name_the_kernel_and_the_arguments(axpy, x):
    other = usmx.ones(8, dtype="f4", sycl_queue=usmx.SyclQueue(property="in_order"))
    expected = "must be on the same queue, found argument {} on <SyclQueue .*> .* and argument {} on .*queue= says where"
    with pytest.raises(
        usmx.ExecutionPlacementError, match="axpy: arguments " + expected.format(2, 3)
    ):
        axpy(8, None, 1, x, other)
    add = usmx.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    with pytest.raises(
        usmx.ExecutionPlacementError, match="add: arguments " + expected.format(1, 2)
    ):
        add(x, other)
    with pytest.raises(
        usmx.ExecutionPlacementError, match="add: arguments " + expected.format(2, 3)
    ):
        add(1, x, other)
    dot = usmx.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", 0, "dot")
    with pytest.raises(
        usmx.ExecutionPlacementError, match="dot: arguments " + expected.format(1, 2)
    ):
        dot(x, other)


@pytest.mark.parametrize("sequence", [tuple, list])
def test_cupys_form_of_a_launch(axpy, x, sequence):
    with pytest.raises(
        TypeError,
        match=rf"as in axpy\(blocks \* threads, threads, x, y\), found one {sequence.__name__}",
    ):
        axpy((1,), (8,), sequence((1.0, x, x)))


@pytest.mark.parametrize("value", [np.ones(8, "f4"), [1.0]])
def test_arrays_of_the_host(axpy, x, value):
    for call in (
        lambda: axpy(8, None, 1, value, x),
        lambda: usmx.ElementwiseKernel("T x", "T y", "y = x")(value),
        lambda: usmx.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0)(value),
    ):
        with pytest.raises(
            TypeError, match="found an object of type .*; usmx.asarray makes an array in USM of it"
        ):
            call()


def test_structures_of_objects_are_refused():
    source = (
        HEADER
        + "struct pair { void* a; long b; };\nUSMX_KERNEL(1) f(pair p, long* x) { *x = p.b; }"
    )
    value = np.array((object(), 3), dtype=[("a", "O"), ("b", "i8")])[()]
    with pytest.raises(
        TypeError, match="found a structure with Python objects, which no device can use"
    ):
        usmx.Kernel(source, "f")(1, None, value, usmx.zeros(1, dtype="i8"))


# ---- sources


def test_cuda_source():
    source = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1; }'
    with pytest.raises(
        usmx.CompileError,
        match=r"is CUDA C\+\+.*expected USMX_KERNEL\(1\) .*usmx::global_id\(\) in place of",
    ):
        usmx.Kernel(source, "f")


@pytest.mark.parametrize(
    ("expression", "advice"),
    [
        ("threadIdx.x", "usmx::local_id()"),
        ("blockIdx.x", "usmx::group_id()"),
        ("get_global_id(0)", "usmx::global_id()"),
        ("atomicAdd(x, 1)", "usmx::atomic_add(x[i], value)"),
        ("std::sqrt(x[0])", "the functions of usmx/kernel.hpp"),
        ("DBL_EPSILON", "usmx::numeric_limits<double>::epsilon()"),
        ("CUDART_PI", "M_PI"),
        ("float4()", "a structure of four numbers"),
        ("__expf(x[0])", "usmx::expf(value)"),
        ("barrier(CLK_LOCAL_MEM_FENCE)", "usmx::barrier()"),
        ("work_group_reduce_max(1)", "usmx::group_reduce_max(value)"),
        ("(__global float*)x", "a pointer without it"),
    ],
)
def test_names_from_elsewhere_come_with_the_name_here(expression, advice):
    with pytest.raises(usmx.CompileError) as caught:
        usmx.Kernel(HEADER + f"USMX_KERNEL(1) f(float* x) {{ x[0] = {expression}; }}", "f")
    assert f"; expected {advice}" in str(caught.value)


@pytest.mark.parametrize(
    "standard", ["-std=c++11", "-std=gnu++14", "--std=c++98", "-std=c++0x", "-std=c99"]
)
def test_old_standards(standard):
    with pytest.raises(ValueError, match=r"options: kernels are C\+\+17 or later.*found '-"):
        usmx.Kernel(AXPY, "axpy", options=[standard])
    usmx.Kernel(AXPY, "axpy", options=["-std=c++20"])


def test_compile_errors_show_the_line_with_a_mark():
    with pytest.raises(usmx.CompileError) as caught:
        usmx.Kernel(
            HEADER + "USMX_KERNEL(1) f(float* x) {\n  const float é = 1; float a = nothing + é;\n}",
            "f",
        )
    lines = str(caught.value).splitlines()
    shown = lines.index("      const float é = 1; float a = nothing + é;")
    assert "use of undeclared identifier 'nothing'" in lines[shown - 1]
    assert lines[shown + 1] == " " * lines[shown].index("nothing") + "^"


def test_errors_of_an_operation_show_its_line(x):
    kernel = usmx.ElementwiseKernel("T x", "T y", "T q = x;\ny = q + nothing")
    with pytest.raises(
        usmx.CompileError, match=r"operation:2:9: .*\n    y = q \+ nothing\n            \^"
    ):
        kernel(x)


@pytest.mark.parametrize("written", ["y = x +", "y = x * // twice", "y = x\n+"])
def test_an_operation_that_ends_too_early_shows_its_end(x, written):
    lines = written.count("\n") + 2
    with pytest.raises(
        usmx.CompileError,
        match=rf":\n  operation:{lines}:1: expected expression\n    ;  // the end of operation\n    \^$",
    ):
        usmx.ElementwiseKernel("T x", "T y", written)(x)


@pytest.mark.parametrize("name", ["map_expr", "reduce_expr", "identity"])
def test_an_expression_that_ends_too_early_shows_its_end(x, name):
    parts = {"map_expr": "x", "reduce_expr": "a + b", "post_map_expr": "y = a", "identity": "0"}
    kernel = usmx.ReductionKernel("T x", "T y", **{**parts, name: parts[name] + " -"})
    with pytest.raises(usmx.CompileError, match=rf"\)  // the end of {name}") as caught:
        kernel(x)
    assert (caught.value.diagnostics[0].file, caught.value.diagnostics[0].line) == (name, 2)


BRACKETS = {
    "y = x; if (x > 1) {": "operation:1:19: '{' is not closed",
    "y = x;\n  y += (x": "operation:2:8: '(' is not closed",
    "y = x; }": "operation:1:8: '}' closes nothing",
    "y = v[x);": "operation:1:8: ')' closes '[' of 1:6",
}


@pytest.mark.parametrize("written", BRACKETS)
def test_brackets_are_named_with_their_place(written):
    with pytest.raises(ValueError, match=f"^{re.escape(BRACKETS[written])}$"):
        usmx.ElementwiseKernel("T x", "T y", written)
    with pytest.raises(ValueError, match=f"^{re.escape(BRACKETS[written])}$".replace("operation", "post_map_expr")):  # fmt: skip
        usmx.ReductionKernel("T x", "T y", "x", "a + b", written, "0")
    with pytest.raises(ValueError, match=f"^{re.escape(BRACKETS[written])}$".replace("operation", "preamble")):  # fmt: skip
        usmx.ElementwiseKernel("T x", "T y", "y = x", preamble=written)


@pytest.mark.parametrize(
    "written",
    [
        "y = '(' - 40 + x;  // )",
        "y = 1'000 - 1'000 + x; /* { [ */",
        'y = x; const char* t = ")\\"{"; (void)t;',
        "#define OPEN (\ny = OPEN x)",
        'const char* t = R"(()"; (void)t; y = x;',
        "y = '\\'' - 39 + x;",
    ],
)
def test_brackets_in_comments_texts_and_macros_are_left_to_the_compiler(x, written):
    kernel = usmx.ElementwiseKernel("T x", "T y", written)
    np.testing.assert_array_equal(usmx.asnumpy(kernel(x)), usmx.asnumpy(x))


@pytest.mark.parametrize("dimensions", ["0", "4", "-1", "2.5"])
def test_number_of_dimensions_of_a_kernel(dimensions):
    with pytest.raises(usmx.CompileError, match="a kernel has 1, 2 or 3 dimensions"):
        usmx.Kernel(HEADER + f"USMX_KERNEL({dimensions}) f(float* x) {{ }}", "f")


def test_null_characters_name_their_text(x):
    kernel = usmx.ElementwiseKernel("T x", "T y", "y = x\0")
    with pytest.raises(
        ValueError, match="'operation' of a kernel must be text, found a null character at 5"
    ):
        kernel(x)
    with pytest.raises(
        ValueError, match="the value of the macro A must be text, found a null character at 1"
    ):
        usmx.Kernel(AXPY, "axpy", defines={"A": "1\0"})


@pytest.mark.parametrize("keyword", ["defines", "headers"])
@pytest.mark.parametrize("value", [[("N", 1)], ["N=1"], "N"])
def test_defines_and_headers_are_mappings(keyword, value):
    with pytest.raises(
        TypeError,
        match=rf"{keyword} must be a mapping of names to values, such as \{{'N': 16\}}, found",
    ):
        usmx.Kernel(AXPY, "axpy", **{keyword: value})
    with pytest.raises(TypeError, match=f"{keyword} must be a mapping"):
        usmx.KernelModule(AXPY, ["axpy"], **{keyword: value})


@pytest.mark.parametrize("keyword", ["defines", "headers"])
@pytest.mark.parametrize("value", [{1: "1"}, {None: "1"}, {b"N": "1"}])
def test_names_of_defines_and_headers_are_text(keyword, value):
    with pytest.raises(TypeError, match=f"a name of {keyword} must be a string, found an object"):
        usmx.Kernel(AXPY, "axpy", **{keyword: value})


@pytest.mark.parametrize("text", [1, None, b"int n;"])
def test_headers_are_text(text):
    with pytest.raises(
        TypeError, match="the header 'n.hpp' must be a string, found an object of type"
    ):
        usmx.Kernel(AXPY, "axpy", headers={"n.hpp": text})


@pytest.mark.parametrize("name", ["class", "int", "template", "and"])
def test_words_of_cpp_are_no_names_of_parameters(name):
    with pytest.raises(
        ValueError, match=f"in_params must not use the name '{name}', which is a word of C"
    ):
        usmx.ElementwiseKernel(f"T {name}", "T y", "y = 1")
    with pytest.raises(ValueError, match=f"out_params must not use the name '{name}'"):
        usmx.ReductionKernel("T x", f"T {name}", "x", "a + b", "y = a", 0)


def test_macros_of_kernels_are_no_names_of_parameters():
    headers = ROOT.glob("include/usmx/kernel*.hpp")
    macros = set(re.findall(r"^#define (\w+)", "".join(map(Path.read_text, headers)), re.M))
    assert {"NAN", "M_PI", "USMX_KERNEL"} < macros
    for name in macros - {"assert"}:
        with pytest.raises(ValueError, match=f"in_params must not use the name '{name}', which "):
            usmx.ElementwiseKernel(f"T {name}", "T y", "y = 1")


@pytest.mark.parametrize("name", ["__x86_64__", "_Float16", "__x", "_X"])
def test_names_of_the_compiler_are_no_names_of_parameters(name):
    with pytest.raises(
        ValueError, match=f"must not use the name '{name}', which C\\+\\+ keeps for the compiler"
    ):
        usmx.ElementwiseKernel(f"T {name}", "T y", "y = 1")
