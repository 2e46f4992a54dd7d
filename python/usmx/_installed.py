"""Where the parts of the installed package are.

`import usmx` takes one name from here, and pathlib takes a tenth of that import's time.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def package_folders() -> list[Path]:
    """The package's folders: an editable installation has sources and build products apart."""
    from pathlib import Path

    return [Path(folder) for folder in sys.modules[__package__].__path__]


def part(path: str) -> Path:
    """Return a file or folder that the build has put into the package."""
    found = [folder / path for folder in package_folders()]
    return next((candidate for candidate in found if candidate.exists()), found[0])


def get_include() -> str:
    """Return the folder of usmx's C and C++ headers, for a compiler's ``-I``.

    ``python -m usmx config --cflags`` gives the options for SYCL's headers as well.

    Returns:
        A path as a string.

    Example:
        >>> import os
        >>> os.path.isfile(os.path.join(usmx.get_include(), "usmx", "array.hpp"))
        True
    """
    return str(part("include"))


def example(name: str) -> Path:
    """Return the folder of an example: in the wheel, or of an editable installation's sources."""
    for package in package_folders():
        for folder in (package / "examples" / name, package.parents[1] / "examples" / name):
            if folder.is_dir():
                return folder
    raise FileNotFoundError(f"examples/{name} is not in this installation of usmx")
