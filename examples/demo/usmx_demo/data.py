"""What is analysed, and its way into USM shared memory."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import usmx
from sklearn.datasets import load_digits as load_bunch

from usmx_demo.csv_numbers import Numbers
from usmx_demo.hand_overs import address_of
from usmx_demo.tables import time_text


@dataclass(frozen=True)
class DataSet:
    """What is analysed."""

    title: str
    values: np.ndarray
    labels: np.ndarray | None = None


def load_digits() -> DataSet:
    """Get the handwritten digits that scikit-learn ships: 1797 images of 8 x 8 pixels."""
    digits = load_bunch()
    return DataSet("the handwritten digits of scikit-learn", digits.data, digits.target)


def from_csv(path: Path, numbers: Numbers) -> DataSet:
    """Present the user's numbers, not copied."""
    return DataSet(str(path), np.frombuffer(numbers.values).reshape(numbers.rows, numbers.columns))


def load(values: np.ndarray, device: str | None) -> usmx.USMArray:
    """Copy the data into USM shared memory, once: this is no hand-over."""
    start = time.perf_counter()
    x = usmx.asarray(values, dtype="f8", usm_type="shared", device=device, copy=True)
    seconds = time.perf_counter() - start
    rows, columns = x.shape
    print(f"Device: {x.sycl_device.name} [{x.sycl_device.filter_string}]")
    print(
        f"Load: {rows} x {columns} float64, {x.nbytes:,} bytes,\n      once into shared memory "
        f"at {address_of(x):#x}, {time_text(seconds)}",
        flush=True,
    )
    return x
