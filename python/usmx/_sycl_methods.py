"""Methods of the classes of SYCL objects that need neither speed nor C++: attached here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx import _devices
from usmx._core import Device, SyclDevice, SyclPlatform, SyclQueue
from usmx._functions import attach

if TYPE_CHECKING:
    from typing import Any

    from usmx.enum_types import device_type as types_of_devices


class _OfDevices:
    """Methods of SyclDevice."""

    def get_filter_string(
        self: Any, include_backend: bool = True, include_device_type: bool = True
    ) -> str:
        """Give a filter selector that names the device among those that fit its other parts.

        Args:
            include_backend: whether it begins with the back end.
            include_device_type: whether it has the device's type.

        Raises:
            ValueError: this is a sub-device, which no filter can name.

        Example:
            >>> device = usmx.SyclDevice()
            >>> usmx.SyclDevice(device.get_filter_string(include_backend=False)) == device
            True
        """
        backend, device_type, _ = self.filter_string.split(":")
        names = [backend] * include_backend + [device_type] * include_device_type
        beside = _devices.get_devices(
            backend if include_backend else "all", device_type if include_device_type else "all"
        )
        return ":".join([*names, str(beside.index(self))])

    def get_device_id(self: Any) -> int:
        """Give the index in ``get_devices()``; that of the root device for a sub-device.

        Raises:
            ValueError: the device is not there.

        Example:
            >>> device = usmx.SyclDevice()
            >>> usmx.get_devices()[device.get_device_id()] == device
            True
        """
        return _devices.all_devices().index(self.get_unpartitioned_parent_device())

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickles the filter string and the uuid. A sub-device has no filter string: ValueError."""
        from usmx._unpickling import restore_device

        return restore_device, (type(self), self.filter_string, self.uuid)

    def _repr_html_(self: Any) -> str:
        from usmx._html import device_html

        return device_html(self)


class _OfPlatforms:
    """Methods of SyclPlatform."""

    def get_devices(self: Any, device_type: str | types_of_devices = "all") -> list[SyclDevice]:
        """List the root devices of the platform.

        Args:
            device_type: only those of this type: a member of device_type, or its name.

        Raises:
            ValueError: there is no such type.
            TypeError: it is neither a member nor a name.

        Example:
            >>> usmx.SyclDevice() in usmx.SyclPlatform().get_devices()
            True
        """
        return _devices.of_type(self._get_devices(), device_type)

    def print_platform_info(self: Any, verbosity: int = 0) -> None:
        """Print what ``lsplatform`` prints of the platform.

        Args:
            verbosity: 0 for a line; 1 for name, version, vendor, back end and number of devices;
                2 for these and the devices. For any other value a warning is given, and 0 is used.
        """
        level = _devices.checked_verbosity(verbosity)
        print(_devices.one_line(self) if level == 0 else _devices.description(self, level))


class _OfQueues:
    """Methods of SyclQueue."""

    def _repr_html_(self: Any) -> str:
        from usmx._html import queue_html

        return queue_html(self)

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickles the device's filter string and uuid, and the properties.

        Read back, it is a new queue; but the queue that is kept for the device where it was that.
        A sub-device has no filter string: ValueError.
        """
        from usmx._unpickling import restore_queue

        device = self.sycl_device
        properties = ["in_order"] * self.is_in_order
        properties += ["enable_profiling"] * self.has_enable_profiling
        is_kept = self == _kept_queue(device.filter_string)
        return restore_queue, (type(self), device, properties, is_kept)

    def __copy__(self: Any) -> Any:
        """An object of the same queue."""
        return SyclQueue(self)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        """An object of the same queue."""
        return SyclQueue(self)


class _OfPlaces:
    """Methods of Device, which is a queue by another name."""

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickles the queue, as that is pickled. On a sub-device: ValueError."""
        from usmx._unpickling import restore_place

        return restore_place, (type(self), self._own_queue)

    def __copy__(self: Any) -> Any:
        """An object of the same queue."""
        return Device.create_device(self)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        """An object of the same queue."""
        return Device.create_device(self)


def _kept_queue(filter_string):
    from usmx._core import _queue_argument

    return _queue_argument(None, filter_string)


attach(_OfDevices, SyclDevice)
attach(_OfPlatforms, SyclPlatform)
attach(_OfQueues, SyclQueue)
attach(_OfPlaces, Device)
