"""``python -m usmx demo``: the main job on real input, every bad input, and the set-up.

What is of examples/demo alone has its tests there.
"""

import json
import subprocess
import sys

import numpy as np
import pytest
import usmx
from helpers import drawn, output_of, run_python, run_usmx
from usmx._installed import example
from usmx.cli import demo, demo_setup


def run(folder, *arguments, **environment):
    return run_usmx("demo", *arguments, cwd=folder, **environment)


def assert_success(result, rows, columns):
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert_all_shared(result.stdout, rows, columns)


def assert_all_shared(said, rows, columns):
    assert f"{rows} x {columns} float64" in said
    assert "YES" not in said
    assert "NO" not in said.replace("NOT", "").split()
    assert "All 11 hand-overs shared their memory" in said
    assert max(map(len, table_lines(said))) <= 80


def table_lines(text):
    return text[text.index("Hand-overs") : text.index("Scatter plot")].splitlines()


def assert_one_clear_line(result, *parts):
    assert result.returncode == 2, result.stdout + result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("usmx demo: ")
    for part in parts:
        assert part in lines[0]


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


# ---- The main job --------------------------------------------------------------------------------


@pytest.mark.slow
def test_digits_go_round_without_a_copy(tmp_path):
    result = run(tmp_path)
    assert_success(result, 1797, 64)
    assert is_png(tmp_path / "usmx_pca.png")
    for library in ("usmx_pca", "usmx.linalg, scores", "dpnp", "dpctl", "NumPy", "Numba"):
        assert library in result.stdout


HEADERS = ["", "height,width,depth,colour\n"]
SEPARATORS = [",", ";", "\t"]
DEGENERATE = [
    ["1", "2", "4"],  # one column
    ["1,2,3", "3,1,0"],  # two rows: the second component has no variance
    ["1,2", "1,2", "1,2"],  # nothing varies
    ["0.1,1e9,5", "0.1,2e9,6", "0.1,5e9,8", "0.1,7e9,1"],  # a constant column
]


@pytest.mark.slow
def test_every_csv_goes_round_without_a_copy(tmp_path):
    """In one process, which imports all those libraries once."""
    numbers = np.random.default_rng(3).normal(size=(40, 4)) * [4, 3, 2, 1] + 100
    plain = "\n".join(",".join(map(repr, row)) for row in numbers.tolist())
    files = [
        ((header + plain).replace(",", separator), 40, 4)
        for header, separator in drawn(HEADERS, SEPARATORS, share=2)
    ]
    files += [("\n".join(rows), len(rows), rows[0].count(",") + 1) for rows in DEGENERATE]
    chosen = ["--device", "cpu"]
    for k, (text, _, _) in enumerate(files):
        (tmp_path / f"{k}.csv").write_text(text)
    code = f"""
from usmx.cli import demo
for k in range({len(files)}):
    paths = ["--csv", f"{tmp_path}/{{k}}.csv", "--output", f"{tmp_path}/{{k}}.png"]
    assert demo.run([*paths, *({chosen} if k else [])]) == 0
    print("end of a run")
"""
    result = run_python(code, timeout=280)
    assert (result.returncode, result.stderr) == (0, "")
    *runs, rest = result.stdout.split("end of a run\n")
    assert rest == ""
    for k, (said, (_, rows, columns)) in enumerate(zip(runs, files, strict=True)):
        assert_all_shared(said, rows, columns)
        assert is_png(tmp_path / f"{k}.png")
        assert ":cpu:" in said


@pytest.mark.slow
@pytest.mark.nightly
def test_csv_goes_round_on_a_chosen_device_by_the_command(tmp_path):
    (tmp_path / "my.csv").write_text("1;2\n3;4\n5;7\n")
    result = run(tmp_path, "--csv", "my.csv", "--output", "my.png", "--device", "cpu")
    assert_success(result, 3, 2)
    assert is_png(tmp_path / "my.png")
    assert ":cpu:" in result.stdout


# ---- Bad input -----------------------------------------------------------------------------------


def test_text_in_the_csv_is_one_line_and_exit_code_2(tmp_path):
    (tmp_path / "bad.csv").write_text("1,2\n3,four\n")
    result = run(tmp_path, "--csv", "bad.csv")
    assert_one_clear_line(result, "bad.csv, line 2, column 2", "'four'")


def test_one_row_is_one_line_and_exit_code_2(tmp_path):
    (tmp_path / "bad.csv").write_text("1,2\n")
    assert_one_clear_line(run(tmp_path, "--csv", "bad.csv"), "at least 2 rows")


def test_a_missing_file_is_one_line_and_exit_code_2(tmp_path):
    assert_one_clear_line(run(tmp_path, "--csv", "nowhere.csv"), "nowhere.csv: No such file")


def test_a_directory_is_one_line_and_exit_code_2(tmp_path):
    assert_one_clear_line(run(tmp_path, "--csv", tmp_path), "Is a directory")


