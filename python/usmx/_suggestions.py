"""What was perhaps meant: the nearest known word, for errors of the command line."""

import argparse
import difflib
from collections.abc import Callable, Collection


def did_you_mean(given: str, known: Collection[str]) -> str:
    """The nearest of the known words as the end of a message, if one is near."""
    near = difflib.get_close_matches(given, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """The `type` of an option that takes one of these words."""

    def checked(given: str) -> str:
        if given not in known:
            raise argparse.ArgumentTypeError(
                f"expected one of {', '.join(known)}, found {given!r}{did_you_mean(given, known)}"
            )
        return given

    return checked
