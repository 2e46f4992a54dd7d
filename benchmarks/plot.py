"""The ratios as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pairing import Row

FASTER, SLOWER, AIM = "#2a7f9e", "#c8793a", "black"


def save(rows: Sequence[Row], path: Path) -> None:
    """Draw bars on a logarithmic scale, from 1 (as fast as the peer); short lines are aims."""
    figure = Figure(figsize=(10, 1.2 + 0.32 * len(rows)), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xscale="log", title="Time of usmx / time of the peer")
    for place, row in enumerate(rows):
        colour = FASTER if row.ratio <= 1 else SLOWER
        axes.barh(place, row.ratio - 1, left=1, height=0.7, color=colour)
        beyond, side = (-4, "right") if row.ratio <= 1 else (4, "left")
        axes.annotate(
            f"{row.ratio:.3g}",
            (row.ratio, place),
            (beyond, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=8,
        )
        if row.peer.aim and row.peer.aim.ratio:
            axes.vlines(row.peer.aim.ratio, place - 0.45, place + 0.45, color=AIM, linewidth=1.5)
    axes.set_yticks(range(len(rows)), [f"{row.case.title}  |  {row.peer.name}" for row in rows])
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.axvline(1, color="0.4", linewidth=1)
    axes.margins(x=0.12, y=0.01)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(path, format="png")
