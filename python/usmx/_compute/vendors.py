"""Memory on which no library of a vendor computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from usmx._core import USMArray


def unreached(function: str, x: USMArray, find: Callable[..., tuple[Any, ...]]) -> RuntimeError:
    """Make the error of an array that the host does not reach.

    `find` looks for the library of its device.
    """
    device = x._own_queue.sycl_device
    library, is_found, reason, install = find(device)
    if library and not is_found:
        return RuntimeError(
            f"{function}: {library} cannot be used: {reason}: {install}; or make the array with "
            "usm_type='shared', for the host to compute"
        )
    return NotImplementedError(
        f"{function}: oneMKL computes on memory that the host reaches, found memory of kind "
        f"{x.usm_type!r} on {device.name}: usmx does not call this device's own library yet; make "
        "the array with usm_type='shared'"
    )
