"""Texts of --help: every command's ends with an example, which a test runs."""

import argparse
import sys
import textwrap
from pathlib import Path

MODULE = "python -m usmx"


def program_name() -> str:
    """The command as it was typed: the script that pip installs, or the module."""
    return "usmx" if Path(sys.argv[0]).name == "usmx" else MODULE


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Breaks lines between words only: a name with a hyphen stays whole."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def filled(text: str) -> str:
    """The text in lines of 80 columns."""
    return textwrap.fill(text, 80, break_on_hyphens=False)


def end_help_with(parser: argparse.ArgumentParser, *example: str) -> None:
    """Let --help end with these lines for a shell, and the options name their parser."""
    lines = [line.replace(MODULE, program_name()) for line in example]
    texts = [filled(text) for text in (parser.epilog,) if text]
    parser.description = filled(parser.description or "")
    parser.epilog = "\n\n".join([*texts, "\n  ".join(("example:", *lines))])
    parser.formatter_class = Formatter
    parser.set_defaults(parser=parser)
