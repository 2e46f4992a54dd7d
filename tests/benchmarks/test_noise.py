"""benchmarks.bench.noise: which machine is too busy, and which rounds differ too much."""

import time

import pytest
from bench.noise import Clock, Noise, reasons_of_others, spread
from bench.pairing import Case, Peer, Row, Statement


def row(seconds):
    work = Statement("pass")
    return Row(Case("", work, []), Peer("", work), seconds, seconds)


def test_spread_is_the_middle_half_over_the_median():
    assert spread([1.0] * 9) == 0
    assert spread([9, 10, 11]) == pytest.approx(0.2)


def test_one_slow_round_is_no_spread():
    assert spread([1.0] * 20 + [100.0]) == 0


def test_own_work_is_not_that_of_others():
    start = Clock(available=100, used=50, own=7)
    assert Clock(available=110, used=58, own=15).share_of_others_since(start) == 0
    assert Clock(available=110, used=58, own=9).share_of_others_since(start) == pytest.approx(0.6)


def test_clock_of_the_kernel_counts_this_process():
    start = Clock.now()
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    now = Clock.now()
    assert now.own - start.own >= 0.15
    assert now.used - start.used >= 0.15
    assert now.available > now.used


def test_quiet_machine_with_steady_rounds_is_believed():
    assert Noise(by_others=0.05, spread=0.1).reasons == []


def test_each_kind_of_noise_is_a_reason():
    assert reasons_of_others(0.06) == ["other processes use 6% of the processors (at most 5%)"]
    assert Noise(0, 0.2).reasons == ["half of the rounds differ by 20% and more (at most 10%)"]


def test_median_row_decides_on_the_spread():
    steady, wild = row([1.0] * 5), row([1, 2, 3, 4, 5])
    now = Clock.now()
    assert Noise.during(now, [steady, steady, wild]).spread == 0
    assert Noise.during(now, [steady, wild, wild]).spread > 0.5
