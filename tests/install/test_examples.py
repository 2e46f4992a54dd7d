"""The examples that are projects of their own, built against the installed package."""

import os
import re
import sys
from pathlib import Path

import pytest
from extension_builds import cmake_dir, quick_environment, unpack, wheel_of
from helpers import run

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.slow


def test_program_prints_what_its_readme_says(tmp_path):
    source = EXAMPLES / "program"
    run("cmake", "-GNinja", "-S", source, "-B", tmp_path, f"-Dusmx_DIR={cmake_dir('usmx')}")
    run("cmake", "--build", tmp_path)
    (expected,) = re.findall(r"```text\n(.*?)```", (source / "README.md").read_text(), re.DOTALL)
    assert run(tmp_path / "program") == expected


@pytest.mark.parametrize("name", ["adoption", "from_dpctl"])
def test_extension_passes_its_tests(name, tmp_path, tmp_path_factory):
    source = EXAMPLES / name
    unpack(wheel_of(source, tmp_path, quick_environment(tmp_path_factory)), tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pytest; sys.exit(pytest.main())"
    )
    variables = os.environ | {"LD_LIBRARY_PATH": f"{sys.prefix}/lib"}  # of oneMKL
    printed = run(sys.executable, "-P", "-c", code, cwd=source, env=variables)
    assert " passed" in printed


def lines_of_code(path):
    """Without comments, docstrings and blank lines."""
    text = path.read_text()
    if path.suffix == ".pyx":
        text = re.sub(r'"""(?:.|\n)*?"""|^\s*#[^\n]*', "", text, flags=re.MULTILINE)
    else:
        text = re.sub(r"//[^\n]*", "", text)
    return sum(1 for line in text.splitlines() if line.strip())


def test_page_counts_the_lines_of_the_ports():
    page = (EXAMPLES.parent / "docs/coming-from-dpctl4pybind11.md").read_text()
    section = page.partition("## Their examples, here")[2]
    rows = re.findall(r"^\| dp.*? \| \d+ \| (.*) \| (\d+) \|$", section, re.MULTILINE)
    sources = EXAMPLES / "from_dpctl/src"
    for names, count in rows:
        files = [sources / name for name in re.findall(r"`([^`]+)`", names)]
        assert sum(map(lines_of_code, files)) == int(count), names
    assert len(rows) == 6
