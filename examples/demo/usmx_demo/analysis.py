"""The data go round the libraries, and what everyone computes is checked."""

from collections.abc import Callable, Iterator

import dpnp
import numba
import numpy as np
import usmx
from dpctl.memory import as_usm_memory

from usmx_demo.checks import Reference, centre, compare, numpy_pca, relative_error
from usmx_demo.findings import Check, Report
from usmx_demo.hand_overs import hand_over, native_pca, to_dpnp


def analyse(x: usmx.USMArray, values: np.ndarray, report: Report) -> tuple[np.ndarray, np.ndarray]:
    """Hand the data around and check what everyone computes; scores and variances for the plot."""
    results = native_pca(report, "usmx", "pca(), C table", x)
    components, scores, variance = map(np.asarray, results)
    expected = numpy_pca(values)
    report.checks += compare(expected, components, scores, variance)
    report.checks += by_linalg(x, expected)

    report.checks.append(use_dpnp(report, results[1], variance))
    report.checks.append(use_dpctl(report, results[1], variance))
    report.checks.append(use_numpy(report, results[1], components, values))
    report.checks.append(use_numba(report, results[1], variance))
    report.checks += from_dpnp(report, x)
    report.checks.append(Check("the data are unchanged", relative_error(np.asarray(x), values), 0))
    return scores, variance


def by_linalg(x: usmx.USMArray, expected: Reference) -> Iterator[Check]:
    """Go the second way, which needs no compiler: usmx.linalg computes the same."""
    for check in compare(expected, *map(usmx.asnumpy, linalg_pca(x))):
        yield Check(f"usmx.linalg, {check.name}", check.error, check.limit)


def linalg_pca(x: usmx.USMArray) -> tuple[usmx.USMArray, usmx.USMArray, usmx.USMArray]:
    """Compute components, scores and variances; the largest entry of a component is positive."""
    centred = x - x.mean(axis=0)
    centred = centred - centred.mean(axis=0)  # what the rounding of the first one left
    _, s, components = usmx.linalg.svd(centred, full_matrices=False)
    largest = usmx.argmax(usmx.abs(components), axis=1, keepdims=True)
    components = components * usmx.sign(usmx.take_along_axis(components, largest, axis=1))
    return components, centred @ components.T, s**2 / (x.shape[0] - 1)


def use_dpnp(report: Report, scores: usmx.USMArray, variance: np.ndarray) -> Check:
    """Dpnp computes the covariance matrix of the scores."""
    s = hand_over(report, "usmx", "dpnp", "scores, dictionary", scores, to_dpnp)
    covariance = dpnp.asnumpy(s.T @ s) / (len(s) - 1)
    return Check("dpnp: covariance of the scores", relative_error(covariance, np.diag(variance)))


def use_dpctl(report: Report, scores: usmx.USMArray, variance: np.ndarray) -> Check:
    """Dpctl reads the bytes of the scores."""
    memory = hand_over(report, "usmx", "dpctl", "scores, dictionary", scores, as_usm_memory)
    s = np.frombuffer(memory.copy_to_host(), dtype=scores.dtype)
    total = np.square(s).sum() / (scores.shape[0] - 1)
    return Check("dpctl: total variance, from a read-back", relative_error(total, variance.sum()))


def use_numpy(
    report: Report, scores: usmx.USMArray, components: np.ndarray, values: np.ndarray
) -> Check:
    """NumPy puts the data together again from scores and components."""
    s = hand_over(report, "usmx", "NumPy", "scores, buffer", scores, np.asarray)
    restored = s @ components
    return Check("NumPy: data restored from the scores", relative_error(restored, centre(values)))


def use_numba(report: Report, scores: usmx.USMArray, variance: np.ndarray) -> Check:
    """Numba computes the variance of each column, and tells the pointer that its code has seen."""
    column_variances = compile_column_variances()
    column_variances(np.zeros((2, 2)))  # compiled here, so that the hand-over alone is timed
    _, found = hand_over(
        report,
        "usmx",
        "Numba",
        "scores, buffer",
        scores,
        lambda array: column_variances(np.asarray(array)),
        address=lambda seen: seen[0],
    )
    return Check("Numba: variance of each score", relative_error(found, variance))


def compile_column_variances() -> Callable[[np.ndarray], tuple[int, np.ndarray]]:
    """Make the Numba function: the address of its argument, and each column's variance."""

    @numba.njit
    def column_variances(array):
        rows, columns = array.shape
        variances = np.empty(columns)
        for k in range(columns):
            deviation = array[:, k] - array[:, k].mean()
            variances[k] = np.sum(deviation * deviation) / (rows - 1)
        return array.ctypes.data, variances

    return column_variances


def from_dpnp(report: Report, x: usmx.USMArray) -> Iterator[Check]:
    """Go the other way: dpnp makes an array, and the extension takes it."""
    shared = hand_over(report, "usmx", "dpnp", "data, dictionary", x, to_dpnp)
    z = reflect(shared)
    results = native_pca(report, "dpnp", "pca(), dictionary", z)
    for check in compare(numpy_pca(dpnp.asnumpy(z)), *map(np.asarray, results)):
        yield Check(f"dpnp's data, {check.name}", check.error, check.limit)


def reflect(x):
    """Mirror each row at a plane: dpnp makes a new array with the same principal variances."""
    columns = x.shape[1]
    normal = np.full(columns, columns**-0.5)
    mirror = np.eye(columns) - 2 * np.outer(normal, normal)
    return dpnp.matmul(x, dpnp.asarray(mirror, sycl_queue=x.sycl_queue))
