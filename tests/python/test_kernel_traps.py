"""What the SYCL runtime's compiler and launches do to those who use them as they are, tried on usmx."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import usmx
from helpers import eventually, output_of, run_python

# Kernels for CUDA devices are compiled by NVIDIA's compiler: tests/cpp/kernels/compile/nvrtc_test.cpp.
about_the_runtimes_compiler = pytest.mark.skipif(
    usmx.SyclDevice().backend == "cuda",
    reason="the SYCL runtime's compiler makes no kernels for CUDA devices",
)

names_of_cuda = pytest.mark.skipif(
    usmx.SyclDevice().backend == "cuda", reason="CUDA's C++ has functions of these names already"
)


def kernel(body, name="f", **options):
    return usmx.Kernel("#include <usmx/kernel.hpp>\n" + body, name, **options)


# ---- the compiler

# What it computes while it compiles is an array of 14 GB.
LARGE = """constexpr char last() {
  char rows[200][1000000]{};
  for (auto& row : rows) row[999999] = 1;
  return rows[199][999999];
}
static_assert(last());
"""


@pytest.mark.slow
@about_the_runtimes_compiler
def test_source_that_takes_all_memory_is_an_error():
    with pytest.raises(usmx.CompileError, match="the compiler ended early, with"):
        kernel(LARGE + "USMX_KERNEL(1) f(int* x) {}")


@pytest.mark.slow
def test_compiling_leaves_no_memory_and_no_files_behind():
    output_of("""
import os, usmx
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
def compile(number):
    source = f"#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) {{ *x = {number}; }}"
    kernel = usmx.Kernel(source, "f", options=["-I/" + str(number)])  # not cached
    x = usmx.zeros(1, dtype="i4")
    kernel(1, 1, x)
    assert x.item() == number
compile(1)
before, files = resident(), len(os.listdir("/proc/self/fd"))
for number in range(2, 8):
    compile(number)
assert len(os.listdir("/proc/self/fd")) == files
assert resident() - before < 50 << 20, resident() - before  # the compiler would keep 230 MB
""")


@pytest.mark.slow
def test_kernel_that_is_made_again_is_not_built_again():
    """The runtime keeps what it has built, 0.4 MB each time, for as long as the context lives."""
    output_of("""
import usmx
from leaks import always_left_by
x = usmx.zeros(4, "f4")
def again():
    kernel = usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(float* x) { x[usmx::global_id()] += 1; }", "f")
    kernel(4, None, x).wait()
again()
nbytes, blocks = always_left_by(again, 100)
assert nbytes < 4 << 20, nbytes
""")


@pytest.mark.slow
@about_the_runtimes_compiler
def test_long_compilation_tells_on_a_terminal_and_ends_by_ctrl_c():
    endless = "#include <usmx/kernel.hpp>\n#include __FILE__\nUSMX_KERNEL(1) f(int* x) {}"
    terminal, other_end = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-P", "-c", f"import usmx\nusmx.Kernel({endless!r}, 'f')"],
        stderr=other_end,
    ) as child:
        os.close(other_end)
        said = b""
        while b"usmx compiles f: 3 s; Ctrl-C ends it" not in said:
            said += os.read(terminal, 4096)
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the terminal's other end is closed
            while more := os.read(terminal, 4096):
                said += more
    os.close(terminal)
    line, erased, after = said.partition(b"\r\x1b[K")
    assert line.count(b"usmx compiles f: ") == 2
    assert erased
    assert after.rstrip().endswith(b"KeyboardInterrupt")


@pytest.mark.slow
@about_the_runtimes_compiler
def test_ctrl_c_while_the_time_is_told_ends_a_compilation():
    assert (
        output_of("""
import usmx
from usmx._container import hooks
def interrupted(names, seconds):
    if seconds:
        raise KeyboardInterrupt(f"{names} {seconds}")
usmx._core._set_hooks(**hooks.FUNCTIONS | {"compile_progress": interrupted})
endless = "#include <usmx/kernel.hpp>\\n#include __FILE__\\nUSMX_KERNEL(1) f(int* x) {}"
try:
    usmx.Kernel(endless, "f")
