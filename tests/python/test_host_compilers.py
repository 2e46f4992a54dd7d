"""Kernels in C++ that g++ or clang would compile for the host only are errors, which say what to do."""

import functools
import os
import re
import shutil
import subprocess
import sys

import pytest
from helpers import run

MESSAGE = "only a SYCL compiler (icpx -fsycl) can compile for a device"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
HEADERS = ["array.hpp", "runtime.hpp", "array/submit.hpp", "user_kernels/kernel.hpp"]
# What a message to the programmer begins with: the place comes before the error, or after it.
BEGIN = {"g++": ": In instantiation of ", "clang++": " error: "}
PROGRAM = """
#include <sycl/queue.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
namespace experimental = sycl::ext::oneapi::experimental;
void set(int* p) { *p = 1; }
struct setter {
  int* p;
  void operator()() const { *p = 1; }
};
"""
# Compilers take each for a file of its own, so that their messages say which one they are about.
FUNCTION = """
#line 1 "{name}.cpp"
void {name}(sycl::queue queue, int* p) {{
  {statement};
}}
"""
# Kernels as fill() and memcpy2d() have them for a device of Level Zero, on any device.
RUNTIMES_OWN_KERNEL = """
#include <usmx/runtime.hpp>
#include <cstdio>
template <class Kernel>
void launch(const char* name) {
  sycl::queue queue = usmx::default_queue();
  try {
    queue.submit([&](sycl::handler& command) {
      command.parallel_for<Kernel>(sycl::range<1>(1), [=](sycl::id<1>) {});
    });
  } catch (const sycl::exception& error) {
    std::printf("%s: %s\\n", name, error.what());
  }
}
int main() {
  launch<__usmfill<int>>("fill");
  launch<__usmfill2d<int>>("fill2d");
  launch<__usmmemcpy2d<int>>("memcpy2d");
}
"""
KERNELS = {
    "parallel_for_in_a_command": "queue.submit([&](sycl::handler& command) { command.parallel_for("
    "sycl::range<1>(4), [=](sycl::id<1> i) { p[i] = 1; }); })",
    "parallel_for_of_an_nd_range": "queue.parallel_for(sycl::nd_range<1>(4, 2),"
    " [=](sycl::nd_item<1> item) { p[item.get_global_id()] = 1; })",
    "single_task": "queue.single_task([=] { *p = 1; })",
    "named": "queue.single_task<class name>([=] { *p = 1; })",
    "an_object": "queue.single_task(setter{p})",
    "a_function": "experimental::nd_launch(queue, sycl::nd_range<1>(4, 2),"
    " experimental::kernel_function<set>, p)",
}


def flags():
    return run(sys.executable, "-P", "-m", "usmx", "config", "--cflags").split()


def said_by(compiler, header, statements, *options):
    """What the compiler says to a program with functions of these statements; empty for one that compiles."""
    functions = (FUNCTION.format(name=name, statement=s) for name, s in statements.items())
    source = f"#include <usmx/{header}>{PROGRAM}{''.join(functions)}"
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", *options, *flags()]
    command += ["-x", "c++", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True).stderr


@pytest.fixture(scope="module")
def messages():
    """All that a compiler says to a program of all kernels, by kernel."""

    @functools.cache
    def said(compiler, header=HEADERS[0]):
        limit = ["-ferror-limit=0"] if compiler == "clang++" else []
        text = said_by(compiler, header, KERNELS, *limit)
        each = re.split(f"^(?=.*{BEGIN[compiler]})", text, flags=re.MULTILINE)
        return {name: [m for m in each if f"{name}.cpp:2:" in m] for name in KERNELS}

    return said


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_in_cpp_is_an_error_of_the_compiler_that_says_where(messages, kernel, compiler):
    said = [m for m in messages(compiler)[kernel] if MESSAGE in m]
    assert said
    assert all("usmx::kernel" in message for message in said)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
def test_each_way_to_a_queue_brings_the_error(messages, header):
    assert MESSAGE in "".join(messages("g++", header)["single_task"])


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_commands_without_kernels_compile(compiler):
    commands = (
        "queue.memcpy(p, p + 4, 16); queue.memset(p, 0, 16); queue.fill(p, 1, 4);"
        "queue.submit([&](sycl::handler& command) { command.host_task([=] { *p = 1; }); })"
    )
    assert not said_by(compiler, HEADERS[0], {"commands": commands})


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What a program prints that launches kernels of the runtime's own."""
    program = tmp_path_factory.mktemp("launches") / "program"
    source = program.with_suffix(".cpp")
    source.write_text(RUNTIMES_OWN_KERNEL)
    links = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
    # Without NDEBUG, the runtime's headers assert that the kernel has a name, and abort.
    options = ["-std=c++20", "-DNDEBUG"]
    run(os.environ.get("CXX", "g++"), *options, source, *links, "-o", program)
    return run(program).splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["fill", "fill2d", "memcpy2d"])
def test_launch_of_a_kernel_of_the_runtimes_own_is_an_exception(printed, kernel):
    (line,) = [line for line in printed if line.startswith(f"{kernel}: ")]
    assert "need a SYCL compiler; use usmx::fill_async" in line
