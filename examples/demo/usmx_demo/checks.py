"""NumPy's principal components, and how far those of others are from them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from usmx_demo.findings import Check

DISTINCT = 1e-4
"""Singular values closer than this, relative to the largest, leave components undetermined."""


@dataclass(frozen=True)
class Reference:
    """NumPy's results; `distinct` says which components the data determine."""

    components: np.ndarray
    scores: np.ndarray
    variance: np.ndarray
    distinct: np.ndarray


def numpy_pca(values: np.ndarray) -> Reference:
    """Principal components by numpy.linalg.svd of the centred data."""
    centred = centre(values)
    _, singular_values, components = np.linalg.svd(centred, full_matrices=False)
    return Reference(
        components,
        centred @ components.T,
        singular_values**2 / (len(values) - 1),
        is_distinct(singular_values, values.shape[1]),
    )


def centre(values: np.ndarray) -> np.ndarray:
    """Without the column means; the second time takes away what the first one's rounding left."""
    centred = values - values.mean(axis=0)
    return centred - centred.mean(axis=0)


def is_distinct(singular_values: np.ndarray, columns: int) -> np.ndarray:
    """Which ones are well apart from their neighbours, 0 for the missing ones included."""
    after = 0.0 if columns > len(singular_values) else -np.inf
    falls = -np.diff(np.concatenate([[np.inf], singular_values, [after]]))
    return np.minimum(falls[:-1], falls[1:]) > DISTINCT * singular_values[0]


def compare(expected: Reference, components, scores, variance) -> Iterator[Check]:
    """Check a PCA. Where singular values coincide, any rotation is right: not compared."""
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


def wrong_signs(components: np.ndarray) -> int:
    """How many have a largest entry that is negative."""
    largest = np.abs(components).argmax(axis=1)
    return int((np.take_along_axis(components, largest[:, None], axis=1) < 0).sum())


def relative_error(found, expected) -> float:
    """Largest difference, relative to the largest number expected (absolute when all are 0)."""
    difference = np.abs(np.subtract(found, expected)).max(initial=0.0)
    scale = np.abs(expected).max(initial=0.0)
    return float(difference / scale if scale > 0 else difference)
