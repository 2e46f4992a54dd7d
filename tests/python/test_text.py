"""Text for people: sizes of memory, and tables."""

import pytest
from usmx._text import format_table, size_text


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**20, "1 MiB"),
        (2**30, "1 GiB"),
        (5 * 2**40, "5120 GiB"),
    ],
)
def test_sizes_are_readable(nbytes, text):
    assert size_text(nbytes) == text


def test_table_aligns_columns():
    table = format_table(("name", "n"), [("a", "1"), ("long name", "23")], right=("n",))
    assert table.splitlines() == [
        "name        n",
        "---------  --",
        "a           1",
        "long name  23",
    ]


def test_table_without_rows_has_its_header():
    assert format_table(("a", "b"), []) == "a  b\n-  -"
