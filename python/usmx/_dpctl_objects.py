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

    def submit_barrier(self, dependent_events=None):
        """As dpctl's, which refuses events of a subclass."""
        if dependent_events is not None:
            dependent_events = [_as_exactly_dpctls(event) for event in dependent_events]
        return super().submit_barrier(dependent_events)


class SyclEvent(dpctl.SyclEvent):
    """What it says is what usmx's own class says.

    dpctl's own events are equal only to themselves. Its methods hold the interpreter lock where
    they may wait, and end the process for an event that no back end has.
    """

    __slots__ = ()

    def __eq__(self, other):
        if isinstance(other, SyclEvent):
            other = _core._own_event(other)
        return _core._own_event(self).__eq__(other)

    def __hash__(self):
        return hash(_core._own_event(self))

    def __repr__(self):
        return repr(_core._own_event(self))

    def _get_capsule(self):
        return _core._own_event(self)._get_capsule()

    def wait(self):
        """Wait as usmx does: safely beside other threads, and without the interpreter lock."""
        _core._own_event(self).wait()

    @staticmethod
    def wait_for(event):
        _core.SyclEvent.wait_for(event)

    @property
    def execution_status(self):
        return dpctl.event_status_type[_core._own_event(self).execution_status.name]

    @property
    def backend(self):
        """None if no back end has the event."""
        return getattr(dpctl.backend_type, _core._own_event(self).backend, None)

    @property
    def profiling_info_submit(self):
        return _core._own_event(self).profiling_info_submit

    @property
    def profiling_info_start(self):
        return _core._own_event(self).profiling_info_start

    @property
    def profiling_info_end(self):
        return _core._own_event(self).profiling_info_end


def _as_exactly_dpctls(event):
    return dpctl.SyclEvent(event._get_capsule()) if isinstance(event, SyclEvent) else event
