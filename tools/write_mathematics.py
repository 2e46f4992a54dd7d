"""Write what follows from the table of usmx's functions (python/usmx/_compute/table.py).

write_mathematics.py [--check]

Those are the types of the functions for type checkers, and tables of docs/reference/mathematics.md.
--check writes nothing, and fails where a file is not as it would be written.

Needs the installed package.
"""

import importlib
import inspect
import sys

from generated import ROOT, differences, put, table
from usmx._compute.table import REDUCTIONS, ROWS

TOOL = "tools/write_mathematics.py"
PAGE = ROOT / "docs/reference/mathematics.md"
MADE_OF_ROWS = ("elementwise", "reductions")
HEAD = f'''"""Written by {TOOL}."""

from typing import Any, SupportsIndex

from usmx._compute.table import Reduction
from usmx._core import ReductionKernel, SyclDevice, USMArray
from usmx._typing import Axes, DTypeLike, NumpyType, Operand, Producer

NAMES: list[str]

'''
CLASSES = {"b": "bool", "iu": "integers", "f": "real", "c": "complex"}


def stub_of(module):
    """The text of the stub of a module whose functions are made of rows."""
    functions = [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    return HEAD + "".join(f"def {each.__name__}{signature_of(each)}: ...\n" for each in functions)


class Words(str):
    """An annotation, which is shown as it is in the source."""

    __repr__ = str.__str__


def signature_of(function):
    """As in the source: the annotations are texts."""
    found = inspect.signature(function)
    parameters = [
        each.replace(annotation=Words(each.annotation)) for each in found.parameters.values()
    ]
    result = Words(found.return_annotation)
    return str(found.replace(parameters=parameters, return_annotation=result))


def classes_of(row):
    """The kinds of types that a function takes, in words."""
    takes = set(row.expressions)
    takes |= set("biu") if row.result == "float" else set()
    named = [name for classes, name in CLASSES.items() if takes & set(classes)]
    return "all" if len(named) == len(CLASSES) else ", ".join(named)


def elementwise_table():
    """What the functions compute, of which types, and how exactly."""
    rows = []
    for row in ROWS.values():
        real, complex_ = (f"{bound:g}" if bound else "" for bound in row.errors)
        what = row.summary + (f". {row.note}" if row.note else "")
        rows.append(
            [f"`{row.name}({', '.join(row.operands)})`", what, classes_of(row), real, complex_]
        )
    return table(["function", "of each element", "types", "real", "complex"], rows)


def names_list(names):
    listed = "".join(f".. autofunction:: {name}\n" for name in names)
    return f"```{{eval-rst}}\n.. currentmodule:: usmx\n\n{listed}```\n"


def files():
    """All files, and what they should be."""
    wanted = {}
    for name in MADE_OF_ROWS:
        module = importlib.import_module(f"usmx._compute.{name}")
        wanted[ROOT / f"python/usmx/_compute/{name}.pyi"] = stub_of(module)
    page = PAGE.read_text(encoding="utf-8")
    page = put(page, "element-wise functions", elementwise_table(), TOOL)
    page = put(page, "signatures of element-wise functions", names_list(ROWS), TOOL)
    page = put(page, "signatures of reductions", names_list(REDUCTIONS), TOOL)
    wanted[PAGE] = page
    return wanted


def main():
    failed = 0
    for path, text in files().items():
        if sys.argv[1:] == ["--check"]:
            found = path.read_text(encoding="utf-8") if path.exists() else ""
            failed |= differences(str(path.relative_to(ROOT)), found, text)
        else:
            path.write_text(text, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
