"""tools/setup.sh: the environment that ./run and ./test make."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from helpers import eventually

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
        subprocess.run(["bash", "-c", part], capture_output=True, check=False, timeout=240)
    return {path.name for path in environment.iterdir()}


def test_environment_stays_as_it_is(tmp_path):
    assert files_after(tmp_path, 'touch "$VENV/package"') == {"made-for", "package"}


def test_environment_stays_where_pip_fails(tmp_path):
    failing = 'touch "$VENV/package"; python() { return 1; }; pip_install package'
    assert files_after(tmp_path, failing) == {"made-for", "package"}


def test_environment_where_pip_was_killed_is_made_anew(tmp_path):
    killed = 'python() { touch "$VENV/half"; kill -KILL $BASHPID; }; pip_install package'
    assert files_after(tmp_path, killed) == {"made-for"}


def start(tmp_path, lines):
    """Bash that runs lines after setup.sh, with an environment in a folder."""
    script = (
        f"source '{SETUP}'; VENV='{tmp_path}' LOG='{tmp_path}/log' BESIDE_LOG='{tmp_path}/beside'"
    )
    return subprocess.Popen(
        ["bash", "-c", f"set -euo pipefail; {script}; {lines}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def output_of(tmp_path, lines):
    said, _ = start(tmp_path, lines).communicate(timeout=240)
    return said.splitlines()


def test_requirements_of_an_extra_have_those_of_the_extras_that_it_names(tmp_path):
    required = output_of(tmp_path, "requirements_of test")
    assert {"packaging>=23", "rich>=13", "numba>=0.61", "furo>=2025.9"} <= set(required)
    assert not [each for each in required if each.startswith("usmx")]


def test_packages_that_are_there_are_not_asked_for_while_usmx_is_built(tmp_path):
    assert output_of(tmp_path, f"requirements_of cli '{tmp_path}/constraints'") == []
    there = (tmp_path / "constraints").read_text().splitlines()
    assert [each for each in there if each.startswith("numpy==")]


def pip_that(does):
    """Lines that begin to install a package by a pip, which notes its arguments and then does that."""
    return f"""
        requirements_of() {{ echo package; }}
        python() {{ echo "$*" >>"$VENV/calls"; {does}; }}
        export -f python
        begin_requirements extra
        """


def test_pip_works_beside_the_build_and_then_sees_whether_anything_is_missing(tmp_path):
    said = output_of(tmp_path, pip_that("echo installed") + "finish_requirements extra; echo $?")
    assert said[-3:] == ["installed", "installed", "0"]
    beside, after = (tmp_path / "calls").read_text().splitlines()
    assert beside.endswith(f"--constraint {tmp_path}/constraints.txt package")
    assert after.endswith("--no-compile package")


def test_where_pip_fails_beside_the_build_all_is_installed_after_it(tmp_path):
    failing = pip_that("echo 'no such version'; [[ $* != *--constraint* ]]")
    said = output_of(tmp_path, failing + "finish_requirements extra; echo $?")
    assert "no such version" in said
    assert said[-3].startswith("That has failed")
    assert said[-1] == "0"


def test_failure_of_pip_is_a_failure_of_the_step(tmp_path):
    said = output_of(tmp_path, pip_that("return 3") + "finish_requirements extra || echo status $?")
    assert said[-1] == "status 3"


def is_running(process):
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_environment_in_which_another_pip_works_is_left_alone(tmp_path):
    (tmp_path / "package").touch()
    living = (
        'PYTHON=python3; touch "$VENV/installing-$BASHPID"; (require_venv) 2>&1 || echo status $?\n'
    )
    said = output_of(tmp_path, living)
    assert "wait until it has ended" in said[-2]
    assert said[-1] == "status 1"
    assert (tmp_path / "package").exists()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_pip_ends_with_the_script(tmp_path, end):
    """As by Ctrl-C, which does not reach it; then the environment is known as half made."""
    pip = pip_that('echo $BASHPID >"$VENV/pip"; mv "$VENV/pip" "$VENV/started"; exec sleep 200')
    script = start(tmp_path, pip + "sleep 200")
    started = tmp_path / "started"
    assert eventually(started.exists)
    os.killpg(script.pid, end)
    script.communicate(timeout=240)
    assert eventually(lambda: not is_running(int(started.read_text())), seconds=30)
    assert list(tmp_path.glob("installing-*"))
