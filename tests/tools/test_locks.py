"""docs/concurrency.md: its tables are the locks that the code has, in the order of their ranks."""

import re

from layers import ROOT

PAGE = (ROOT / "docs/concurrency.md").read_text()
HEADER = ROOT / "src/base/ranked_mutex.hpp"
SOURCES = {
    str(path.relative_to(ROOT)): path.read_text()
    for folder in ("include", "src", "python/bindings")
    for path in sorted((ROOT / folder).rglob("*.[ch]pp"))
    if path.with_suffix(".hpp") != HEADER
}


def rows(columns):
    """The cells of all rows of tables with that many columns, without their headings."""
    cells = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in cells if len(row) == columns]


RANKED = [row for row in rows(5) if row[1].isdigit()]
UNRANKED = [row for row in rows(4) if row[0].endswith("mutex_`")]


def test_table_has_the_ranks_of_the_enumeration_in_their_order():
    listed = HEADER.with_name("lock_ranks.inc").read_text()
    names = re.findall(r"^USMX_LOCK\((\w+)\)$", listed, re.MULTILINE)
    assert len(names) > 20
    assert [(row[0].strip("`"), int(row[1])) for row in RANKED] == [
        (name, rank) for rank, name in enumerate(names)
    ]


def test_every_lock_of_the_table_is_in_its_file_and_nowhere_else():
    declared = re.compile(r"ranked_mutex<(?:detail::)?lock_rank::(\w+)>")
    found = {(name, path) for path, text in SOURCES.items() for name in declared.findall(text)}
    listed = {(row[0].strip("`"), row[2].strip("`")) for row in RANKED}
    assert found == listed - {("interpreter", "Python")}


def test_mutexes_without_a_rank_are_those_of_the_second_table():
    """A new mutex of the library is a ranked_mutex, with a rank and a row of the table."""
    declared = re.compile(r"\bstd::(?:recursive_|shared_|timed_)*mutex&? (\w+)")
    found = [(path, name) for path, text in SOURCES.items() for name in declared.findall(text)]
    assert found == sorted((row[1].strip("`"), row[0].strip("`")) for row in UNRANKED)
