"""The demo from the data to the picture. It imports every package that the demo needs."""

import usmx

from usmx_demo.analysis import analyse
from usmx_demo.data import from_csv, load, load_digits
from usmx_demo.findings import Report
from usmx_demo.plot import plot
from usmx_demo.tables import print_report
from usmx_demo.task import Task


def demonstrate(task: Task) -> int:
    """Take all steps of the demo; 0: nothing was copied and no number is off, else 1."""
    data = from_csv(task.csv, task.numbers) if task.csv and task.numbers else load_digits()
    print(f"usmx {usmx.__version__}: principal components of {data.title}")
    x = load(data.values, task.device)
    report = Report()
    scores, variance = analyse(x, data.values, report)
    print_report(report)
    plot(scores, variance, data, task.output)
    print(f"Scatter plot: {task.output}")
    return report.exit_code
