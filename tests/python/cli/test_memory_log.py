"""usmx.cli.memory_log: memory over time, from a log."""

import random

import numpy as np
import pytest
from usmx.cli import memory_log
from usmx.cli.memory_log import HEADER, Event, history

KINDS = ("device", "shared", "host")


def random_events(seed, count=300):
    """Blocks that come and go, some of pools, as a log has them."""
    rng = random.Random(seed)
    live, events = [], []
    for k in range(count):
        time = 1e9 + k / 8  # exact, as the differences are
        if live and rng.random() < 0.45:
            source, kind, nbytes = live.pop(rng.randrange(len(live)))
            events.append(Event(time, "free", source, kind, nbytes))
        else:
            block = (
                rng.choice(("buffer", "pool", "resource")),
                rng.choice(KINDS),
                rng.randrange(1, 10**6),
            )
            failed = rng.random() < 0.1
            if not failed:
                live.append(block)
            events.append(Event(time, "failure" if failed else "allocate", *block))
    return events


def bytes_until(last, numbered_events):
    """By brute force: allocated minus freed."""
    sign = {"allocate": 1, "free": -1, "failure": 0}
    return sum(sign[each.action] * each.nbytes for k, each in numbered_events if k <= last)


@pytest.mark.parametrize("seed", range(5))
def test_curves_are_what_was_allocated_minus_what_was_freed(seed):
    events = random_events(seed)
    found = history(events)
    pools = [(k, each) for k, each in enumerate(events) if each.source == "pool"]
    programs = [(k, each) for k, each in enumerate(events) if each.source != "pool"]
    for k in range(len(events)):
        assert found.seconds[k] == k / 8
        for kind in KINDS:
            of_kind = [each for each in programs if each[1].kind == kind]
            assert found.used[kind][k] == bytes_until(k, of_kind)
        assert found.pools[k] == bytes_until(k, pools)
    assert found.allocations == sum(e.action == "allocate" and e.source != "pool" for e in events)
    assert found.failures == sum(e.action == "failure" and e.source != "pool" for e in events)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_lines_does_not_matter(seed):
    events = random_events(seed)
    shuffled = events[:]
    random.Random(seed).shuffle(shuffled)
    assert (history(shuffled).total == history(events).total).all()


def test_events_of_one_moment_keep_their_order():
    events = [Event(1.0, action, "buffer", "host", 8) for action in ("allocate", "free") * 50]
    assert history(events).total.tolist() == [8, 0] * 50


def test_peak_is_the_first_event_with_most_bytes():
    found = history(
        [
            Event(1.0, "allocate", "buffer", "host", 8),
            Event(2.0, "allocate", "buffer", "device", 8),
            Event(3.0, "free", "buffer", "host", 8),
            Event(4.0, "allocate", "buffer", "shared", 8),
        ]
    )
    assert found.peak == 1


@pytest.mark.parametrize("most", [2, 10, 299])
def test_fewer_points_keep_the_peak_the_order_and_the_end(most):
    every = history(random_events(3))
    fewer = memory_log.thinned(every, most)
    assert len(fewer.seconds) == most
    assert fewer.total.max() == every.total.max()
    assert fewer.seconds[fewer.peak] == every.seconds[every.peak]
    assert (np.diff(fewer.seconds) > 0).all() or most == 299
    assert fewer.total[-1] == every.total[-1]
    assert fewer.pools[-1] == every.pools[-1]


def test_few_points_stay_as_they_are():
    every = history(random_events(3))
    assert memory_log.thinned(every, 300) is every


LINE = "1.000000001,7,allocate,buffer,host,8,0x10,opencl:cpu:0"


def test_line_that_is_cut_off_at_the_end_is_left_out(tmp_path):
    path = tmp_path / "memory.csv"
    path.write_text(f"{','.join(HEADER)}\n{LINE}\n{LINE[:20]}")
    assert list(memory_log.read(path)) == [Event(1.000000001, "allocate", "buffer", "host", 8)]


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "x" * 5000, ",".join(HEADER)])
def test_file_that_is_no_log_is_rejected(tmp_path, text):
    path = tmp_path / "memory.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"memory\.csv:1: not a memory log"):
        list(memory_log.read(path))


def lines_of(tmp_path, *lines):
    path = tmp_path / "memory.csv"
    path.write_bytes(b"".join(line + b"\n" for line in (",".join(HEADER).encode(), *lines)))
    return path


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (b"1,2", "expected 8 columns, found 2: b'1,2"),
        (LINE.replace("allocate", "lend").encode(), "'action' must be allocate, .* found 'lend'"),
        (LINE.replace("buffer", "me").encode(), "'source' must be buffer, .* found 'me'"),
        (LINE.replace("host", "here").encode(), "'kind' must be device, .* found 'here'"),
        (LINE.replace(",8,", ",-8,").encode(), "'nbytes' must be a number of bytes, found '-8'"),
        (LINE.replace(",8,", f",{'9' * 500},").encode(), "'nbytes' must be .* found '999"),
        (LINE.replace(",8,", ",²,").encode(), "'nbytes' must be .* found '²'"),
        (LINE.replace("1.000000001", "nan").encode(), "'time' must be .* found 'nan'"),
        (LINE.replace("1.000000001", "soon").encode(), "'time' must be .* found 'soon'"),
        (b"\xff\0" + LINE.encode(), "'time' must be .* found"),
        (LINE.encode() + b"x" * 5000, "longer than 1,000 bytes"),
        (b'"' + LINE.encode(), "'time' must be"),
    ],
)
def test_bad_line_is_named_with_its_file_and_number(tmp_path, found, expected):
    good = LINE.encode()
    path = lines_of(tmp_path, good, good, found, good)
    with pytest.raises(
        ValueError, match=rf"memory\.csv:4: not a line of a memory log: .*{expected}"
    ):
        list(memory_log.read(path))


def test_request_that_failed_may_have_been_of_any_size(tmp_path):
    failure = LINE.replace("allocate", "failure").replace(",8,", f",{2**64 - 1},").encode()
    found = history(memory_log.read(lines_of(tmp_path, LINE.encode(), failure)))
    assert (found.failures, found.total.tolist()) == (1, [8, 8])


def test_sums_that_no_machine_has_are_rejected(tmp_path):
    line = LINE.replace(",8,", f",{2**63},").encode()
    with pytest.raises(ValueError, match=r"more than 2\*\*53 bytes"):
        history(memory_log.read(lines_of(tmp_path, line, line)))


def test_more_events_than_can_be_drawn_are_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_log, "MOST_EVENTS", 3)
    path = lines_of(tmp_path, *[LINE.encode()] * 3)
    assert len(list(memory_log.read(path))) == 3
    path = lines_of(tmp_path, *[LINE.encode()] * 4)
    with pytest.raises(ValueError, match=r"memory\.csv:5: --plot reads at most 3 events"):
        list(memory_log.read(path))
