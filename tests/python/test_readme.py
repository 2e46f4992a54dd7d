"""What README.md and docs/ show works as pasted, and what they point to exists.

Each Python block is a program of its own. It sees usmx and what the page says to install, and nothing
else: other packages of the tests' own environment are hidden from it. Where that environment lacks
what the page says, an environment is made with it, from PyPI; ./test nightly makes one for each page.
"mpiexec" beside the language says that two ranks run it, "ray" that tests/python/test_ray.py does.
The C++ and CMake blocks of a document are the files of one outside project, named by their first
line; it is built against the installed usmx, and the document's Python blocks can import its
modules. The programs of documents without CMake blocks are built together. C blocks are files
beside each other, which the document's shell block compiles. A block "text output" is what the
program before it prints. The tutorial first-extension.md is another matter:
tests/install/test_first_extension.py.
"""

import ast
import os
import re
import shlex
import sys
import tomllib
from functools import cache, partial
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
import usmx
from documents import BLOCK, ROOT, blocks_of
from environments import is_here, make_environment_of, required
from extension_builds import built, quick
from forks import run_forked
from helpers import run
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sharing import shared_folder
from usmx._doctor import settings

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
HOW_TO = [document for document in DOCUMENTS if document.parent.name == "how-to"]
CPP_REFERENCE = ROOT / "docs/reference/cpp"
EXTENSIONS = {CPP_REFERENCE / "python.md", CPP_REFERENCE / "c.md"}  # modules, not programs
LINK = re.compile(r"\]\(([^)#\s]+)")
INSTALLED = re.compile(r"pip install ([^`\n]*)")
BUILT = re.compile(r"(?:NB_MODULE|PYBIND11_MODULE)\((\w+)|PyInit_(\w+)")

# Builds the C++ programs of the documents that have no CMake block, each in a folder of its name. All
# of them reach SYCL's headers through usmx's: these are read once, and for programs that include both of usmx's that
# most of them do, these too.
CMAKE = """
cmake_minimum_required(VERSION 3.24)
project(documents LANGUAGES CXX)
find_package(usmx CONFIG REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
foreach(headers IN ITEMS sycls usmxs)
  add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
  target_link_libraries(${headers} PRIVATE usmx::usmx)
  target_precompile_headers(${headers} PRIVATE <sycl/queue.hpp> <sycl/usm.hpp>)
endforeach()
target_precompile_headers(usmxs PRIVATE <usmx/array.hpp> <usmx/runtime.hpp>)
file(GLOB programs RELATIVE ${CMAKE_SOURCE_DIR} README/*.cpp docs-*/*.cpp)
foreach(program IN LISTS programs)
  cmake_path(GET program PARENT_PATH folder)
  cmake_path(GET program STEM name)
  add_executable(${folder}-${name} ${program})
  target_link_libraries(${folder}-${name} PRIVATE usmx::usmx)
  file(READ ${program} text)
  set(headers sycls)
  if(text MATCHES "#include <usmx/array.hpp>" AND text MATCHES "#include <usmx/runtime.hpp>")
    set(headers usmxs)
  endif()
  target_precompile_headers(${folder}-${name} REUSE_FROM ${headers})
  set_target_properties(${folder}-${name} PROPERTIES
                        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder})
endforeach()
"""

BLOCKS = [
    block
    for document in DOCUMENTS
    if document.name != "first-extension.md"
    for block in blocks_of(document)
]
PYTHON = [block for block in BLOCKS if block.language == "python" and block.info in ("", "mpiexec")]
PROGRAMS = [b for b in BLOCKS if b.language == "cpp" and "int main(" in b.text]

WITH_NANOBIND = {b.document for b in BLOCKS if "NB_MODULE" in b.text}
IN_C = {b.document for b in BLOCKS if b.language == "c" and "PyInit_" in b.text}
WITH_MODULES = WITH_NANOBIND | IN_C
BUILT_TOGETHER = {b.document for b in PROGRAMS} - {
    b.document for b in BLOCKS if b.language == "cmake"
}


def by_name(block):
    return str(block)


