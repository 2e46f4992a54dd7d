"""``python -m usmx``: what is there, where it is, and a demonstration."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import usmx


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 good, 1 something is wrong, 2 bad input."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 2
    return options.command(options)


def make_parser() -> argparse.ArgumentParser:
    """Everything that the command line takes."""
    parser = argparse.ArgumentParser(
        prog="python -m usmx",
        description="SYCL USM arrays between native code and Python, without copies.",
    )
    parser.set_defaults(command=None)
    show = parser.add_argument
    show("--version", action="version", version=f"usmx {usmx.__version__}")
    show("--cmakedir", action=Print, text=cmake_dir, help="where CMake finds usmx, for -Dusmx_DIR=")
    show(
        "--includes",
        action=Print,
        text=includes,
        help="compiler options for usmx's and SYCL's headers",
    )

    commands = parser.add_subparsers(title="commands", metavar="{devices,cache,demo}")
    devices = commands.add_parser(
        "devices",
        help="list the devices that are there",
        description="Lists the devices that are there; * marks the default one.",
    )
    devices.set_defaults(command=run_devices)
    cache = commands.add_parser(
        "cache",
        help="show or clear the disk cache of device kernels",
        description="Shows what the disk cache of device kernels holds, the latest used first. "
        "Deleting it is always safe: kernels are built again when they are needed.",
    )
    cache.add_argument("--clear", action="store_true", help="delete all entries")
    cache.set_defaults(command=run_cache)
    add_demo_parser(commands)
    return parser


def add_demo_parser(commands: argparse._SubParsersAction) -> None:
    """``python -m usmx demo``."""
    demo = commands.add_parser(
        "demo",
        help="a real data set goes from Python into native SYCL code and back, without a copy",
        description="Principal component analysis of a real data set. It is loaded into USM shared "
        "memory once and handed to a native extension (oneMKL), dpnp, dpctl, NumPy and Numba; "
        "whether any of them copied is found by comparing pointers, and the results are checked "
        "against NumPy's. What the demo needs is installed first when it is missing.",
        epilog="exit code: 0 all good; 1 something was copied or a number is off; 2 bad input, or "
        "something that the demo needs is not there",
    )
    demo.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="your own numbers, separated by ',', ';' or tab; the first line may hold names "
        "(default: the handwritten digits that come with scikit-learn)",
    )
    demo.add_argument(
        "--output",
        type=Path,
        metavar="FILE.png",
        default=Path("usmx_pca.png"),
        help="the scatter plot of the first two components (default: %(default)s)",
    )
    demo.add_argument(
        "--device",
        metavar="FILTER",
        help="such as opencl:cpu or level_zero:gpu:0 (default: SYCL's)",
    )
    demo.add_argument(
        "--no-install",
        action="store_true",
        help="install nothing: when something is missing, name the command and stop",
    )
    demo.set_defaults(command=run_demo)


class Print(argparse.Action):
    """An option that prints what the function `text` returns, and exits."""

    def __init__(self, *args, text, **kwargs):
        super().__init__(*args, nargs=0, **kwargs)
        self.text = text

    def __call__(self, parser, *_):
        """Print and exit; argparse calls this."""
        print(self.text())
        parser.exit()


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


def run_devices(_: argparse.Namespace) -> int:
    """``python -m usmx devices``."""
    from usmx import _devices

    return _devices.run()


def run_cache(options: argparse.Namespace) -> int:
    """``python -m usmx cache``."""
    from usmx import _cache

    return _cache.run(clear=options.clear)


def run_demo(options: argparse.Namespace) -> int:
    """``python -m usmx demo``."""
    from usmx import _demo

    return _demo.run(options.csv, options.output, options.device, install=not options.no_install)


if __name__ == "__main__":
    sys.exit(main())
