"""Any source at all: it becomes a kernel, or is refused by an error; nothing ends the process."""

import warnings

import hypothesis.strategies as st
import pytest
import usmx
from hypothesis import example, given, settings

# Whole lines and their parts, put together in any order.
PIECES = [
    "#include <usmx/kernel.hpp>", "USMX_KERNEL(1)", "USMX_KERNEL(4)", "USMX_KERNEL(x)", " f", "(int* x)", "(usmx::view<const float, 2> v)",
    "(usmx::view<int, 0> v)", "(usmx::view<int, 9> v)", "(usmx::local_memory<float> m)", "(const int x, ...)", "(float& x)", "(char** x)",
    "{ *x = 1; }", "{ }", "{ v(0, 0) = 1; }", "{ return 1; }", "{ f(x); }", "{", "}", ";", "template <class T> ", "struct s { s(); int a; };", "(s a)",
    "namespace usmx { ", "using usmx::view;", "#define f g", "#define usmx", "#if 1", "#endif", "#error no", "#pragma once", "#line 7 \"z\"", "\\", "//", "/*", "*/",
    "extern \"C\" ", "static ", "inline ", "__attribute__((sycl_kernel)) ", "[[deprecated]] ", "0x", "'", "\"", "R\"(", ")\"", "é", "\x7f", "\r", "@", "...",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12), st.booleans())
@example(["#include <usmx/kernel.hpp>", "USMX_KERNEL(1)", " f", "(int* x)", "{ *x = 1; }"], True)
def test_any_source_is_a_kernel_or_an_error(pieces, debug):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel = usmx.Kernel("\n".join(pieces), "f", debug=debug)
    except (usmx.CompileError, ValueError, TypeError) as error:
        refusal = str(error)
        assert refusal
    else:
        assert kernel.signature.startswith("f(")