except KeyboardInterrupt as error:
    print(error)
""")
        == "['f'] 2"
    )


@pytest.mark.slow
def test_many_threads_compile_at_once():
    found = {}

    def compile_and_run(number):
        f = kernel(f"USMX_KERNEL(1) f(int* x) {{ *x = {number}; }}", options=[f"-I/{os.getpid()}"])
        x = usmx.zeros(1, dtype="i4")
        f(1, 1, x)
        found[number] = x.item()

    threads = [threading.Thread(target=compile_and_run, args=(k,)) for k in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {k: k for k in range(8)}


@pytest.mark.slow
@pytest.mark.parametrize("header", ["<sycl/sycl.hpp>", "<sycl/builtins.hpp>"])
@about_the_runtimes_compiler
def test_missing_headers_of_the_host_are_explained(header):
    with pytest.raises(
        usmx.CompileError, match=r"file not found\n(.|\n)*<usmx/kernel.hpp> needs none"
    ):
        usmx.Kernel(f"#include {header}", "f", options=["-nostdinc++"])


@about_the_runtimes_compiler
def test_missing_header_of_the_users_is_not_blamed_on_the_host():
    with pytest.raises(
        usmx.CompileError, match="'mine.hpp' file not found\n    #include \"mine.hpp\"\n +\\^$"
    ):
        usmx.Kernel('#include "mine.hpp"', "f")


# After an error that ends all work on templates, the compiler crashes where the type of a kernel's
# parameter is a template, as in each generated kernel.
TEMPLATE = """template <class T> struct A { T a; A(T x) : a(x) {} };
USMX_KERNEL(1) f(A<int> q, int* x) {}"""
WRONG = {
    "missing file": ("#include <nope>", "1:10: 'nope' file not found"),
    "missing quoted file": ('#include "nope.hpp"', "1:10: 'nope.hpp' file not found"),
    "missing file by macro": ("#define X <nope>\n#include X", "2:10: 'nope' file not found"),
    "missing next file": ("#include_next <nope>", "1:15: 'nope' file not found"),
    "missing embedded file": ("#embed <nope>", "1:8: 'nope' file not found"),
    "folder": ('#include "/tmp"', "1:10: '/tmp' file not found"),
    "long name": (f'#include "{"a" * 5000}"', "1:10: cannot open file"),
    "missing module": ("#pragma clang module import nope", "1:29: module 'nope' not found"),
    "many errors": ("int a = wrong;\n" * 40, "1:9: use of undeclared identifier 'wrong'"),
    # The compiler allows 256, and its time for those beyond grows with their square.
    "brackets": (f"int a = {'(' * 10_000}1{')' * 10_000};", "bracket nesting level exceeded"),
    "file in itself": ("#include __FILE__", "#include nested too deeply"),
    "no name": ("#include <>", "1:10: empty filename"),
    "error": ("#error no", "1:2: no"),
    "open comment": ("/* open", "1:1: unterminated /* comment"),
    "open raw string": ('const char* s = R"x(open', "raw string missing terminating delimiter"),
    "line": ("#line -1", "#line directive requires a positive integer argument"),
    "module": ("export module nope;", "expected template"),
}


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize(("text", "reason"), WRONG.values(), ids=WRONG)
@about_the_runtimes_compiler
def test_wrong_text_is_an_error_with_its_line_and_not_a_crash(text, reason):
    x = usmx.zeros(3)
    wrong = {
        "preamble": lambda: usmx.ElementwiseKernel("T x", "T y", "y = x", "f", preamble=text)(x),
        "my.hpp": lambda: kernel(f'#include "my.hpp"\n{TEMPLATE}', headers={"my.hpp": text}),
    }
    for file, make in wrong.items():
        with pytest.raises(usmx.CompileError) as caught:
            make()
        said = str(caught.value)
        assert said.startswith("the kernel's source cannot be compiled:"), said
        assert f"\n  {file}:" in said
        assert reason in said
        assert "PLEASE" not in said
    f = usmx.ElementwiseKernel("T x", "T y", "y = x + 1", "f", options=[f"-DTRIED={os.getpid()}"])
    np.testing.assert_array_equal(usmx.asnumpy(f(x)), 1)


@about_the_runtimes_compiler
def test_crash_of_the_compiler_itself_is_told_without_its_request_to_report_it():
    with pytest.raises(usmx.CompileError, match="the compiler ended early, with signal") as caught:
        kernel("#pragma clang __debug crash\nUSMX_KERNEL(1) f(int* x) {}")
    assert "PLEASE" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"headers": {"a.hpp": "\udcff"}}, "the header 'a.hpp'"),
        ({"headers": {"\udcff.hpp": ""}}, "a name of headers"),
        ({"defines": {"A": "\udcff"}}, "the macro A"),
        ({"defines": {"\udcff": 1}}, "a name of defines"),
        ({"options": ["-D\udcff"]}, "an option"),
    ],
)
def test_text_that_is_no_unicode_is_refused_by_name(options, named):
    with pytest.raises(ValueError, match=f"{named} must be Unicode text, found '.*udcff"):
        kernel("USMX_KERNEL(1) f(int* x) {}", **options)


# ---- the compiler's process

COMPILERS = """
import os, signal, sys, threading, time, usmx
from pathlib import Path
folder = Path(os.environ["TMPDIR"])
endless = "#include <usmx/kernel.hpp>\\n#include __FILE__\\nUSMX_KERNEL(1) f(int* x) {}"
def compile(number):
    usmx.Kernel(f"#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) {{ *x = {number}; }}", "f")
