"""The tutorial docs/first-extension.md, from its first command to its last line of output."""

import os
import shlex
import subprocess

import pytest
from documents import ROOT, blocks_of
from environments import make_environment
from extension_builds import quick_environment

BLOCKS = blocks_of(ROOT / "docs/first-extension.md")


def command_of(block):
    """What a reader does with a block, for a shell."""
    if block.language == "text" or block.info == "environment":
        return ""  # to be read; what this environment has
    if block.language == "sh":
        return block.text
    if block.file_name:
        return f"printf %s {shlex.quote(block.text)} >{block.file_name}\n"
    assert block.output is not None
    return f"python -c {shlex.quote(block.text)} >output\n"


@pytest.mark.slow
def test_tutorial_works_as_written(tmp_path, tmp_path_factory):
    python = make_environment(tmp_path / "environment")
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    script = "set -e\n" + "".join(map(command_of, BLOCKS))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=quick_environment(tmp_path_factory) | {"PATH": path, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = [block.output for block in BLOCKS if block.output is not None]
    assert [(tmp_path / "smooth/output").read_text()] == outputs
