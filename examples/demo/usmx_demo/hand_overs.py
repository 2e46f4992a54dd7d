"""Arrays go from one library to another; where they are before and after is noted."""

import time
from collections.abc import Callable
from typing import Any

import dpnp
import usmx
import usmx_pca

from usmx_demo.error import DemoError
from usmx_demo.findings import HandOver, Report


def address_of(holder: Any) -> int:
    """Where the first element lies, as the object itself says through its interface."""
    interface = getattr(holder, "__sycl_usm_array_interface__", None)
    if interface is None:
        return holder.__array_interface__["data"][0]
    itemsize = int(interface["typestr"].lstrip("<>=|")[1:])
    return interface["data"][0] + (interface.get("offset") or 0) * itemsize


def hand_over(
    report: Report,
    source: str,
    target: str,
    how: str,
    given: Any,
    take: Callable[[Any], Any],
    address: Callable[[Any], int] = address_of,
) -> Any:
    """Let `take` have the array, and note where it was before and where it is then."""
    before = address_of(given)
    start = time.perf_counter()
    taken = take(given)
    seconds = time.perf_counter() - start
    report.hand_overs.append(
        HandOver(source, target, how, before, address(taken), given.nbytes, seconds)
    )
    return taken


def native_pca(report: Report, source: str, how: str, x: Any) -> tuple[Any, Any, Any]:
    """Call the native extension, which tells the addresses that it has worked on itself."""
    before = address_of(x)
    start = time.perf_counter()
    try:
        results, (seen, *allocated) = usmx_pca.pca_with_addresses(x)
    except ValueError as error:
        raise DemoError(str(error)) from error
    seconds = time.perf_counter() - start
    report.hand_overs.append(HandOver(source, "usmx_pca", how, before, seen, x.nbytes, seconds))
    for name, array, pointer in zip(("components", "scores"), results, allocated, strict=False):
        report.hand_overs.append(
            HandOver(
                "usmx_pca",
                "usmx",
                f"{name}, adopted",
                pointer,
                address_of(array),
                array.nbytes,
                seconds,
            )
        )
    return results


def to_dpnp(array: usmx.USMArray):
    """Make a dpnp array on the same memory (dpnp.asarray would copy)."""
    taken = dpnp.as_usm_ndarray(array)
    return dpnp.ndarray(taken.shape, dtype=taken.dtype, buffer=taken)