def compilers():
    return [int(each) for file in Path("/proc/self/task").glob("*/children")
            for each in file.read_text().split()
            if "(usmx-compile)" in (text := Path(f"/proc/{each}/stat").read_text()) and ") Z" not in text]
def await_(condition):
    latest = time.monotonic() + 60
    while not condition() and time.monotonic() < latest:
        time.sleep(0.02)
    assert condition()
def work():
    try:
        usmx.Kernel(endless, "f")
    except usmx.CompileError:
        pass
"""


def left_after(code, folder):
    """What a program that compiles leaves in its folder for temporary files."""
    folder.mkdir(exist_ok=True)
    result = run_python(
        COMPILERS + code, TMPDIR=str(folder), USMX_CACHE_DIR="", USMX_LEAK_WARNINGS=None
    )
    eventually(
        lambda: not list(folder.iterdir())
    )  # the compiler ends a little later than the program
    return result, [each.name for each in folder.iterdir()]


ENDS = {
    "program that ends": ("compile(1)", 0),
    "program that ends while it compiles": (
        "threading.Thread(target=work, daemon=True).start(); await_(compilers)", 0),
    "program that is killed": ("compile(1); os.kill(os.getpid(), 9)", -9),
    "program that is killed while it compiles": (
        "threading.Thread(target=work, daemon=True).start(); await_(lambda: any(folder.glob('*/*')));"
        "os.kill(os.getpid(), 9)", -9),
    "compiler that is killed": (
        "thread = threading.Thread(target=work); thread.start(); await_(lambda: any(folder.glob('*/*')));"
        "os.kill(compilers()[0], 9); thread.join(); assert not any(folder.iterdir())", 0),
    "compiler that waited too long": ("compile(1); await_(lambda: not compilers()); assert not any(folder.iterdir())", 0),
}  # fmt: skip


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize(("code", "status"), ENDS.values(), ids=ENDS)
@about_the_runtimes_compiler
def test_no_end_leaves_temporary_files(code, status, tmp_path):
    result, left = left_after(code, tmp_path / "files")
    assert (result.returncode, result.stderr) == (status, "")
    assert left == []


@pytest.mark.slow
@about_the_runtimes_compiler
def test_files_of_a_program_and_a_compiler_that_were_both_killed_go_with_the_next_compilation(
    tmp_path,
):
    other = tmp_path / "files" / "others"
    other.mkdir(parents=True)
    (tmp_path / "files" / "usmx-compile-of-nobody").mkdir()
    (tmp_path / "files" / "usmx-compile-of-nobody" / "file").write_text("left")
    result = run_python(
        COMPILERS + "compile(1)\nprint(sorted(each.name[:13] for each in folder.iterdir()))",
        TMPDIR=str(tmp_path / "files"),
        USMX_CACHE_DIR="",
    )
    assert result.stdout.split() == ["['others',", "'usmx-compile-']"], result.stderr


@about_the_runtimes_compiler
def test_folder_for_temporary_files_may_be_relative(tmp_path):
    code = f"""
