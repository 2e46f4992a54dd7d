"""benchmarks.bench.cases: what is measured is what the title says."""

import pytest
import usmx
from bench.cases import memory
from helpers import AT_ONCE, SIMULATED, happens


def reserved_bytes():
    return usmx.memory.memory_stats()["total_bytes.current"]


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason=AT_ONCE)
@pytest.mark.skipif(
    usmx.SyclDevice().backend == "cuda",
    reason="the GPU has copied 64 MiB before 16 more copies are submitted",
)
def test_freed_block_is_taken_while_work_is_pending_on_it(monkeypatch):
    events = []
    copy_async = usmx.copy_async
    monkeypatch.setattr(usmx, "copy_async", lambda *of: events.append(copy_async(*of)))
    busy = memory.empty_of_freed_block().usmx
    usmx.memory.empty_cache()  # what is left is in use
    before = reserved_bytes()

    def is_pending():
        events.clear()
        busy.measure()
        assert reserved_bytes() - before == 16 * (4 << 20), "not the freed blocks were taken"
        return events[-1].execution_status.name != "complete"

    assert happens(is_pending)
    assert len(events) % 17 == 0  # a long copy, and one to each of 16 blocks