def name_of(document):
    return "-".join(document.relative_to(ROOT).with_suffix("").parts)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Builds the project of a document, once; where its programs and modules are."""

    def where(document):
        if document in BUILT_TOGETHER:
            source = shared_folder(tmp_path_factory, "documents", build_programs)
            return source / "build" / name_of(document)
        source = shared_folder(
            tmp_path_factory,
            name_of(document),
            partial(build_project, document, quick(tmp_path_factory)),
        )
        return source if document in IN_C else source / "build"

    return where


def compile_c(document, source):
    blocks = [b for b in BLOCKS if b.document == document]
    for block in blocks:
        if block.language == "c":
            (source / block.file_name).write_text(block.text, encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for block in blocks:
        if block.language == "sh":
            run("bash", "-euc", block.text, cwd=source, env={**os.environ, "PATH": path})


def build_project(document, definitions, source):
    source.mkdir()
    if document in IN_C:
        compile_c(document, source)
        return
    for block in BLOCKS:
        if block.document == document and block.language in ("cpp", "cmake") and block.file_name:
            (source / block.file_name).write_text(block.text, encoding="utf-8")
    packages = ["usmx", *(["nanobind"] if document in WITH_NANOBIND else [])]
    built(source, source / "build", packages, definitions)


def build_programs(source):
    for block in BLOCKS:
        if block.document in BUILT_TOGETHER and block.language == "cpp" and block.file_name:
            folder = source / name_of(block.document)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / block.file_name).write_text(block.text, encoding="utf-8")
    (source / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    built(source, source / "build", ["usmx"])


@cache
def named_installs(document):
    """The requirements that a page says to install, usmx first; projects of this repository by their names."""
    found = ["usmx"]
    commands = [block.text for block in blocks_of(document) if block.language == "sh"]
    prose = BLOCK.sub("", document.read_text(encoding="utf-8"))
    for line in INSTALLED.findall("\n".join([prose, *commands])):
        for word in shlex.split(line, comments=True):
            project = ROOT / word / "pyproject.toml"
            if project.is_file():
                found.append(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["name"])
            elif re.match(r"\w", word) and "/" not in word:
                found.append(word)
    return tuple(dict.fromkeys(found))


def imported_modules(block):
    """The top-level modules that a program imports, but for Python's own."""
    found = set()
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


@cache
def packages_of_modules():
    """The packages that bring each top-level module here."""
    return packages_distributions()


@cache
def modules_of(requirements):
    """The top-level modules that these requirements and what they need bring, as far as they are here."""
    there = required(*requirements)
    return {
        module
        for module, packages in packages_of_modules().items()
        if there.keys() & {canonicalize_name(package) for package in packages}
    }


@cache
def has_all_here(document):
    """Whether all is here that a page says to install for this device: others need no library of NVIDIA's."""
    is_nvidias = usmx.SyclDevice().backend == "cuda"
    needed = [
        each for each in named_installs(document) if is_nvidias or not each.startswith("nvidia-")
    ]
    return all(map(is_here, needed))


# Blocks that need no interpreter of their own, and nothing that is not here.
HERE = [block for block in PYTHON if block.info == "" and has_all_here(block.document)]
ELSEWHERE = [
    pytest.param(block, marks=pytest.mark.nightly) if block in HERE else block for block in PYTHON
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: str(d.relative_to(ROOT)))
def test_page_says_how_to_install_what_its_programs_import(document):
    blocks = [block for block in BLOCKS if block.document == document]
    built = {name for block in blocks for names in BUILT.findall(block.text) for name in names}
    installs = named_installs(document)
    brought = modules_of(installs) | {Requirement(each).name for each in installs}
    imported = [imported_modules(block) for block in blocks if block.language == "python"]
    assert set().union(*imported) - built - brought == set()


def test_pages_say_that_programs_with_processes_are_files():
    """A process that a prompt starts finds no file to read, and the prompt waits for it."""
    pages = {
        block.document
        for block in BLOCKS
        if block.language == "python" and '__name__ == "__main__"' in block.text
    }
    assert {page.stem for page in pages} >= {"multiprocessing", "dask", "ray"}
    said = re.compile(r"\*\*save\s+the(se)?\s+programs?,\s+and", re.IGNORECASE)
    assert [page for page in pages if not said.search(page.read_text(encoding="utf-8"))] == []


@pytest.fixture
def interpreter(block, tmp_path_factory):
    """That of an environment with what the page of the block installs."""
    requirements = named_installs(block.document)
    name = "-".join(["with", *(re.sub(r"\W", "_", each) for each in requirements)])
    return shared_folder(tmp_path_factory, name, partial(fill, requirements)) / "bin/python"


def fill(requirements, root):
    """Make an environment with these requirements, of what is here and what is not."""
    python = make_environment_of(root, *requirements)
    missing = {each for each in requirements if not is_here(each)}
    if missing:
        run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *missing)


