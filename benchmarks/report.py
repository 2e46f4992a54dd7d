"""What was measured, as a table for people and as plain values for programs."""

import os
import platform
import statistics
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import usmx
from allocation import Curve as CostCurve
from bandwidth import Curve
from ladder import Step
from pairing import Aim, Effort, Row
from usmx._text import format_table

HEADER = ("work", "peer", "usmx", "(median)", "peer's", "(median) ", "ratio", "aim", "met")
RIGHT = HEADER[2:8]
STEP_HEADER = ("step", "costs", "with all before")
PACKAGES = ("usmx", "dpctl", "dpnp", "numpy", "intel-sycl-rt", "intel-opencl-rt")


def tables(rows: Sequence[Row], steps: Sequence[Step]) -> str:
    """Both tables, each if it has anything."""
    return "\n\n".join(make(items) for make, items in ((table, rows), (step_table, steps)) if items)


def step_table(steps: Sequence[Step]) -> str:
    """What every step costs, and how long the work takes with it."""
    found = [(step.title, time_text(step.cost), time_text(min(step.seconds))) for step in steps]
    return format_table(STEP_HEADER, found, right=STEP_HEADER[1:])


def table(rows: Sequence[Row]) -> str:
    """All rows and a line that counts the aims that are met."""
    judged = [row.is_met for row in rows if row.is_met is not None]
    summary = f"{sum(judged)} of {len(judged)} aims met" if judged else "no aims among these"
    return f"{format_table(HEADER, [cells(row) for row in rows], right=RIGHT)}\n\n{summary}"


def cells(row: Row) -> tuple[str, ...]:
    """One row as text."""
    return (
        row.case.title,
        row.peer.name,
        *(
            time_text(pick(seconds))
            for seconds in (row.usmx_seconds, row.peer_seconds)
            for pick in (min, statistics.median)
        ),
        f"{row.ratio:.3g}",
        aim_text(row.peer.aim),
        {True: "yes", False: "NO", None: "-"}[row.is_met],
    )


def time_text(seconds: float) -> str:
    """In the unit in which it is neither tiny nor long."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1, 1e3, "ms")):
        if abs(seconds) < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def aim_text(aim: Aim | None) -> str:
    """'<= 1/10' of the peer's time, or '<= 100 ms'."""
    if aim is None:
        return "-"
    return f"<= 1/{1 / aim.ratio:.3g}" if aim.ratio else f"<= {time_text(aim.seconds)}"


def bandwidth_tables(curves: Sequence[Curve]) -> str:
    """For each sweep one row for each number, with every library's GB/s."""
    return curve_tables(
        curves, " GB/s", lambda curve, k: f"{curve.nbytes[k] / curve.seconds[k] / 1e9:.3g}"
    )


def cost_tables(curves: Sequence[CostCurve]) -> str:
    """For each sweep one row for each number, with every library's time."""
    return curve_tables(curves, "", lambda curve, k: time_text(curve.seconds[k]))


def curve_tables(curves: Sequence[Any], unit: str, cell: Callable[[Any, int], str]) -> str:
    """A table for each sweep, whose columns are the libraries."""
    found = []
    for title in dict.fromkeys(curve.sweep for curve in curves):
        own = [curve for curve in curves if curve.sweep == title]
        header = (own[0].axis, *(f"{curve.library}{unit}" for curve in own))
        rows = [(str(x), *(cell(curve, k) for curve in own)) for k, x in enumerate(own[0].x)]
        found.append(f"{title}\n{format_table(header, rows, right=header)}")
    return "\n\n".join(found)


def machine() -> dict[str, Any]:
    """Where it was measured, and with what."""
    return {
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "load_at_start": os.getloadavg()[0],
        "device": usmx.SyclDevice().name,
        "filter": usmx.SyclDevice().filter_string,
        "driver": usmx.SyclDevice().driver_version,
        "python": platform.python_version(),
        "packages": {
            name: usmx.__version__ if name == "usmx" else version(name) for name in PACKAGES
        },
    }


def cpu_name() -> str:
    """As Linux calls it."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine_text(found: dict[str, Any]) -> str:
    """Two lines."""
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    return (
        f"{found['cpu']}, {found['cores']} cores, load {found['load_at_start']:.1f}; "
        f"device {found['filter']}, driver {found['driver']}\n"
        f"Python {found['python']}, {packages}"
    )


def values(
    rows: Sequence[Row], steps: Sequence[Step], effort: Effort, found: dict[str, Any]
) -> dict[str, Any]:
    """Everything, for json.dump."""
    return {
        "machine": found,
        "rounds": effort.rounds,
        "rows": [row_values(row) for row in rows],
        "steps": [step_values(step) for step in steps],
    }


def row_values(row: Row) -> dict[str, Any]:
    """One row: times in seconds, one for each round."""
    aim = row.peer.aim or Aim()
    return {
        "work": row.case.title,
        "code": row.case.usmx.code,
        "peer": row.peer.name,
        "peer_code": row.peer.work.code,
        "usmx_seconds": list(row.usmx_seconds),
        "peer_seconds": list(row.peer_seconds),
        "ratio": row.ratio,
        "aim_ratio": aim.ratio,
        "aim_seconds": aim.seconds,
        "met": row.is_met,
    }


def step_values(step: Step) -> dict[str, Any]:
    """One step: times in seconds, one for each round, with it and without."""
    return {
        "step": step.title,
        "seconds": list(step.seconds),
        "seconds_before": list(step.seconds_before),
        "cost": step.cost,
    }
