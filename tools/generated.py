"""What a program writes into the documents.

Parts of texts, each between two comments that name it; pictures, which name the figures in them.
"""

import difflib
import hashlib
import io
import json
import sys
import textwrap
from pathlib import Path

from svg import DARK_CHARTS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results.json"


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


def functions(names):
    """A list of functions of usmx, of which the site makes their reference (docs/conf.py)."""
    return f"```{{functions}} usmx\n{textwrap.fill(' '.join(names), 118)}\n```\n"


def settle(wanted, tool, arguments):
    """Write files, by path; with --check show how they differ, and return the exit code."""
    failed = 0
    for path, text in wanted.items():
        found = path.read_text(encoding="utf-8") if path.is_file() else ""
        if found != text and "--check" in arguments:
            name = str(path.relative_to(ROOT))
            lines = found.splitlines(True), text.splitlines(True)
            sys.stderr.writelines(difflib.unified_diff(*lines, name, f"{name} by {tool}"))
            failed = 1
        elif found != text:
            path.write_text(text, encoding="utf-8")
    return failed


def save_picture(figure, path, figures):
    """Save a figure of matplotlib as SVG, in the same bytes whenever it is of the same figures."""
    import matplotlib

    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "usmx"}):  # the same names in every run
        metadata = {"Date": None, "Description": mark(figures)}
        figure.savefig(file, format="svg", metadata=metadata)
    drawn = file.getvalue().replace("</style>", f"\n{DARK_CHARTS}</style>", 1)
    path.write_text(drawn, encoding="utf-8")


def is_drawn_of(path, figures):
    """Whether a picture that save_picture has saved shows these figures."""
    return mark(figures) in path.read_text(encoding="utf-8")


def mark(figures):
    """Stands in the picture, whose bytes depend on matplotlib's release as well."""
    return f"of {hashlib.sha256(json.dumps(figures).encode()).hexdigest()}"
