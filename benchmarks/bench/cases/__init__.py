"""What is measured: functions that each make one case, by subject."""

from collections.abc import Callable

from bench.cases import copy, exchange, kernels, mathematics, memory, package, steps, views
from bench.ladder import Ladder
from bench.pairing import Case

MODULES = (exchange, views, memory, copy, kernels, mathematics, package, steps)


def find_makers() -> dict[str, Callable[[], Case | Ladder]]:
    """What there is to measure, by name, in the report's order."""
    return {make.__name__.replace("_", "-"): make for module in MODULES for make in module.CASES}
