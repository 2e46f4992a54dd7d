"""The C++ reference leaves nothing out: each public name is described, and used in an example.

The names are those that Doxygen finds in the public headers. Operators, constructors, destructors
and deduction guides are left out: nobody writes their names.
"""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import doxygen
import pytest
from documents import ROOT, blocks_of
from sharing import shared_folder

pytestmark = pytest.mark.slow

REFERENCE = ROOT / "docs/reference/cpp"
TOUR = REFERENCE / "index.md"
PAGES = sorted(set(REFERENCE.glob("*.md")) - {TOUR})

# Names that have no example, and why.
WITHOUT_EXAMPLE = {
    "USMX_API": "marks usmx's own names",
    "usmx::strided_iterator::iterator_concept": "for the standard library alone",
    "usmx::strided_iterator::iterator_category": "for the standard library alone",
    "usmx::strided_iterator::difference_type": "for the standard library alone",
    "usmx::strided_iterator::pointer": "for the standard library alone",
    "usmx::strided_iterator::reference": "for the standard library alone",
}

TYPES = ("class", "struct", "union", "concept")
MEMBERS = ("function", "variable", "typedef", "enum", "define")

# What is in a program without being its code: comments, included files and texts.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|^#include[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL | re.M)


@dataclass(frozen=True)
class Symbol:
    """A public name as one header declares it."""

    name: str  # with its namespaces and classes
    kind: str
    header: str
    line: int
    is_described: bool

    def __str__(self):
        return f"{self.header}:{self.line}: {self.name}"

    @property
    def word(self):
        return self.name.rpartition("::")[2]


def symbol_of(element, name):
    where = element.find("location")
    texts = [element.find(kind) for kind in ("briefdescription", "detaileddescription")]
    described = any("".join(text.itertext()).strip() for text in texts)
    kind = element.get("kind", element.tag)
    return Symbol(name, kind, where.get("file"), int(where.get("line")), described)


def name_of(element, tag):
    return re.sub("<.*", "", element.findtext(tag))  # without the arguments of a specialisation


def symbols_of(compound):
    """The public names of a class, a concept, a namespace or a file."""
    if compound.get("prot") == "private":
        return
    scope = name_of(compound, "compoundname")
    if compound.get("kind") in TYPES:
        yield symbol_of(compound, scope)
    prefix = "" if compound.get("kind") == "file" else f"{scope}::"
    for member in compound.iter("memberdef"):
        if member.get("kind") in MEMBERS and member.get("prot") == "public":
            name = prefix + name_of(member, "name")
            yield symbol_of(member, name)
            for value in member.iterfind("enumvalue"):
                value.append(member.find("location"))
                yield symbol_of(value, f"{name}::{value.findtext('name')}")


@pytest.fixture(scope="module")
def symbols(tmp_path_factory):
    """All public names of all headers that somebody writes."""
    xml = shared_folder(tmp_path_factory, "doxygen", doxygen.write_xml) / "xml"
    compounds = [ElementTree.parse(file).find("compounddef") for file in xml.glob("*.xml")]
    found = [s for c in compounds if c is not None for s in symbols_of(c)]
    types = {symbol.name for symbol in found if symbol.kind in TYPES}

    def is_written(symbol):
        """Whether it is no operator, constructor, destructor or deduction guide."""
        scope = symbol.name.rpartition("::")[0]
        makes = scope in types and symbol.word == scope.rpartition("::")[2]
        special = re.search(r"(^|::)(operator\b|~)", symbol.name)
        return not (makes or special or symbol.name in types)

    return [s for s in found if s.kind != "function" or is_written(s)]


@pytest.fixture
def of_page(symbols, request):
    """The public names of the headers that a page describes."""
    page = request.param
    paths = re.findall(r"<!-- headers of include/(\S+) -->", page.read_text(encoding="utf-8"))
    folders = tuple(f"{path}/" for path in paths)
    found = [symbol for symbol in symbols if f"{symbol.header}/".startswith(folders)]
    assert found
    return page, found


def lines(symbols):
    return "\n".join(map(str, symbols))


by_page = pytest.mark.parametrize("of_page", PAGES, indirect=True, ids=lambda page: page.stem)


@by_page
def test_every_public_name_is_described(of_page):
    _, symbols = of_page
    types = {s.name for s in symbols if s.kind in TYPES and s.is_described}
    silent = [s for s in symbols if not s.is_described and s.name not in types]  # C: typedef struct
    assert not silent, lines(silent)


@by_page
def test_every_public_name_is_used_in_an_example(of_page):
    page, symbols = of_page
    blocks = [*blocks_of(page), *blocks_of(TOUR)]
    code = "\n".join(NO_CODE.sub("", b.text) for b in blocks if b.language in ("c", "cpp"))
    words = set(re.findall(r"\w+", code))
    wanted = [s for s in symbols if s.kind != "enumvalue" and s.name not in WITHOUT_EXAMPLE]
    unused = [symbol for symbol in wanted if symbol.word not in words]
    assert not unused, lines(unused)


def test_names_without_an_example_exist(symbols):
    assert set(WITHOUT_EXAMPLE) - {symbol.name for symbol in symbols} == set()
