"""The examples that are projects of their own, built against the installed package."""

import re
import sys
from pathlib import Path

import pytest
from extension_builds import cmake_dir
from helpers import run

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.slow


def test_program_prints_what_its_readme_says(tmp_path):
    source = EXAMPLES / "program"
    run("cmake", "-GNinja", "-S", source, "-B", tmp_path, f"-Dusmx_DIR={cmake_dir('usmx')}")
    run("cmake", "--build", tmp_path)
    (expected,) = re.findall(r"```text\n(.*?)```", (source / "README.md").read_text(), re.DOTALL)
    assert run(tmp_path / "program") == expected


def test_adoption_passes_its_tests(tmp_path):
    source = EXAMPLES / "adoption"
    pip = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps"]
    pip += ["--config-settings=cmake.build-type=Debug"]
    pip += ["--config-settings=cmake.define.CMAKE_UNITY_BUILD=ON"]
    run(*pip, "--target", tmp_path, source)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import pytest; sys.exit(pytest.main())"
    )
    printed = run(sys.executable, "-P", "-c", code, cwd=source)
    assert " passed" in printed
