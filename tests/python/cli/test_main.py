"""The command line of ``python -m usmx``, without what its commands do."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import usmx
from forks import run_forked
from helpers import run_usmx as run
from usmx.cli.main import make_parser


def test_version_is_the_packages():
    assert run("--version").stdout == f"usmx {usmx.__version__}\n"


def commands():
    """The names of all of them."""
    (choices,) = [a.choices for a in make_parser()._actions if isinstance(a.choices, dict)]
    return list(choices)


@pytest.mark.slow
@pytest.mark.parametrize("command", [(), *((name,) for name in commands())])
def test_help_is_there(command):
    result = run(*command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith("usage: python -m usmx")
    assert result.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=[pytest.mark.nightly] * (name == "demo")) for name in commands()],
)
def test_help_ends_with_an_example_that_runs(command, tmp_path):
    _, found, example = run(command, "--help").stdout.partition("\nexample:\n")
    assert found
    script = textwrap.dedent(example).replace("python -m", "python -P -m")
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "USMX_CACHE_DIR": str(tmp_path / "cache"),
    }
    ran = subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, env=variables, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--version",), ("devices",), ("fly",)])
def test_console_script_does_the_same(arguments):
    script = Path(sys.executable).with_name("usmx")
    ran = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
    module = run(*arguments)
    assert ran.returncode == module.returncode
    assert ran.stdout == module.stdout
    said = " ".join(module.stderr.split()).replace(
        "python -m usmx", "usmx"
    )  # the name that was typed
    assert " ".join(ran.stderr.split()) == said


@pytest.mark.slow
def test_help_has_the_name_that_was_typed():
    script = Path(sys.executable).with_name("usmx")
    for command in commands():
        said = subprocess.run([script, command, "--help"], capture_output=True, text=True).stdout
        assert said.startswith(f"usage: usmx {command} ")
        assert "python -m usmx" not in said


def help_in(columns, *command):
    """In forked children: what prints the help reads this variable, and nothing that is loaded with usmx does."""
    variables = {**os.environ, "COLUMNS": str(columns)}
    return run_forked("-m", "usmx", *command, "--help", env=variables).stdout


@pytest.mark.slow
def test_help_fits_80_columns_and_breaks_no_word():
    for command in ((), *((name,) for name in commands())):
        narrow, wide = help_in(80, *command), help_in(200, *command)
        assert max(map(len, narrow.splitlines())) <= 80
        assert narrow.split() == wide.split()


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_fault(closed):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -P -m usmx config --version {closed}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["devices", "memory", "cache", "--help"])
def test_closed_pipe_ends_a_command_quietly(command):
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "usmx", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


def test_help_loads_neither_numpy_nor_the_demo():
    code = (
        "import sys; from usmx.cli.main import make_parser; make_parser().format_help();"
        "print([m for m in ('numpy', 'dpnp', 'usmx_demo') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert result.stdout == "[]\n"


def test_no_command_prints_help_and_is_an_error():
    result = run()
    assert result.returncode == 2
    assert "devices" in result.stdout


def test_an_unknown_command_is_an_error():
    result = run("fly")
    assert result.returncode == 2
    assert result.stderr.endswith("there is no command 'fly'\n")


def test_checks_are_in_python_and_in_pytest():
    stderr = run("check").stderr
    assert "there is no command 'check'; usmx.testing.check_producer(obj) checks" in stderr
    assert stderr.endswith("pytest --usm-array-interface MODULE:FUNCTION\n")


def test_the_command_that_was_perhaps_meant_is_named():
    assert run("devcies").stderr.endswith("there is no command 'devcies'; did you mean devices?\n")


@pytest.mark.parametrize(
    ("command", "option", "meant"),
    [("devices", "--jason", "--json"), ("cache", "--clera", "--clear")],
)
def test_wrong_option_shows_the_commands_usage_and_the_option_that_was_perhaps_meant(
    command, option, meant
):
    result = run(command, option)
    assert result.returncode == 2
    assert result.stderr.startswith(f"usage: python -m usmx {command} ")
    assert result.stderr.endswith(f"unrecognized arguments: {option}; did you mean {meant}?\n")


def test_wrong_option_without_a_command_is_an_error():
    result = run("--fly")
    assert result.returncode == 2
    assert result.stderr.endswith("python -m usmx: error: unrecognized arguments: --fly\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["doctor", "--only", "setings"], "settings"),
        (["new-extension", "name", "--with", "cythn"], "cython"),
        (["new-extension", "Fast-Sums_"], "fast_sums"),
    ],
)
def test_wrong_value_of_an_option_names_the_value_that_was_perhaps_meant(arguments, meant):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stderr.endswith(f"; did you mean {meant}?\n")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["devices", "memory", "cache", "config", "demo"])
def test_an_unknown_option_is_an_error(command):
    result = run(command, "--fly")
    assert result.returncode == 2
    assert "unrecognized arguments: --fly" in result.stderr
