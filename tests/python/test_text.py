"""Text for people: sizes of memory, tables, and objects in messages."""

import pytest
import usmx
from usmx._text import format_table, printable, short_repr, size_text


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


def shared_lists(depth):
    """A list of 2**depth items in as few objects as `depth`."""
    nested = [("a", "<f4")]
    for _ in range(depth):
        nested = [nested, nested]
    return nested


class LongName:
    pass


LongName.__name__ = "\N{GREEK SMALL LETTER ALPHA}" * 10**6


class LongRepr:
    def __repr__(self):
        return "x" * 10**6


@pytest.mark.parametrize("found", [5, -(2**64), 1.5, None, "text", ("a", 1), [("a", "<f4")], {}])
def test_short_objects_are_shown_whole(found):
    assert short_repr(found) == repr(found)


@pytest.mark.parametrize(
    "found",
    [
        10**5000,
        "x" * 10**6,
        [0] * 10**6,
        shared_lists(60),
        LongRepr(),
        {10**5000: shared_lists(40)},
    ],
    ids=["integer", "string", "list", "nested", "repr", "dictionary"],
)
def test_large_objects_are_shown_in_part(found):
    assert len(short_repr(found)) < 20_000


def test_error_of_a_repr_passes_through():
    class Broken:
        def __repr__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        short_repr([Broken()])


def test_messages_about_large_objects_are_short():
    array = usmx.zeros(3)
    calls = [
        lambda: usmx.zeros(10**5000),
        lambda: array.reshape(10**5000),
        lambda: usmx.memory.MemoryUSMShared(10**5000),
        lambda: usmx.zeros(3, order=shared_lists(40)),
        lambda: usmx.zeros(LongName()),
        lambda: usmx.SyclQueue(LongName()),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError), match="found") as caught:
            call()
        assert len(str(caught.value)) < 20_000, call


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain é", "plain é"), ("\x1b[31m\n", r"\x1b[31m\n"), ("\udcff", r"\udcff")],
)
def test_control_characters_are_escaped(text, shown):
    assert printable(text) == shown
