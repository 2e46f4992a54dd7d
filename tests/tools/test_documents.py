"""What the documents say of the repository's files: paths, file names and cited decisions are there."""

import re
from functools import cache
from pathlib import Path

import pytest
from layers import ROOT, repository_files

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
DOCUMENTS += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))

FOLDERS = r"\.ci|benchmarks|cmake|docs|examples|include|packaging|python|src|tests|tools"
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./-]*[\w/]")
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")
HEADER = re.compile(r"(?<![\w./])usmx/[\w/]+\.hpp")
NAME = re.compile(r"(?<![\w./-])[a-z]\w*\.(?:hpp|cpp|py)\b")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@cache
def folders_and_names(files):
    return {str(p) for path in files for p in Path(path).parents}, {
        Path(path).name for path in files
    }


def missing(text, folder, files):
    """Names in a document, which lies in `folder`, of files that are not there."""
    folders, names = folders_and_names(files)
    prose = FENCED.sub("", text)
    found = [path for path in PATH.findall(prose) if path.rstrip("/") not in files | folders]
    found += [link for link in LINK.findall(prose) if not (folder / link).exists()]
    found += [header for header in HEADER.findall(text) if f"include/{header}" not in files]
    found += [name for name in NAME.findall(prose) if name not in names]
    return found


@cache
def all_files():
    return frozenset(repository_files())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document):
    path = ROOT / document
    assert missing(path.read_text(), path.parent, all_files()) == []


@pytest.mark.parametrize(
    "text",
    [
        "in `src/attic/box.cpp`",
        "see [box](attic/box.cpp)",
        "the header `box.hpp`",
        "```cpp\n#include <usmx/box.hpp>\n```",
    ],
)
def test_a_path_that_is_not_there_is_found(text):
    assert len(missing(text, ROOT, frozenset({"src/array/array.cpp"}))) == 1


def test_files_of_examples_in_code_blocks_are_no_paths():
    assert (
        missing("```sh\ng++ box.cpp src/box.cpp\n```", ROOT, frozenset({"src/array/array.cpp"}))
        == []
    )


def test_every_page_that_the_code_names_exists():
    """Comments and messages, such as the doctor's remedies, send readers to pages of docs/."""
    page = re.compile(r"(?<![\w./-])docs/[\w/-]+\.md")
    code = [path for path in all_files() if Path(path).suffix in {".hpp", ".cpp", ".py", ".h"}]
    named = {name for path in code for name in page.findall((ROOT / path).read_text("utf-8"))}
    assert {"docs/how-to/gpus.md", "docs/concurrency.md"} <= named <= all_files()


def anchor(heading):
    """The anchor that repository hosts and the site give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_every_cited_decision_exists():
    """Comments cite `docs/decisions.md, <number>`, documents link to the heading."""
    on_page = {
        page: re.findall(r"^### (.+)$", (ROOT / f"docs/{page}.md").read_text(), re.MULTILINE)
        for page in ("decisions", "decisions-history")
    }
    numbers = [heading.partition(".")[0] for page in on_page.values() for heading in page]
    assert all(number.isdecimal() for number in numbers)
    assert len(set(numbers)) == len(numbers)
    assert len(on_page["decisions"]) <= 20
    in_comments = re.compile(r"docs/decisions\.md(?:, (\d+)(?: and (\d+))?)?\)")
    in_documents = re.compile(r"\]\((?:\.\./|docs/)*(decisions(?:-history)?)\.md#([\w-]+)\)")
    for path in all_files():
        if Path(path).suffix in {".hpp", ".cpp", ".py"}:
            text = re.sub(r"\n\s*(?:///?|#) ", " ", (ROOT / path).read_text())
            for first, second in in_comments.findall(text):
                assert {first, second or first} <= set(numbers), path
    for document in DOCUMENTS:
        found = in_documents.findall((ROOT / document).read_text())
        headings = {(page, anchor(each)) for page in on_page for each in on_page[page]}
        assert set(found) <= headings, document


WAIT_FOR_QUEUE = re.compile(
    r"(?:\bq|queue)_?(?:\([^()]*\)|\{[^{}]*\})?\s*(?:\.|->)\s*wait(?:_and_throw)?\("
)
NATIVE = {".cpp", ".hpp", ".c", ".h", ".pyx", ".pxd"}
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*") if path.suffix in NATIVE)


def waits_for_queues(code):
    """Calls of sycl::queue::wait, which is not safe beside usmx (docs/concurrency.md)."""
    return WAIT_FOR_QUEUE.findall(code)


READMES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*.md"))


def code_that_is_not_python(text):
    """Code blocks in whatever language they say; queues in Python are usmx's, which may be waited for."""
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for language, code in blocks if not language.startswith("python")]


@pytest.mark.parametrize("document", DOCUMENTS + READMES)
def test_no_program_in_a_document_waits_for_a_queue_by_sycl(document):
    blocks = code_that_is_not_python((ROOT / document).read_text("utf-8"))
    assert [call for block in blocks for call in waits_for_queues(block)] == []


@pytest.mark.parametrize("language", ["cpp", "c++", "text", "", "cmake"])
def test_code_of_every_language_but_python_is_read(language):
    wait = "queue.wait();\n"
    blocks = code_that_is_not_python(f"text\n```python\n{wait}```\n```{language}\n{wait}```\n")
    assert blocks == [wait]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_example_waits_for_a_queue_by_sycl(path):
    assert waits_for_queues(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        "queue.wait();",
        "x.queue().wait()",
        "queue_->wait_and_throw()",
        "q.wait();",
        "sycl::queue(device).wait()",
        "sycl::queue{}.wait()",
        "queue\n    .wait()",
    ],
)
def test_a_wait_for_a_queue_is_found(code):
    assert len(waits_for_queues(code)) == 1


@pytest.mark.parametrize("code", ["event.wait();", "eq.wait();", "usmx::wait_for_queue(queue);"])
def test_other_waits_are_allowed(code):
    assert waits_for_queues(code) == []
