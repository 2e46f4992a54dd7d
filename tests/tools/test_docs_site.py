"""The documentation site as a reader meets it: it is built anew, and opened in Chromium."""

import re
import shutil
import sys
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
import usmx
import usmx.testing
from helpers import run
from layers import ROOT
from playwright.sync_api import sync_playwright
from sharing import shared_folder
from sphinx.util.inventory import InventoryFile
from usmx.cli.main import make_parser

pytestmark = pytest.mark.slow

PHONE = {"width": 360, "height": 740}

# Everything about a page that only a browser knows.
FACTS = """async () => {
  const pictures = [...document.images];
  const failed = async (picture) => {
    picture.loading = "eager";
    await picture.decode().catch(() => {});
    return picture.naturalWidth === 0;
  };
  const outcomes = await Promise.all(pictures.map(failed));
  return {
    width: document.documentElement.scrollWidth,
    pictures: pictures.length,
    failed: pictures.filter((_, k) => outcomes[k]).map((picture) => picture.src),
    silent: pictures.filter((picture) => !picture.alt.includes(" ")).map((picture) => picture.src)
      .filter((source) => !source.includes("/_static/")),  // those of the theme have no words
    links: [...document.links].map((link) => link.href),
    ids: [...document.querySelectorAll("[id]")].map((element) => element.id),
  };
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder with the built site."""
    sphinx = [sys.executable, "-P", "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    return shared_folder(
        tmp_path_factory, "site", lambda folder: run(*sphinx, ROOT / "docs", folder)
    )


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        # The sandbox wants a user who is not root; these pages are the repository's own.
        options = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]}
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()


@pytest.fixture
def front_page(site, browser):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()


def facts_of_sources(path):
    """What a page of sources has of these facts. All are alike, and a browser takes a minute for them."""
    text = path.read_text()
    links = [
        urljoin(path.as_uri(), unescape(to)) for to in re.findall(r'<a [^>]*href="(.*?)"', text)
    ]
    ids = re.findall(r' id="(.*?)"', text)
    return {"width": 0, "pictures": 0, "failed": [], "silent": [], "links": links, "ids": ids}


@pytest.fixture(scope="module")
def facts(site, browser):
    """What `FACTS` finds on each page, on a telephone's screen; of those of sources on one."""
    pages = sorted(site.rglob("*.html"))
    sources = [path for path in pages if (site / "_modules") in path.parents]
    found = {path: facts_of_sources(path) for path in sources[1:]}
    page = browser.new_page(viewport=PHONE)
    for path in pages:
        if path not in found:
            page.goto(path.as_uri())
            found[path] = page.evaluate(FACTS)
    page.close()
    return found


def test_menu_leads_to_a_function(front_page):
    menu = front_page.locator(".sidebar-tree")
    menu.get_by_role("link", name="Reference", exact=True).click()
    menu.get_by_role("link", name="Creating arrays", exact=True).click()
    front_page.locator("dt#usmx\\.zeros").wait_for()  # raises when it does not show


def test_menu_leads_to_the_notebook_with_its_outputs(front_page):
    menu = front_page.locator(".sidebar-tree")
    menu.get_by_role("link", name="usmx in ten minutes", exact=True).click()
    card = front_page.locator("table", has_text="usm_type")
    card.wait_for()  # raises when it does not show
    assert "(3, 4)" in card.inner_text()


def test_front_page_has_an_entrance(front_page):
    doors = front_page.locator(".door")
    assert [doors.nth(k).locator("a").first.inner_text() for k in range(doors.count())] == [
        "Tutorial",
        "How-to pages",
        "Explanation",
        "Reference",
    ]
    assert "pip install" in front_page.locator("article .highlight").first.inner_text()


def test_search_finds_a_name_itself_first(site, front_page):
    found = {}
    for name in ("zeros", "astype", "USMArray", "array_view"):
        front_page.goto(f"{(site / 'search.html').as_uri()}?q={name}")
        found[name] = front_page.locator("#search-results li a").first.inner_text()
    assert found == {
        "zeros": "usmx.zeros",
        "astype": "usmx.astype",
        "USMArray": "usmx.USMArray",
        "array_view": "usmx::array_view",
    }


PAGES_OF_SUBJECTS = {
    "cuda": "how-to/gpus.html",
    "gpu": "how-to/gpus.html",
    "nvidia": "how-to/gpus.html",
    "install": "install.html",
    "no device": "install.html",
    "timing": "how-to/timing.html",
    "timeit": "how-to/timing.html",
    "slow": "how-to/timing.html",
    "first call": "how-to/timing.html",
    "hang": "limits.html",
    "out of memory": "memory.html",
    "pytorch": "how-to/dlpack.html",
    "changelog": "changelog.html",
}


