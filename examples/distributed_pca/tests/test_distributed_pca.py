"""Blocks on several processes give what one process gives."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import usmx
import usmx_distributed_pca
from usmx_distributed_pca.analysis import COMPONENTS, analyse, digits, split
from usmx_distributed_pca.one_process import OneProcess
from usmx_distributed_pca.timeline import Event, draw, print_steps

PACKAGES = Path(usmx_distributed_pca.__file__).parents[1]


def output_of(*arguments):
    path = os.pathsep.join([str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])])
    result = subprocess.run(
        [sys.executable, "-P", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_blocks_are_all_rows_in_order():
    assert split(10, 3) == [(0, 3), (3, 6), (6, 10)]
    assert split(2, 3) == [(0, 0), (0, 1), (1, 2)]


@pytest.mark.parametrize("count", [1, 7])
def test_components_are_those_of_a_singular_value_decomposition(count):
    model, scores = analyse(OneProcess(), split(1797, count))
    centred = digits() - digits().mean(axis=0)
    _, values, vectors = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign((vectors[:COMPONENTS] * model.components).sum(axis=1, keepdims=True))
    assert type(scores) is usmx.USMArray
    assert scores.usm_type == "shared"
    np.testing.assert_allclose(model.variance, values[:COMPONENTS] ** 2 / 1796, rtol=1e-10)
    np.testing.assert_allclose(model.components, vectors[:COMPONENTS] * signs, atol=1e-10)
    np.testing.assert_allclose(np.asarray(scores), centred @ model.components.T, atol=1e-9)


def test_every_step_on_a_block_is_counted_and_noted():
    steps = []
    engine = OneProcess(steps.append)
    analyse(engine, split(100, 2))
    assert steps == sorted(steps, key=["load", "column_sums", "scatter", "project"].index)
    assert [event.step for event in engine.events()] == [*steps[:-2], "components", *steps[-2:]]


def test_timeline_is_a_table_and_a_picture(tmp_path, capsys):
    events = [Event("a", "load", 1.0, 2.0), Event("b", "load", 1.0, 4.0), Event("a", "sum", 4, 4.5)]
    print_steps(events)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [["load", "2", "4.000", "3.000"], ["sum", "1", "0.500", "0.500"]]
    draw(events, "title", tmp_path / "timeline.png")
    assert (tmp_path / "timeline.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine", ["dask", "mpi"])
def test_command_agrees_with_one_process(tmp_path, engine):
    picture = tmp_path / "timeline.png"
    arguments = ["--engine", engine, "--workers", "3", "--repeat", "2", "--output", str(picture)]
    printed = output_of("-m", "usmx_distributed_pca", *arguments)
    assert f"3,594 x 64 on 3 processes by {engine}" in printed
    assert picture.stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_killed_worker_changes_nothing():
    assert float(output_of(str(Path(__file__).with_name("killed_worker.py")))) < 1e-10
