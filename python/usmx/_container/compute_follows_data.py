"""Compute follows data: where a result goes when several arrays are combined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usmx._core import SyclQueue, _queue_argument, _queue_scope, _usm_type_scope
from usmx._scopes import block_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import QueueLike, UsmType

_KINDS = ("device", "shared", "host")  # the result is of the first kind that takes part


class ExecutionPlacementError(ValueError):
    """Arrays are on different queues, so usmx cannot choose one for the result."""


def get_execution_queue(queues: Sequence[QueueLike], /) -> Any:
    """Find the queue to which all of `queues` are equal.

    The rule "compute follows data" is dpctl's.

    Args:
        queues: a list or tuple of SyclQueue, of usmx or dpctl. An object that is no queue equals
            no queue.

    Returns:
        The first of them; None if they differ, or there are none.

    Raises:
        TypeError: `queues` is no list or tuple.

    Example:
        >>> a = usmx.zeros(2)
        >>> usmx.get_execution_queue([a.sycl_queue, a.sycl_queue]) == a.sycl_queue
        True
    """
    found = [_as_queue(queue) for queue in _list_of("queues", "queues", queues)]
    if not found or found[0] is None or any(queue != found[0] for queue in found[1:]):
        return None
    return queues[0]


def get_coerced_usm_type(usm_types: Sequence[str], /) -> UsmType | None:
    """Find the kind of memory for the result of arrays of these kinds.

    The rule is dpctl's: 'device' if one of the kinds is that, else 'shared', else 'host'.

    Args:
        usm_types: a list or tuple of 'device', 'shared' and 'host'.

    Returns:
        A kind; None if there are no kinds, or one of them is no kind.

    Raises:
        TypeError: `usm_types` is no list or tuple.

    Example:
        >>> usmx.get_coerced_usm_type(['host', 'shared'])
        'shared'
    """
    kinds = _list_of("usm_types", "kinds of memory", usm_types)
    if any(kind not in _KINDS for kind in kinds):
        return None
    return min(kinds, key=_KINDS.index, default=None)


def using_queue(queue: QueueLike) -> AbstractContextManager[QueueLike]:
    """Make new arrays on a queue within a ``with`` block, unless a queue or a device is named.

    This holds for the running thread or asynchronous task, as print options do, and in threads and
    tasks that get a copy of its context within the block, as ``asyncio.create_task`` gives one.
    Blocks may end in any order.

    Args:
        queue: a SyclQueue of usmx or dpctl.

    Returns:
        A context manager, whose ``as`` gives `queue`.

    Raises:
        TypeError: `queue` is no queue.

    Example:
        >>> with usmx.using_queue(usmx.SyclQueue(property='in_order')):
        ...     a = usmx.zeros(3)
        >>> a.sycl_queue.is_in_order
        True
    """
    return block_of(_queue_scope(queue), queue)


def using_usm_type(usm_type: UsmType) -> AbstractContextManager[UsmType]:
    """Make new arrays in memory of a kind within a ``with`` block, unless a kind is named.

    The block holds where one of `using_queue` does. What tells the kind from elsewhere goes before
    it, as before ``default_usm_type()``.

    Args:
        usm_type: 'device', 'shared' or 'host'.

    Returns:
        A context manager, whose ``as`` gives `usm_type`.

    Raises:
        TypeError: `usm_type` is no text.
        ValueError: there is no such kind.

    Example:
        >>> with usmx.using_usm_type('shared'):
        ...     a = usmx.zeros(3)
        >>> a.usm_type
        'shared'
    """
    return block_of(_usm_type_scope(usm_type), usm_type)


def common_queue(arrays: Sequence[USMArray]) -> SyclQueue:
    """The queue of all these USMArrays, of which there is at least one.

    Raises:
        ExecutionPlacementError: two are on different queues; both are named.
    """
    first = arrays[0]._own_queue
    for k, array in enumerate(arrays):
        queue = array._own_queue
        if queue != first:
            raise ExecutionPlacementError(
                "arrays that are combined must be on the same queue, found array 0 on "
                f"{_named(first)} and array {k} on {_named(queue)}; to_device moves an array"
            )
    return first


def common_queue_of_arguments(kernel: str, named: Sequence[tuple[str, USMArray]]) -> None:
    """Raise an ExecutionPlacementError for a kernel's arguments that are on different queues."""
    name, array = named[0]
    first = array._own_queue
    for other_name, other in named:
        queue = other._own_queue
        if queue != first:
            raise ExecutionPlacementError(
                f"{kernel}: arguments must be on the same queue, found {name} on {_named(first)} "
                f"and {other_name} on {_named(queue)}; to_device moves an array, or queue= says "
                "where the kernel runs"
            )


def common_queue_of_key(array: SyclQueue, key: SyclQueue) -> None:
    """Raise an ExecutionPlacementError for a key with an array that is on another queue."""
    if array != key:  # the queues that usmx and dpctl keep for a device are equal
        raise ExecutionPlacementError(
            "an array and its index arrays and masks must be on the same queue, found the array "
            f"on {_named(array)} and an index array or a mask on {_named(key)}; to_device moves "
            "an array"
        )


def common_usm_type(arrays: Sequence[USMArray]) -> UsmType:
    """The kind of memory for the result of these USMArrays, of which there is at least one."""
    return min((array.usm_type for array in arrays), key=_KINDS.index)


def options_of(*arrays: USMArray) -> dict[str, Any]:
    """Arguments that make a new array where these arrays are; none without arrays."""
    if not arrays:
        return {}
    return {"usm_type": common_usm_type(arrays), "sycl_queue": common_queue(arrays)}


def _list_of(name, what, values):
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{name} must be a list or tuple of {what}, found {type(values).__name__}")
    return values


def _as_queue(queue):
    """usmx's object of any queue; None for what is no queue."""
    try:
        return _queue_argument(queue, None) if queue is not None else None
    except TypeError:
        return None


def _named(queue):
    """Different queues of one device are told apart by their hash."""
    return f"{queue!r} ({hash(queue):#x})"
