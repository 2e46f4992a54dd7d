"""``python -m usmx demo``: principal components of a real data set, every hand-over zero-copy.

Whether a hand-over copied is found by comparing the pointers at both ends, never assumed.
Heavy packages are imported where they are used: what is wrong with the input is said before.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import usmx
from usmx import _demo_setup
from usmx._demo_csv import CsvError, read_csv
from usmx._table import format_table

if TYPE_CHECKING:
    import numpy as np

LIMIT = 1e-10
"""How far a number may be off, relative to the largest of its array."""

DISTINCT = 1e-4
"""Singular values closer than this, relative to the largest, leave components undetermined."""


class DemoError(Exception):
    """The demo cannot go on; the message is one line for people."""


@dataclass(frozen=True)
class DataSet:
    """What is analysed."""

    title: str
    values: "np.ndarray"
    labels: "np.ndarray | None" = None


@dataclass(frozen=True)
class HandOver:
    """An array went from one library to another: where its first element was before and after."""

    source: str
    target: str
    how: str
    pointer_before: int
    pointer_after: int
    nbytes: int
    seconds: float

    @property
    def copied(self) -> bool:
        """As found by comparing the pointers."""
        return self.pointer_before != self.pointer_after


@dataclass(frozen=True)
class Check:
    """A number that was computed in two ways: how far apart they are."""

    name: str
    error: float
    limit: float = LIMIT

    @property
    def ok(self) -> bool:
        """Also false for NaN."""
        return self.error <= self.limit


@dataclass
class Report:
    """All that was found."""

    hand_overs: list[HandOver] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 when nothing was copied and no number is off, else 1."""
        good = all(check.ok for check in self.checks)
        return int(not good or any(hand_over.copied for hand_over in self.hand_overs))


def run(csv: Path | None, output: Path, device: str | None, *, install: bool = True) -> int:
    """Run the demo and return its exit code: 0 good, 1 a copy or a wrong number, 2 bad input."""
    try:
        return demonstrate(csv, output, device, install=install)
    except (DemoError, CsvError, _demo_setup.SetupError, MemoryError) as error:
        print("usmx demo:", " ".join(str(error).splitlines()), file=sys.stderr)
        return 2


def demonstrate(csv: Path | None, output: Path, device: str | None, *, install: bool) -> int:
    """Take all steps of the demo: input, set-up, load, analysis, report."""
    check_output(output)
    given = (csv, read_csv(csv)) if csv else None
    check_device(device)
    _demo_setup.ensure(install=install)

    data = from_csv(*given) if given else load_digits()
    print(f"usmx {usmx.__version__}: principal components of {data.title}")
    x = load(data.values, device)
    report = Report()
    scores, variance = analyse(x, data.values, report)
    print_report(report)
    plot(scores, variance, data, output)
    print(f"Scatter plot: {output}")
    return report.exit_code


# ---- Input ---------------------------------------------------------------------------------------


def check_output(output: Path) -> None:
    """DemoError unless a file can be written there, as far as that is known beforehand."""
    if output.suffix.lower() != ".png":
        raise DemoError(f"--output: expected a file name ending in .png, found {str(output)!r}")
    if output.is_dir():
        raise DemoError(f"--output: {output} is a directory")
    if not output.parent.is_dir():
        raise DemoError(f"--output: there is no directory {output.parent}")


def check_device(device: str | None) -> None:
    """DemoError when there is no such device."""
    try:
        usmx.SyclDevice() if device is None else usmx.SyclDevice(device)
    except (usmx.SyclDeviceCreationError, ValueError) as error:
        raise DemoError(str(error)) from error


def load_digits() -> DataSet:
    """Get the handwritten digits that scikit-learn ships: 1797 images of 8 x 8 pixels."""
    from sklearn.datasets import load_digits as load_bunch

    digits = load_bunch()
    return DataSet("the handwritten digits of scikit-learn", digits.data, digits.target)


def from_csv(path: Path, numbers) -> DataSet:
    """Present the user's numbers, not copied."""
    import numpy as np

    return DataSet(str(path), np.frombuffer(numbers.values).reshape(numbers.rows, numbers.columns))


