"""The picture: a scatter plot of the first two components."""

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from usmx_demo.data import DataSet
from usmx_demo.error import DemoError


def plot(scores: np.ndarray, variance: np.ndarray, data: DataSet, output: Path) -> None:
    """Scatter plot of the first two components as PNG; DemoError when it cannot be written."""
    figure = Figure(figsize=(8, 6.5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(title=f"First two principal components of\n{data.title}")
    draw_points(axes, scores, data.labels)
    names = [component_name(k, variance) for k in range(min(2, scores.shape[1]))]
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1] if len(names) > 1 else "Row")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    try:
        figure.savefig(output, format="png")
    except OSError as error:
        raise DemoError(f"cannot write {output}: {error.strerror}") from error


def draw_points(axes, scores: np.ndarray, labels: np.ndarray | None) -> None:
    """One colour for each label; without labels one colour, or a density when there are many."""
    horizontal = scores[:, 0]
    vertical = scores[:, 1] if scores.shape[1] > 1 else np.arange(len(scores))
    if labels is not None:
        for label in np.unique(labels):
            chosen = labels == label
            axes.scatter(
                horizontal[chosen],
                vertical[chosen],
                s=16,
                alpha=0.7,
                linewidths=0,
                color=f"C{label % 10}",
                label=str(label),
            )
        axes.legend(title="Digit", markerscale=1.6, frameon=False, bbox_to_anchor=(1, 1))
    elif len(scores) <= 20_000:
        axes.scatter(horizontal, vertical, s=14, alpha=0.5, linewidths=0)
    else:
        cells = axes.hexbin(horizontal, vertical, gridsize=80, bins="log", mincnt=1)
        axes.figure.colorbar(cells, label="Rows in a cell")


def component_name(k: int, variance: np.ndarray) -> str:
    """Label of an axis."""
    total = variance.sum()
    share = f" ({variance[k] / total:.1%} of the variance)" if total > 0 else ""
    return f"Component {k + 1}{share}"
