"""The examples that are projects of their own, built against the installed package."""

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


def test_adoption_passes_its_tests(tmp_path, tmp_path_factory):
    source = EXAMPLES / "adoption"
    unpack(wheel_of(source, tmp_path, quick_environment(tmp_path_factory)), tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pytest; sys.exit(pytest.main())"
    )
    printed = run(sys.executable, "-P", "-c", code, cwd=source)
    assert " passed" in printed
