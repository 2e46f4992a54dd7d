"""Where a benchmark writes what it has measured: options of its command line."""

import argparse
import importlib.util
from collections.abc import Sequence
from pathlib import Path


def add_options(parser: argparse.ArgumentParser, *, json: str, plot: str | None = None) -> None:
    """Add --json, and --plot where there is a picture; the texts say what they write."""
    parser.add_argument("--json", type=Path, metavar="FILE", help=json)
    parser.set_defaults(plot=None)
    if plot:
        parser.add_argument("--plot", type=Path, metavar="PICTURE", help=plot)


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; an error at once where results could not be written."""
    options = parser.parse_args(arguments)
    check(parser, options)
    return options


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exit where results could not be written."""
    for file in filter(None, (options.json, options.plot)):
        if not file.absolute().parent.is_dir():
            parser.error(f"there is no directory {file.parent}")
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        parser.error("--plot needs matplotlib; install with: pip install matplotlib")
