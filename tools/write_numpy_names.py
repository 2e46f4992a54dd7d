"""Write what follows from the table of NumPy's names.

write_numpy_names.py [--check]

Those are the types of the names for type checkers, docs/reference/numpy-names.md, and the names in
docs/is-usmx-for-me.md. The table is python/usmx/_numpy/names.py. --check writes nothing, and fails
where a file is not as it would be written.

Needs the installed package.
"""

import sys
from itertools import groupby

import numpy as np
import usmx
from generated import ROOT, functions, put, settle, table
from usmx._numpy.names import ABSENT, ALIASES, MADE, MODULES, NAMES, OF_NUMPY, TYPES

TOOL = "tools/write_numpy_names.py"
STUB = ROOT / "python/usmx/_numpy/__init__.pyi"
PAGE = ROOT / "docs/reference/numpy-names.md"
OVERVIEW = ROOT / "docs/is-usmx-for-me.md"
TITLES = {
    "creation": "Making arrays, reading and writing texts",
    "elementwise": "For each element",
    "grids": "Indices that make arrays",
    "histograms": "Counting",
    "logic": "Questions",
    "nan": "Without NaN",
    "polynomials": "Polynomials",
    "products": "Products",
    "scans": "Cumulative sums and products",
    "sets": "Sets",
    "shapes": "Shapes and parts",
    "signals": "Sequences of samples",
    "statistics": "Statistics",
}


def stub():
    """The text of the stub of usmx._numpy."""
    lines = [f'"""Written by {TOOL}."""\n', "from typing import Any\n", "import numpy"]
    lines += [f"from {module_of(name)} import {own_name(name)} as {name}" for name in sorted(
        {*MODULES, *ALIASES, *OF_NUMPY}
    )]  # fmt: skip
    lines += [f"from numpy import {np.dtype(name).name} as {name}" for name in TYPES]
    lines += ["", f"__all__ = {NAMES}"]
    return "\n".join(lines) + "\n"


def own_name(name):
    return ALIASES.get(name, name)


def module_of(name):
    """Where a type checker finds what the name stands for."""
    if name in OF_NUMPY:
        return "numpy"
    own = own_name(name)
    if own in MODULES:
        return f"usmx._numpy.{MODULES[own]}"
    found = getattr(usmx, own).__module__
    return "usmx._core" if found in ("usmx", None) else found


def absent_table():
    """Names that are not there, by the reason."""
    reasons = {}
    for name, reason in ABSENT.items():
        reasons.setdefault(reason, []).append(name)
    rows = [[", ".join(f"`{n}`" for n in sorted(names)), why] for why, names in reasons.items()]
    return table(["names", "why"], rows)


def listed(names):
    """Names in a paragraph, broken into lines."""
    lines, line = [], ""
    for name in names:
        piece = f"`{name}`"
        if len(line) + len(piece) + 2 > 118:
            lines.append(line)
            line = ""
        line += f"{' ' if line else ''}{piece},"
    return "\n".join([*lines, line]).rstrip(",") + ".\n"


def signatures():
    """All functions, by subject."""
    parts = []
    for module, names in MADE.items():
        if module != "grids":
            parts.append(f"\n### {TITLES[module]}\n\n{functions(sorted(names.split()))}")
    return "".join(parts).lstrip("\n")


def public(module):
    return sorted((name for name in dir(module) if name[0] != "_"), key=str.lower)


def sorted_out(name):
    """The column of a name of NumPy's main namespace, and what stands there."""
    if name in ABSENT:
        return 2, f"`{name}`"
    if name in ALIASES or name in TYPES:
        other = ALIASES[name] if name in ALIASES else np.dtype(getattr(usmx, name)).name
        return 1, f"`{name}`: `{other}`"
    getattr(usmx, name)
    return 0, f"`{name}`"


def all_names_table():
    """Every public name of NumPy's main namespace, a row for each first letter."""
    rows = []
    for letter, names in groupby(public(np), key=lambda name: name[0].upper()):
        cells = ["", "", ""]
        for column, text in map(sorted_out, names):
            cells[column] += f"{', ' if cells[column] else ''}{text}"
        rows.append([letter, *cells])
    return table(["", "has", "has, as an alias of", "has not"], rows)


def counts_table():
    """How many names of NumPy's modules there are here, and which ones there are not."""
    columns = [sorted_out(name)[0] for name in public(np)]
    rows = [["`numpy`", *(str(columns.count(k)) for k in range(3)), "the table below"]]
    for module in ("linalg", "fft", "random"):
        names = public(getattr(np, module))
        there = dir(getattr(usmx, module))
        missing = [name for name in names if name not in there]
        counts = [str(len(names) - len(missing)), "0", str(len(missing))]
        rows.append([f"`numpy.{module}`", *counts, ", ".join(f"`{name}`" for name in missing)])
    return table(["module", "has", "has, as an alias", "has not", "which are"], rows)


def overview():
    text = OVERVIEW.read_text(encoding="utf-8")
    text = put(text, "counts of names", counts_table(), TOOL)
    return put(text, "all names", all_names_table(), TOOL)


def page():
    text = PAGE.read_text(encoding="utf-8")
    text = put(text, "names of NumPy's own", listed(sorted(OF_NUMPY)), TOOL)
    text = put(text, "names that are not there", absent_table(), TOOL)
    return put(text, "signatures", signatures(), TOOL)


def main():
    return settle({STUB: stub(), PAGE: page(), OVERVIEW: overview()}, TOOL, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
