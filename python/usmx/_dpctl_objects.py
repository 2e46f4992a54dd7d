"""dpctl's classes, for what usmx hands out. Imported where dpctl is loaded already, never else.

dpctl's own comparisons say False to every other class, usmx's among them, and are asked first.
"""

import dpctl

from usmx import _core


class _Comparable:
    """Equal to the same in usmx's classes, too."""

    __slots__ = ()

    def __eq__(self, other):
        return self._own(self) == other

    def __ne__(self, other):
        return self._own(self) != other


class SyclContext(_Comparable, dpctl.SyclContext):
    __slots__ = ()
    __hash__ = dpctl.SyclContext.__hash__
    _own = _core.SyclContext


class SyclDevice(_Comparable, dpctl.SyclDevice):
    __slots__ = ()
    __hash__ = dpctl.SyclDevice.__hash__
    _own = _core.SyclDevice


class SyclQueue(_Comparable, dpctl.SyclQueue):
    __slots__ = ("_context", "_device")
    __hash__ = dpctl.SyclQueue.__hash__
    _own = _core.SyclQueue

    def __init__(self, capsule):
        self._context = SyclContext(super().sycl_context)
        self._device = SyclDevice(super().sycl_device)

    @property
    def sycl_context(self):
        return self._context

    @property
    def sycl_device(self):
        return self._device
