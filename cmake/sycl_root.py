"""Print the folder whose include/ and lib/ hold the SYCL runtime of this Python environment.

Prints nothing if there is none. The metadata of intel-sycl-rt come first: in an isolated build
(pip, build) the runtime lies in a temporary overlay that only they know, and sysconfig does not.
"""

import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

HEADER = Path("include/sycl/sycl.hpp")


def candidates():
    try:
        for file in files("intel-sycl-rt") or ():
            if file.parts[-len(HEADER.parts) :] == HEADER.parts:
                yield Path(file.locate()).resolve().parents[len(HEADER.parts) - 1]
    except PackageNotFoundError:
        pass  # conda and system packages have no such distribution
    yield Path(sysconfig.get_path("data"))
    yield Path(sys.prefix)


print(next((root for root in candidates() if (root / HEADER).is_file()), ""))
