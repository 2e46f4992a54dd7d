"""The C++ reference leaves nothing out: each public name is described, and used in an example; C++ has Python's functions.

The names are those that Doxygen finds in the public headers. Operators, constructors, destructors
and deduction guides are left out: nobody writes their names.
"""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import doxygen
import pytest
import usmx
from documents import ROOT, blocks_of
from sharing import shared_folder
from usmx._numpy.names import MODULES

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


# Functions that C++ has under another name.
OTHER_NAMES = {
    "all": "usmx::all_of",
    "any": "usmx::any_of",
    "cumprod": "usmx::cumulative_prod",
    "cumsum": "usmx::cumulative_sum",
    "cross": "usmx::linalg::cross",
    "dot": "usmx::matmul",
    "inner": "usmx::matmul",
    "linalg.matmul": "usmx::matmul",
    "linalg.matrix_transpose": "usmx::matrix_transposed",
    "linalg.tensordot": "usmx::tensordot",
    "linalg.vecdot": "usmx::vecdot",
    "outer": "usmx::linalg::outer",
    "trace": "usmx::linalg::trace",
}
# Functions of mathematics that C++ lacks, and why.
PYTHONS_ALONE = {
    "einsum": "its subscripts are a text that Python takes apart: C++ has tensordot, matmul and vecdot",
    "linalg.unchecked": "a block of Python's: C++ has {.is_checked = false} for each call",
    "random.multivariate_normal": "NumPy takes the matrix apart on the host",
    "fuse": "it traces functions of Python's: C++ writes the expression of an elementwise_kernel",
    **dict.fromkeys(
        (
            "corrcoef",
            "cov",
            "lexsort",
            "nanpercentile",
            "nanquantile",
            "sort_complex",
            "matvec",
            "vdot",
            "vecmat",
        ),
        "a name of NumPy's beside the array API, made of these functions in Python",
    ),
}


def functions_of_mathematics():
    """Python's, by the names of C++: of the tables, and of the modules that compute."""
    from usmx._compute.table import REDUCTIONS, ROWS

    found = {f"{name}": f"usmx::{name}" for name in (*ROWS, *REDUCTIONS)}
    for name in usmx.__all__:
        function = getattr(usmx, name)
        if "._compute." in (getattr(function, "__module__", None) or ""):
            found[name] = f"usmx::{name}"
    for module in ("linalg", "fft", "special"):
        for name in getattr(usmx, module).__all__:
            if name[0].islower():
                found[f"{module}.{name}"] = f"usmx::{module}::{name}"
    for name in dir(usmx.random.Generator):
        if not name.startswith("_"):
            found[f"random.{name}"] = f"usmx::random::generator::{name}"
    return found | {name: f"usmx::{name}" for name in MODULES if MODULES[name] in COMPUTING}


# Modules of NumPy's names whose functions C++ has, too; those of the others are made of these in Python.
COMPUTING = ("nan", "products", "scans", "statistics")


def test_cpp_has_every_function_of_mathematics(symbols):
    declared = {symbol.name for symbol in symbols if symbol.kind == "function"}
    names = functions_of_mathematics()
    missing = {
        name
        for name, in_cpp in names.items()
        if OTHER_NAMES.get(name, in_cpp) not in declared and name not in PYTHONS_ALONE
    }
    assert not missing
    assert set(OTHER_NAMES) <= set(names)


def test_reasons_are_of_functions_that_cpp_lacks(symbols):
    declared = {symbol.name for symbol in symbols if symbol.kind == "function"}
    names = functions_of_mathematics()
    assert set(PYTHONS_ALONE) <= set(names)
    assert not {names[name] for name in PYTHONS_ALONE} & declared
