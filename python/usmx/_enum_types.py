"""Enumerations under dpctl's names, with dpctl's members."""

import enum


class event_status_type(enum.Enum):
    """What `SyclEvent.execution_status` says. Equal to dpctl's member of the same name, too.

    Example:
        >>> usmx.SyclEvent().execution_status == usmx.event_status_type.complete
        True
    """

    unknown_status = 1
    submitted = 2
    running = 3
    complete = 4

    def __eq__(self, other):
        if type(other).__name__ != "event_status_type" or not isinstance(other, enum.Enum):
            return NotImplemented
        return self.name == other.name

    __hash__ = enum.Enum.__hash__  # by the name, as dpctl's
