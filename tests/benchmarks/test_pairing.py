"""benchmarks.bench.pairing and ladder: the harness measures what it says. How fast usmx is, is not a test."""

import itertools
import weakref
from types import SimpleNamespace

import pytest
from bench import ladder, pairing


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


def measure_one(ours, theirs, aim=None, rounds=3):
    case = pairing.Case("", ours, [pairing.Peer("", theirs, aim)])
    (row,) = pairing.measure(case, pairing.Effort(rounds=rounds, block_seconds=1e-4))
    return row


def test_slower_code_has_a_ratio_above_1_and_faster_code_below():
    slow = pairing.Statement("sum(numbers)", numbers=range(5000))
    fast = pairing.Statement("sum(numbers)", numbers=range(5))
    assert measure_one(slow, fast).ratio > 2
    assert measure_one(fast, slow).ratio < 1 / 2


def test_sides_are_warmed_up_and_then_measured_in_turns():
    log = []
    measure_one(FixedWork("A", log=log), FixedWork("B", log=log), rounds=2)
    assert log == ["warm up A", "warm up B", "A", "B", "A", "B"]


def test_ratio_is_the_median_of_the_rounds_ratios():
    # Ratios 2, 0.1 and 3; neither the minima nor the medians of the two sides give 2.
    row = measure_one(FixedWork(seconds=(2, 1, 30)), FixedWork(seconds=(1, 10, 10)))
    assert row.ratio == 2


def timed_statement(first, others):
    """A statement that takes so many seconds by a clock of its own, and the list of its executions."""
    executed = []
    clock = SimpleNamespace(now=0.0)
    code = f"clock.now += {others} if executed else {first}; executed.append(0)"
    work = pairing.Statement(code, executed=executed, clock=clock)
    work._timer.timer = lambda: clock.now
    return work, executed


def test_statement_is_repeated_until_the_block_is_long_enough():
    work, executed = timed_statement(1e-6, 1e-6)
    work.warm_up(1e-3)
    before = len(executed)
    seconds = work.measure()
    assert len(executed) - before >= 1000
    assert seconds == pytest.approx(1e-6)


def test_first_execution_does_not_decide_how_often_a_statement_is_repeated():
    work, executed = timed_statement(5e-3, 1e-6)
    work.warm_up(1e-3)
    before = len(executed)
    work.measure()
    assert len(executed) - before >= 1000


def test_statement_of_several_threads_is_executed_by_each():
    executed = []
    work = pairing.Statement("executed.append(0)", threads=3, executed=executed)
    work.warm_up(1e-5)
    before = len(executed)
    work.measure()
    assert (len(executed) - before) % 3 == 0
    assert len(executed) - before == 3 * work._repeats


def test_each_object_takes_part_once_and_making_it_is_not_in_the_time():
    clock = SimpleNamespace(now=0.0)
    made, used = itertools.count(), []

    def prepare(count):
        clock.now += 1000
        return [next(made) for _ in range(count)]

    code = "clock.now += 3; used.append(x)"
    work = pairing.OnceEach(code, prepare, batch=5, clock=clock, used=used)
    work._timer.timer = lambda: clock.now
    work.warm_up(1e-3)
    assert work.measure() == 3
    assert used == list(range(next(made)))
    assert len(used) >= 10


def test_no_object_is_kept_when_its_time_is_taken():
    alive = weakref.WeakSet()

    class Object:
        def __init__(self):
            alive.add(self)

    work = pairing.OnceEach("pass", lambda count: [Object() for _ in range(count)], batch=5)
    work.measure()
    assert not alive


@pytest.mark.parametrize(("ratio", "met"), [(0.5, True), (0.49, False)])
def test_aim_of_a_ratio_is_judged_by_the_ratio(ratio, met):
    row = measure_one(FixedWork(seconds=[1]), FixedWork(seconds=[2]), pairing.Aim(ratio))
    assert row.is_met is met


@pytest.mark.parametrize(("seconds", "met"), [(0.1, True), (0.09, False)])
def test_aim_of_a_time_is_judged_by_the_shortest(seconds, met):
    aim = pairing.Aim(seconds=seconds)
    row = measure_one(FixedWork(seconds=[0.3, 0.1, 0.2]), FixedWork(), aim)
    assert row.is_met is met


def test_row_without_an_aim_is_not_judged():
    assert measure_one(FixedWork(), FixedWork()).is_met is None


def costs(rungs):
    effort = pairing.Effort(rounds=3, block_seconds=1e-4)
    return [step.cost for step in ladder.measure(ladder.Ladder("", rungs), effort)]


def test_step_costs_what_it_adds_to_the_step_below():
    rungs = [ladder.Rung("", FixedWork(seconds=[total])) for total in (3, 10, 8)]
    assert costs(rungs) == [3, 7, -2]


def test_step_beyond_another_is_compared_with_that_one():
    first, second = (ladder.Rung("", FixedWork(seconds=[total])) for total in (3, 10))
    third = ladder.Rung("", FixedWork(seconds=[8]), beyond=first)
    assert costs([first, second, third]) == [3, 7, 5]


def test_cost_of_a_step_is_the_median_of_the_rounds_differences():
    # Differences 1, 20 and 2; neither the minima nor the medians of the two give 2.
    below = ladder.Rung("", FixedWork(seconds=(1, 10, 50)))
    rungs = [below, ladder.Rung("", FixedWork(seconds=(2, 30, 52)))]
    assert costs(rungs)[1] == 2


def test_rungs_are_warmed_up_and_then_measured_in_turns():
    log = []
    rungs = [ladder.Rung("", FixedWork(name, log=log)) for name in "AB"]
    ladder.measure(ladder.Ladder("", rungs), pairing.Effort(rounds=2, block_seconds=1e-4))
    assert log == ["warm up A", "warm up B", "A", "B", "A", "B"]
