"""Give the same bad dictionaries to dpctl, dpnp and usmx, and tell what each of them does.

python examples/bad_dictionary.py

Each library gets each dictionary in a process of its own, since some of them die of it. Addresses,
and the name of the device, are left out, so that every machine prints the same.
"""

import re
import subprocess
import sys
import textwrap
from signal import Signals

# What the dictionary says instead of the truth, and why that is wrong.
FAULTS = {
    "pointer": ("'data': (0x1000, False)", "there is no memory at this address"),
    "shape": ("'shape': (8,)", "the memory holds 5 numbers"),
    "typestr": ("'typestr': '>f8'", "the numbers are in this machine's byte order"),
}
LIBRARIES = ("dpctl", "dpnp", "usmx")

PROGRAM = """
import sys
import usmx  # first: it shows the CPU driver of this environment to dpctl and dpnp as well
import dpctl.memory
import numpy as np

memory = dpctl.memory.MemoryUSMShared(40)
numbers = np.frombuffer(memory, "f8")
numbers[:] = range(1, 6)
pointer = memory._pointer
changes = {
    "pointer": {"data": (0x1000, False)},
    "shape": {"shape": (8,)},
    "typestr": {"typestr": ">f8"},
}

class Producer:
    __sycl_usm_array_interface__ = {
        "version": 1,
        "shape": (5,),
        "typestr": "<f8",
        "data": (pointer, False),
        "syclobj": memory.sycl_context,
    } | changes[sys.argv[1]]

def ask_dpctl():
    return f"takes it, as {dpctl.memory.as_usm_memory(Producer()).nbytes} of 40 bytes"

def ask_dpnp():
    import dpnp.tensor
    found = dpnp.tensor.asnumpy(dpnp.tensor.asarray(Producer()))
    right = sum(np.array_equal(a, b) for a, b in zip(found, numbers))
    return f"takes it: of {len(found)} numbers that it reads {len(found) - right} are wrong"

def ask_usmx():
    return f"takes it, as {usmx.asarray(Producer())}"

try:
    print({"dpctl": ask_dpctl, "dpnp": ask_dpnp, "usmx": ask_usmx}[sys.argv[2]]())
except Exception as error:
    text = str(error).replace(memory.sycl_device.name, "...")
    print(f"{type(error).__name__}: {text}")
"""


def main() -> None:
    """Print a paragraph for each dictionary."""
    for fault, (entry, reason) in FAULTS.items():
        print(f"{entry}: {reason}")
        for library in LIBRARIES:
            print(paragraph(library, what_happens(fault, library)))


def what_happens(fault: str, library: str) -> str:
    """What one library does with one dictionary, in words."""
    command = [sys.executable, "-P", "-c", PROGRAM, fault, library]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode < 0:
        return f"the process dies ({Signals(-ran.returncode).name})"
    if ran.returncode > 0:
        return ran.stderr.strip().splitlines()[-1]
    return re.sub(r"0x[0-9a-f]{5,}", "0x...", ran.stdout.strip())


def paragraph(library: str, text: str) -> str:
    """Wrapped, with the library's name in front."""
    return textwrap.fill(text, 100, initial_indent=f"  {library:<7}", subsequent_indent=" " * 9)


if __name__ == "__main__":
    main()
