"""benchmarks/peers.py: usmx beside dpctl, dpnp and NumPy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks/peers.py"


def run(*arguments, **environment):
    command = [sys.executable, PROGRAM, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.mark.slow
def test_quick_run_prints_a_table_and_writes_times_and_plot(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "ratios.png"
    only = ("--only", "basic-slice", "--only", "import-view")
    done = run("--quick", "--force", *only, "--json", times, "--plot", picture)
    assert done.returncode == 0, done.stderr
    for text in ("slice x[1:3, 2:5]", "from_usm_array_interface(producer)", "NumPy", "aims met"):
        assert text in done.stdout
    assert "step" not in done.stdout
    written = json.loads(times.read_text(encoding="utf-8"))
    assert [row["peer"] for row in written["rows"]] == [
        "dpnp.tensor",
        "NumPy",
        "dpnp.tensor",
        "NumPy, __array_interface__",
    ]
    for row in written["rows"]:
        for side in ("usmx_seconds", "peer_seconds"):
            assert len(row[side]) == written["rounds"]
            assert min(row[side]) > 0
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_quick_run_tells_what_the_steps_of_an_import_cost(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "steps.png"
    done = run("--quick", "--force", "--only", "import-steps", "--json", times, "--plot", picture)
    assert done.returncode == 0, done.stderr
    written = json.loads(times.read_text(encoding="utf-8"))
    assert written["rows"] == []
    assert "aims" not in done.stdout
    for step in written["steps"]:
        assert f"\n{step['step']} " in done.stdout
        assert len(step["seconds"]) == len(step["seconds_before"]) == written["rounds"]
        assert min(step["seconds"]) > 0
    # Of the path to the whole, each begins where the one before it ended.
    path = [step for step in written["steps"] if step["step"].startswith("import: ")]
    assert len(path) == 6
    ends = [[0] * written["rounds"], *(step["seconds"] for step in path)]
    assert [step["seconds_before"] for step in path] == ends[:-1]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nothing"], "there is no nothing; --list names what there is"),
        (["--json", "/no such folder/x.json"], "there is no directory /no such folder"),
        (["--plot", "/no such folder/x.png"], "there is no directory /no such folder"),
    ],
)
def test_bad_arguments_get_one_line_and_exit_code_2(arguments, message):
    done = run("--quick", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_no_device_is_one_line_and_exit_code_2():
    done = run("--quick", "--force", ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert done.returncode == 2
    assert done.stderr.startswith("peers.py: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_list_names_every_case_once():
    names = run("--list").stdout.split()
    assert {"import-view", "import-steps", "basic-slice"} <= set(names)
    assert len(names) == len(set(names))


BUSY = "while True: pass"


@pytest.fixture
def busy_machine():
    """Keeps every processor busy with processes that are not the measuring one."""
    command = [sys.executable, "-c", BUSY]
    others = [subprocess.Popen(command) for _ in range(os.cpu_count())]
    yield
    for process in others:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_busy_machine_is_refused(busy_machine, tmp_path):
    done = run("--quick", "--only", "basic-slice", "--json", tmp_path / "x.json")
    assert done.returncode == 3
    assert "the machine is too busy, nothing was measured: other processes use" in done.stderr
    assert not (tmp_path / "x.json").exists()


@pytest.mark.slow
def test_forced_measurement_on_a_busy_machine_says_so_in_its_file(busy_machine, tmp_path):
    done = run("--quick", "--force", "--only", "basic-slice", "--json", tmp_path / "x.json")
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "x.json").read_text())
    assert written["noise"]["by_others"] > 0.05
    assert "other processes use" in written["noise"]["reasons"][0]


def test_what_is_not_installed_is_left_out_and_named(tmp_path):
    for name in ("dpctl", "dpnp"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not installed')\n")
    only = ("--only", "basic-slice", "--only", "memory-dictionary", "--only", "import-steps")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = run("--quick", "--force", *only, PYTHONPATH=paths)
    assert done.returncode == 0, done.stderr
    assert "NumPy" in done.stdout
    assert "dpnp.tensor" not in done.stdout
    assert done.stdout.endswith("(pip install dpctl dpnp): memory-dictionary, import-steps\n")
