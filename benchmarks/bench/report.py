"""What was measured, as a table for people and as plain values for programs."""

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import usmx

from bench.ladder import Step
from bench.noise import Noise
from bench.pairing import Aim, Effort, Row

HEADER = (
    *("work", "peer", "usmx", "(median)", "peer's", "(median) "),
    *("ratio", "middle half", "aim", "met"),
)
RIGHT = HEADER[2:9]
STEP_HEADER = ("step", "costs", "with all before")
PACKAGES = ("usmx", "dpctl", "dpnp", "numpy", "intel-sycl-rt", "intel-opencl-rt")


def step_cells(step: Step) -> tuple[str, ...]:
    """What a step costs, and how long the work takes with it, as text."""
    return step.title, time_text(step.cost), time_text(min(step.seconds))


def summary(rows: Sequence[Row]) -> str:
    """Count the aims that are met."""
    judged = [row.is_met for row in rows if row.is_met is not None]
    return f"{sum(judged)} of {len(judged)} aims met" if judged else "no aims among these"


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
        " to ".join(f"{ratio:.3g}" for ratio in row.ratio_range),
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
    if aim is not None and aim.ratio is not None:
        return f"<= 1/{1 / aim.ratio:.3g}"
    if aim is not None and aim.seconds is not None:
        return f"<= {time_text(aim.seconds)}"
    return "-"


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
        "packages": {name: number for name in PACKAGES if (number := installed(name))},
    }


def installed(name: str) -> str | None:
    """The release of a package; None where it is not there."""
    try:
        return usmx.__version__ if name == "usmx" else version(name)
    except PackageNotFoundError:
        return None


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
    rows: Sequence[Row],
    steps: Sequence[Step],
    effort: Effort,
    found: dict[str, Any],
    noise: Noise,
) -> dict[str, Any]:
    """Everything, for json.dump."""
    return {
        "machine": found,
        "noise": {**asdict(noise), "reasons": noise.reasons},
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
        "ratio_range": list(row.ratio_range),
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
