"""The array API's description of usmx: its types, devices and capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.types import NAMES, default_types, isdtype, plain_type
from usmx._core import Device, _get_devices

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import DeviceLike, DtypeKind, NumpyType

API_VERSIONS = ("2025.12", "2024.12", "2023.12", "2022.12")


class ArrayNamespaceInfo:
    """Capabilities, devices and element types, by the array API's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        """The capabilities of indexing, and how many dimensions an array can have."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _core._max_ndim,
        }

    def default_device(self) -> Device:
        """The Device of new arrays."""
        return Device.create_device(None)

    def default_dtypes(self, *, device: DeviceLike | None = None) -> dict[str, NumpyType]:
        """The default element types on a device.

        Args:
            device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default
                device.

        Returns:
            A dictionary with the keys 'real floating', 'complex floating', 'integral', 'indexing'.
        """
        return default_types(_device(device))

    def dtypes(
        self,
        *,
        device: DeviceLike | None = None,
        kind: DtypeKind | tuple[DtypeKind, ...] | None = None,
    ) -> dict[str, NumpyType]:
        """The array API's element types that a device has; float16 is not one of the array API's.

        Args:
            device: a filter string, a SyclDevice, a SyclQueue or a Device. None means the default
                device.
            kind: None for all types, or a kind such as 'real floating', or a tuple of kinds.

        Returns:
            A dictionary from names to types.
        """
        found = _device(device)
        fp16, fp64 = found.has_aspect_fp16, found.has_aspect_fp64
        types = {name: plain_type(name) for name in NAMES if name != "float16"}
        return {
            name: dtype
            for name, dtype in types.items()
            if _core._nearest_supported(dtype, fp16, fp64) == dtype
            and (kind is None or isdtype(dtype, kind))
        }

    def devices(self) -> tuple[Device, ...]:
        """A Device for each device of the machine."""
        return _Devices(map(Device.create_device, _get_devices()))


class _Devices(tuple):
    """A tuple, to which lists can be added as to the list that editions before 2025.12 had.

    SciPy's own tests do that.
    """

    __slots__ = ()

    def __add__(self, others):
        return super().__add__(tuple(others) if isinstance(others, list) else others)


def array_namespace_info() -> ArrayNamespaceInfo:
    """Return what usmx can do, in the form that the array API specifies.

    Returns:
        An object with the methods that the array API names: ``capabilities``, ``default_device``,
        ``default_dtypes``, ``devices`` and ``dtypes``.

    Example:
        >>> usmx.__array_namespace_info__().capabilities()['boolean indexing']
        True
    """
    return ArrayNamespaceInfo()


def _device(device):
    return _core._queue_argument(None, device).sycl_device