def load(values: "np.ndarray", device: str | None) -> "usmx.USMArray":
    """Copy the data into USM shared memory, once: this is no hand-over."""
    start = time.perf_counter()
    x = usmx.asarray(values, dtype="f8", usm_type="shared", device=device, copy=True)
    seconds = time.perf_counter() - start
    rows, columns = x.shape
    print(f"Device: {x.sycl_device.name} [{x.sycl_device.filter_string}]")
    print(
        f"Load: {rows} x {columns} float64, {x.nbytes:,} bytes, once into shared memory "
        f"at {address_of(x):#x}, {time_text(seconds)}",
        flush=True,
    )
    return x


# ---- Hand-overs ----------------------------------------------------------------------------------


def address_of(holder: Any) -> int:
    """Where the first element lies, as the object itself says through its interface."""
    interface = getattr(holder, "__sycl_usm_array_interface__", None)
    if interface is None:
        return holder.__array_interface__["data"][0]
    itemsize = int(interface["typestr"].lstrip("<>=|")[1:])
    return interface["data"][0] + (interface.get("offset") or 0) * itemsize


def hand_over(
    report: Report,
    source: str,
    target: str,
    how: str,
    given: Any,
    take: Callable[[Any], Any],
    address: Callable[[Any], int] = address_of,
) -> Any:
    """Let `take` have the array, and note where it was before and where it is then."""
    before = address_of(given)
    start = time.perf_counter()
    taken = take(given)
    seconds = time.perf_counter() - start
    report.hand_overs.append(
        HandOver(source, target, how, before, address(taken), given.nbytes, seconds)
    )
    return taken


def native_pca(report: Report, source: str, how: str, x: Any) -> tuple[Any, Any, Any]:
    """Call the native extension, which tells the addresses that it has worked on itself."""
    import usmx_pca

    before = address_of(x)
    start = time.perf_counter()
    try:
        results, (seen, *allocated) = usmx_pca.pca_with_addresses(x)
    except ValueError as error:
        raise DemoError(str(error)) from error
    seconds = time.perf_counter() - start
    report.hand_overs.append(HandOver(source, "usmx_pca", how, before, seen, x.nbytes, seconds))
    for name, array, pointer in zip(("components", "scores"), results, allocated, strict=False):
        report.hand_overs.append(
            HandOver(
                "usmx_pca",
                "usmx",
                f"{name}, adopted with deleter",
                pointer,
                address_of(array),
                array.nbytes,
                seconds,
            )
        )
    return results


def to_dpnp(array: "usmx.USMArray"):
    """Make a dpnp array on the same memory (dpnp.asarray would copy)."""
    import dpnp

    taken = dpnp.as_usm_ndarray(array)
    return dpnp.ndarray(taken.shape, dtype=taken.dtype, buffer=taken)


# ---- Analysis ------------------------------------------------------------------------------------


def analyse(
    x: "usmx.USMArray", values: "np.ndarray", report: Report
) -> tuple["np.ndarray", "np.ndarray"]:
    """Hand the data around and check what everyone computes; scores and variances for the plot."""
    import numpy as np

    results = native_pca(report, "usmx", "argument of pca(), C table", x)
    components, scores, variance = map(np.asarray, results)
    report.checks += compare(numpy_pca(values), components, scores, variance)

    report.checks.append(use_dpnp(report, results[1], variance))
    report.checks.append(use_dpctl(report, results[1], variance))
    report.checks.append(use_numpy(report, results[1], components, values))
    report.checks.append(use_numba(report, results[1], variance))
    report.checks += from_dpnp(report, x)
    report.checks.append(Check("the data are unchanged", relative_error(np.asarray(x), values), 0))
    return scores, variance


def use_dpnp(report: Report, scores: "usmx.USMArray", variance: "np.ndarray") -> Check:
    """Dpnp computes the covariance matrix of the scores."""
    import dpnp
    import numpy as np

    s = hand_over(report, "usmx", "dpnp", "scores, USM dictionary", scores, to_dpnp)
    covariance = dpnp.asnumpy(s.T @ s) / (len(s) - 1)
    return Check("dpnp: covariance of the scores", relative_error(covariance, np.diag(variance)))


