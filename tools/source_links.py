"""Links to sources on the documentation site, where Sphinx's viewcode makes none; an extension.

Viewcode links what Python modules define under the name that the reference shows. This adds the
C++ headers, what the native module binds, and functions in Python that classes have as methods.
"""

import importlib
import inspect
import re
from pathlib import Path

import native_sources
import usmx
from docutils import nodes
from sphinx import addnodes
from sphinx.ext.viewcode import viewcode_anchor

ROOT = Path(__file__).parents[1]
PACKAGE = Path(usmx.__file__).parent  # of the installation that the site describes


def header_link(path):
    """The link from a header's section to its source."""
    return f'<a class="source-link" href="../../_modules/{path}.html">[source]</a>'


def link_names(app, doctree):
    """Give each name of Python's that viewcode has not linked its link."""
    for signature in doctree.findall(addnodes.desc_signature):
        module, name = signature.get("module"), signature.get("fullname")
        if not module or is_linked(app, signature):
            continue
        place = _place_of(module, name)
        if place is not None:
            signature += _link(app, *place)


def is_linked(app, signature):
    """Whether viewcode has linked a name. A link that cannot lead back is dropped.

    Viewcode takes all names of a file for names of the module of the first.
    """
    links = list(signature.findall(viewcode_anchor))
    for link in links:
        file = link["reftarget"].removeprefix("_modules/").replace("/", ".")
        _, _, used, module = app.env._viewcode_modules[file]
        if module != signature["module"]:
            used.pop(signature["fullname"])
            link.parent.remove(link)
            return False
    return bool(links)


def _place_of(module, name):
    """The file and the line of a name, or None."""
    *owners, last = name.split(".")
    owner = importlib.import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    bound = inspect.getattr_static(owner, last, None)
    function = bound.fget if isinstance(bound, property) else bound
    if inspect.isfunction(function):
        file = Path(inspect.getsourcefile(function)).relative_to(PACKAGE)
        return ROOT / "python/usmx" / file, function.__code__.co_firstlineno
    if inspect.isclass(bound) and (place := _place_of_class(bound.__name__)):
        return place
    found = native_sources.find(last, bound, owner if owners else None)
    if found is None and inspect.isbuiltin(bound):  # under another name
        found = native_sources.find(bound.__name__, bound)
    return found


def _place_of_class(name):
    """Where Python defines it: an exception's module is the package, which only imports it."""
    for file in sorted((ROOT / "python/usmx").rglob("*.py")):
        for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if re.match(rf"class {name}\b", text):
                return file, line
    return None


def _link(app, file, line):
    _linked(app).add(file)
    page = app.builder.get_relative_uri(app.env.docname, _page_of(file))
    text = nodes.inline("", "[source]", classes=["viewcode-link"])
    return nodes.reference("", "", text, internal=True, refuri=f"{page}#line-{line}")


def _linked(app):
    """The files that links lead to, also from pages that an earlier build has read."""
    if not hasattr(app.env, "usmx_linked_sources"):
        app.env.usmx_linked_sources = set()
    return app.env.usmx_linked_sources


def _page_of(file):
    return f"_modules/{file.relative_to(ROOT)}"


def forget_modules_without_source(app):
    """Keep native modules out of viewcode's list, where they would be dead links."""
    modules = app.env._viewcode_modules
    for name in [name for name, entry in modules.items() if not entry]:
        del modules[name]
    return []


def source_pages(app):
    """Make a page of each header, and of each file that a name's link leads to."""
    if app.builder.format != "html":
        return
    for file in sorted((ROOT / "include").rglob("*.h*")):
        yield _source_page(app, file, f"_modules/{file.relative_to(ROOT / 'include')}", "cpp")
    for file in sorted(_linked(app)):
        language = "python" if file.suffix == ".py" else "cpp"
        yield _source_page(app, file, _page_of(file), language)


def _source_page(app, file, page, language):
    text = file.read_text(encoding="utf-8")
    code = app.builder.highlighter.highlight_block(text, language, linespans="line")
    title = page.removeprefix("_modules/")
    return page, {"title": title, "body": f"<h1>{title}</h1>{code}"}, "page.html"


def share_menu(app, page, template, context, doctree):
    """Make a page's menu from titles, and one for all sources in a folder: it takes longest."""
    make, folder = context["toctree"], page.rpartition("/")[0]

    def of_titles(**options):
        if not options.get("titles_only"):
            return make(**options)
        contents = app.env.tocs
        app.env.tocs = _titles(app.env)
        try:
            return make(**options)
        finally:
            app.env.tocs = contents

    def shared(**options):
        key = (folder, *sorted(options.items()))
        if key not in _menus:
            _menus[key] = of_titles(**options)
        return _menus[key]

    context["toctree"] = shared if page.startswith("_modules/") else of_titles


_menus = {}


def _titles(env):
    """The tables of contents without names, which Sphinx copies for a menu and takes out again."""
    if not _tables_of_titles:
        for document, contents in env.tocs.items():
            table = contents.deepcopy()
            for item in table.children:
                if len(item) > 1 and not any(item.findall(addnodes.only)):
                    item[1][:] = [each.deepcopy() for each in item.findall(addnodes.toctree)]
                    if not item[1].children:
                        item.pop(1)
            _tables_of_titles[document] = table
    return _tables_of_titles


_tables_of_titles = {}


def setup(app):
    """Sphinx calls this; viewcode has to come before this extension."""
    app.connect("doctree-read", link_names)
    app.connect("html-collect-pages", forget_modules_without_source, priority=100)
    app.connect("html-collect-pages", source_pages)
    app.connect("html-page-context", share_menu, priority=400)  # before the theme asks for the menu
