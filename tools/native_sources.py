"""Where the sources of the native module bind a name, for the links of the documentation site.

A binding is a call with the name and the docstring as literals, or with the docstring's name in
usmx/_docstrings/. So its place is where the name is in quotes near the beginning of the docstring
that Python shows.
"""

import functools
import inspect
import re
from pathlib import Path

import usmx
from usmx._docstrings import DOCSTRINGS

BINDINGS = Path(__file__).parents[1] / "python/bindings"
REACH = 1500  # characters between name and docstring: a lambda may be there
OPENING = 28  # characters of a docstring, before which no literal is broken into two lines


def find(name, bound, owner=None):
    """The file of a binding and its line, or None.

    `bound` is the function, the class or the attribute, and `owner` the class of an attribute.
    A binding is a line `declare<"def name(...)">`, or has the name and the docstring near it.
    Classes share names with the same docstring, such as `wait`. Then the file comes first in which
    the class is bound, last those of other classes, and else the one with most of its attributes.
    """
    places = _places(name, bound, is_attribute=owner is not None)
    if not places:
        return None
    rank = _ranks(owner) if owner else {}
    _, file, line = min(places, key=lambda place: (rank.get(place[1], 0), place[0]))
    return BINDINGS / file, line


@functools.cache
def _ranks(owner):
    """Where the attributes of a class are looked for first: a number for each file."""
    ranks = {}
    for name, bound in vars(owner).items():
        for file in {file for _, file, _ in _places(name, bound, is_attribute=True)}:
            ranks[file] = ranks.get(file, 0) - 1
    for cls in filter(inspect.isclass, (getattr(usmx, name) for name in usmx.__all__)):
        for _, file, _ in sorted(_places(cls.__name__, cls, is_attribute=False))[:1]:
            ranks[file] = 1  # last
    for _, file, _ in sorted(_places(owner.__name__, owner, is_attribute=False))[:1]:
        ranks[file] = -len(vars(owner)) - 1  # before all others
    return ranks


def _places(name, bound, is_attribute):
    """Where a binding may be, each as its distance from the docstring, the file and the line."""
    opening = (inspect.getdoc(bound) or "").strip()[:OPENING].partition("\n")[0]
    if not opening:
        return []
    opening = opening.replace('"', r"\"")
    places = []
    for file, text in _sources().items():
        for line in re.finditer(rf'"def {re.escape(name)}\(', text):
            of_module = re.match(r"[^;]*?>\(\s*m\b", text[line.end() :])
            if is_attribute != bool(of_module):
                places.append((0, file, text.count("\n", 0, line.end()) + 1))
        for literal in re.finditer(f'"{re.escape(name)}"', text):
            before = text[max(0, literal.start() - 40) : literal.start()]
            of_module = re.search(r"\bm\.def\(\s*$", before)
            distance = _distance(text, literal, opening)
            if distance is not None and not (is_attribute and of_module):
                places.append((distance, file, text.count("\n", 0, literal.end()) + 1))
    return places


def _distance(text, literal, opening):
    """How far the docstring is: mostly after the name, or before it where several share one."""
    after = text.find(opening, literal.end(), literal.end() + REACH)
    if after >= 0:
        return after - literal.end()
    before = text.rfind(opening, max(0, literal.start() - REACH), literal.start())
    return literal.start() - before if before >= 0 else None


@functools.cache
def _sources():
    """The bindings by their paths below BINDINGS, with the first lines of their docstrings."""
    return {
        file.relative_to(BINDINGS).as_posix(): re.sub(
            r'docstring\("([^"]+)"\)', _first_line, file.read_text(encoding="utf-8")
        )
        for file in sorted(BINDINGS.rglob("*.[ch]pp"))
    }


def _first_line(named):
    line = DOCSTRINGS[named[1]].partition("\n")[0].replace('"', r"\"")
    return f'"{line}"'
