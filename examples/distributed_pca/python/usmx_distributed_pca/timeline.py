"""Who did what when, as a table and as a picture."""

from dataclasses import dataclass

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Event:
    """A worker was at a step from `begin` to `end`, in seconds since 1970 by its own clock."""

    worker: str
    step: str
    begin: float
    end: float


def names(events, field):
    """Return the values of a field, by the time when they first come up."""
    ordered = sorted(events, key=lambda event: event.begin)
    return list(dict.fromkeys(getattr(event, field) for event in ordered))


def print_steps(events):
    """Print how long each step took: all workers together, and the one that it took longest."""
    print(f"{'step':12} {'times':>6} {'seconds':>9} {'busiest':>9}")
    for step in names(events, "step"):
        taken: dict[str, list[float]] = {}
        for event in events:
            if event.step == step:
                taken.setdefault(event.worker, []).append(event.end - event.begin)
        sums = [sum(times) for times in taken.values()]
        count = sum(len(times) for times in taken.values())
        print(f"{step:12} {count:6} {sum(sums):9.3f} {max(sums):9.3f}")


def draw(events, title, output):
    """Draw a line for each worker and a colour for each step, as PNG."""
    workers = sorted(names(events, "worker"))
    start = min(event.begin for event in events)
    figure = Figure(figsize=(9, 1.5 + 0.4 * len(workers)), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(title=title, xlabel="Seconds")
    for number, step in enumerate(names(events, "step")):
        for line, worker in enumerate(workers):
            spans = [
                (event.begin - start, event.end - event.begin)
                for event in events
                if (event.worker, event.step) == (worker, step)
            ]
            axes.broken_barh(spans, (line - 0.4, 0.8), color=f"C{number}")
        axes.broken_barh([], (0, 0), color=f"C{number}", label=step)
    axes.set_yticks(range(len(workers)), workers)
    axes.invert_yaxis()
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(output, format="png")
