"""Draw the house: draw_architecture.py [--check].

Writes docs/architecture.svg and the table of rooms in docs/architecture.md, both from
tools/layers.toml and the includes and imports as they are. --check writes nothing, and fails where
one of the two is not what would be written.
"""

import re
import sys
from collections import Counter
from dataclasses import dataclass

from generated import settle
from layers import ROOT, arrows, is_cpp, read_table, repository_files
from svg import picture, text

PICTURE = "docs/architecture.svg"
PAGE = "docs/architecture.md"
TABLE_MARKS = ("<!-- rooms: by tools/draw_architecture.py -->\n", "<!-- end of rooms -->")

# Pixels. Box i stands in row i and begins at column i; the arrow from box i to box j below it goes
# down column i and then along row j, so that each pair of rooms has a corner of its own, where the
# number stands.
ROW, COLUMN, BOX_HEIGHT = 42, 44, 34
LEFT, TOP, GAP = 24, 92, 20
BOX_WIDTH, WIDTH = 196, 1180

STYLE = """
  .paper { fill: #ffffff; stroke: #d0d7de }
  text { font: 13px ui-sans-serif, "Helvetica Neue", Arial, sans-serif; fill: #1f2328 }
  .title { font-size: 18px; font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .count { font-size: 11px; text-anchor: middle }
  .name { font-weight: 600 }
  .arrow { fill: none; stroke: #8c959f; stroke-width: 1.1 }
  .head { fill: #8c959f }
  .corner { fill: #ffffff; stroke: #8c959f }
  .library { fill: #ddf4ff; stroke: #54aeff }
  .bindings { fill: #fff8c5; stroke: #d4a72c }
  .package { fill: #dafbe1; stroke: #4ac26b }
  .benchmarks, .tools { fill: #f6f8fa; stroke: #8c959f }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .arrow { stroke: #656c76 }
    .head { fill: #656c76 }
    .corner { fill: #0d1117; stroke: #656c76 }
    .library { fill: #0c2d6b; stroke: #388bfd }
    .bindings { fill: #4b2900; stroke: #bb8009 }
    .package { fill: #033a16; stroke: #2ea043 }
    .benchmarks, .tools { fill: #21262d; stroke: #656c76 }
  }
"""


@dataclass(frozen=True)
class Drawing:
    """What the picture shows: rooms from the top down, sizes, and arrows between them."""

    rooms: list
    files: Counter
    lines: Counter
    counts: Counter


def is_test(table, path):
    house, root = table.house_of(path)
    return house.tests is not None and root == house.tests["root"]


def survey(root=ROOT):
    """The house as it stands, tests left out: they use the rooms below in the same way."""
    table = read_table(root)
    files, lines, counts = Counter(), Counter(), Counter()
    listed = repository_files(root)
    for path in listed:
        room = table.room_of(path)
        if room and (is_cpp(path) or path.endswith(".py")) and not is_test(table, path):
            files[room] += 1
            lines[room] += (root / path).read_text().count("\n")
    for arrow in arrows(table, root, listed):
        ends = table.room_of(arrow.file), table.room_of(arrow.target)
        if (
            ends[0] != ends[1]
            and files[ends[0]]
            and files[ends[1]]
            and not is_test(table, arrow.file)
        ):
            counts[ends] += 1
    rooms = [room for house in table.houses for room in house.rooms if files[room]]
    return table, Drawing(rooms[::-1], files, lines, counts)


# ---- The picture ---------------------------------------------------------------------------------


def size_text(files, lines):
    """Lines to the next hundred: a picture that changes with every line would be stale at once."""
    rounded = max(100, round(lines, -2))
    return f"{files} file{'s' if files > 1 else ''}, {rounded} lines"


def places(rooms):
    """Left edge and middle of each room's box."""
    found, y = {}, TOP
    for index, room in enumerate(rooms):
        if index and room.house != rooms[index - 1].house:
            y += GAP
        found[room] = (LEFT + index * COLUMN, y)
        y += ROW
    return found


