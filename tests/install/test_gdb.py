"""gdb prints arrays and views by the script that is installed beside the library."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import run
from sharing import shared_folder

pytestmark = [
    pytest.mark.slow,  # a program is compiled and debugged
    pytest.mark.nightly,
    pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb"),
]

PROGRAM = """
#include <cstdint>
#include <numeric>
#include <usmx/array.hpp>
#include <usmx/runtime.hpp>

[[gnu::noinline]] void stop_here() { asm volatile(""); }

int main() {
  const sycl::queue queue = usmx::default_queue();
  const usmx::array_of<double, 2> typed({2, 3}, queue, usmx::usm_kind::shared);
  usmx::array array = typed.transposed().as_readonly();
  const usmx::array none;
  const usmx::array many = usmx::empty({1, 1, 1, 1, 1, 1, 2}, usmx::int8, queue);
  const usmx::array_view seen = many.view();
  const auto elements = typed.host_view();
  double next = 0;
  for (auto row : elements) std::iota(row.begin(), row.end(), next += 10);
  const auto kept = typed.slice(1).host_view();
  const usmx::device_view<double, 2> for_kernels = typed.device_view();
  const usmx::strided_view<int, 1> bad(nullptr, {3}, {1});
  std::uint8_t bytes[2000] = {1, 2, 3, 4};
  const usmx::strided_view<std::uint8_t, 1> large(bytes, {2000}, {1});
  const usmx::layout layout = array.layout();
  const usmx::dtype type = array.type();
  stop_here();
  (void)none, (void)seen, (void)kept, (void)for_kernels, (void)bad, (void)large, (void)layout;
  (void)type;
}
"""
PRINTED = {
    "typed": "float64, shape (2, 3), strides (3, 1), shared memory",
    "array": "float64, shape (3, 2), strides (1, 3), shared memory, read-only",
    "none": "float64, shape (0,), strides (1,), no USM",
    "many": "int8, shape (1, 1, 1, 1, 1, 1, 2), strides (2, 2, 2, 2, 2, 2, 1), device memory",
    "seen": "int8, shape (1, 1, 1, 1, 1, 1, 2), strides (2, 2, 2, 2, 2, 2, 1), device memory",
    "elements": "extents (2, 3), strides (3, 1): [[10, 11, 12], [20, 21, 22]]",
    "kept": "extents (3,), strides (1,): [20, 21, 22]",
    "for_kernels": "extents (2, 3), strides (3, 1), for kernels",
    "bad": "extents (3,), strides (1,), which cannot be read",
    "large": "extents (2000,), strides (1,): [1 '\\001', 2 '\\002', 3 '\\003', ..., 0 '\\000', 0 '\\000', 0 '\\000']",
    "layout": "shape (3, 2), strides (1, 3), offset 0",
    "type": "float64",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    def make(folder):
        folder.mkdir()
        (folder / "program.cpp").write_text(PROGRAM)
        options = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags", "--libs").split()
        source = folder / "program.cpp"
        run("g++", "-std=c++20", "-g", "-O0", source, *options, "-o", folder / "program")

    return shared_folder(tmp_path_factory, "debugged", make) / "program"


def printed(program, *options):
    """What gdb says of each variable."""
    command = ["gdb", "-batch", "-nx", *options, "-ex", "set print address off"]
    command += ["-ex", "set breakpoint pending on", "-ex", "break stop_here", "-ex", "run"]
    command += ["-ex", "up"]
    for name in PRINTED:
        command += ["-ex", f"echo ={name}=\\n", "-ex", f"print {name}"]
    done = subprocess.run(
        [*map(str, command), program], capture_output=True, text=True, timeout=240
    )
    return dict(re.findall(r"^=(\w+)=\n\$\d+ = (.*)$", done.stdout, re.MULTILINE)), done


def script():
    return run(sys.executable, "-P", "-m", "usmx", "config", "--gdb-script").strip()


def test_arrays_and_views_are_printed_by_what_they_are(program):
    found, done = printed(program, "-x", script())
    assert found == PRINTED, done.stdout + done.stderr


def test_gdb_loads_the_script_with_the_library_where_that_is_allowed(program):
    folder = Path(script()).parent
    found, done = printed(program, "-iex", f"add-auto-load-safe-path {folder}")
    assert found == PRINTED, done.stdout + done.stderr
