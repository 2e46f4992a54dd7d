"""Kernels in C++ that g++ or clang would compile for the host only are errors, which say what to do."""

import os
import shutil
import subprocess
import sys

import pytest
from helpers import run

MESSAGE = "only a SYCL compiler (icpx -fsycl) can compile for a device"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
HEADERS = ["array.hpp", "runtime.hpp", "array/submit.hpp", "user_kernels/kernel.hpp"]
PROGRAM = """
#include <usmx/{header}>
#include <sycl/queue.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
namespace experimental = sycl::ext::oneapi::experimental;
void set(int* p) {{ *p = 1; }}
struct setter {{
  int* p;
  void operator()() const {{ *p = 1; }}
}};
void submit(sycl::queue queue, int* p) {{
  {statement};
}}
"""
# A kernel as fill() has it for a device of Level Zero, on any device.
RUNTIMES_OWN_KERNEL = """
#include <usmx/runtime.hpp>
#include <cstdio>
int main() {
  sycl::queue queue = usmx::default_queue();
  try {
    queue.submit([&](sycl::handler& command) {
      command.parallel_for<KERNEL>(sycl::range<1>(1), [=](sycl::id<1>) {});
    });
  } catch (const sycl::exception& error) {
    std::puts(error.what());
  }
}
"""
KERNELS = {
    "parallel_for in a command": "queue.submit([&](sycl::handler& command) { command.parallel_for("
    "sycl::range<1>(4), [=](sycl::id<1> i) { p[i] = 1; }); })",
    "parallel_for of an nd_range": "queue.parallel_for(sycl::nd_range<1>(4, 2),"
    " [=](sycl::nd_item<1> item) { p[item.get_global_id()] = 1; })",
    "single_task": "queue.single_task([=] { *p = 1; })",
    "named": "queue.single_task<class name>([=] { *p = 1; })",
    "an object": "queue.single_task(setter{p})",
    "a function": "experimental::nd_launch(queue, sycl::nd_range<1>(4, 2),"
    " experimental::kernel_function<set>, p)",
}


def flags():
    return run(sys.executable, "-P", "-m", "usmx", "config", "--cflags").split()


def said_by(compiler, folder, statement, header=HEADERS[0]):
    """What the compiler says to the program; empty for one that compiles."""
    source = folder / "program.cpp"
    source.write_text(PROGRAM.format(header=header, statement=statement))
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", *flags(), source]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_kernel_in_cpp_is_an_error_of_the_compiler(tmp_path, kernel):
    for compiler in COMPILERS:
        said = said_by(compiler, tmp_path, kernel)
        assert MESSAGE in said
        assert "usmx::kernel" in said
        assert "program.cpp:" in said  # where it is


@pytest.mark.slow
@pytest.mark.parametrize("header", HEADERS)
def test_each_way_to_a_queue_brings_the_error(tmp_path, header):
    assert MESSAGE in said_by("g++", tmp_path, KERNELS["single_task"], header)


@pytest.mark.slow
def test_commands_without_kernels_compile(tmp_path):
    commands = (
        "queue.memcpy(p, p + 4, 16); queue.memset(p, 0, 16); queue.fill(p, 1, 4);"
        "queue.submit([&](sycl::handler& command) { command.host_task([=] { *p = 1; }); })"
    )
    for compiler in COMPILERS:
        assert not said_by(compiler, tmp_path, commands)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["__usmfill<int>", "__usmfill2d<int>", "__usmmemcpy2d<int>"])
def test_launch_of_a_kernel_of_the_runtimes_own_is_an_exception(tmp_path, kernel):
    source = tmp_path / "program.cpp"
    source.write_text(RUNTIMES_OWN_KERNEL)
    links = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
    # Without NDEBUG, the runtime's headers assert that the kernel has a name, and abort.
    options = ["-std=c++20", "-DNDEBUG", f"-DKERNEL={kernel}"]
    run(os.environ.get("CXX", "g++"), *options, source, *links, "-o", tmp_path / "program")
    assert "need a SYCL compiler; use usmx::fill_async" in run(tmp_path / "program")
