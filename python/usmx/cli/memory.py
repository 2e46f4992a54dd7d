"""``python -m usmx memory``: how much memory there is, and where usmx takes it from."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import usmx
from usmx._text import size_text
from usmx.cli.devices import free_memory, why_no_device


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print JSON, for programs")
    what.add_argument("--plot", type=Path, metavar="LOG", help="draw this log")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        default=Path("memory.svg"),
        help="the file of the picture; the end of its name is the format (default: memory.svg)",
    )


def run(options: argparse.Namespace) -> int:
    """Draw a log, or say it in words or as JSON; the exit code is 2 when there is no device."""
    if options.plot is not None:
        from usmx.cli import memory_plot  # it imports NumPy

        return memory_plot.run(options.plot, options.output)
    devices = usmx.get_devices()
    if not devices:
        print(f"usmx memory: {why_no_device()}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(values(devices), indent=1))
        return 0
    for device in devices:
        print(f"{device.filter_string}: {free_text(device)}")
    print(f"\n{pool_text()}\n{limit_text()}")
    return 0


def values(devices: "list[usmx.SyclDevice]") -> dict[str, Any]:
    """How much memory there is, for programs; sizes are in bytes."""
    return {
        "devices": [
            {
                "filter": device.filter_string,
                "global_memory": device.global_mem_size,
                "free_memory": free_memory(device),
            }
            for device in devices
        ],
        "pools": pools_are_on(),
        "pool_limit": usmx.memory.get_memory_pool().get_limit(),
        "pending_limit": usmx.memory.get_pending_limit(),
    }


def pools_are_on() -> bool:
    """Tell whether new memory comes from pools."""
    return os.environ.get("USMX_POOL") != "off"


def free_text(device: "usmx.SyclDevice") -> str:
    """Tell what is free on a device, if it says so."""
    try:
        free, total = usmx.memory.mem_get_info(device)
    except ValueError:
        return f"{size_text(device.global_mem_size)}, but it does not tell how much is free"
    return f"{size_text(free)} of {size_text(total)} are free"


def pool_text() -> str:
    """Tell where new memory comes from."""
    if not pools_are_on():
        return "New memory comes from the SYCL runtime, block by block: USMX_POOL is off."
    return (
        "New memory comes from pools, one for each context, device and kind.\n"
        "They keep freed memory, which usmx.memory.empty_cache() gives back.\n"
        "USMX_POOL=off turns them off."
    )


def limit_text() -> str:
    """Tell the limit that each pool begins with."""
    limit = usmx.memory.get_memory_pool().get_limit()
    if limit is None:
        return "There is no limit. USMX_POOL_LIMIT=4G, or set_limit() of a pool, sets one."
    return f"A pool takes at most {size_text(limit)}, as USMX_POOL_LIMIT says."
