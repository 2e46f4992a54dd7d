"""How Sphinx makes the documentation site; `tools/build_docs` runs it.

Doxygen reads the C++ headers first, and Breathe makes pages of what it writes.
"""

import ast
import functools
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tools"))

import doxygen  # noqa: E402
import source_links  # noqa: E402
import usmx  # noqa: E402
from docutils import nodes  # noqa: E402
from usmx._container import elsewhere  # noqa: E402

# The first use of each on a page leads to the glossary.
LINKED_WORDS = (
    *("SYCL", "USM", "host", "device", "back end", "context", "queue", "event"),
    *("kernel", "work item", "work group", "sub-group", "stream"),
)
# Pages on which words link to nothing: lists of names, and what is written for developers.
NO_GLOSSARY = ("reference/", "decisions", "changelog", "architecture", "README")

VERSION_HEADER = ROOT / "include/usmx/base/version.hpp"

project = "usmx"
author = "the usmx project"
copyright = author
release = re.search(r'USMX_VERSION_STRING "(.+)"', VERSION_HEADER.read_text())[1]

extensions = [
    "breathe",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "source_links",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
html_title = f"usmx {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("_static") / "search_scorer.js")
html_split_index = True
html_show_sourcelink = False
html_copy_source = False

myst_heading_anchors = (
    4  # the anchors that repository hosts make, so that links work in both places
)

# The site shows the outputs that a notebook holds; tests/python/test_tutorial.py compares them.
nb_execution_mode = "off"

autosummary_generate = False  # the tables at the top of the reference's pages are enough
viewcode_follow_imported_members = True  # `usmx` imports its functions from its rooms
default_role = "py:obj"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
copybutton_selector = "div:not(.output) > div.highlight > pre"
autoclass_content = "both"

breathe_default_project = "usmx"
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False
suppress_warnings = ["duplicate_declaration.cpp"]  # namespaces: every header opens them

nitpicky = True
nitpick_ignore_regex = [
    (r"py:obj", ".*"),  # single backticks: names of arguments too, which are no targets
    (r"py:(class|exc)", r"(?!usmx\.).*"),  # Python's own, and types that only the stubs name
    (r"py:class", r"usmx\._.*"),  # what functions return and nobody makes
    (r"c(pp)?:identifier", ".*"),  # SYCL's, the standard library's, and usmx's internal ones
]


def run_doxygen(app, config):
    """Write Doxygen's XML of the public headers, and tell Breathe where it is."""
    xml = doxygen.write_xml(Path(app.doctreedir, "doxygen"))
    config.breathe_projects = {"usmx": str(xml)}


def list_headers(app, page, source):
    """Put the sections of a folder's headers where a page of the C++ reference asks for them."""
    index = ElementTree.parse(Path(app.config.breathe_projects["usmx"], "index.xml"))
    labels = {
        file.findtext("name"): file.get("refid")
        for file in index.iterfind("compound[@kind='file']")
    }

    def sections(match):
        paths = sorted(path for path in labels if f"{path}/".startswith(match[1] + "/"))
        return "\n".join(
            f"({labels[path]})=\n\n## {path}\n\n{source_links.header_link(path)}\n\n"
            f"```{{doxygenfile}} {path}\n```\n"
            for path in paths
        )

    source[0] = re.sub(r"<!-- headers of include/(\S+) -->", sections, source[0])


def list_functions(app, page, source):
    """Make an entry for each name of the blocks that list functions of a module."""

    def entries(match):
        lines = [f".. autofunction:: {name}" for name in match[2].split()]
        return "\n".join(["```{eval-rst}", f".. currentmodule:: {match[1]}", "", *lines, "```"])

    source[0] = re.sub(r"^```{functions} (\S+)\n(.*?)^```$", entries, source[0], flags=re.M | re.S)


def summarize(app, page, source):
    """Put a table of the names, with a line each, before the first section of a reference page."""
    if not page.startswith("reference/") or page.startswith("reference/cpp/"):
        return
    names = []
    directive = r"\.\. (?:(?:py:module|currentmodule)|auto(?:function|class|exception)):: (\S+)"
    for found in re.finditer(directive, source[0]):
        if "module" in found[0]:
            module = found[1]
        else:
            names.append(f"   ~{module}.{found[1]}")
    if len(names) < 2:
        return
    head = ["```{eval-rst}", ".. autosummary::", "   :nosignatures:", ""]
    lines = [*head, *names, "```", ""]
    before, section, after = source[0].partition("\n```{eval-rst}")
    heading = before.rfind("\n## ")
    place = heading if heading != -1 else len(before)
    source[0] = before[:place] + "\n" + "\n".join(lines) + before[place:] + section + after


def show_help(app, page, source):
    """Put what `usmx COMMAND --help` prints where the page of the command line asks for it."""
    # Neither the builder's terminal nor its colours reach the page.
    variables = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}

    def printed(match):
        command = [sys.executable, "-P", "-m", "usmx", *match[1].split(), "--help"]
        ran = subprocess.run(command, env=variables, stdout=subprocess.PIPE, text=True, check=True)
        return f"```text\n{ran.stdout}```"

    source[0] = re.sub(r"<!-- help of usmx ?(.*) -->", printed, source[0])


