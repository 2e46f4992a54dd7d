"""NumPy arrays whose memory is unified shared memory, such as `numpy.asarray` of a USMArray."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import _numpy

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray


def view_of_numpy(obj: object) -> USMArray | None:
    """A USMArray on the memory of a NumPy array; None for other objects, and for other memory.

    The memory is that of the producer whose buffer NumPy took, or USM of the default context.
    """
    if not isinstance(obj, _numpy().ndarray):
        return None
    try:
        return _core.from_usm_array_interface(_NumpyProducer(obj))
    except ValueError:
        return None


class _NumpyProducer:
    """Keeps the array, and describes it as a producer would."""

    def __init__(self, array: Any) -> None:
        known = _core._as_array(_origin(array))
        described = array.__array_interface__
        self.array = array
        self.__sycl_usm_array_interface__ = {
            "shape": array.shape,
            "typestr": described["typestr"],
            "typedescr": described["descr"],
            "data": described["data"],
            "strides": _element_strides(array),
            "syclobj": _core._queue_argument(None if known is None else known._own_queue, None),
            "version": 1,
        }


def _origin(array):
    """The object whose buffer NumPy took; None where there is none."""
    base = array
    while isinstance(base, _numpy().ndarray):
        base = base.base
    return base.obj if isinstance(base, memoryview) else base


def _element_strides(array):
    itemsize = array.itemsize or 1
    if any(stride % itemsize for stride in array.strides):
        raise ValueError(
            f"strides {array.strides} are not whole elements of {array.itemsize} bytes"
        )
    return tuple(stride // itemsize for stride in array.strides)
