"""`a.flat`: the elements of an array in C order, as one dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import host_index, host_value, numpy
from usmx._container.manipulation import tile
from usmx._core import _as_array, asnumpy, copy

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import ArrayLike, DTypeLike, NumpyArray, Producer


class FlatIterator:
    """The elements of an array in C order, as one dimension, as those of ``numpy.flatiter``.

    What is read is a copy. What is assigned is written into the array, whatever its strides; too
    few values are repeated, and too many are cut.
    """

    def __init__(self, base: USMArray) -> None:
        self._base = base
        self._index = 0

    @property
    def base(self) -> USMArray:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements were passed: the position of the next one in C order."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The index of the next element in the array."""
        return coordinates_of(self._index, self._base.shape)

    def copy(self) -> USMArray:
        """A new array of one dimension with all elements."""
        return self._base.flatten()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NumpyArray:
        """NumPy's array of the elements, from memory that the host reaches."""
        return numpy.array(self._base, dtype, copy=copy).reshape(-1)

    def __len__(self) -> int:
        return int(self._base.size)

    def __iter__(self) -> FlatIterator:
        return self

    def __next__(self) -> USMArray:
        if self._index >= len(self):
            raise StopIteration
        item = copy(self._base[self.coords])
        self._index += 1
        return item

    def __getitem__(self, key: object) -> USMArray:
        position = _position(key, len(self))
        if isinstance(position, int):
            return copy(self._base[coordinates_of(position, self._base.shape)])
        found = self._base.ravel()[position]
        return copy(found) if self._base.flags.c_contiguous else found  # else ravel() has copied

    def __setitem__(self, key: object, value: Producer | ArrayLike) -> None:
        set_flat(self._base, key, value)

    def __repr__(self) -> str:
        return f"<flat iterator over an array of shape {self._base.shape}>"


def set_flat(array: USMArray, key: object, values: object) -> None:
    """``array.flat[key] = values``."""
    if isinstance(key, tuple) and not key:
        raise IndexError("flat: an index of no items cannot be assigned to")
    position = _position(key, array.size, flat=True)
    if isinstance(position, int):
        array[coordinates_of(position, array.shape)] = values
        return
    new = repeated(values, _count(position, array.size), array.dtype)
    if new.size == 0:
        position, new = slice(0), new[:0]  # NumPy converts what it does not use, and may warn
    if isinstance(position, slice) and range(array.size)[position] == range(array.size):
        array[...] = new.reshape(array.shape) if new.ndim else new
    else:
        set_positions(array, position, new)


def set_positions(array: USMArray, position: Any, values: object) -> None:
    """Set the elements that a slice or an array of one dimension selects, counted in C order."""
    if array.flags.c_contiguous:
        array.reshape(-1)[position] = values
    else:
        array[_key_of(position, array.shape)] = values


def repeated(values: object, count: int, dtype: Any) -> Any:
    """The values in C order, as many as are asked for: too few are used again from the start.

    A USMArray or a NumPy array: without dimensions for one value, of one dimension for others. Of
    no values there are none.
    """
    array: Any = _as_array(values)
    if array is None:
        array = host_value(values, dtype)
    if array.size == 1:
        return array.reshape(())
    array = array.reshape(-1)
    if array.size >= count or array.size == 0:
        return array[:count]
    if isinstance(array, _core.USMArray):
        return tile(array, -(-count // array.size))[:count]
    return numpy.resize(array, count)


# ---- keys


def _position(key, size, flat=False):
    """One index, a slice, or an array of integers or bools of the host or of USM.

    `flat` says that the shape of an array of integers does not matter.
    """
    if isinstance(key, tuple):
        if len(key) > 1:
            raise IndexError(f"flat has 1 dimension, found {len(key)} indices")
        key = key[0] if key else ...
    if isinstance(key, slice) or key is ...:
        return slice(None) if key is ... else key
    positions = _as_array(key)
    if positions is None:
        positions = host_index(key)
    if positions.dtype == bool:
        if positions.shape != (size,):
            raise IndexError(f"a mask of flat must have shape ({size},), found {positions.shape}")
    elif positions.ndim == 0:
        return _checked(int(positions), size)
    return positions.reshape(-1) if flat else positions


def _checked(position, size):
    if not -size <= position < size:
        raise IndexError(f"index {position} is out of bounds for an array of {size} elements")
    return position % size


def coordinates_of(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of the element that stands at a position in C order."""
    coordinates = []
    for extent in reversed(shape[1:]):
        position, coordinate = divmod(position, extent or 1)
        coordinates.append(coordinate)
    return (position, *reversed(coordinates)) if shape else ()


def _count(position, size):
    """How many elements a slice or an array selects."""
    if isinstance(position, slice):
        return len(range(size)[position])
    if position.dtype != bool:
        return position.size
    count = _core._count_nonzero if isinstance(position, _core.USMArray) else numpy.count_nonzero
    return int(count(position))


def _key_of(position, shape):
    """A key that selects the same elements of an array of that shape."""
    size = math.prod(shape)
    if isinstance(position, slice):
        position = numpy.arange(*position.indices(size))
    elif position.dtype == bool:
        return position.reshape(shape)
    elif isinstance(position, _core.USMArray):
        position = asnumpy(position)
    for outside in position[(position < -size) | (position >= size)][:1]:
        _checked(int(outside), size)
    return numpy.unravel_index(position.astype(numpy.intp) % max(size, 1), shape)
