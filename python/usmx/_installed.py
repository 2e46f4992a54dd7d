"""Where the parts of the installed package are, and extensions that do not fit it.

`import usmx` takes two names from here, and pathlib takes a tenth of that import's time.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from usmx import _core

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
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


LIBRARY = r"libusmx\.so\.(\d+)"
SYMBOL = r"\b_Z\w*4usmx2v\d\w*"


def importing_extension() -> AbstractContextManager[None]:
    """Explain why a native module that is linked to another ``libusmx.so`` cannot be imported.

    A package imports its C++ module in such a ``with`` block. An ImportError of the loader, which
    knows only that a library or a symbol is not there, then says which release of usmx the module
    was built for, which one is installed, and what to do. Other errors pass through. Extensions in
    C and Cython do not need it: they are not linked to usmx.

    Returns:
        A context manager, whose ``as`` gives None.

    Raises:
        ImportError: by the block, if the module was built for another usmx.

    Example:
        >>> with usmx.importing_extension():
        ...     import math  # from mine._native import scaled
    """
    return _explaining()


@contextlib.contextmanager
def _explaining() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        reason = _reason(str(error))
        if reason is None:
            raise
        text = f"{error.path or 'this extension'} {reason}"
        raise ImportError(text, name=error.name, path=error.path) from error


def _reason(text: str) -> str | None:
    """Say what the loader's error has to do with usmx; None when it has nothing to do with it."""
    import re

    installed = f"the usmx that is installed ({_core.__version__})"
    if library := re.match(LIBRARY, text):
        release = _core._release_of(int(library[1]))
        return (
            f"was built for {library[0]}, but {installed} has libusmx.so.{_core._abi_version}: "
            f"install usmx {release} (pip install 'usmx=={release}.*'), or build the extension "
            "again, with the installed usmx"
        )
    if symbol := re.search(SYMBOL, text):
        return (
            f"was built with a newer usmx: {installed} does not have {symbol[0]}; install a newer "
            "usmx, or build the extension again, with the installed one"
        )
    return None
