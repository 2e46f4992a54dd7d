"""`a.flat`: the elements of an array in C order, as one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._container.host import _numpy
from usmx._core import copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from usmx._core import USMArray
    from usmx._typing import ArrayLike, Producer


class FlatIterator:
    """The elements of an array in C order, as one dimension, as those of ``numpy.flatiter``.

    What is read is a copy. What is assigned is written into the array, whatever its strides.
    """

    def __init__(self, base: USMArray) -> None:
        self.base = base

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[USMArray]:
        return iter(self[:])

    def __getitem__(self, key: object) -> USMArray:
        found = self.base.ravel()[key]
        return copy(found) if self.base.flags.c_contiguous else found  # else ravel() has copied

    def __setitem__(self, key: object, value: Producer | ArrayLike) -> None:
        if self.base.flags.c_contiguous:
            self.base.reshape(-1)[key] = value
        else:
            numpy = _numpy()
            places = numpy.arange(self.base.size)[key]
            self.base[numpy.unravel_index(places, self.base.shape)] = value

    def __repr__(self) -> str:
        return f"<flat iterator over an array of shape {self.base.shape}>"
