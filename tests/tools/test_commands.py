"""The scripts that developers start: what they say of themselves, and what they refuse before they do anything."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command):
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, check=False, text=True, timeout=240
    )


@pytest.mark.parametrize(
    ("script", "word"), [("./test", "./test nightly"), ("tools/other_debian", "SUITE COMMAND")]
)
def test_help_is_shown(script, word):
    shown = run(script, "--help")
    assert shown.returncode == 0
    assert word in shown.stdout
    assert "set -euo" not in shown.stdout


@pytest.mark.parametrize(
    "stage", ["pyton", "python-tool", "quick-c++", "level-zero-dg2", "pythons-"]
)
def test_unknown_stage_is_refused_before_anything_is_built(stage):
    refused = run("./test", "release", stage)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: expected all, nightly, device")
    assert f"found '{stage}'" in refused.stderr
