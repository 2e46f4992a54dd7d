"""tools/setup.sh: the environment that ./run and ./test make."""

import subprocess
from pathlib import Path

SETUP = Path(__file__).parents[2] / "tools/setup.sh"
PYTHON = """#!/bin/sh
case $1 in
-c) echo 3.11 ;;
-m) mkdir --parents "$3" ;;
esac
"""


def files_after(tmp_path, lines):
    """What is in the environment after it was required, lines of bash ran, and it was required again."""
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    environment = tmp_path / "environment"
    script = f"source '{SETUP}'; PYTHON='{python}' VENV='{environment}' LOG='{tmp_path}/log'"
    parts = [f"{script}; require_venv; {part}" for part in (lines, "true")]
    for part in parts:
        subprocess.run(["bash", "-c", part], capture_output=True, check=False, timeout=60)
    return {path.name for path in environment.iterdir()}


def test_environment_stays_as_it_is(tmp_path):
    assert files_after(tmp_path, 'touch "$VENV/package"') == {"made-for", "package"}


def test_environment_stays_where_pip_fails(tmp_path):
    failing = 'touch "$VENV/package"; python() { return 1; }; pip_install package'
    assert files_after(tmp_path, failing) == {"made-for", "package"}


def test_environment_where_pip_was_killed_is_made_anew(tmp_path):
    killed = 'python() { touch "$VENV/half"; kill -KILL $BASHPID; }; pip_install package'
    assert files_after(tmp_path, killed) == {"made-for"}
