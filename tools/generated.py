"""Parts of documents that a program writes, each between two comments that name it."""

import difflib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def put(text, name, part, tool):
    """The text with another part of that name."""
    begin, end = f"<!-- {name}: by {tool} -->\n", f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    return before + begin + part + end + rest.split(end)[1]


def table(header, rows):
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(
        "|" + "".join(f" {cell} |" if cell else " |" for cell in line) + "\n" for line in lines
    )


def differences(path, found, wanted):
    """Show what a document should say, and return the exit code of a check."""
    sys.stderr.writelines(
        difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), path, "generated")
    )
    return int(wanted != found)
