"""Bandwidths and times against sizes, as tables and as pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from usmx._text import format_table
from usmx.bench.report import time_text

if TYPE_CHECKING:
    from allocation import Curve as CostCurve
    from bandwidth import Curve
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = {
    "usmx": ("#2a7f9e", "o"),
    "usmx, no pool": ("#8fc1d4", "v"),
    "dpnp.tensor": ("#c8793a", "s"),
    "dpctl": ("#c8793a", "s"),
    "NumPy": ("0.45", "^"),
}


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


def figure_of_bandwidth(curves: Sequence[Curve]) -> Figure:
    """Bytes copied per second."""

    def bandwidths(curve: Curve) -> list[float]:
        return [n / s for n, s in zip(curve.nbytes, curve.seconds, strict=True)]

    return figure_of(curves, bandwidths, "bytes copied per second", "B/s")


def figure_of_costs(curves: Sequence[CostCurve]) -> Figure:
    """Seconds of one allocation and free."""
    return figure_of(curves, lambda curve: curve.seconds, "one allocation and free", "s")


def figure_of(
    curves: Sequence[Any], values: Callable[[Any], Sequence[float]], label: str, unit: str
) -> Figure:
    """One panel for each sweep, both axes logarithmic."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    titles = list(dict.fromkeys(curve.sweep for curve in curves))
    figure = Figure(figsize=(6.5 * len(titles), 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(titles), squeeze=False, sharey=True)[0]
    for panel, title in zip(panels, titles, strict=True):
        draw_sweep(panel, [curve for curve in curves if curve.sweep == title], values)
    panels[0].set_ylabel(label)
    panels[0].yaxis.set_major_formatter(EngFormatter(unit))
    lines = panels[0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside upper center", ncols=len(lines[0]), frameon=False)
    return figure


def draw_sweep(
    panel: Axes, curves: Sequence[Any], values: Callable[[Any], Sequence[float]]
) -> None:
    """The curves of one sweep."""
    from matplotlib.ticker import FuncFormatter

    for curve in curves:
        colour, marker = LINES[curve.library]
        panel.plot(
            curve.x, values(curve), color=colour, marker=marker, markersize=4, label=curve.library
        )
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_title(curves[0].sweep, fontsize=10)
    panel.set_xlabel(curves[0].axis)
    panel.xaxis.set_major_formatter(
        FuncFormatter(bytes_text)
        if "bytes" in curves[0].axis
        else FuncFormatter(lambda x, _: f"{x:g}")
    )
    panel.grid(color="0.92")
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def bytes_text(nbytes: float, _position: int) -> str:
    """'64 B', '16 KiB', ..."""
    for unit in ("B", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes:.3g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.3g} GiB"