def searched_for(site, page, words):
    """The results of a search, in order."""
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(words)}")
    page.locator(".search-summary", has_text="finished").wait_for()
    return page.locator("#search-results li > a")


def test_search_finds_the_page_of_a_subject_first(site, front_page):
    found = {}
    for words in PAGES_OF_SUBJECTS:
        link = searched_for(site, front_page, words).first.get_attribute("href")
        found[words] = link.partition("?")[0].partition("#")[0]
    assert found == PAGES_OF_SUBJECTS


def test_search_finds_what_is_for_developers_last(site, front_page):
    links = searched_for(site, front_page, "fork")
    pages = [links.nth(k).get_attribute("href").partition("?")[0] for k in range(links.count())]
    order = [page.startswith(("decisions", "changelog", "README")) for page in pages]
    assert True in order
    assert order == sorted(order)


def test_search_shows_the_brackets_of_templates(site, front_page):
    names = searched_for(site, front_page, "span").all_inner_texts()
    assert any("std::span<" in name for name in names)
    assert [name for name in names if "&lt;" in name] == []


def test_first_use_of_a_word_of_sycl_leads_to_the_glossary(front_page):
    word = front_page.locator("article a.word", has_text="SYCL").first
    assert "open standard" in word.get_attribute("title")
    word.click()
    assert front_page.url.endswith("glossary.html#word-sycl")
    assert front_page.locator("tr#word-sycl").inner_text().startswith("SYCL")


def test_outputs_do_not_look_like_code(site, browser):
    page = browser.new_page()
    page.goto((site / "tutorial.html").as_uri())
    colour = "(element) => getComputedStyle(element).backgroundColor"
    output = page.locator(".output .highlight").first
    code = page.locator(".highlight-python .highlight").first
    assert output.evaluate(colour) != code.evaluate(colour)
    assert page.locator(".highlight-python button.copybtn").count() > 0
    assert page.locator(".output button.copybtn").count() == 0
    page.close()


# Words of tables that stand in two lines, and the size in which a chart shows.
CUT = """() => {
  const cut = [];
  for (const cell of document.querySelectorAll("article td, article th")) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      for (const found of node.data.matchAll(/[A-Za-z]+/g)) {
        const range = document.createRange();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        if (range.getClientRects().length > 1) cut.push(found[0]);
      }
    }
  }
  const charts = [...document.querySelectorAll('article img[src$=".svg"]')];
  return { cut, widths: charts.map((chart) => chart.getBoundingClientRect().width) };
}"""


@pytest.mark.parametrize(
    "name", ["speed", "concepts", "coming-from", "how-to/gpus", "glossary", "is-usmx-for-me"]
)
def test_a_telephone_shows_whole_words_in_tables_and_charts_that_can_be_read(site, browser, name):
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto((site / f"{name}.html").as_uri())
    found = page.evaluate(CUT)
    page.close()
    assert found["cut"] == []
    assert all(width >= 600 for width in found["widths"])


def test_array_page_has_every_name_in_a_table(site):
    page = (site / "reference/array.html").read_text()
    tables, _, entries = page.partition("<h2>Every name")
    listed = set(re.findall(r'href="#usmx\.USMArray\.(\w+)"', tables))
    described = set(re.findall(r'id="usmx\.USMArray\.(\w+)"', entries))
    assert described - listed == set()


def test_signatures_have_types(site):
    page = unescape(re.sub(r"<[^>]+>", "", (site / "reference/creation.html").read_text()))
    assert re.search(r"zeros\(shape: ", page)


def test_index_has_no_private_members(site):
    pages = "".join(path.read_text() for path in site.glob("genindex-*.html"))
    assert "usmx::array::layout (C++ function)" in pages
    assert re.findall(r"usmx::\w+::\w+_ \(C\+\+ member\)", pages) == []


def test_reference_leads_to_sources_and_has_a_line_for_each_name(site):
    page = (site / "reference/creation.html").read_text()
    assert "Make a new array of zeros." in page.partition("<h2")[0]
    assert 'href="../_modules/' in page
    assert (
        'href="../../_modules/usmx/array/array.hpp.html"'
        in (site / "reference/cpp/array.html").read_text()
    )


