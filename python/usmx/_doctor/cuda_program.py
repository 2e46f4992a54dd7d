"""A program, not a module: asks CUDA's driver what is there, without the SYCL runtime.

It prints a line of JSON before each step, as probe_program.py does.
"""

import ctypes
import json
import sys

DRIVER = "libcuda.so.1"


def tell(step: str, **values: object) -> None:
    """Print a line at once, since the next step may end the process."""
    print(json.dumps({"step": step, **values}), flush=True)


def error_name(driver: ctypes.CDLL, result: int) -> str:
    """The name of an error, as CUDA's documents have it."""
    name = ctypes.c_char_p()
    driver.cuGetErrorName(result, ctypes.byref(name))
    return (name.value or b"an unknown error").decode()


def main() -> int:
    """Load the driver's library, start it, and count the devices."""
    tell("load")
    try:
        driver = ctypes.CDLL(DRIVER)
    except OSError as error:
        tell("load", error=str(error))
        return 1
    tell("start")
    if result := driver.cuInit(0):
        tell("start", error=f"cuInit returned {result}, {error_name(driver, result)}")
        return 1
    count = ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    tell("done", devices=count.value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
