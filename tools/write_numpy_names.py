"""Write what follows from the table of NumPy's names.

write_numpy_names.py [--check]

Those are the types of the names for type checkers, and docs/reference/numpy-names.md. The table is
python/usmx/_numpy/names.py. --check writes nothing, and fails where a file is not as it would be
written.

Needs the installed package.
"""

import sys

import numpy as np
import usmx
from generated import ROOT, differences, put, table
from usmx._numpy.names import ABSENT, ALIASES, MADE, MODULES, NAMES, OF_NUMPY, TYPES

TOOL = "tools/write_numpy_names.py"
STUB = ROOT / "python/usmx/_numpy/__init__.pyi"
PAGE = ROOT / "docs/reference/numpy-names.md"
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


def names_table():
    """NumPy's names that are another one's here, or NumPy's own object."""
    rows = [[f"`{name}`", f"`{ALIASES[name]}`"] for name in sorted(ALIASES)]
    rows += [
        [f"`{name}`", f"`{np.dtype(getattr(usmx, name)).name}`, a type"] for name in sorted(TYPES)
    ]
    return table(["NumPy's name", "the same as"], rows)


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
        functions = sorted(names.split())
        if module == "grids":
            continue
        lines = "".join(f".. autofunction:: {name}\n" for name in functions)
        parts.append(
            f"\n### {TITLES[module]}\n\n```{{eval-rst}}\n.. currentmodule:: usmx\n\n{lines}```\n"
        )
    return "".join(parts).lstrip("\n")


def same_names():
    """The names of NumPy's that the rest of usmx has as they are."""
    return [name for name in dir(np) if name in usmx.__all__ and name not in NAMES]


def page():
    text = PAGE.read_text(encoding="utf-8")
    text = put(text, "the same names", listed(same_names()), TOOL)
    text = put(text, "other names", names_table(), TOOL)
    text = put(text, "names of NumPy's own", listed(sorted(OF_NUMPY)), TOOL)
    text = put(text, "names that are not there", absent_table(), TOOL)
    return put(text, "signatures", signatures(), TOOL)


def main():
    failed = 0
    for path, text in {STUB: stub(), PAGE: page()}.items():
        if sys.argv[1:] == ["--check"]:
            found = path.read_text(encoding="utf-8") if path.exists() else ""
            failed |= differences(str(path.relative_to(ROOT)), found, text)
        else:
            path.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
