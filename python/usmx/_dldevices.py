"""DLPack's devices: pairs of a type and a number, as ``__dlpack_device__`` gives them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from usmx import _core
from usmx._core import SyclDevice
from usmx._devices import all_devices

if TYPE_CHECKING:
    from typing import Any


class DLDeviceType(enum.IntEnum):
    """The types of devices that DLPack has, with the names of ``dlpack.h``.

    Example:
        >>> usmx.zeros(1).__dlpack_device__()[0] in list(usmx.DLDeviceType)
        True
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
    kDLTrn = 18


def dldevice_to_sycl_device(dl_dev: tuple[int, int]) -> SyclDevice:
    """Find the SyclDevice that a DLPack device of oneAPI stands for.

    Args:
        dl_dev: a pair of DLDeviceType.kDLOneAPI and the index in ``get_devices()``.

    Raises:
        ValueError: the pair has another type, or there is no device of that index.
        TypeError: `dl_dev` is no pair of integers.

    Example:
        >>> usmx.dldevice_to_sycl_device((usmx.DLDeviceType.kDLOneAPI, 0)) == usmx.get_devices()[0]
        True
    """
    kind, number = _pair(dl_dev)
    if kind != DLDeviceType.kDLOneAPI:
        raise ValueError(f"dl_dev must be of type {DLDeviceType.kDLOneAPI!r}, found {kind!r}")
    devices = all_devices()
    if not 0 <= number < len(devices):
        raise ValueError(f"dl_dev must name one of {len(devices)} devices, found number {number}")
    return devices[number]


def sycl_device_to_dldevice(dev: SyclDevice) -> tuple[DLDeviceType, int]:
    """Give the DLPack device of oneAPI that stands for a SyclDevice.

    Args:
        dev: a SyclDevice of usmx or dpctl. A sub-device is part of its root device there.

    Returns:
        A pair of DLDeviceType.kDLOneAPI and the index in ``get_devices()``.

    Raises:
        TypeError: `dev` is no SyclDevice.

    Example:
        >>> usmx.sycl_device_to_dldevice(usmx.get_devices()[0])
        (<DLDeviceType.kDLOneAPI: 14>, 0)
    """
    if not isinstance(dev, SyclDevice):
        raise TypeError(f"dev must be a SyclDevice, found {type(dev).__name__}")
    return DLDeviceType.kDLOneAPI, dev.get_device_id()


def from_dlpack_on(x: Any, device: tuple[int, int], copy: bool | None) -> Any:
    """Import as ``from_dlpack`` does where its `device` is a pair; C++ calls this."""
    kind, number = _pair(device)
    if kind != DLDeviceType.kDLCPU:
        return _core.from_dlpack(x, device=dldevice_to_sycl_device((kind, number)), copy=copy)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"x must be an object with __dlpack__, found {type(x).__name__}")
    import numpy

    return numpy.from_dlpack(_OnHost(x, copy))


class _OnHost:
    """A producer whose array is asked for on the host."""

    def __init__(self, producer, copy):
        self.producer = producer
        self.copy = copy

    def __dlpack_device__(self):
        return DLDeviceType.kDLCPU, 0

    def __dlpack__(self, **arguments):
        wanted = {**arguments, "dl_device": self.__dlpack_device__(), "copy": self.copy}
        try:
            return self.producer.__dlpack__(**wanted)
        except TypeError:  # of a producer older than DLPack 1.0, which knows neither argument
            return self._known().__dlpack__(**wanted)

    def _known(self):
        """An array of the producer's memory that knows all arguments."""
        if self.producer.__dlpack_device__()[0] != DLDeviceType.kDLCPU:
            return _core.from_dlpack(self.producer, copy=False)
        import numpy

        return numpy.from_dlpack(self.producer)


def _pair(device):
    if not isinstance(device, tuple):
        raise TypeError(f"a DLPack device must be a pair, found {type(device).__name__}")
    if len(device) != 2:
        raise ValueError(f"a DLPack device must be a pair, found {len(device)} items")
    for each in device:
        if not isinstance(each, int):
            raise TypeError(f"a DLPack device must be two integers, found {type(each).__name__}")
    return device
