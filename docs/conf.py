"""How Sphinx makes the documentation site; `tools/build_docs` runs it.

Doxygen reads the C++ headers first, and Breathe makes pages of what it writes.
"""

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
from usmx._container import elsewhere  # noqa: E402

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
autodoc_typehints = "none"  # the text says what the arguments are
autoclass_content = "both"

breathe_default_project = "usmx"
breathe_default_members = ("members", "undoc-members")
breathe_show_include = False
suppress_warnings = ["duplicate_declaration.cpp"]  # namespaces: every header opens them

nitpicky = True
nitpick_ignore_regex = [
    (r"py:obj", ".*"),  # single backticks: names of arguments too, which are no targets
    (r"py:(class|exc)", r"(?!usmx\.).*"),  # Python's own, and types that only the stubs name
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


def drop_links_to_sources(app, page, source):
    """Leave the text of links to files of the repository outside of docs/: the site has none."""

    def kept(match):
        target = (app.srcdir / page).parent / match[2]
        return match[0] if target.resolve().is_relative_to(app.srcdir) else match[1]

    source[0] = re.sub(r"\[([^\]]+)\]\((\.\./[^)#]+)[^)]*\)", kept, source[0])


def leave_out_lacking(app, what, name, obj, skip, options):
    """Leave out what arrays lack: attributes that only say so (docs/decisions.md, 94)."""
    return True if isinstance(obj, elsewhere._Elsewhere) else None


def write_as_called(app, what, name, obj, options, signature, returned):
    """Drop `self`, and the modules of classes, from the signatures that nanobind writes."""

    def public(text):
        return text and re.sub(r"\b(typing|typing_extensions|usmx\._core)\.", "", text)

    signature = signature and re.sub(r"^\(self(, )?", "(", signature)
    return public(signature), public(returned)


def setup(app):
    """Sphinx calls this once it has read the settings above."""
    app.connect("config-inited", run_doxygen, priority=100)  # before Breathe
    app.connect("source-read", list_headers)
    app.connect("source-read", summarize)
    app.connect("source-read", show_help)
    app.connect("source-read", drop_links_to_sources)
    app.connect("autodoc-skip-member", leave_out_lacking)
    app.connect("autodoc-process-signature", write_as_called)
