"""What newcomers write compiles and does the right thing, or is an error that says the right name."""

import itertools
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest
import usmx
from sharing import shared_folder

pytestmark = pytest.mark.slow  # a compiler reads SYCL's headers

LINES = (Path(__file__).parent / "newcomers.txt").read_text("utf-8").splitlines()
RIGHT = [line.split(maxsplit=1)[1] for line in LINES if line.startswith("right")]
WRONG = [tuple(line.split(maxsplit=1)[1].split("  ->  ")) for line in LINES if line[:5] == "wrong"]
MOST_LINES = 14  # of which six are about macros

HEADERS = """
#include <iostream>
#include <numeric>
#include <ranges>
#include <string>
#include <usmx/usmx.hpp>
#include <utility>
#include <vector>
"""
TRY = """
void {name}(const sycl::queue& queue, const usmx::array& a, const usmx::array_of<double, 2>& t,
           usmx::strided_view<double, 2> view, std::vector<double>& v, const usmx::kernel& k) {{
#line 1 "{name}"
  {line};
}}
"""
PROGRAM = """
#include "headers.hpp"
using usmx::array;
using matrix = usmx::array_of<double, 2>;
int main() {{
  const sycl::queue queue = usmx::default_queue();
  int failures = 0;
  const auto run = [&](const char* what, auto expression) {{
    const matrix t({{2, 3}}, queue, usmx::usm_kind::shared);
    const array a = t;
    const auto view = t.host_view();
    std::vector<double> v(6);
    std::iota(v.begin(), v.end(), 0.0);
    usmx::copy_from_host(v, a);
    if (!expression(a, t, view, v)) {{
      std::cout << what << '\\n';
      ++failures;
    }}
  }};
{lines}
  return failures;
}}
"""
RUN = """
  run(R"({0})", [&]([[maybe_unused]] array a, [[maybe_unused]] matrix t,
                    [[maybe_unused]] usmx::strided_view<double, 2> view,
                    [[maybe_unused]] std::vector<double>& v) {{ return {0}; }});
"""


@pytest.fixture(scope="session")
def precompiled(tmp_path_factory):
    """A folder with the headers, which the compiler has read already."""

    def make(folder):
        folder.mkdir()
        (folder / "headers.hpp").write_text(HEADERS)
        command = ["g++", *OPTIONS, "-x", "c++-header", folder / "headers.hpp"]
        subprocess.run([*map(str, command)], check=True)

    return shared_folder(tmp_path_factory, "newcomers", make)


OPTIONS = ["-std=c++20", f"-I{usmx.get_include()}", f"-isystem{Path(sys.prefix) / 'include'}"]


def compiled(folder, source, *options):
    command = ["g++", *OPTIONS, f"-I{folder}", *options, "-x", "c++", "-"]
    return subprocess.run([*map(str, command)], input=source, capture_output=True, text=True)


def errors_of(folder, lines):
    """What the compiler says to a program of these lines, which have names."""
    functions = [TRY.format(name=name, line=line) for name, line in lines.items()]
    done = compiled(folder, '#include "headers.hpp"\n' + "".join(functions), "-fsyntax-only")
    assert done.returncode != 0
    return done.stderr.splitlines()


def by_name(said):
    """What is about each line, by its name. Nothing if there is an error that is not about one of them."""
    parts = []
    for before, line in itertools.pairwise(["", *said]):
        is_path = re.match(r"(In file included)? +from ", before)
        if re.match(r"In file included from |\S+: In ", line) and not is_path:
            parts.append([])
        parts[-1].append(line)
    found, name = {}, None
    for part in parts:
        text = "\n".join(part)
        names = set(re.findall(r"^(tried_\d+):", text, re.MULTILINE))
        if names or "error: " in text:  # a note belongs to the error before it
            if len(names) != 1:
                return {}
            (name,) = names
        found[name] = found.get(name, []) + part
    return found


def is_short_and_names(reason, name, said):
    errors = [line for line in said if re.search(r"error: |^ +\d+ \| ", line)]
    # The list of files that have included each other depends on the program.
    own = [line for line in said if not re.match(r"(In file included)? +from ", line)]
    is_named = re.search(reason, "\n".join(errors)) and f"{name}:1" in "\n".join(said)
    return bool(is_named) and len(own) <= MOST_LINES


@pytest.fixture(scope="module")
def said(precompiled):
    """What the compiler says to all wrong lines in one program, by the line's name."""
    return by_name(
        errors_of(precompiled, {f"tried_{k}": tried for k, (tried, _) in enumerate(WRONG)})
    )


@pytest.mark.drawn(3)
@pytest.mark.parametrize("number", range(len(WRONG)), ids=[tried for tried, _ in WRONG])
def test_wrong_line_is_a_short_error_that_names_the_right_one(number, said, precompiled):
    """Alone in a program if need be: the compiler says once what it has to say about one template."""
    tried, reason = WRONG[number]
    name = f"tried_{number}"
    if not is_short_and_names(reason, name, said.get(name, [])):
        alone = errors_of(precompiled, {name: tried})
        assert is_short_and_names(reason, name, alone), "\n".join(alone)


def test_right_lines_do_the_right_thing(precompiled, tmp_path):
    program = PROGRAM.format(lines="\n".join(RUN.format(line) for line in RIGHT))
    command = [sys.executable, "-P", "-m", "usmx", "config", "--libs"]
    libraries = subprocess.check_output(command, text=True).split()
    (tmp_path / "right.cpp").write_text(program)
    flags = ["-Wall", "-Wextra", "-Wno-unused-value", f"-I{precompiled}", "-o", tmp_path / "right"]
    build = ["g++", *OPTIONS, *flags, tmp_path / "right.cpp", *libraries]
    done = subprocess.run([*map(str, build)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run([tmp_path / "right"], capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout) == (0, "")


WORDS = """
#include <unistd.h>

#include <usmx/array.hpp>
#include <usmx/python/nanobind.hpp>
#include <usmx/user_kernels/kernel.hpp>

using namespace usmx;
using points = param::host<const double, param::shape<param::any, 3>, param::c_contig>;

long bytes(int file, char* to) { return read(file, to, 1); }
double first(const points& x) { return x.view()(0, 0); }
std::ptrdiff_t count(const param::read<double>& x, const param::convert<const float>& y) {
  return x.size() + y.size();
}
"""


def test_words_of_parameters_leave_the_names_of_others_alone():
    """Only their old names in usmx make POSIX's read ambiguous, and a program can do without these."""
    python = [f"-isystem{sysconfig.get_path('include')}", f"-isystem{nanobind.include_dir()}"]
    options = ["-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", *python]
    done = compiled(".", WORDS, "-DUSMX_NO_PARAMETER_WORDS", *options)
    assert (done.returncode, done.stderr) == (0, "")
    done = compiled(".", WORDS, *options)
    assert re.search("reference to .read. is ambiguous", done.stderr)
