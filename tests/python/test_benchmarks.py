"""The harness of benchmarks/ measures what it says. How fast usmx is, is not a test."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def pairing(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import pairing

    return pairing


@pytest.fixture
def ladder(pairing):
    import ladder

    return ladder


def run(*arguments, script="run.py"):
    command = (sys.executable, BENCHMARKS / script, *map(str, arguments))
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


class FixedWork:
    """Takes the times that it is told to, and notes when it was asked."""

    code = "fixed"

    def __init__(self, name="", seconds=(1.0,), log=None):
        self.name = name
        self.seconds = itertools.cycle(seconds)
        self.log = [] if log is None else log

    def warm_up(self, block_seconds):
        self.log.append(f"warm up {self.name}")

    def measure(self):
        self.log.append(self.name)
        return next(self.seconds)


def measure_one(pairing, ours, theirs, aim=None, rounds=3):
    case = pairing.Case("", ours, [pairing.Peer("", theirs, aim)])
    (row,) = pairing.measure(case, pairing.Effort(rounds=rounds, block_seconds=1e-4))
    return row


def test_slower_code_has_a_ratio_above_1_and_faster_code_below(pairing):
    slow = pairing.Statement("sum(numbers)", numbers=range(5000))
    fast = pairing.Statement("sum(numbers)", numbers=range(5))
    assert measure_one(pairing, slow, fast).ratio > 2
    assert measure_one(pairing, fast, slow).ratio < 1 / 2


def test_sides_are_warmed_up_and_then_measured_in_turns(pairing):
    log = []
    measure_one(pairing, FixedWork("A", log=log), FixedWork("B", log=log), rounds=2)
    assert log == ["warm up A", "warm up B", "A", "B", "A", "B"]


def test_ratio_is_the_median_of_the_rounds_ratios(pairing):
    # Ratios 2, 0.1 and 3; neither the minima nor the medians of the two sides give 2.
    row = measure_one(pairing, FixedWork(seconds=(2, 1, 30)), FixedWork(seconds=(1, 10, 10)))
    assert row.ratio == 2


def timed_statement(pairing, first, others):
    """A statement that takes so many seconds by a clock of its own, and the list of its executions."""
    executed = []
    clock = SimpleNamespace(now=0.0)
    code = f"clock.now += {others} if executed else {first}; executed.append(0)"
    work = pairing.Statement(code, executed=executed, clock=clock)
    work._timer.timer = lambda: clock.now
    return work, executed


def test_statement_is_repeated_until_the_block_is_long_enough(pairing):
    work, executed = timed_statement(pairing, 1e-6, 1e-6)
    work.warm_up(1e-3)
    before = len(executed)
    seconds = work.measure()
    assert len(executed) - before >= 1000
    assert seconds == pytest.approx(1e-6)


def test_first_execution_does_not_decide_how_often_a_statement_is_repeated(pairing):
    work, executed = timed_statement(pairing, 5e-3, 1e-6)
    work.warm_up(1e-3)
    before = len(executed)
    work.measure()
    assert len(executed) - before >= 1000


def test_statement_of_several_threads_is_executed_by_each(pairing):
    executed = []
    work = pairing.Statement("executed.append(0)", threads=3, executed=executed)
    work.warm_up(1e-5)
    before = len(executed)
    work.measure()
    assert (len(executed) - before) % 3 == 0
    assert len(executed) - before == 3 * work._repeats


@pytest.mark.parametrize(("ratio", "met"), [(0.5, True), (0.49, False)])
def test_aim_of_a_ratio_is_judged_by_the_ratio(pairing, ratio, met):
    row = measure_one(pairing, FixedWork(seconds=[1]), FixedWork(seconds=[2]), pairing.Aim(ratio))
    assert row.is_met is met


@pytest.mark.parametrize(("seconds", "met"), [(0.1, True), (0.09, False)])
def test_aim_of_a_time_is_judged_by_the_shortest(pairing, seconds, met):
    aim = pairing.Aim(seconds=seconds)
    row = measure_one(pairing, FixedWork(seconds=[0.3, 0.1, 0.2]), FixedWork(), aim)
    assert row.is_met is met


def test_row_without_an_aim_is_not_judged(pairing):
    assert measure_one(pairing, FixedWork(), FixedWork()).is_met is None


def costs(pairing, ladder, rungs):
    effort = pairing.Effort(rounds=3, block_seconds=1e-4)
    return [step.cost for step in ladder.measure(ladder.Ladder("", rungs), effort)]


def test_step_costs_what_it_adds_to_the_step_below(pairing, ladder):
    rungs = [ladder.Rung("", FixedWork(seconds=[total])) for total in (3, 10, 8)]
    assert costs(pairing, ladder, rungs) == [3, 7, -2]


def test_step_beyond_another_is_compared_with_that_one(pairing, ladder):
    first, second = (ladder.Rung("", FixedWork(seconds=[total])) for total in (3, 10))
    third = ladder.Rung("", FixedWork(seconds=[8]), beyond=first)
    assert costs(pairing, ladder, [first, second, third]) == [3, 7, 5]


def test_cost_of_a_step_is_the_median_of_the_rounds_differences(pairing, ladder):
    # Differences 1, 20 and 2; neither the minima nor the medians of the two give 2.
    below = ladder.Rung("", FixedWork(seconds=(1, 10, 50)))
    rungs = [below, ladder.Rung("", FixedWork(seconds=(2, 30, 52)))]
    assert costs(pairing, ladder, rungs)[1] == 2


def test_rungs_are_warmed_up_and_then_measured_in_turns(pairing, ladder):
    log = []
    rungs = [ladder.Rung("", FixedWork(name, log=log)) for name in "AB"]
    ladder.measure(ladder.Ladder("", rungs), pairing.Effort(rounds=2, block_seconds=1e-4))
    assert log == ["warm up A", "warm up B", "A", "B", "A", "B"]


@pytest.mark.slow
def test_quick_run_prints_a_table_and_writes_times_and_plot(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "ratios.png"
    only = ("--only", "basic-slice", "--only", "import-view")
    done = run("--quick", *only, "--json", times, "--plot", picture)
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
    done = run("--quick", "--only", "import-steps", "--json", times, "--plot", picture)
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
def test_quick_bandwidth_prints_tables_and_writes_times_and_plot(tmp_path):
    times, picture = tmp_path / "times.json", tmp_path / "bandwidth.png"
    done = run("--quick", "--json", times, "--plot", picture, script="bandwidth.py")
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
    done = run("--quick", "--json", times, "--plot", picture, script="allocation.py")
    assert done.returncode == 0, done.stderr
    for text in ("bytes of a block", "threads", "blocks alive", "usmx, no pool"):
        assert text in done.stdout
    curves = json.loads(times.read_text(encoding="utf-8"))["curves"]
    assert [curve["library"] for curve in curves] == ["usmx", "usmx, no pool", "dpctl"] * 3
    for curve in curves:
        assert len(curve["x"]) == len(curve["seconds"]) == 3
        assert min(curve["seconds"]) > 0
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("script", ["run.py", "bandwidth.py", "allocation.py"])
def test_plot_into_no_directory_is_refused_before_anything_is_measured(script):
    done = run("--quick", "--plot", "/no such folder/x.png", script=script)
    assert done.returncode == 2
    assert "there is no directory /no such folder" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nothing"], "invalid choice: 'nothing'"),
        (["--json", "/no such folder/x.json"], "there is no directory /no such folder"),
    ],
)
def test_bad_arguments_get_one_line_and_exit_code_2(arguments, message):
    done = run("--quick", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
