"""Times against sizes: what a benchmark of them has in common, as tables and as pictures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bench import outputs
from bench.report import time_text
from usmx._text import format_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEEDED = "dpctl dpnp numpy"
LINES = {
    "usmx": ("#2a7f9e", "o"),
    "usmx, no pool": ("#8fc1d4", "v"),
    "dpnp.tensor": ("#c8793a", "s"),
    "dpctl": ("#c8793a", "s"),
    "NumPy": ("0.45", "^"),
}


@dataclass(frozen=True)
class Curve:
    """One library's times for one sweep: the shortest of the rounds, in seconds."""

    sweep: str
    axis: str
    library: str
    code: str
    x: Sequence[int]
    seconds: Sequence[float]
    nbytes: Sequence[int] = ()  # that are copied at each x, if bytes are copied

    @property
    def bandwidths(self) -> list[float]:
        """Bytes copied per second."""
        return [n / s for n, s in zip(self.nbytes, self.seconds, strict=True)]


def run(
    arguments: Sequence[str] | None,
    *,
    name: str,
    description: str,
    measure: Callable[[bool], Sequence[Curve]],
    tables: Callable[[Sequence[Curve]], str],
    figure: Callable[[Sequence[Curve]], Figure],
) -> int:
    """Be the command `name`; the exit code is 2 when something that it needs is missing."""
    options = parse(arguments, name, description)
    try:
        curves = measure(options.quick)
    except ImportError as error:
        print(f"benchmarks: {error}; install with: pip install {NEEDED}", file=sys.stderr)
        return 2
    from bench import report

    machine = report.machine()
    print(f"{report.machine_text(machine)}\n\n{tables(curves)}")
    if options.json:
        values = {"machine": machine, "curves": [asdict(curve) for curve in curves]}
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        figure(curves).savefig(options.plot)
    return 0


def parse(arguments: Sequence[str] | None, name: str, description: str) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog=f"python benchmarks/{name}", description=description)
    parser.add_argument(
        "--quick", action="store_true", help="few numbers, short rounds: to see that it works"
    )
    outputs.add_options(parser, json="write the times there", plot="draw the curves there")
    return outputs.parse(parser, arguments)


def bandwidth_tables(curves: Sequence[Curve]) -> str:
    """For each sweep one row for each number, with every library's GB/s."""
    return curve_tables(curves, " GB/s", lambda curve, k: f"{curve.bandwidths[k] / 1e9:.3g}")


def cost_tables(curves: Sequence[Curve]) -> str:
    """For each sweep one row for each number, with every library's time."""
    return curve_tables(curves, "", lambda curve, k: time_text(curve.seconds[k]))


def curve_tables(curves: Sequence[Curve], unit: str, cell: Callable[[Curve, int], str]) -> str:
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
    return figure_of(curves, lambda curve: curve.bandwidths, "bytes copied per second", "B/s")


def figure_of_costs(curves: Sequence[Curve]) -> Figure:
    """Seconds of one allocation and free."""
    return figure_of(curves, lambda curve: curve.seconds, "one allocation and free", "s")


def figure_of_selections(curves: Sequence[Curve]) -> Figure:
    """Seconds of one selection."""
    return figure_of(curves, lambda curve: curve.seconds, "one selection", "s")


def figure_of(
    curves: Sequence[Curve], values: Callable[[Curve], Sequence[float]], label: str, unit: str
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
    panel: Axes, curves: Sequence[Curve], values: Callable[[Curve], Sequence[float]]
) -> None:
    """The curves of one sweep."""
    from matplotlib.ticker import FuncFormatter

    counts_elements = curves[0].axis == "elements"
    for curve in curves:
        colour, marker = LINES[curve.library]
        panel.plot(
            curve.x, values(curve), color=colour, marker=marker, markersize=4, label=curve.library
        )
    panel.set_xscale("log", base=10 if counts_elements else 2)
    panel.set_yscale("log")
    panel.set_title(curves[0].sweep, fontsize=10)
    panel.set_xlabel(curves[0].axis)
    if not counts_elements:
        in_bytes = "bytes" in curves[0].axis
        panel.xaxis.set_major_formatter(
            FuncFormatter(bytes_text if in_bytes else lambda x, _: f"{x:g}")
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
