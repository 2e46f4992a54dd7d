"""``python -m usmx memory --plot``: a log of memory as a picture."""

import importlib.util
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from usmx._text import size_text
from usmx.cli import memory_log
from usmx.cli.memory_log import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {"device": "#2a7f9e", "shared": "#c8793a", "host": "#8a8a8a"}
MOST_POINTS = 4000


def run(log: Path, picture: Path) -> int:
    """Draw it and say what is on it; the exit code is 2 when that cannot be done."""
    if importlib.util.find_spec("matplotlib") is None:
        return refuse("--plot needs matplotlib; install with: pip install matplotlib")
    try:
        history = memory_log.history(memory_log.read(log))
        if len(history.seconds) == 0:
            return refuse(f"{log} has no events")
        save(history, picture)
    except (OSError, ValueError) as error:
        return refuse(str(error))
    print(f"{picture}\n{summary(history)}")
    return 0


def refuse(reason: str) -> int:
    """Say in one line why there is no picture."""
    print(f"usmx memory: {reason}", file=sys.stderr)
    return 2


def summary(history: History) -> str:
    """The peak, and what was left at the end, in words."""
    peak = history.peak
    kinds = [f"{size_text(used[peak])} {kind}" for kind, used in history.used.items() if used[peak]]
    return (
        f"{history.allocations} allocations, {history.failures} failures\n"
        f"peak after {history.seconds[peak]:.4g} s: {size_text(history.total[peak])} in use "
        f"({', '.join(kinds)})\n"
        f"at the end: {size_text(history.total[-1])} in use, "
        f"{size_text(history.pools[-1])} with pools"
    )


def save(history: History, picture: Path) -> None:
    """Draw the kinds on top of each other, and what pools had as a line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), dpi=130, layout="constrained")
    draw(figure.subplots(), memory_log.thinned(history, MOST_POINTS))
    figure.savefig(picture)


def draw(axes: "Axes", history: History) -> None:
    """The curves, and a mark at the peak."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    seconds, peak = history.seconds, history.peak
    used = {kind: values for kind, values in history.used.items() if values.any()}
    axes.stackplot(
        seconds,
        *used.values(),
        labels=list(used),
        colors=[COLOURS[kind] for kind in used],
        step="post",
        linewidth=0,
    )
    if history.pools.any():
        axes.step(
            seconds, history.pools, where="post", color="black", linewidth=1, label="with pools"
        )
    top = max(history.total[peak], history.pools.max())
    axes.plot(seconds[peak], history.total[peak], "v", color="black", markersize=6)
    axes.annotate(
        f"peak: {size_text(history.total[peak])}",
        (seconds[peak], history.total[peak]),
        (0, 7),
        textcoords="offset points",
        ha="center",
    )
    axes.set(xlabel="seconds", title="Memory in use", xlim=(0, seconds[-1] or 1))
    axes.set_ylim(0, 1.12 * max(top, 1))
    axes.yaxis.set_major_locator(MultipleLocator(2 ** math.ceil(math.log2(max(top, 1) / 6))))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda nbytes, _: size_text(nbytes)))
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", ncols=4)
