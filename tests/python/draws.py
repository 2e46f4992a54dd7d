"""What share of independent cases a run takes: CI some, the same ones every time; ./test nightly all."""

import os

# 1 takes all.
DENSITY = float(os.environ.get("USMX_TEST_DENSITY", "0.33" if os.environ.get("CI") else "1"))


def is_drawn(item):
    """Whether a test is one of the share that its mark `drawn(share)` leaves; without the mark it is.

    pytest numbers the runs of a function: those whose number, for each parameter and together, is a
    multiple of the share. So not each value comes; ./test nightly has all.
    """
    mark, call = item.get_closest_marker("drawn"), getattr(item, "callspec", None)
    if mark is None or call is None or DENSITY >= 1:
        return True
    return sum(call.indices.values()) % mark.args[0] == 0


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if not is_drawn(item)]
    if left_out:
        items[:] = [item for item in items if is_drawn(item)]
        config.hook.pytest_deselected(items=left_out)
