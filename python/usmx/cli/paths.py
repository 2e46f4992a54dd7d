"""Where the parts of the installed package are."""

from collections.abc import Iterator
from pathlib import Path

import usmx


def package_folders() -> list[Path]:
    """Where the package lies: an editable installation has its sources and its products apart."""
    return [Path(folder) for folder in usmx.__path__]


def cmake_dir() -> str:
    """Return the folder of usmxConfig.cmake."""
    folders = [folder / "lib/cmake/usmx" for folder in package_folders()]
    return str(next((f for f in folders if (f / "usmxConfig.cmake").is_file()), folders[0]))


def includes() -> str:
    """Compiler options."""
    folders = [folder / "include" for folder in package_folders()]
    return " ".join(f"-I{folder}" for folder in (*folders, *sycl_includes()) if folder.is_dir())


def sycl_includes() -> Iterator[Path]:
    """Where the wheel of the SYCL runtime has put its headers."""
    from importlib.metadata import PackageNotFoundError, files

    try:
        for file in files("intel-sycl-rt") or ():
            if file.parts[-3:] == ("include", "sycl", "sycl.hpp"):
                yield Path(file.locate()).resolve().parents[1]
    except PackageNotFoundError:  # a oneAPI installation, whose compiler knows
        return


def example(name: str) -> Path:
    """Return the folder of an example: in the wheel, or of an editable installation's sources."""
    for package in package_folders():
        for folder in (package / "examples" / name, package.parents[1] / "examples" / name):
            if folder.is_dir():
                return folder
    raise FileNotFoundError(f"examples/{name} is not in this installation of usmx")
