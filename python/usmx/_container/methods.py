"""Methods of the native classes that need neither speed nor C++: written and attached here.

What only some programs need is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container import indexing, manipulation, numpy_names, types
from usmx._container.elsewhere import answer_for_arrays
from usmx._container.info import API_VERSIONS
from usmx._core import Device, SyclQueue, USMArray, _Memory, _require_made
from usmx._functions import attach
from usmx._text import short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any, SupportsIndex

    from usmx._container.flat import FlatIterator
    from usmx._typing import (
        ArrayLike,
        Casting,
        DeviceLike,
        DTypeLike,
        IndexMode,
        NumpyArray,
        OrderCFAK,
        Producer,
        QueueLike,
        UsmType,
    )


class _OfArrays:
    """Methods of USMArray, attached to the native class."""

    def __repr__(self: Any) -> str:
        from usmx._container.formatting import array_repr

        _require_made(self)
        return array_repr(self)

    def __str__(self: Any) -> str:
        from usmx._container.formatting import array_str

        _require_made(self)
        return array_str(self)

    def __bytes__(self: Any) -> bytes:
        """The elements' bytes in C order, copied from any kind of memory: `tobytes`. Waits."""
        return self.tobytes()

    def byteswap(self: Any, inplace: bool = False) -> USMArray:
        """Reverse the bytes of each element, of complex numbers those of each part.

        In place only if asked for. Waits for a copy.
        """
        _require_made(self)
        result = self if inplace else _core.copy(self, order="K")
        for name in self.dtype.names or ():
            result[name].byteswap(inplace=True)
        size = self.dtype.itemsize // (2 if self.dtype.kind == "c" else 1)
        if size > 1 and not self.dtype.names and self.size:
            parts = _core.copy(result, order="C").reshape(-1).view("u1").reshape((-1, size))
            swapped = _core.copy(parts[:, ::-1], order="C").reshape(-1).view(self.dtype)
            result[...] = swapped.reshape(self.shape)
        return result

    @property
    def flat(self: Any) -> FlatIterator:
        """The elements in C order, as one dimension, like NumPy's ``flat``.

        ``a.flat[key]`` gives a copy, and ``a.flat[key] = value`` writes into the array, whatever
        its strides; ``a.flat = value`` sets every element. `ravel` gives an array.
        """
        from usmx._container.flat import FlatIterator

        _require_made(self)
        return FlatIterator(self)

    @flat.setter
    def flat(self: Any, value: Producer | ArrayLike) -> None:
        self.flat[:] = value

    def __format__(self: Any, specification: str, /) -> str:
        """``str(a)``; with a format specification the element of a 0-d array.

        TypeError for others.
        """
        from usmx._container.formatting import format_array

        _require_made(self)
        return format_array(self, specification)

    def _repr_html_(self: Any) -> str:
        from usmx._container.formatting import array_html

        _require_made(self)
        return array_html(self)

    def __reduce_ex__(self: Any, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickles class, elements, order, kind, read-only flag and the device's filter string.

        Read back, the array is on the queue that is kept for that device. Waits.
        """
        from usmx._pickling import reduce_array

        _require_made(self)
        return reduce_array(self, protocol)

    def __copy__(self: Any) -> Any:
        """Copies the elements to new, writable memory of the same kind on the same queue. Waits."""
        from usmx._pickling import copy_array

        _require_made(self)
        return copy_array(self, None)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        from usmx._pickling import copy_array

        _require_made(self)
        return copy_array(self, memo)

    def __sizeof__(self: Any) -> int:
        """The bytes of the object and, unless it is a view, of the memory that was made with it.

        As ``sys.getsizeof`` of NumPy's arrays.
        """
        _require_made(self)
        return object.__sizeof__(self) + self._owned_nbytes

    def astype(
        self: Any,
        dtype: DTypeLike | None,
        order: OrderCFAK | None = "K",
        casting: Casting = "unsafe",
        copy: bool = True,
        device: DeviceLike | None = None,
        usm_type: UsmType | None = None,
    ) -> USMArray:
        """Convert the elements to another type, in new memory if need be: `usmx.astype`. Waits."""
        options: Any = {"order": order, "casting": casting, "device": device, "usm_type": usm_type}
        return types.astype(self, dtype, copy=copy, **options)

    def take(
        self: Any,
        indices: ArrayLike | Producer,
        axis: SupportsIndex | None = None,
        out: USMArray | None = None,
        mode: IndexMode = "raise",
    ) -> USMArray:
        """Select the elements at some indices along an axis: `usmx.take`. Waits."""
        return indexing.take(self, indices, axis, out, mode)

    def put(
        self: Any, indices: ArrayLike | Producer, values: object, mode: IndexMode = "raise"
    ) -> None:
        """Set the elements at some indices, counted in C order: `usmx.put`. Waits."""
        indexing.put(self, indices, values, mode)

    def choose(
        self: Any,
        choices: Sequence[Any] | Producer,
        out: USMArray | None = None,
        mode: IndexMode = "raise",
    ) -> USMArray:
        """Select each element from the array whose number stands here: `usmx.choose`. Waits."""
        return indexing.choose(self, choices, out, mode)

    def compress(
        self: Any,
        condition: ArrayLike | Producer,
        axis: SupportsIndex | None = None,
        out: USMArray | None = None,
    ) -> USMArray:
        """Select the parts along an axis where a condition is not zero: `usmx.compress`. Waits."""
        return indexing.compress(condition, self, axis, out)

    def repeat(self: Any, repeats: Any, axis: SupportsIndex | None = None) -> USMArray:
        """Repeat each element, in a new array: `usmx.repeat`. Waits."""
        return manipulation.repeat(self, repeats, axis=axis)

    def nonzero(self: Any) -> tuple[USMArray, ...]:
        """Find the indices of the elements that are not zero: `usmx.nonzero`. Waits."""
        return indexing.nonzero(self)

    def diagonal(
        self: Any,
        offset: SupportsIndex = 0,
        axis1: SupportsIndex = 0,
        axis2: SupportsIndex = 1,
    ) -> USMArray:
        """View a diagonal: `usmx.diagonal`. Does not wait."""
        return numpy_names.diagonal(self, offset, axis1, axis2)

    def to_numpy(self: Any) -> NumpyArray:
        """Copy the elements into a NumPy array: `usmx.asnumpy`. Waits.

        Matplotlib, pandas and others ask for it by this name.
        """
        return _core.asnumpy(self)

    def to_device(
        self: Any,
        device: DeviceLike,
        /,
        *,
        stream: QueueLike | None = None,
        usm_type: UsmType | None = None,
    ) -> USMArray:
        """Move the array to another device or queue. Waits for the copy, if there is one.

        Args:
            device: a filter string, a SyclDevice, a SyclQueue or a Device.
            stream: None, or the queue of the array; the array API has this argument.
            usm_type: the kind of memory: 'device', 'shared' or 'host'. By default that of the
                array.

        Returns:
            The array itself if it is there already; a view if its memory can be used there; else a
            copy.

        Raises:
            TypeError: `device` names no device, or `stream` is no SyclQueue.
            ValueError: `device` is no device, or lacks the element type.
            USMAllocationError: the memory for the copy cannot be allocated.

        Example:
            >>> a = usmx.zeros(2)
            >>> a.to_device(a.device) is a
            True
        """
        _require_made(self)
        found = self._own_queue
        if stream is not None and not isinstance(stream, SyclQueue):
            raise TypeError(f"stream must be a SyclQueue or None, found {type(stream).__name__}")
        wanted = Device.create_device(device)._own_queue
        if usm_type in (None, self.usm_type):
            if wanted == found:
                return self
            if (wanted.sycl_context, wanted.sycl_device) == (found.sycl_context, found.sycl_device):
                return _core._on_queue(self, wanted)
        return _core._as_asked(self, None, usm_type, wanted, None, "K", True)

    def __array_namespace__(self: Any, *, api_version: str | None = None) -> ModuleType:
        """The module usmx, which has the array API's functions and its extensions linalg and fft.

        They are as the newest edition has them; earlier ones differ in lists that became tuples.
        ValueError for another `api_version`.
        """
        _require_made(self)
        if api_version not in (None, *API_VERSIONS):
            raise ValueError(
                f"__array_namespace__: expected api_version {', '.join(API_VERSIONS)} or None, "
                f"found {short_repr(api_version)}"
            )
        return import_module("usmx")


class _OfMemory:
    """Methods of the classes of memory objects."""

    def __reduce_ex__(self: Any, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickles kind, bytes, read-only flag and the device's filter string.

        Read back, the memory is on the queue that is kept for that device.
        """
        from usmx._pickling import reduce_memory

        return reduce_memory(self, protocol)

    def __copy__(self: Any) -> Any:
        """New, writable memory of the same kind on the same queue with the same bytes. Waits."""
        from usmx._pickling import copy_memory

        return copy_memory(self, None)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        from usmx._pickling import copy_memory

        return copy_memory(self, memo)

    def __sizeof__(self: Any) -> int:
        """The bytes of the object, and of the memory if usmx allocated it for this object."""
        return object.__sizeof__(self) + self._owned_nbytes

    def _repr_html_(self: Any) -> str:
        from usmx._html import memory_html

        return memory_html(self)


class _OfPlaces:
    def _repr_html_(self: Any) -> str:
        from usmx._html import device_html

        return device_html(self._own_queue.sycl_device)


attach(_OfArrays, USMArray)
answer_for_arrays()
attach(_OfMemory, _Memory)
attach(_OfPlaces, Device)
