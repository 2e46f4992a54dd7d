"""Check that comments have a subject: check_comments.py [ROOT].

Fails on a block of // or /// comments in the native sources that begins with a preposition, a
conjunction or a pronoun, as "Of the CPU driver ...": the reader has to guess what is spoken of. A
block is consecutive lines that hold only a comment. Comments after code are not checked.
"""

import re
import sys
from pathlib import Path

from layers import ROOT, is_cpp, repository_files

FOLDERS = ("src/", "include/", "python/bindings/")
REFUSED = frozenset({"of", "those", "none", "as", "so", "what", "beside", "from", "by"})

COMMENT_LINE = re.compile(r"\s*(//[/!]?<?)(.*)")
TRAILING_COMMENT = re.compile(r".*\S\s+//")
FIRST_WORD = re.compile(r"\W*(\w+)")


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


def comment_faults(path, text):
    for number, block in blocks(text):
        word = FIRST_WORD.match(block)
        if word and word[1].lower() in REFUSED:
            yield f"{path}:{number}: comment begins with {word[1]!r}, expected a verb or a noun"


def faults(root=ROOT):
    """All faults, as lines "file:line: what is wrong"."""
    return [
        fault
        for path in repository_files(root)
        if is_cpp(path) and path.startswith(FOLDERS)
        for fault in comment_faults(path, (root / path).read_text())
    ]


def main(arguments):
    found = faults(Path(arguments[0]) if arguments else ROOT)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
