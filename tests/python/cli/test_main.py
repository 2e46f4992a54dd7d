"""The command line of ``python -m usmx``, without what its commands do."""

import subprocess
import sys

import pytest
import usmx
from helpers import run_usmx as run


def test_version_is_the_packages():
    assert run("--version").stdout == f"usmx {usmx.__version__}\n"


@pytest.mark.parametrize(
    "command", [(), ("devices",), ("memory",), ("cache",), ("config",), ("demo",)]
)
def test_help_is_there(command):
    result = run(*command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith("usage: python -m usmx")
    assert result.stderr == ""


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
    assert run("fly").returncode == 2


@pytest.mark.parametrize("command", ["devices", "memory", "cache", "config", "demo"])
def test_an_unknown_option_is_an_error(command):
    result = run(command, "--fly")
    assert result.returncode == 2
    assert "unrecognized arguments: --fly" in result.stderr
