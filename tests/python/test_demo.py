"""``python -m usmx demo``: the main job on real input, its judges, and every bad input."""

import os
import subprocess
import sys

import pytest
from usmx import _demo, _demo_setup
from usmx._demo import Check, HandOver, Report
from usmx._demo_csv import CsvError, read_csv

np = pytest.importorskip("numpy")


def run(folder, *arguments, **environment):
    command = [sys.executable, "-P", "-m", "usmx", "demo", "--no-install", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def assert_success(result, rows, columns):
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    assert f"{rows} x {columns} float64" in result.stdout
    assert "YES" not in result.stdout
    assert "NO" not in result.stdout.replace("NOT", "").split()
    assert "All 11 hand-overs shared their memory" in result.stdout
    assert max(map(len, table_lines(result.stdout))) <= 100


def table_lines(text):
    return text[text.index("Hand-overs") :].splitlines()


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


def test_digits_go_round_without_a_copy(tmp_path):
    result = run(tmp_path)
    assert_success(result, 1797, 64)
    assert is_png(tmp_path / "usmx_pca.png")
    for library in ("usmx_pca", "dpnp", "dpctl", "NumPy", "Numba"):
        assert library in result.stdout


@pytest.mark.parametrize("header", ["", "height,width,depth,colour\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_goes_round_without_a_copy(tmp_path, header, separator):
    numbers = np.random.default_rng(3).normal(size=(40, 4)) * [4, 3, 2, 1] + 100
    text = header + "\n".join(",".join(map(repr, row)) for row in numbers.tolist())
    (tmp_path / "my.csv").write_text(text.replace(",", separator))
    assert_success(run(tmp_path, "--csv", "my.csv", "--output", "my.png"), 40, 4)
    assert is_png(tmp_path / "my.png")


@pytest.mark.parametrize(
    "rows",
    [
        ["1", "2", "4"],  # one column
        ["1,2,3", "3,1,0"],  # two rows: the second component has no variance
        ["1,2", "1,2", "1,2"],  # nothing varies
        ["0.1,1e9,5", "0.1,2e9,6", "0.1,5e9,8", "0.1,7e9,1"],  # a constant column
    ],
)
def test_degenerate_data_pass(tmp_path, rows):
    (tmp_path / "my.csv").write_text("\n".join(rows))
    result = run(tmp_path, "--csv", "my.csv")
    assert_success(result, len(rows), rows[0].count(",") + 1)


def test_a_device_can_be_chosen(tmp_path):
    (tmp_path / "my.csv").write_text("1,2\n3,4\n5,7\n")
    result = run(tmp_path, "--csv", "my.csv", "--device", "cpu")
    assert result.returncode == 0
    assert ":cpu:" in result.stdout


# ---- The judges ----------------------------------------------------------------------------------


def test_a_copy_is_found_by_its_pointer():
    report = Report()
    array = np.ones(3)
    _demo.hand_over(report, "here", "there", "by copy", array, np.array)
    assert report.hand_overs[0].copied
    assert report.exit_code == 1
    assert "YES" in _demo.hand_over_row(report.hand_overs[0])
    assert _demo.conclusion(report).startswith("FAILED: 1 of 1 hand-overs copied")


def test_a_view_is_no_copy():
    report = Report()
    _demo.hand_over(report, "here", "there", "as it is", np.ones(3), np.asarray)
    assert not report.hand_overs[0].copied
    assert report.exit_code == 0


def test_a_copy_by_the_native_extension_is_found(monkeypatch):
    usmx_pca = pytest.importorskip("usmx_pca")
    usmx = pytest.importorskip("usmx")
    original = usmx_pca.pca_with_addresses
    copying = lambda x: original(usmx.asarray(x, copy=True))  # noqa: E731
    monkeypatch.setattr(usmx_pca, "pca_with_addresses", copying)
    report = Report()
    x = usmx.asarray(np.random.default_rng(0).normal(size=(9, 3)), usm_type="shared")
    _demo.native_pca(report, "usmx", "argument", x)
    assert [h.copied for h in report.hand_overs] == [True, False, False]


@pytest.mark.parametrize("error", [2e-10, 1.0, float("inf"), float("nan")])
def test_a_wrong_number_is_off(error):
    report = Report(checks=[Check("good", 1e-11), Check("bad", error)])
    assert report.exit_code == 1
    assert "1 of 2 checks are off" in _demo.conclusion(report)
    assert _demo.check_row(report.checks[1])[-1] == "NO"


def planted(change):
    """Check NumPy's own results after `change` was made to them."""
    values = np.random.default_rng(5).normal(size=(60, 4)) * [4, 3, 2, 1]
    reference = _demo.numpy_pca(values)
    largest = np.abs(reference.components).argmax(axis=1)
    signs = np.sign(reference.components[np.arange(4), largest])
    results = {
        "components": reference.components * signs[:, None],
        "scores": reference.scores * signs,
        "variance": reference.variance.copy(),
    }
    change(results)
    return list(_demo.compare(reference, **results))


def test_right_results_pass():
    assert all(check.ok for check in planted(lambda results: None))


@pytest.mark.parametrize("name", ["components", "scores", "variance"])
def test_one_number_off_by_a_billionth_is_found(name):
    def change(results):
        results[name].flat[1] += 1e-9 * np.abs(results[name]).max()

    assert not all(check.ok for check in planted(change))


def test_a_flipped_component_breaks_the_sign_rule():
    def change(results):
        results["components"][2] *= -1
        results["scores"][:, 2] *= -1

    assert [check.name for check in planted(change) if not check.ok] == [
        "components with the wrong sign"
    ]


def test_components_of_equal_variance_are_not_compared():
    values = np.array([5.0, 3.0, 3.0, 1.0, 0.0, 0.0])
    assert _demo.is_distinct(values, 6).tolist() == [True, False, False, True, False, False]
    assert _demo.is_distinct(np.array([5.0, 0.0]), 2).tolist() == [True, True]
    assert _demo.is_distinct(np.array([5.0, 0.0]), 3).tolist() == [True, False]


# ---- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["at least 2 rows", "found 0"]),
        (b"\n\n", ["at least 2 rows", "found 0"]),
        (b"a,b\n", ["at least 2 rows", "found 0"]),
        (b"1,2\n", ["at least 2 rows", "found 1"]),
        (b"a,b\n1,2\n", ["at least 2 rows", "found 1"]),
        (b"1,2\n3,four\n", ["line 2, column 2", "'four'"]),
        (b"a,1\n3,4\n5,6\n", ["line 1, column 1", "'a'"]),
        (b"a,b\n1,2\n\n3,x\n", ["line 4, column 2", "'x'"]),
        (b"1,2\n3,\n", ["line 2, column 2", "expected a number, found ''"]),
        (b"1,2\n,\n", ["line 2, column 1", "expected a number, found ''"]),
        (b"1,2\n3,4,5\n", ["line 2", "expected 2 columns, found 3"]),
        (b"1,2\n3\n", ["line 2", "expected 2 columns, found 1"]),
        (b"1,2\n3,nan\n", ["line 2, column 2", "finite", "'nan'"]),
        (b"1,2\n-inf,4\n", ["line 2, column 1", "finite", "'-inf'"]),
        (b"1,2\n1e999,4\n", ["line 2, column 1", "finite", "'1e999'"]),
        (b"1,2\n3,\xff\n", ["UTF-8", "0xff"]),
        (b"1,2\n3,\x00\n", ["line 2"]),
        (b'1,2\n3,"4\n', ["line 2"]),
    ],
)
def test_bad_csv_is_refused_with_its_place(tmp_path, content, parts):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(CsvError) as caught:
        read_csv(path)
    message = str(caught.value)
    assert "bad.csv" in message
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_good_csv_is_read(tmp_path):
    path = tmp_path / "good.csv"
    path.write_bytes(b'\xef\xbb\xbf"a","b"\r\n1, 2.5\r\n\r\n"3",-4e2\r\n')
    numbers = read_csv(path)
    assert list(numbers.values) == [1, 2.5, 3, -400]
    assert (numbers.rows, numbers.columns) == (2, 2)


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


def test_numbers_too_large_are_one_line_and_exit_code_2(tmp_path):
    (tmp_path / "large.csv").write_text("1e300,2\n-1e300,4\n5,6\n")
    assert_one_clear_line(run(tmp_path, "--csv", "large.csv"), "overflow")


@pytest.mark.parametrize("output", ["nowhere/plot.png", ".", "plot.txt", "folder.png"])
def test_an_impossible_output_is_one_line_and_exit_code_2(tmp_path, output):
    (tmp_path / "folder.png").mkdir()
    assert_one_clear_line(run(tmp_path, "--output", output), "--output")


@pytest.mark.parametrize("device", ["cuda:gpu:7", "no such device", ""])
def test_an_impossible_device_is_one_line_and_exit_code_2(tmp_path, device):
    assert_one_clear_line(run(tmp_path, "--device", device))


def test_no_device_is_one_line_and_exit_code_2(tmp_path):
    result = run(tmp_path, ONEAPI_DEVICE_SELECTOR="opencl:fpga")
    assert_one_clear_line(result, "no SYCL device", "opencl:fpga")


# ---- Set-up --------------------------------------------------------------------------------------


def commands():
    return [step.command[4:] for step in _demo_setup.missing_steps()]


@pytest.fixture
def installed(monkeypatch):
    """Pretend that these packages are installed; usmx wants 'one' and 'two>=2'."""
    names = {"one", "two", "usmx_pca"}
    requires = ["base>=1", "one; extra == 'demo'", 'two>=2; extra == "demo"', "t; extra == 'test'"]
    monkeypatch.setattr(_demo_setup.importlib.metadata, "requires", lambda _: requires)
    monkeypatch.setattr(_demo_setup, "is_installed", names.__contains__)
    monkeypatch.setattr(_demo_setup, "has_module", names.__contains__)
    names.add("pip")
    return names


def test_nothing_is_installed_when_all_is_there(installed, monkeypatch):
    monkeypatch.setattr(_demo_setup.subprocess, "run", lambda *_, **__: pytest.fail("ran pip"))
    _demo_setup.ensure(install=True)


def test_only_what_is_missing_is_installed(installed, monkeypatch):
    installed -= {"two", "usmx_pca"}
    (first, second) = commands()
    assert first == ["two>=2"]
    assert second[:2] == ["--no-build-isolation", "--no-deps"]


def test_no_install_names_the_command(installed):
    installed.discard("two")
    with pytest.raises(_demo_setup.SetupError, match="-m pip install 'two>=2'"):
        _demo_setup.ensure(install=False)


def test_missing_parts_are_installed_one_after_the_other(installed, monkeypatch, capfd):
    installed -= {"one", "usmx_pca"}

    def pretend_to_install(command, **_):
        installed.add("one" if command[-1] == "one" else "usmx_pca")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(_demo_setup.subprocess, "run", pretend_to_install)
    monkeypatch.setattr(_demo_setup, "check_tools", lambda: None)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    _demo_setup.ensure(install=True)
    assert installed >= {"one", "usmx_pca"}


def test_a_failing_command_is_an_error(installed, monkeypatch):
    installed.discard("one")
    monkeypatch.setattr(_demo_setup, "pip_install", lambda *_: ["false"])
    with pytest.raises(_demo_setup.SetupError, match="exit code 1 of: false"):
        _demo_setup.ensure(install=True)


def test_a_missing_compiler_is_an_error_before_anything_is_installed(installed, monkeypatch):
    installed -= {"one", "usmx_pca"}
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(_demo_setup.subprocess, "run", lambda *_, **__: pytest.fail("ran pip"))
    with pytest.raises(_demo_setup.SetupError, match="apt install"):
        _demo_setup.ensure(install=True)


def test_the_extensions_sources_are_found():
    assert (_demo_setup.extension_sources() / "src/pca.cpp").is_file()


def test_hand_over_tells_bytes_and_time():
    report = Report()
    _demo.hand_over(report, "a", "b", "c", np.ones(3), np.asarray)
    (found,) = report.hand_overs
    assert isinstance(found, HandOver)
    assert found.nbytes == 24
    assert found.seconds >= 0
