"""Ratios and what steps cost as a picture."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.ladder import Step
from bench.pairing import Row

FASTER, SLOWER, AIM = "#2a7f9e", "#c8793a", "black"


class Bar(NamedTuple):
    """One ratio, and the ratio that is aimed at, if there is one."""

    label: str
    ratio: float
    aim: float | None = None


def bars_of(rows: Sequence[Row]) -> list[Bar]:
    """Name each row by its work and its peer."""
    return [
        Bar(
            f"{row.case.title}  ({row.peer.name})",
            row.ratio,
            row.peer.aim.ratio if row.peer.aim else None,
        )
        for row in rows
    ]


def figure_of(bars: Sequence[Bar], steps: Sequence[Step]) -> Figure:
    """Draw whichever of the two there are, the ratios above the steps."""
    both: tuple[tuple[Callable[..., None], Sequence[Any]], ...] = (
        (draw_ratios, bars),
        (draw_steps, steps),
    )
    parts = [part for part in both if part[1]]
    heights = [0.8 + 0.32 * len(items) for _, items in parts]
    figure = Figure(figsize=(10, 0.4 + sum(heights)), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    places = figure.subplots(len(parts), squeeze=False, height_ratios=heights)
    for (draw, items), axes in zip(parts, places.flat, strict=True):
        draw(axes, items)
    return figure


def draw_ratios(axes: Axes, bars: Sequence[Bar]) -> None:
    """Draw bars on a logarithmic scale, from 1 (as fast as the peer); short lines are aims."""
    axes.set(xscale="log", title="How long usmx takes, compared with the library in brackets")
    axes.xaxis.set_major_formatter(lambda ratio, _: ratio_text(ratio))
    for place, bar in enumerate(bars):
        colour = FASTER if bar.ratio <= 1 else SLOWER
        axes.barh(place, bar.ratio - 1, left=1, height=0.7, color=colour)
        label(axes, verdict(bar.ratio), bar.ratio, place, leftwards=bar.ratio <= 1)
        if bar.aim:
            axes.vlines(bar.aim, place - 0.45, place + 0.45, color=AIM, linewidth=1.5)
    axes.axvline(1, color="0.4", linewidth=1)
    finish(axes, [bar.label for bar in bars])


def ratio_text(ratio: float) -> str:
    """A round ratio as a tick of the scale: "1/10 of the time", "10 times"."""
    if ratio == 1:
        return "the same time"
    return f"{ratio:g} times" if ratio > 1 else f"1/{1 / ratio:g} of the time"


def verdict(ratio: float) -> str:
    """A ratio in words, for the end of its bar."""
    factor, word = (ratio, "long") if ratio > 1 else (1 / ratio, "fast")
    return f"{factor:,.0f} times as {word}" if factor >= 10 else f"{factor:.2g} times as {word}"


def draw_steps(axes: Axes, steps: Sequence[Step]) -> None:
    """Draw what each step costs as a bar that begins where the time before it ends."""
    axes.set(title="What each step costs: nanoseconds")
    for place, step in enumerate(steps):
        before = statistics.median(step.seconds_before) * 1e9
        cost = step.cost * 1e9
        axes.barh(place, cost, left=before, height=0.7, color=FASTER)
        label(axes, f"{cost:.0f}", before + max(cost, 0), place, leftwards=False)
    finish(axes, [step.title for step in steps])


def label(axes: Axes, text: str, x: float, place: int, *, leftwards: bool) -> None:
    """Write a number at the end of a bar."""
    beyond, side = (-4, "right") if leftwards else (4, "left")
    axes.annotate(
        text, (x, place), (beyond, 0), textcoords="offset points", ha=side, va="center", fontsize=8
    )


def finish(axes: Axes, names: Sequence[str]) -> None:
    """Name the bars, the first at the top, and take out what is not needed."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.28, y=0.01)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