def include_texts(app, page, source):
    """Put in a document from outside of docs/, or the part of it between two marks."""

    def included(match):
        text = (ROOT / match[1]).read_text(encoding="utf-8")
        if match[2]:
            text = text.partition(f"docs/{page}.md -->\n")[2].partition(
                f"<!-- end of the {match[2]} -->"
            )[0]
        return re.sub(
            r"\]\((?!\w+:|#)(?:docs/)?",
            lambda link: "](" + ("" if link[0].endswith("docs/") else "../"),
            text,
        )

    source[0] = re.sub(r"<!-- include (\S+)(?:, the (\w+))? -->", included, source[0])


def drop_links_to_sources(app, page, source):
    """Leave the text of links to files of the repository outside of docs/: the site has none."""

    def kept(match):
        target = (app.srcdir / page).parent / match[2]
        return match[0] if target.resolve().is_relative_to(app.srcdir) else match[1]

    source[0] = re.sub(r"\[([^\]]+)\]\((\.\./[^)#]+)[^)]*\)", kept, source[0])


def mark_outputs(app, page, source):
    """Give what a program prints a class of its own: it does not look like code (site.css)."""
    source[0] = source[0].replace(
        "\n```text output\n", "\n```{code-block} text\n:class: output\n\n"
    )


def meanings(app):
    """What the glossary says of LINKED_WORDS."""
    table = (Path(app.srcdir) / "glossary.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (.*?) \| (.*) \|$", table, re.MULTILINE))
    return {word: re.sub(r"[`*]", "", rows[word]) for word in LINKED_WORDS}


def link_words(app, tree):
    """Link a page's first use of each of LINKED_WORDS to the glossary, which gets the anchors."""
    words, page = meanings(app), app.env.docname
    if page == "glossary":
        for row in tree.findall(nodes.row):
            if (word := row[0].astext()) in words:
                row["ids"].append(nodes.make_id(f"word-{word}"))
        return
    if page.startswith(NO_GLOSSARY):
        return
    pattern = re.compile(rf"\b({'|'.join(words)})s?\b", re.IGNORECASE)
    glossary = app.builder.get_relative_uri(page, "glossary")
    seen = set()
    for text in list(tree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.paragraph):
            continue
        parts, end = [], 0
        for found in pattern.finditer(text):
            word = next(each for each in words if each.lower() == found[1].lower())
            if word in seen:
                continue
            seen.add(word)
            target = f"{glossary}#{nodes.make_id(f'word-{word}')}"
            link = nodes.reference("", found[0], refuri=target, reftitle=words[word])
            link["classes"].append("word")
            parts += [nodes.Text(text[end : found.start()]), link]
            end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def leave_out_lacking(app, what, name, obj, skip, options):
    """Leave out what arrays lack: attributes that only say so (docs/decisions.md, 94)."""
    return True if isinstance(obj, elsewhere._Elsewhere) else None


@functools.cache
def native_types():
    """What the stub of the native module says of functions and of methods, by their names."""
    stub = ast.parse(Path(usmx.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
    found, bases = {}, {}
    for owner in [stub, *(node for node in stub.body if isinstance(node, ast.ClassDef))]:
        prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        if prefix:
            bases[owner.name] = [base.id for base in owner.bases if isinstance(base, ast.Name)]
        for node in owner.body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(f"{prefix}{node.name}", []).append(node)
    return found, bases


def stub_signature(name):
    """The arguments and the result of a native name, or None where the stub has several forms."""
    found, bases = native_types()
    owner, _, last = name.rpartition(".")
    if name in bases:
        owner, last = name, "__init__"
    owners = [owner]
    for each in owners:
        owners += bases.get(each, [])
    forms = next(
        (found[key] for each in owners if (key := f"{each}.{last}".lstrip(".")) in found), ()
    )
    if len(forms) != 1:
        return None
    arguments = ast.unparse(forms[0].args)
    result = forms[0].returns and ast.unparse(forms[0].returns)
    return f"({arguments})", None if last == "__init__" else result


def write_as_called(app, what, name, obj, options, signature, returned):
    """Write types from the stub, and drop `self` and the modules of classes."""

    def public(text):
        return text and re.sub(r"\b(typing|typing_extensions|usmx\._core)\.", "", text)

    if signature is not None and ": " not in signature:
        local = re.sub(r"^usmx\.(memory\.)?", "", name)
        signature, returned = stub_signature(local) or (signature, returned)
    signature = signature and re.sub(r"^\(self(, )?(/, |/)?", "(", signature)
    return public(signature), public(returned)


def setup(app):
    """Sphinx calls this once it has read the settings above."""
    app.connect("config-inited", run_doxygen, priority=100)  # before Breathe
    app.connect("source-read", list_headers)
    app.connect("source-read", list_functions)
    app.connect("source-read", summarize)
    app.connect("source-read", show_help)
    app.connect("source-read", include_texts)
    app.connect("source-read", drop_links_to_sources)
    app.connect("source-read", mark_outputs)
    app.connect("doctree-read", link_words)
    app.connect("autodoc-skip-member", leave_out_lacking)
    app.connect("autodoc-process-signature", write_as_called)
