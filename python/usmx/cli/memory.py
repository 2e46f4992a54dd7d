"""``python -m usmx memory``: how much memory there is, and where usmx takes it from."""

import os
import sys

import usmx
from usmx._text import size_text
from usmx.cli.devices import why_no_device


def run() -> int:
    """Say it in words; the exit code is 2 when there is no device."""
    devices = usmx.get_devices()
    if not devices:
        print(f"usmx memory: {why_no_device()}", file=sys.stderr)
        return 2
    for device in devices:
        print(f"{device.filter_string}: {free_text(device)}")
    print(f"\n{pool_text()}\n{limit_text()}")
    return 0


def free_text(device: "usmx.SyclDevice") -> str:
    """Tell what is free on a device, if it says so."""
    try:
        free, total = usmx.memory.mem_get_info(device)
    except ValueError:
        return f"{size_text(device.global_mem_size)}, but it does not tell how much is free"
    return f"{size_text(free)} of {size_text(total)} are free"


def pool_text() -> str:
    """Tell where new memory comes from."""
    if os.environ.get("USMX_POOL") == "off":
        return "New memory comes from the SYCL runtime, block by block: USMX_POOL is off."
    return (
        "New memory comes from pools, one for each context, device and kind.\n"
        "They keep freed memory. usmx.memory.empty_cache() gives it back; USMX_POOL=off turns "
        "them off."
    )


def limit_text() -> str:
    """Tell the limit that each pool begins with."""
    limit = usmx.memory.get_memory_pool().get_limit()
    if limit is None:
        return "There is no limit. USMX_POOL_LIMIT=4G, or set_limit() of a pool, sets one."
    return f"A pool takes at most {size_text(limit)}, as USMX_POOL_LIMIT says."
