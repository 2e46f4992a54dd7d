"""Subclasses of dpctl's classes, for what usmx returns. Imported only if dpctl is loaded already.

dpctl's own comparisons say False to every other class, usmx's among them, and are asked first.
"""

import os
from functools import wraps

import dpctl

from usmx import _core


def _by(own, owns):
    """A method that is that of usmx's own object for the same thing."""

    @wraps(owns)
    def method(self, *args, **kwargs):
        return owns(own(self), *args, **kwargs)

    return method


class _Comparable:
    """Equal to the same in usmx's classes, too."""

    __slots__ = ()

    def __eq__(self, other):
        return _core._are_same(self, other)

    def __ne__(self, other):
        same = _core._are_same(self, other)
        return same if same is NotImplemented else not same


class SyclContext(_Comparable, dpctl.SyclContext):
    """A context of dpctl's class, with the members that only usmx's own class has."""

    __slots__ = ()
    __hash__ = dpctl.SyclContext.__hash__

    def __getattr__(self, name):
        return _own_attribute(self, _core.SyclContext, name)


class SyclDevice(_Comparable, dpctl.SyclDevice):
    """A device of dpctl's class, with the members that only usmx's own class has."""

    __slots__ = ()
    __hash__ = dpctl.SyclDevice.__hash__

    def __getattr__(self, name):
        return _own_attribute(self, _core.SyclDevice, name)

    def __reduce__(self):
        return _core.SyclDevice(self).__reduce__()


class SyclQueue(_Comparable, dpctl.SyclQueue):
    """A queue of dpctl's class that does as usmx's own, which checks sizes and keeps the order.

    dpctl's own commands take any number of bytes. Its waits are not safe beside other threads.
    """

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

    def get_sycl_context(self):
        return self._context

    def get_sycl_device(self):
        return self._device

    def __getattr__(self, name):
        return _own_attribute(_core._own_queue(self), _core.SyclQueue, name)

    __repr__ = _by(_core._own_queue, _core.SyclQueue.__repr__)
    __reduce__ = _by(_core._own_queue, _core.SyclQueue.__reduce__)
    wait = _by(_core._own_queue, _core.SyclQueue.wait)
    memcpy = _by(_core._own_queue, _core.SyclQueue.memcpy)
    memcpy_async = _by(_core._own_queue, _core.SyclQueue.memcpy_async)
    prefetch = _by(_core._own_queue, _core.SyclQueue.prefetch)
    mem_advise = _by(_core._own_queue, _core.SyclQueue.mem_advise)
    submit_barrier = _by(_core._own_queue, _core.SyclQueue.submit_barrier)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class SyclEvent(dpctl.SyclEvent):
    """An event of dpctl's class that answers as usmx's own class does.

    dpctl's own events are equal only to themselves. Its methods hold the interpreter lock where
    they may wait, and end the process for an event that no back end has.
    """

    __slots__ = ()
    __hash__ = _by(_core._own_event, _core.SyclEvent.__hash__)
    __repr__ = _by(_core._own_event, _core.SyclEvent.__repr__)
    _get_capsule = _by(_core._own_event, _core.SyclEvent._get_capsule)
    wait = _by(_core._own_event, _core.SyclEvent.wait)
    get_wait_list = _by(_core._own_event, _core.SyclEvent.get_wait_list)

    @property
    def profiling_info_submit(self):
        return _core._own_event(self).profiling_info_submit

    @property
    def profiling_info_start(self):
        return _core._own_event(self).profiling_info_start

    @property
    def profiling_info_end(self):
        return _core._own_event(self).profiling_info_end

    def __eq__(self, other):
        if isinstance(other, SyclEvent):
            other = _core._own_event(other)
        return _core._own_event(self).__eq__(other)

    @staticmethod
    def wait_for(event):
        _core.SyclEvent.wait_for(event)

    @property
    def execution_status(self):
        return dpctl.event_status_type[_core._own_event(self).execution_status.name]

    @property
    def backend(self):
        """The back end of the event; None if no back end has it."""
        known = _core._own_event(self).backend
        return None if known is None else getattr(dpctl.backend_type, known.name, None)


def _own_attribute(value, own_class, name):
    """A public attribute that dpctl's class does not have, or how notebooks show the object."""
    is_public = not name.startswith("_") or name == "_repr_html_"
    if not is_public or not hasattr(own_class, name):
        raise AttributeError(f"{own_class.__name__} has no attribute {name!r}")
    own = value if type(value) is own_class else own_class(value)
    return getattr(own, name)


def _attribute_in_forked_child(self, name):
    # Python itself asks for special names, also where nobody uses the object.
    if not name.startswith("__"):
        _core._require_usable_process()
    return object.__getattribute__(self, name)


def _repr_in_forked_child(self):
    _core._require_usable_process()
    return super(type(self), self).__repr__()


def _refuse_in_forked_child():
    """dpctl's own classes ask the driver in a forked child, too, where it may hang.

    The parent's objects stay as fast as they are (docs/decisions.md, 82).
    """
    for cls in (SyclContext, SyclDevice, SyclQueue, SyclEvent):
        cls.__getattribute__ = _attribute_in_forked_child
        cls.__repr__ = _repr_in_forked_child


os.register_at_fork(after_in_child=_refuse_in_forked_child)
