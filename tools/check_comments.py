"""Check that comments have a subject: check_comments.py [ROOT].

Fails on a block of // or /// comments in the native sources that begins with a preposition, a
conjunction or a pronoun, as "Of the CPU driver ...", or with "The same": the reader has to guess
what is spoken of, since an editor shows one comment at a time. A block is consecutive lines that
hold only a comment. Comments after code are not checked.

Fails on a docstring of the packages that begins with "The same", "What", "Those" or the like.
"""

import ast
import re
import sys
from pathlib import Path

from layers import ROOT, is_cpp, repository_files

FOLDERS = ("src/", "include/", "python/bindings/")
REFUSED = frozenset({"of", "those", "none", "as", "so", "what", "who", "beside", "from", "by"})
REFUSED_IN_DOCSTRINGS = frozenset({"those", "what", "who", "whose"})

COMMENT_LINE = re.compile(r"\s*(//[/!]?<?)(.*)")
TRAILING_COMMENT = re.compile(r".*\S\s+//")
FIRST_WORD = re.compile(r"\W*(the\s+same\b|\w+)", re.IGNORECASE)


def blocks(text):
    """The comment blocks of a source: the number of the first line, and the text without marks."""
    found = []
    mark = None  # of the line before, if that belongs to a block
    column = None  # of a comment after code, while the lines below continue it
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT_LINE.fullmatch(line)
        if not comment:
            trailing = TRAILING_COMMENT.match(line)
            mark, column = None, trailing and trailing.end() - len("//")
        elif line.index("//") != column:
            if comment[1] != mark:
                found.append((number, []))
            found[-1][1].append(comment[2])
            mark, column = comment[1], None
    return [(number, " ".join(lines)) for number, lines in found]


def docstrings(text):
    """The strings that stand alone in a Python source: the number of the first line, and the text.

    They explain modules, classes, functions and, below an assignment, attributes.
    """
    return [
        (node.lineno, node.value.value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


def is_refused(beginning, refused):
    words = beginning.lower().split()
    return words == ["the", "same"] or words[0] in refused


def faults_in(path, texts, what, refused):
    for number, text in texts:
        word = FIRST_WORD.match(text)
        if word and is_refused(word[1], refused):
            yield f"{path}:{number}: {what} begins with {word[1]!r}, expected a verb or a noun"


def comment_faults(path, text):
    return faults_in(path, blocks(text), "comment", REFUSED)


def docstring_faults(path, text):
    return faults_in(path, docstrings(text), "docstring", REFUSED_IN_DOCSTRINGS)


def is_package_source(path):
    return path.startswith("python/") and path.endswith((".py", ".pyi"))


def faults(root=ROOT):
    """All faults, as lines "file:line: what is wrong"."""
    found = []
    for path in repository_files(root):
        if is_cpp(path) and path.startswith(FOLDERS):
            found += comment_faults(path, (root / path).read_text())
        elif is_package_source(path):
            found += docstring_faults(path, (root / path).read_text())
    return found


def main(arguments):
    found = faults(Path(arguments[0]) if arguments else ROOT)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