import os
os.chdir({str(tmp_path)!r})
os.mkdir("files")
{COMPILERS}
compile(1)
print(*(each.name[:13] for each in folder.iterdir()))
"""
    assert output_of(code, TMPDIR="files", USMX_CACHE_DIR="") == "usmx-compile-"


@pytest.mark.slow
@about_the_runtimes_compiler
def test_compiler_that_was_stopped_while_it_waited_is_replaced():
    assert output_of(COMPILERS + """
compile(1)
(stopped,) = compilers()
os.kill(stopped, signal.SIGSTOP)
compile(2)
print(stopped in compilers(), len(compilers()))
""", TMPDIR="/tmp", USMX_CACHE_DIR="") == "False 1"  # fmt: skip


@pytest.mark.parametrize("wrong", ["/nonexistent", __file__, "/proc"])
@about_the_runtimes_compiler
def test_folder_for_temporary_files_that_cannot_be_used_is_named(wrong):
    result = run_python("""
import usmx
try:
    usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) {}", "f")
except RuntimeError as error:
    print(error)
""", TMPDIR=wrong, USMX_CACHE_DIR="")  # fmt: skip
    assert f"the folder that TMPDIR names, or in /tmp: expected a folder that this process can write to, found {wrong}: " in result.stdout, result.stderr  # fmt: skip


@pytest.mark.slow
@about_the_runtimes_compiler
def test_kernel_with_the_headers_of_sycl_runs():
    f = usmx.Kernel(
        """
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void f(float a, float* x) {
  const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  x[item.get_global_id(0)] = a * sycl::reduce_over_group(item.get_group(), 1.f, sycl::plus<float>());
}""",
        "f",
    )
    x = usmx.zeros(8, dtype="f4")
    f(8, 4, 2, x)
    np.testing.assert_array_equal(usmx.asnumpy(x), 8)
    assert f.signature == "f(float, float*)"


OPENCL_C = [
    "__kernel void f(__global float* x) { x[get_global_id(0)] = 1; }",
    "kernel void f(global float* x) { x[0] = 1; }",
    "void f(float* x) { x[get_global_id(0)] = 1; }",
]


@pytest.mark.parametrize("source", OPENCL_C)
def test_opencl_c_is_refused_by_name(source):
    with pytest.raises(usmx.CompileError, match=r"is OpenCL C, .* dpctl.program"):
        usmx.Kernel(source, "f")


def test_word_of_opencl_c_in_sycl_is_no_opencl_c():
    f = kernel("inline long get_global_id(int) { return usmx::global_id(); }"
               "USMX_KERNEL(1) f(int* x) { x[get_global_id(0)] = 5; }")  # fmt: skip
    x = usmx.zeros(2, dtype="i4")
    f(2, None, x)
    assert usmx.asnumpy(x).tolist() == [5, 5]


# ---- names


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(each, marks=names_of_cuda) for each in ("norm", "exp", "sqrt", "abs")),
        "f",
        "kernel",
        "view",
        "index",
    ],
)
def test_kernel_may_have_any_name(name):
    f = kernel(f"USMX_KERNEL(1) {name}(double* x) {{ *x = usmx::sqrt(*x); }}", name)
    x = usmx.full(1, 9.0)
    f(1, 1, x)
    assert x.item() == 3


def test_templates_work_behind_a_kernel_and_not_as_one():
    f = kernel("template <class T> T half(T x) { return x / 2; }"
               "USMX_KERNEL(1) f(double* x, int* y) { *x = half(*x); *y = half(*y); }")  # fmt: skip
    x, y = usmx.full(1, 5.0), usmx.full(1, 5, dtype="i4")
    f(1, 1, x, y)
    assert (x.item(), y.item()) == (2.5, 2)
    with pytest.raises(usmx.CompileError):
        kernel("template <class T> USMX_KERNEL(1) f(T* x) {}")


# ---- in kernels


@about_the_runtimes_compiler
def test_functions_that_throw_calls_are_a_compile_error_that_names_them():
    with pytest.raises(usmx.CompileError, match="'__cxa_allocate_exception', '__cxa_throw'"):
        kernel("USMX_KERNEL(1) f(int* x) { throw 1; }")


@about_the_runtimes_compiler
def test_assertion_that_fails_does_not_end_the_process():
    f = kernel("#include <assert.h>\nUSMX_KERNEL(1) f(int* x) { assert(*x == 1); *x = 5; }")
    x = usmx.zeros(1, dtype="i4")
    f(1, 1, x)
    assert x.item() == 5


@pytest.mark.parametrize("required", [(4,), (2, 4), (2, 4, 8)])
@pytest.mark.filterwarnings("ignore:.*kernel properties")
@about_the_runtimes_compiler
def test_required_size_of_a_group_is_kept(required):
    text, dimensions = str(required).strip("(,)"), len(required)
    f = kernel(
        f"USMX_KERNEL({dimensions}) f [[sycl::reqd_work_group_size({text})]] (int* x) {{ usmx::atomic_add(*x, 1); }}"
    )
    size = (8,) * dimensions
    x = usmx.zeros(1, dtype="i4")
    f(size, None, x)
    f(size, required, x)
    assert x.item() == 2 * 8**dimensions
    with pytest.raises(
        ValueError, match=r"expected the local size .*, which the kernel requires, found \(8,"
    ):
        f(size, (8, *[1] * (dimensions - 1)), x)


# ---- launches


@pytest.mark.slow
def test_arguments_are_counted_for_a_kernel_from_the_cache(tmp_path):
    program = """
