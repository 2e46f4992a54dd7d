"""The picture of the ways to copy shows the figures of its page."""

import draw_copy_ways
from generated import mark


def test_picture_is_of_the_pages_figures():
    assert draw_copy_ways.main(["--check"]) == 0


def test_picture_of_other_figures_is_found():
    text = draw_copy_ways.PAGE.read_text(encoding="utf-8")
    changed = text.replace("| 8 x 8 | 0.12 |", "| 8 x 8 | 0.13 |")
    assert mark(draw_copy_ways.figures(changed)) != mark(draw_copy_ways.figures(text))


def test_every_column_of_the_table_is_a_curve():
    works, sides = draw_copy_ways.figures(draw_copy_ways.PAGE.read_text(encoding="utf-8"))
    assert {work: list(ways) for work, ways in works.items()} == {
        "contiguous": ["host", "memcpy", "kernel"],
        "transposed": ["host", "kernel"],
        "to float64": ["host", "kernel"],
    }
    assert all(len(times) == len(sides) for ways in works.values() for times in ways.values())