def environment_of(block, project):
    """Its programs find the modules that the page builds."""
    if block.document not in WITH_MODULES:
        return None
    paths = [str(project(block.document)), os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def written(block, folder):
    program = folder / "program.py"  # a file, which processes that it starts can import
    program.write_text(block.text, encoding="utf-8")
    return program


def assert_printed(block, printed):
    if block.output is not None:
        assert printed == block.output


@pytest.mark.slow
@pytest.mark.parametrize("block", HERE, ids=by_name)
def test_python_block_runs_as_pasted(block, project, tmp_path):
    hidden = packages_of_modules().keys() - modules_of(named_installs(block.document))
    variables = environment_of(block, project)
    done = run_forked(written(block, tmp_path), cwd=tmp_path, env=variables, hidden=hidden)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_printed(block, done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("block", ELSEWHERE, ids=by_name)
def test_python_block_runs_in_an_environment_of_its_page(block, project, interpreter, tmp_path):
    ranks = [interpreter.with_name("mpiexec"), "-n", "2"]
    starter = ranks if block.info == "mpiexec" else []
    command = [*starter, interpreter, "-P", written(block, tmp_path)]
    assert_printed(block, run(*command, cwd=tmp_path, env=environment_of(block, project)))


@pytest.mark.slow
@pytest.mark.parametrize("block", PROGRAMS, ids=by_name)
def test_cpp_program_builds_and_runs_as_pasted(block, project, tmp_path):
    printed = run(project(block.document) / Path(block.file_name).stem, cwd=tmp_path)
    if block.output is not None:
        assert printed == block.output


@pytest.mark.slow
def test_functions_beside_those_of_dpctl4pybind11_compile(tmp_path):
    _, *ours = (block for block in BLOCKS if block.language == "c++")
    headers = ("usmx/array.hpp", "usmx/runtime.hpp", "usmx/python/pybind11.hpp")
    lines = [*(f"#include <{header}>" for header in headers), "namespace py = pybind11;"]
    lines += [block.text for block in ours]
    source = tmp_path / "copy.cpp"
    source.write_text("\n".join(lines), encoding="utf-8")
    flags = run(sys.executable, "-P", "-m", "usmx", "config", "--cflags").split()
    flags += run(sys.executable, "-P", "-m", "pybind11", "--includes").split()
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags, source)


WITHOUT_USMX = ROOT / "docs/how-to/without-usmx.md"


class Described:
    """An object whose dictionary differs from that of an array."""

    def __init__(self, array, **entries):
        self.array = array
        self.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__ | entries


@pytest.mark.slow
def test_consumers_of_the_page_without_usmx_sum_up_all_layouts(project, monkeypatch):
    import dpnp

    first, _ = (block for block in PYTHON if block.document == WITHOUT_USMX)
    page = {}
    exec(first.text, page)
    monkeypatch.syspath_prepend(project(WITHOUT_USMX))
    from usm_table import total

    numbers = np.arange(48.0).reshape(6, 8)
    arrays = [usmx.asarray(numbers, usm_type="shared"), dpnp.asarray(numbers, usm_type="shared")]
    layouts = [
        np.s_[:], np.s_[1:], np.s_[:, 1:], np.s_[1::2, 1::2], np.s_[::-1], np.s_[:, ::-1],
        np.s_[::-2, 1:], np.s_[4:1:-1, ::-3], np.s_[2:3], np.s_[:0], np.s_[::-1, :0],
    ]  # fmt: skip
    for array in arrays:
        for key in layouts:
            for given, expected in ((array[key], numbers[key]), (array[key].T, numbers[key].T)):
                np.testing.assert_array_equal(page["row_of_sums"](given), expected.sum(axis=0))
                assert total(given) == expected.sum()
    for typestr in ("<f8", "=f8", "|f8"):
        assert total(Described(arrays[0], typestr=typestr)) == numbers.sum()
    pointer = arrays[0].__sycl_usm_array_interface__["data"][0]
    lists = {"data": [pointer, False], "shape": [6, 8], "strides": [8, 1], "offset": None}
    for entries in ({"offset": None}, {"strides": None}, lists):
        described = Described(arrays[0], **entries)
        assert total(described) == numbers.sum()
        np.testing.assert_array_equal(page["row_of_sums"](described), numbers.sum(axis=0))
    wrong = {"version": 2, "typestr": ">f8", "shape": (-1, 8), "data": 5, "strides": (8,)}
    for name, value in wrong.items():
        with pytest.raises(TypeError, match="expected"):
            total(Described(arrays[0], **{name: value}))


def test_documents_have_examples_of_both_languages():
    assert {block.document.name for block in PYTHON} >= {"README.md", "extension-authors.md"}
    with_programs = {block.document for block in PROGRAMS}
    assert set(CPP_REFERENCE.glob("*.md")) - with_programs == EXTENSIONS
    others = {page.name for page in with_programs if page.parent != CPP_REFERENCE}
    assert others == {"README.md", "memory.md", "cpp.md"}
    in_python = {block.document for block in BLOCKS if block.language == "python"}
    assert {page.stem for page in set(HOW_TO) - in_python} == {"index"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: str(d.relative_to(ROOT)))
def test_links_lead_to_files_that_exist(document):
    text = BLOCK.sub("", document.read_text(encoding="utf-8"))
    targets = LINK.findall(text)
    local = [target for target in targets if "://" not in target]
    assert [t for t in local if not (document.parent / t).exists()] == []


def test_readme_is_at_most_200_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_environment_page_names_the_variables_that_the_doctor_knows():
    text = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    own = text.partition("## usmx's own")[2].partition("\n## ")[0]
    assert tuple(sorted(re.findall(r"^\| `(USMX_\w+)", own, re.MULTILINE))) == settings.VARIABLES


def test_map_of_the_house_is_true():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Where things are")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    paths = [path for cell in first_cells for path in re.findall(r"`([^`]+)`", cell)]
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
