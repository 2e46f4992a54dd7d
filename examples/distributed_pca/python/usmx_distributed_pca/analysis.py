"""What is computed, whatever computes it: steps on a block of rows, and the order of the steps.

Rows, sums and scores are in USM shared memory: NumPy computes on it, MPI sends it as it is, and a
device could take it. Only sums are put together, until one process wants all scores.
"""

from dataclasses import dataclass
from functools import cache, reduce
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import usmx

ROWS = 1797
"""Images of digits."""

COLUMNS = 64
"""Pixels of an image."""

COMPONENTS = 10
"""How many components are computed; they are well apart from each other."""


@dataclass(frozen=True)
class Model:
    """What all blocks together say: the mean of the rows, and the largest principal components."""

    mean: np.ndarray
    components: np.ndarray
    variance: np.ndarray


def analyse(engine, blocks):
    """Compute the model and the scores of all rows, which both go to the process that asks.

    `engine` has `share`, `map`, `sum`, `once`, `get` and `gather`, as OneProcess. What `map`, `sum`
    and `once` return is only given to the engine again.
    """
    parts = engine.map(load, engine.share(blocks))
    totals = engine.sum(engine.map(column_sums, parts))
    scatters = engine.sum(engine.map(scatter, parts, totals))
    model = engine.once(components, totals, scatters)
    scores = engine.gather(engine.map(project, parts, model))
    return engine.get(model), scores


def split(rows, count):
    """Split the rows into so many blocks, which differ by one row at most: (first, stop)."""
    edges = [rows * k // count for k in range(count + 1)]
    return list(pairwise(edges))


def load(block):
    """Read rows of the digits, which repeat, where they are worked on."""
    return shared(digits()[np.arange(*block) % ROWS])


def column_sums(x):
    """Count the rows, and add them up: 1 + 64 numbers."""
    values = np.asarray(x)
    return shared(np.concatenate([[len(values)], values.sum(axis=0)]))


def scatter(x, totals):
    """Add up the products of the columns of the centred rows: 64 x 64 numbers."""
    centred = np.asarray(x) - mean_of(totals)
    return shared(centred.T @ centred)


def components(totals, scatters):
    """Decompose the covariance matrix. The largest entry of each component is positive."""
    count = np.asarray(totals)[0]
    variance, vectors = np.linalg.eigh(np.asarray(scatters) / (count - 1))
    found = vectors.T[::-1][:COMPONENTS]
    largest = np.abs(found).argmax(axis=1)[:, None]
    signs = np.sign(np.take_along_axis(found, largest, axis=1))
    return Model(mean_of(totals), found * signs, variance[::-1][:COMPONENTS])


def project(x, model):
    """Compute the scores: the rows in the components' coordinates."""
    return shared((np.asarray(x) - model.mean) @ model.components.T)


def add_up(arrays):
    """Add arrays of one shape, which stay as they are."""
    return shared(reduce(np.add, map(np.asarray, arrays)))


def mean_of(totals):
    count, *sums = np.asarray(totals)
    return np.array(sums) / count


def shared(values):
    return usmx.asarray(values, usm_type="shared")


@cache
def digits():
    """Read scikit-learn's handwritten digits, without its import, which takes seconds."""
    package = find_spec("sklearn")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the data set comes with scikit-learn: pip install scikit-learn")
    path = Path(package.origin).with_name("datasets") / "data" / "digits.csv.gz"
    return np.loadtxt(path, delimiter=",")[:, :COLUMNS]
