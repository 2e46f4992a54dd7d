"""The scripts of benchmarks/: they run, and write what they say."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import usmx

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(script, *arguments):
    command = (sys.executable, BENCHMARKS / script, *map(str, arguments))
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


@pytest.mark.slow
def test_quick_bandwidth_prints_tables_and_writes_times_and_plot(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "bandwidth.png"
    done = run("bandwidth.py", "--quick", "--json", times, "--plot", picture)
    assert done.returncode == 0, done.stderr
    for text in ("Contiguous copy", "bytes copied", "usmx GB/s", "stride of the source"):
        assert text in done.stdout
    curves = json.loads(times.read_text(encoding="utf-8"))["curves"]
    assert [curve["library"] for curve in curves] == ["usmx", "dpnp.tensor", "NumPy"] * 2
    for curve in curves:
        assert len(curve["x"]) == len(curve["nbytes"]) == len(curve["seconds"]) >= 3
        assert min(curve["seconds"]) > 0
    by_size, by_stride = curves[0], curves[3]
    assert by_size["x"] == by_size["nbytes"]
    assert set(by_stride["nbytes"]) == {4 << 20}
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_quick_allocation_prints_tables_and_writes_times_and_plot(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "allocation.svg"
    done = run("allocation.py", "--quick", "--json", times, "--plot", picture)
    assert done.returncode == 0, done.stderr
    for text in ("bytes of a block", "threads", "blocks alive", "blocks freed", "usmx, no pool"):
        assert text in done.stdout
    curves = json.loads(times.read_text(encoding="utf-8"))["curves"]
    assert [curve["library"] for curve in curves] == [
        *["usmx", "usmx, no pool", "dpctl"] * 3,
        "usmx",  # frees with work pending
    ]
    for curve in curves:
        assert len(curve["x"]) == len(curve["seconds"]) == 3
        assert min(curve["seconds"]) > 0
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.slow
def test_quick_selections_print_tables_and_write_times(tmp_path):
    times = tmp_path / "times.json"
    done = run("selections.py", "--quick", "--json", times)
    assert done.returncode == 0, done.stderr
    for text in ("x[indices]", "x[mask]", "nonzero(mask)", "threads"):
        assert text in done.stdout
    curves = json.loads(times.read_text(encoding="utf-8"))["curves"]
    assert [curve["library"] for curve in curves] == ["usmx", "NumPy"] * 4
    assert all(min(curve["seconds"]) > 0 for curve in curves)


@pytest.mark.drawn(3)
@pytest.mark.slow
@pytest.mark.parametrize("what", ["mpi", "dask", "spilling"])
def test_one_round_between_processes_prints_a_line_for_each_kind(what):
    starter = [Path(sys.executable).with_name("mpiexec"), "-n", "2"] if what == "mpi" else []
    command = [*starter, sys.executable, BENCHMARKS / "processes.py", what, "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines[-4:]] == ["numpy", "shared", "host", "device"]


@pytest.mark.slow
def test_threads_print_a_line_for_each_kind_of_call_and_write_all_rates(tmp_path):
    rates = tmp_path / "rates.json"
    done = run("free_threads.py", "--threads", 2, "--seconds", 0.01, "--json", rates)
    assert done.returncode == 0, done.stderr
    measured = json.loads(rates.read_text(encoding="utf-8"))
    assert [line.partition("  ")[0] for line in done.stdout.splitlines()[3:]] == list(measured)
    for by_one, by_all in measured.values():
        assert len(by_one) == len(by_all) == 5
        assert min(rate for rates in (*by_one, *by_all) for rate in rates) > 0
    assert len(measured) == 5


@pytest.mark.slow
def test_every_case_of_the_gpu_benchmark_runs_with_usmx_alone(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    gpu = importlib.import_module("gpu")
    titles = []
    for title, make in gpu.makers(quick=True):
        work = make().usmx
        work.warm_up(1e-5)
        assert work.measure() > 0
        titles.append(title)
    assert len(titles) == len(set(titles)) > 40


@pytest.mark.slow
@pytest.mark.skipif(usmx.SyclDevice().is_gpu, reason="the default device is a GPU")
def test_the_gpu_benchmark_says_that_the_default_device_is_none():
    done = run("gpu.py", "--quick")
    assert done.returncode == 2
    assert done.stderr == f"gpu.py: the default device is not a GPU, but {usmx.SyclDevice().name}\n"


@pytest.mark.slow
def test_classes_of_values_are_measured_for_each_type_that_a_function_has(tmp_path):
    times = tmp_path / "times.json"
    done = run("value_classes.py", "--quick", "--only", "sqrt", "--json", times)
    assert done.returncode == 0, done.stderr
    assert "classes of values have left a fast path" in done.stdout
    rows = json.loads(times.read_text(encoding="utf-8"))["rows"]
    assert {row["type"] for row in rows} == {"f4", "f8", "i4", "u1"}
    assert {"ordinary", "denormal", "NaN", "of all sizes"} <= {row["values"] for row in rows}
    assert all(min(row["usmx"], row["numpy"]) > 0 for row in rows)


def test_a_class_is_slow_if_it_takes_longer_than_ordinary_numbers_and_than_numpy():
    classes = importlib.import_module("value_classes")
    ordinary, slow, as_numpys, little = (
        classes.Measured("f", "f4", values, usmx, numpys)
        for values, usmx, numpys in (
            ("ordinary", 1.0, 1.0),
            ("slow", 4.0, 3.9),
            ("as NumPy's", 4.0, 4.1),
            ("little", 2.9, 1.0),
        )
    )
    assert classes.slow_classes([ordinary, slow, as_numpys, little]) == [slow]
    assert classes.slow_classes([]) == []