def box(room, drawing, place):
    x, y = place
    top = y - BOX_HEIGHT // 2
    return [
        f'<rect class="{room.house}" x="{x}" y="{top}" width="{BOX_WIDTH}" '
        f'height="{BOX_HEIGHT}" rx="5"/>',
        text(x + 10, y - 2, room.name, "name"),
        text(x + 10, y + 12, size_text(drawing.files[room], drawing.lines[room]), "small"),
    ]


def arrow(source, target):
    """From below a box down its column, then along the row of the other to its left edge."""
    x, y = source[0] + 14, source[1] + BOX_HEIGHT // 2
    return f'<path class="arrow" d="M{x} {y}V{target[1]}H{target[0] - 6}"/>'


def head(target):
    x, y = target
    return f'<path class="head" d="M{x} {y}l-8 -4v8z"/>'


def corner(source, target, count):
    x, y = source[0] + 14, target[1]
    return [
        f'<rect class="corner" x="{x - 13}" y="{y - 8}" width="26" height="16" rx="8"/>',
        text(x, y + 4, str(count), "count"),
    ]


def house_picture(table, drawing):
    where = places(drawing.rooms)
    height = max(y for _, y in where.values()) + 40
    width = max(WIDTH, max(x for x, _ in where.values()) + BOX_WIDTH + LEFT)
    drawn = [
        text(LEFT, 34, "The rooms of usmx, and who uses whom", "title"),
        text(
            LEFT,
            54,
            "An arrow goes from a room down to one that it uses; the number at its corner counts"
            " includes or imports. Tests are left out.",
            "small",
        ),
    ]
    by_place = sorted(drawing.counts, key=lambda ends: [where[room] for room in ends])
    drawn += [arrow(where[source], where[target]) for source, target in by_place]
    targets = {target for _, target in by_place}
    drawn += [head(where[room]) for room in drawing.rooms if room in targets]
    for ends in by_place:
        drawn += corner(where[ends[0]], where[ends[1]], drawing.counts[ends])
    for room in drawing.rooms:
        drawn += box(room, drawing, where[room])
    for house in table.houses:
        tops = [where[room] for room in drawing.rooms if room.house == house.name]
        if tops:
            x, y = min(tops)
            shown = [root for root in house.roots if not house.tests or root != house.tests["root"]]
            words = f"{house.title}: {', '.join(shown)}"
            drawn.append(text(x + BOX_WIDTH + 16, y + 4, words, "small"))
    return picture(width, height, "The rooms of usmx and who uses whom", STYLE, drawn)


# ---- The table of rooms --------------------------------------------------------------------------


def room_table(table):
    rows = []
    for house in table.houses:
        rows += [f"**{house.title}** (`{'`, `'.join(house.roots)}`)\n"]
        rows += ["| room | holds |", "|---|---|"]
        for room in house.rooms:
            files = f" (`{'`, `'.join(room.files)}`)" if room.files and house.package else ""
            rows.append(f"| `{room.name}`{files} | {room.holds} |")
        rows.append("")
    return "\n".join(rows) + "\n"


def page(text, table):
    """The page with the table of rooms put between its marks."""
    start, end = (re.escape(mark) for mark in TABLE_MARKS)
    new = TABLE_MARKS[0] + "\n" + room_table(table) + TABLE_MARKS[1]
    changed, count = re.subn(f"{start}.*?{end}", lambda _: new, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{PAGE}: expected one table between {TABLE_MARKS}, found {count}")
    return changed


def main(arguments):
    table, drawing = survey()
    wanted = {PICTURE: house_picture(table, drawing), PAGE: page((ROOT / PAGE).read_text(), table)}
    files = {ROOT / path: text for path, text in wanted.items()}
    return settle(files, "tools/draw_architecture.py", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