import usmx
f = usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int a, float* x) { *x = a; }", "f")
x = usmx.zeros(1, dtype="f4")
f(1, 1, 7, x)
assert x.item() == 7
try:
    f(1, 1, x)
except TypeError as error:
    print(error)
"""
    for _ in range(2):
        found = output_of(program, USMX_CACHE_DIR=str(tmp_path))
        assert "f(int, float*) takes 2 arguments, found 1" in found


def test_memory_of_the_host_is_no_argument():
    f = kernel("USMX_KERNEL(1) f(int* x) { *x = 1; }")
    for wrong in (np.zeros(1, "i4"), memoryview(bytearray(4)), 0, None, 1 << 40):
        with pytest.raises(TypeError, match="expected an array in USM, found an object"):
            f(1, 1, wrong)


def test_signal_of_a_full_queue_of_launches_is_their_result():
    f = kernel("USMX_KERNEL(1) f(long* x) { x[usmx::global_id()] += 1; }")
    x = usmx.zeros(64, dtype="i8")
    for _ in range(1000):
        f(64, None, x)
    np.testing.assert_array_equal(usmx.asnumpy(x), 1000)


def test_source_may_have_carriage_returns_and_other_alphabets():
    f = kernel("// größer\r\nUSMX_KERNEL(1) f(int* x) {\r\n  *x = 4; }\r\n")
    x = usmx.zeros(1, dtype="i4")
    f(1, 1, x)
    assert x.item() == 4


def test_cache_has_no_entry_for_a_source_that_fails(tmp_path):
    output_of("""
import usmx
try:
    usmx.Kernel("#include <usmx/kernel.hpp>\\nUSMX_KERNEL(1) f(int* x) { none }", "f")
except usmx.CompileError:
    pass
""", USMX_CACHE_DIR=str(tmp_path))  # fmt: skip
    assert list(Path(tmp_path).glob("user-*")) == []
