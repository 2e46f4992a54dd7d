"""What the user asks for: the command line's options, and whether they can be done.

No heavy package is imported here: what is wrong is said before anything is installed.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import usmx

from usmx_demo.csv_numbers import Numbers, read_csv
from usmx_demo.error import DemoError


@dataclass(frozen=True)
class Task:
    """Options that were checked, and the numbers of the CSV file, if there is one."""

    csv: Path | None
    numbers: Numbers | None
    output: Path
    device: str | None


def make_parser(program: str) -> argparse.ArgumentParser:
    """Everything that the demo's command line takes."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Principal component analysis of a real data set. The demo loads the data once "
        "into USM shared memory, and hands it to a native extension (oneMKL), dpnp, dpctl, NumPy "
        "and Numba. It compares pointers to find out whether any of them copied, and checks the "
        "results against NumPy's.",
        epilog="exit code: 0 all good; 1 something was copied or a number is wrong; 2 the input "
        "cannot be used, or something that the demo needs is missing",
    )
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="your own numbers, separated by ',', ';' or tab; the first line may hold names "
        "(default: the handwritten digits that come with scikit-learn)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE.png",
        default=Path("usmx_pca.png"),
        help="the scatter plot of the first two components (default: %(default)s)",
    )
    parser.add_argument(
        "--device",
        metavar="FILTER",
        help="the device, such as opencl:cpu or level_zero:gpu:0 (default: SYCL's default device)",
    )
    return parser


def check(options: argparse.Namespace) -> Task:
    """The task that the options describe; DemoError when it cannot be done."""
    check_output(options.output)
    numbers = read_csv(options.csv) if options.csv else None
    check_device(options.device)
    return Task(options.csv, numbers, options.output, options.device)


def check_output(output: Path) -> None:
    """DemoError unless a file can be written there, as far as that is known beforehand."""
    if output.suffix.lower() != ".png":
        raise DemoError(f"--output: expected a file name ending in .png, found {str(output)!r}")
    if output.is_dir():
        raise DemoError(f"--output: {output} is a directory")
    if not output.parent.is_dir():
        raise DemoError(f"--output: there is no directory {output.parent}")


def check_device(device: str | None) -> None:
    """DemoError when there is no such device."""
    try:
        usmx.SyclDevice() if device is None else usmx.SyclDevice(device)
    except (usmx.SyclDeviceCreationError, ValueError) as error:
        raise DemoError(str(error)) from error