def use_dpctl(report: Report, scores: "usmx.USMArray", variance: "np.ndarray") -> Check:
    """Dpctl reads the bytes of the scores."""
    import numpy as np
    from dpctl.memory import as_usm_memory

    memory = hand_over(report, "usmx", "dpctl", "scores, USM dictionary", scores, as_usm_memory)
    s = np.frombuffer(memory.copy_to_host(), dtype=scores.dtype)
    total = np.square(s).sum() / (scores.shape[0] - 1)
    return Check("dpctl: total variance, from a read-back", relative_error(total, variance.sum()))


def use_numpy(
    report: Report, scores: "usmx.USMArray", components: "np.ndarray", values: "np.ndarray"
) -> Check:
    """NumPy puts the data together again from scores and components."""
    import numpy as np

    s = hand_over(report, "usmx", "NumPy", "scores, buffer protocol", scores, np.asarray)
    restored = s @ components
    return Check("NumPy: data restored from the scores", relative_error(restored, centre(values)))


def use_numba(report: Report, scores: "usmx.USMArray", variance: "np.ndarray") -> Check:
    """Numba computes the variance of each column, and tells the pointer that its code has seen."""
    import numpy as np

    column_variances = compile_column_variances()
    column_variances(np.zeros((2, 2)))  # compiled here, so that the hand-over alone is timed
    _, found = hand_over(
        report,
        "usmx",
        "Numba",
        "scores, buffer protocol",
        scores,
        lambda array: column_variances(np.asarray(array)),
        address=lambda seen: seen[0],
    )
    return Check("Numba: variance of each score", relative_error(found, variance))


def compile_column_variances() -> Callable:
    """Make the Numba function: the address of its argument, and each column's variance."""
    import numba
    import numpy as np

    @numba.njit
    def column_variances(array):
        rows, columns = array.shape
        variances = np.empty(columns)
        for k in range(columns):
            deviation = array[:, k] - array[:, k].mean()
            variances[k] = np.sum(deviation * deviation) / (rows - 1)
        return array.ctypes.data, variances

    return column_variances


def from_dpnp(report: Report, x: "usmx.USMArray") -> Iterator[Check]:
    """Go the other way: dpnp makes an array, and the extension takes it."""
    import dpnp
    import numpy as np

    shared = hand_over(report, "usmx", "dpnp", "data, USM dictionary", x, to_dpnp)
    z = reflect(shared)
    results = native_pca(report, "dpnp", "argument of pca(), USM dictionary", z)
    for check in compare(numpy_pca(dpnp.asnumpy(z)), *map(np.asarray, results)):
        yield Check(f"dpnp's data, {check.name}", check.error, check.limit)


def reflect(x):
    """Mirror each row at a plane: dpnp makes a new array with the same principal variances."""
    import dpnp
    import numpy as np

    columns = x.shape[1]
    normal = np.full(columns, columns**-0.5)
    mirror = np.eye(columns) - 2 * np.outer(normal, normal)
    return dpnp.matmul(x, dpnp.asarray(mirror, sycl_queue=x.sycl_queue))


# ---- Reference -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """NumPy's results; `distinct` says which components the data determine."""

    components: "np.ndarray"
    scores: "np.ndarray"
    variance: "np.ndarray"
    distinct: "np.ndarray"


def numpy_pca(values: "np.ndarray") -> Reference:
    """Principal components by numpy.linalg.svd of the centred data."""
    import numpy as np

    centred = centre(values)
    _, singular_values, components = np.linalg.svd(centred, full_matrices=False)
    return Reference(
        components,
        centred @ components.T,
        singular_values**2 / (len(values) - 1),
        is_distinct(singular_values, values.shape[1]),
    )


def centre(values: "np.ndarray") -> "np.ndarray":
    """Without the column means; the second time takes away what the first one's rounding left."""
    centred = values - values.mean(axis=0)
    return centred - centred.mean(axis=0)


