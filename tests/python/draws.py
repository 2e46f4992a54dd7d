"""What share of independent cases a run takes: CI some, the same ones every time; ./test nightly all."""

import os

# 1 takes all.
DENSITY = float(os.environ.get("USMX_TEST_DENSITY", "0.33" if os.environ.get("CI") else "1"))


def drawn_of(items):
    """Which tests of one function are in the share that its mark `drawn(share)` leaves.

    Each value of a parameter has a number, and the tests whose numbers add up to a multiple of the
    share are taken, as by helpers.drawn. Where there are several parameters, each value comes.
    """
    share = items[0].get_closest_marker("drawn").args[0]
    axes = [{} for _ in items[0].callspec._idlist]  # pytest has no public name for the parts
    numbers = [
        tuple(axis.setdefault(part, len(axis)) for axis, part in zip(axes, each, strict=True))
        for each in (item.callspec._idlist for item in items)
    ]
    chosen = {k for k, each in enumerate(numbers) if sum(each) % share == 0}
    if len(axes) > 1:
        for axis, values in enumerate(axes):
            missing = set(values.values()) - {numbers[k][axis] for k in chosen}
            chosen |= {next(k for k, n in enumerate(numbers) if n[axis] == m) for m in missing}
    return [items[k] for k in sorted(chosen)]


def function_of(item):
    """What marked tests have in common that differ by their parameters; None for others."""
    is_drawn = item.get_closest_marker("drawn") is not None and hasattr(item, "callspec")
    return item.nodeid.partition("[")[0] if is_drawn and DENSITY < 1 else None


def pytest_collection_modifyitems(config, items):
    families = {}
    for item in items:
        families.setdefault(function_of(item), []).append(item)
    families.pop(None, None)
    chosen = {id(each) for family in families.values() for each in drawn_of(family)}
    left_out = [item for item in items if function_of(item) and id(item) not in chosen]
    if left_out:
        gone = {*map(id, left_out)}
        items[:] = [item for item in items if id(item) not in gone]
        config.hook.pytest_deselected(items=left_out)