def test_every_name_of_python_leads_to_its_source(site):
    without = {
        name
        for page in site.glob("reference/*.html")
        for name, entry in re.findall(
            r'<dl class="py (?:function|method|property|class|exception)">\s*'
            r'<dt class="sig[^"]*" id="(usmx[^"]*)">(.*?)</dt>',
            page.read_text(),
            re.DOTALL,
        )
        if "[source]" not in entry
    }
    assert without == set()


def test_names_that_arrays_lack_are_not_in_the_reference(site):
    page = (site / "reference/array.html").read_text()
    assert 'id="usmx.USMArray.reshape"' in page
    assert 'id="usmx.USMArray.dump"' not in page


def test_link_to_a_native_method_leads_to_its_binding(site, front_page):
    front_page.goto((site / "reference/array.html").as_uri())
    front_page.locator("dt#usmx\\.USMArray\\.reshape .viewcode-link").click()
    assert front_page.locator("h1").first.inner_text() == "python/bindings/container/shapes.cpp"
    line = front_page.url.partition("#")[2]
    assert '"def reshape(self' in front_page.locator(f"#{line}").inner_text()


def test_search_finds_a_function(front_page):
    front_page.get_by_role("textbox", name="Search").fill("from_dlpack")
    front_page.keyboard.press("Enter")
    result = front_page.locator('#search-results li a[href*="#usmx.from_dlpack"]').first
    result.click()
    front_page.locator("dt#usmx\\.from_dlpack").wait_for()  # raises when it does not show


def test_no_link_within_the_site_is_dead(facts):
    dead = []
    for page, on_page in facts.items():
        for link in on_page["links"]:
            parts = urlsplit(link)
            if parts.scheme != "file":
                continue
            target, fragment = Path(unquote(parts.path)), unquote(parts.fragment)
            ids = facts[target]["ids"] if target in facts else [""]
            if not target.is_file() or (fragment and fragment not in ids):
                dead.append(f"{page.name}: {link}")
    assert dead == []


def test_pictures_are_shown(facts):
    assert sum(on_page["pictures"] for on_page in facts.values()) >= 3
    assert [picture for on_page in facts.values() for picture in on_page["failed"]] == []


def test_pictures_say_in_words_what_they_show(facts):
    silent = {page.name: on_page["silent"] for page, on_page in facts.items()}
    assert {name: pictures for name, pictures in silent.items() if pictures} == {}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_pictures_follow_the_button_for_light_and_dark(site, browser, theme):
    """A picture's own rules for the dark ask for the colour scheme of the element that shows it."""
    page = browser.new_page(color_scheme={"dark": "light", "light": "dark"}[theme])
    page.goto((site / "speed.html").as_uri())
    page.evaluate(f"document.body.dataset.theme = '{theme}'")
    picture = page.locator('article img[src$=".svg"]').first
    assert picture.evaluate("(element) => getComputedStyle(element).colorScheme") == theme
    page.close()


def test_no_page_is_wider_than_a_telephone(facts):
    wide = {page.name: on_page["width"] for page, on_page in facts.items()}
    assert {name: width for name, width in wide.items() if width > PHONE["width"]} == {}


def test_every_public_name_is_in_the_reference(site):
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    described = {name for kind, names in inventory.items() if kind[:3] == "py:" for name in names}
    public = {
        f"{module.__name__}.{name}"
        for module in (usmx, usmx.memory, usmx.testing)
        for name in module.__all__
    }
    assert public - described == set()


def test_every_command_is_in_the_reference(site):
    page = (site / "reference/command-line.html").read_text()
    (commands,) = [a.choices for a in make_parser()._actions if isinstance(a.choices, dict)]
    for command in commands:
        section = page.partition(f'<section id="usmx-{command}">')[2].partition("</section>")[0]
        assert f"usage: python -m usmx {command} " in section
        assert "Exit codes:" in section


def test_every_public_header_is_in_the_reference(site):
    pages = "".join(path.read_text() for path in site.glob("reference/cpp/*.html"))
    headers = {
        path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.h*")
    } - {
        "usmx/usmx.hpp",
        "usmx/array.hpp",
        "usmx/array_view.hpp",
        "usmx/runtime.hpp",
    }  # short names
    headers -= {"usmx/kernel_cuda.hpp", "usmx/runtime/host_compiler.hpp"}  # no names for users
    headers -= {
        "usmx/kernel_complex.hpp",
        "usmx/kernel_groups.hpp",
        "usmx/kernel_math.hpp",
    }  # a page of their own
    assert {header for header in headers if f"<h2>{header}<" not in pages} == set()