def is_distinct(singular_values: "np.ndarray", columns: int) -> "np.ndarray":
    """Which ones are well apart from their neighbours, 0 for the missing ones included."""
    import numpy as np

    after = 0.0 if columns > len(singular_values) else -np.inf
    falls = -np.diff(np.concatenate([[np.inf], singular_values, [after]]))
    return np.minimum(falls[:-1], falls[1:]) > DISTINCT * singular_values[0]


def compare(expected: Reference, components, scores, variance) -> Iterator[Check]:
    """Check a PCA. Where singular values coincide, any rotation is right: not compared."""
    import numpy as np

    yield Check("explained variance", relative_error(variance, expected.variance))
    k = expected.distinct
    found, wanted = components[k], expected.components[k]
    signs = np.sign((found * wanted).sum(axis=1, keepdims=True))
    count = f"({k.sum()} of {k.size} are determined)"
    yield Check(f"components {count}", relative_error(found, wanted * signs))
    yield Check(f"scores {count}", relative_error(scores[:, k], expected.scores[:, k] * signs.T))
    yield Check(
        "components are orthonormal", relative_error(components @ components.T, np.eye(k.size))
    )
    yield Check("components with the wrong sign", wrong_signs(components), 0)


def wrong_signs(components: "np.ndarray") -> int:
    """How many have a largest entry that is negative."""
    import numpy as np

    largest = np.abs(components).argmax(axis=1)
    return int((np.take_along_axis(components, largest[:, None], axis=1) < 0).sum())


def relative_error(found, expected) -> float:
    """Largest difference, relative to the largest number expected (absolute when all are 0)."""
    import numpy as np

    difference = np.abs(np.subtract(found, expected)).max(initial=0.0)
    scale = np.abs(expected).max(initial=0.0)
    return float(difference / scale if scale > 0 else difference)


# ---- Output --------------------------------------------------------------------------------------


def print_report(report: Report) -> None:
    """Both tables and the conclusion."""
    print("\nHand-overs")
    hand_overs = list(map(hand_over_row, report.hand_overs))
    header = ("from", "to", "how", "pointer", "bytes", "copied", "time")
    print(format_table(header, hand_overs, right=("bytes", "time")))
    print("Times with usmx_pca and Numba are those of the whole call, computation included.")
    print("\nChecks (largest error relative to the largest number)")
    checks = list(map(check_row, report.checks))
    print(format_table(("check", "error", "limit", "ok"), checks, right=("error", "limit")))
    print(f"\n{conclusion(report)}")


def hand_over_row(item: HandOver) -> tuple[str, ...]:
    """One row of the table."""
    pointer = f"{item.pointer_before:#x}"
    if item.copied:
        pointer += f" -> {item.pointer_after:#x}"
    copied = "YES" if item.copied else "no"
    nbytes = f"{item.nbytes:,}"
    return (item.source, item.target, item.how, pointer, nbytes, copied, time_text(item.seconds))


def check_row(item: Check) -> tuple[str, ...]:
    """One row of the table."""
    return (item.name, f"{item.error:.2g}", f"{item.limit:g}", "yes" if item.ok else "NO")


def conclusion(report: Report) -> str:
    """One line."""
    copies = sum(hand_over.copied for hand_over in report.hand_overs)
    wrong = sum(not check.ok for check in report.checks)
    if not copies and not wrong:
        return (
            f"All {len(report.hand_overs)} hand-overs shared their memory, "
            f"all {len(report.checks)} checks are good."
        )
    return (
        f"FAILED: {copies} of {len(report.hand_overs)} hand-overs copied, "
        f"{wrong} of {len(report.checks)} checks are off."
    )


def time_text(seconds: float) -> str:
    """In microseconds or milliseconds."""
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def plot(scores: "np.ndarray", variance: "np.ndarray", data: DataSet, output: Path) -> None:
    """Scatter plot of the first two components as PNG; DemoError when it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

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


def draw_points(axes, scores: "np.ndarray", labels: "np.ndarray | None") -> None:
    """One colour for each label; without labels one colour, or a density when there are many."""
    import numpy as np

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


def component_name(k: int, variance: "np.ndarray") -> str:
    """Label of an axis."""
    total = variance.sum()
    share = f" ({variance[k] / total:.1%} of the variance)" if total > 0 else ""
    return f"Component {k + 1}{share}"
