"""Subclasses of dpctl's classes, for what usmx returns. Imported only if dpctl is loaded already.

dpctl's own comparisons say False to every other class, usmx's among them, and are asked first.
"""

import dpctl

from usmx import _core


class _Comparable:
    """Equal to the same in usmx's classes, too."""

    __slots__ = ()

    def __eq__(self, other):
        return _core._are_same(self, other)

    def __ne__(self, other):
        same = _core._are_same(self, other)
        return same if same is NotImplemented else not same


class SyclContext(_Comparable, dpctl.SyclContext):
    __slots__ = ()
    __hash__ = dpctl.SyclContext.__hash__


class SyclDevice(_Comparable, dpctl.SyclDevice):
    __slots__ = ()
    __hash__ = dpctl.SyclDevice.__hash__


class SyclQueue(_Comparable, dpctl.SyclQueue):
    __slots__ = ("_context", "_device")
    __hash__ = dpctl.SyclQueue.__hash__

    def __init__(self, capsule):
        self._context = SyclContext(super().sycl_context)
        self._device = SyclDevice(super().sycl_device)

    @property
    def sycl_context(self):
        return self._context

    @property
    def sycl_device(self):
        return self._device

    def __repr__(self):
        return _core._queue_text(self)

    def wait(self):
        """Wait as usmx does: safely beside other threads, and without the interpreter lock."""
        _core._wait_for_queue(self)