BAD_WHEN_COMPUTED = [
    (["--csv", "large.csv"], "overflow"),
    *(
        (["--output", output], "--output")
        for output in ("nowhere/plot.png", ".", "plot.txt", "folder.png")
    ),
    *((["--device", device], "") for device in ("cuda:gpu:7", "no such device", "")),
]


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """How each of these ends, in one process, which imports the demo's libraries once."""
    folder = tmp_path_factory.mktemp("refused")
    (folder / "large.csv").write_text("1e300,2\n-1e300,4\n5,6\n")
    (folder / "folder.png").mkdir()
    code = f"""
import contextlib, io, json
from usmx.cli import demo
for arguments, _ in {BAD_WHEN_COMPUTED!r}:
    said, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
        returncode = demo.run(arguments)
    print(json.dumps([returncode, said.getvalue(), errors.getvalue()]))
"""
    lines = output_of(code, timeout=280, cwd=folder).splitlines()
    return [subprocess.CompletedProcess([], *json.loads(line)) for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", range(len(BAD_WHEN_COMPUTED)), ids=lambda k: str(BAD_WHEN_COMPUTED[k][0])
)
def test_what_cannot_be_is_one_line_and_exit_code_2(number, refused):
    assert_one_clear_line(refused[number], BAD_WHEN_COMPUTED[number][1])


def test_no_device_is_one_line_and_exit_code_2(tmp_path):
    result = run(tmp_path, ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert_one_clear_line(result, "no SYCL device", "opencl:fpga")


# ---- Set-up --------------------------------------------------------------------------------------


def commands():
    return [step.command[4:] for step in demo_setup.missing_steps()]


@pytest.fixture
def installed(monkeypatch):
    """Pretend that these packages are installed; usmx wants 'one' and 'two>=2'."""
    names = {"one", "two", "usmx_pca"}
    requires = ["base>=1", "one; extra == 'demo'", 'two>=2; extra == "demo"', "t; extra == 'test'"]
    monkeypatch.setattr(demo_setup.importlib.metadata, "requires", lambda _: requires)
    monkeypatch.setattr(demo_setup, "is_installed", names.__contains__)
    monkeypatch.setattr(demo_setup, "has_module", names.__contains__)
    names.add("pip")
    return names


def test_nothing_is_installed_when_all_is_there(installed, monkeypatch):
    monkeypatch.setattr(demo_setup.subprocess, "run", lambda *_, **__: pytest.fail("ran pip"))
    demo_setup.ensure(install=True)


def test_only_what_is_missing_is_installed(installed, monkeypatch):
    installed -= {"two", "usmx_pca"}
    (first, second) = commands()
    assert first == ["two>=2"]
    assert second[:2] == ["--no-build-isolation", "--no-deps"]


def test_what_is_missing_is_said_in_one_line_with_the_command_that_installs_it(installed):
    installed -= {"two", "usmx_pca"}
    with pytest.raises(demo_setup.SetupError) as caught:
        demo_setup.ensure(install=False)
    assert str(caught.value) == (
        "missing packages: two; missing native extension usmx_pca, to be built with g++; "
        f"install up to 1.9 GB into {sys.prefix} with: python -m usmx demo --install"
    )


@pytest.fixture
def commands_run(installed, monkeypatch):
    """The commands that are run; they pretend that they installed 'two'. No demo is run."""
    ran = []

    def pretend_to_install(command, **_):
        ran.append(command)
        installed.add("two")
        return subprocess.CompletedProcess(command, 0)

    installed.discard("two")
    monkeypatch.setattr(demo_setup.subprocess, "run", pretend_to_install)
    monkeypatch.setattr(demo.load_example(), "demonstrate", lambda task: 0)
    return ran


@pytest.mark.parametrize(
    "arguments", [[], ["--no-install"], ["--device", usmx.SyclDevice().device_type.name]]
)
def test_nothing_is_installed_without_being_told(commands_run, capsys, arguments):
    assert demo.run(arguments) == 2
    assert commands_run == []
    assert capsys.readouterr().err.endswith("with: python -m usmx demo --install\n")


def test_install_installs_what_is_missing_and_runs_the_demo(commands_run, capsys):
    assert demo.run(["--install"]) == 0
    assert commands_run == [[sys.executable, "-m", "pip", "install", "two>=2"]]
    said = capsys.readouterr().err
    assert said.index(f"pip now installs into {sys.prefix}") < said.index("  $ ")
    assert "missing packages: two\n  $ " in said


def test_bad_input_is_said_before_anything_is_installed(commands_run, capsys):
    assert demo.run(["--install", "--csv", "nowhere.csv"]) == 2
    assert commands_run == []
    assert "nowhere.csv" in capsys.readouterr().err


def test_missing_parts_are_installed_one_after_the_other(installed, monkeypatch, capfd):
    installed -= {"one", "usmx_pca"}

    def pretend_to_install(command, **_):
        installed.add("one" if command[-1] == "one" else "usmx_pca")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(demo_setup.subprocess, "run", pretend_to_install)
    monkeypatch.setattr(demo_setup, "check_tools", lambda: None)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    demo_setup.ensure(install=True)
    assert installed >= {"one", "usmx_pca"}


def test_a_failing_command_is_an_error(installed, monkeypatch):
    installed.discard("one")
    monkeypatch.setattr(demo_setup, "pip_install", lambda *_: ["false"])
    with pytest.raises(demo_setup.SetupError, match="exit code 1 of: false"):
        demo_setup.ensure(install=True)


def test_a_missing_compiler_is_an_error_before_anything_is_installed(installed, monkeypatch):
    installed -= {"one", "usmx_pca"}
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(demo_setup.subprocess, "run", lambda *_, **__: pytest.fail("ran pip"))
    with pytest.raises(demo_setup.SetupError, match="apt install"):
        demo_setup.ensure(install=True)


def test_the_extensions_sources_are_found():
    assert (example("pca") / "src/pca.cpp").is_file()


def test_an_example_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match="examples/nothing"):
        example("nothing")
