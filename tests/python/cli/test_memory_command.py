"""``python -m usmx memory``."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
import usmx
from helpers import run_usmx as run
from matplotlib.figure import Figure
from usmx.cli import memory_log, memory_plot


def test_memory_of_each_device_and_the_pools_are_told():
    result = run("memory")
    assert result.returncode == 0, result.stderr
    assert " are free\n" in result.stdout
    assert "comes from pools" in result.stdout
    assert "There is no limit" in result.stdout


def test_settings_of_the_environment_are_told():
    result = run("memory", USMX_POOL="off", USMX_POOL_LIMIT="2G")
    assert "USMX_POOL is off" in result.stdout
    assert "at most 2 GiB" in result.stdout


def test_json_has_devices_pools_and_limits():
    result = run("memory", "--json", USMX_POOL_LIMIT="2G", USMX_PENDING_LIMIT="1M")
    found = json.loads(result.stdout)
    assert [each["filter"] for each in found.pop("devices")] == [
        device.filter_string for device in usmx.get_devices()
    ]
    assert found == {"pools": True, "pool_limit": 2 << 30, "pending_limit": 1 << 20}


LOGGED = """
import usmx
kept = [usmx.empty(1 << 17, usm_type=kind) for kind in ("device", "device", "shared")]
del kept[0]
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """What a process with 3 MiB at its peak has written."""
    path = tmp_path_factory.mktemp("log") / "memory.csv"
    command = [sys.executable, "-P", "-c", LOGGED]
    subprocess.run(command, env={**os.environ, "USMX_MEMORY_LOG": str(path)}, check=True)
    return path


@pytest.mark.slow
def test_log_is_drawn_with_its_peak_and_told_in_words(log, tmp_path):
    result = run("memory", "--plot", log, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "3 allocations, 0 failures" in result.stdout
    assert "3 MiB in use (2 MiB device, 1 MiB shared)" in result.stdout
    assert (tmp_path / "memory.svg").read_text().startswith("<?xml")


@pytest.mark.slow
def test_picture_has_the_format_of_its_name(log, tmp_path):
    picture = tmp_path / "x.png"
    assert run("memory", "--plot", log, "-o", picture).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_picture_has_the_curves_of_the_log(log):
    figure = Figure()
    axes = figure.subplots()
    history = memory_log.history(memory_log.read(log))
    memory_plot.draw(axes, history)
    device, shared = axes.collections
    assert [each.get_label() for each in axes.collections] == ["device", "shared"]
    # The layer of shared memory lies on that of device memory.
    for layer, highest in ((device, history.used["device"].max()), (shared, history.total.max())):
        assert layer.get_datalim(axes.transData).y1 == highest
    pools, peak = axes.lines
    assert pools.get_ydata().tolist() == history.pools.tolist()
    assert (peak.get_xdata(), peak.get_ydata()) == (
        history.seconds[history.peak],
        history.total.max(),
    )
    (text,) = axes.texts
    assert text.get_text() == "peak: 3 MiB"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.csv", None, "No such file"),
        ("other.csv", "a,b\n", "not a memory log"),
        ("empty.csv", "time,thread,action,source,kind,nbytes,address,device\n", "no events"),
    ],
)
def test_log_that_cannot_be_drawn_gets_one_line_and_exit_code_2(tmp_path, name, text, message):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    result = run("memory", "--plot", path, "-o", tmp_path / "x.svg")
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


LIMITED = """
import resource, sys
from usmx.__main__ import main
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))
sys.argv = ["usmx", "memory", "--plot", sys.argv[1], "-o", "x.svg"]
sys.exit(main())
"""


def gigabytes_in_a_line(path):
    """A line that never ends, which takes no disk."""
    path.write_text("time,thread,action,source,kind,nbytes,address,device\n")
    os.truncate(path, 64 << 30)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda _: "/dev/zero", lambda _: "/dev/urandom", gigabytes_in_a_line],
                         ids=["zero", "urandom", "gigabytes_in_a_line"])  # fmt: skip
def test_what_never_ends_is_refused_at_once_in_little_memory(tmp_path, make):
    log = make(tmp_path / "memory.csv")
    command = [sys.executable, "-P", "-c", LIMITED, str(log)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith(f"usmx memory: {log}:")
    assert result.stderr.count("\n") == 1


def test_without_matplotlib_the_command_says_what_to_install(log, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert memory_plot.run(log, tmp_path / "x.svg") == 2
    assert "pip install matplotlib" in capsys.readouterr().err
