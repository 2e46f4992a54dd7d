"""A program, not a module: tries usmx step by step, and prints a line of JSON before each.

probe_program.py FOLDER MODULE: FOLDER holds the package usmx; MODULE, if it is not empty, is
imported as well. The step of the last line is the one that failed, or "done".
"""

import json
import logging
import sys
from pathlib import Path


class Teller(logging.Handler):
    """Prints a line of JSON at once, since the next step may end the process."""

    def __init__(self) -> None:
        super().__init__()
        self.step = "start"
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning of usmx's; logging calls this."""
        self.warnings.append(record.getMessage())

    def __call__(self, step: str, **values: object) -> None:
        """Tell which step comes next, and what the steps before it have found."""
        self.step = step
        print(json.dumps({"step": step, "warnings": self.warnings, **values}), flush=True)


def mapped(*beginnings: str) -> list[str]:
    """List the libraries of this process whose file names begin so."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    fields = [line.split(maxsplit=5) for line in maps.splitlines()]
    paths = {parts[5] for parts in fields if len(parts) == 6}
    return sorted(path for path in paths if path.rpartition("/")[2].startswith(beginnings))


def try_all(tell: Teller, folder: str, module: str) -> None:
    """All steps, until one raises."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    for name in filter(None, ("usmx", module)):
        tell(f"import {name}")
        __import__(name)
    usmx = sys.modules["usmx"]
    tell("devices", runtimes=mapped("libsycl.so", "libsycl-preview.so"))
    found = [
        {
            "filter": device.filter_string,
            "name": device.name,
            "driver": device.driver_version,
            "memory": device.global_mem_size,
        }
        for device in usmx.get_devices()
    ]
    tell("devices", devices=found, threading_libraries=mapped("libtbb.so"))
    usmx.SyclDevice()  # says why there is none
    tell("allocation")
    memory = usmx.memory.MemoryUSMShared(1 << 16)
    tell("copy")
    text = bytes(range(256)) * 256
    memory.copy_from_host(text)
    if bytes(memory.copy_to_host()) != text:
        raise RuntimeError("bytes that were copied to memory and back are not the same")
    tell("done")


def main() -> int:
    """Tell of an error as of everything else."""
    tell = Teller()
    logging.getLogger("usmx").addHandler(tell)
    try:
        try_all(tell, *sys.argv[1:])
    except BaseException as error:
        tell(tell.step, error=f"{type(error).__name__}: {' '.join(str(error).split())}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
