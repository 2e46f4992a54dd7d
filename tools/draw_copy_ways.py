"""Draw docs/copy-ways.svg from the figures of docs/copy-engine.md.

draw_copy_ways.py [--check]

The figures are those of the table of ways to copy, by size. --check draws nothing, and fails where
the picture is not of these figures. Needs matplotlib.
"""

import re
import sys

from generated import ROOT, is_drawn_of, save_picture

PAGE = ROOT / "docs/copy-engine.md"
PICTURE = ROOT / "docs/copy-ways.svg"
COLOURS = {"host": "#2a7f9e", "memcpy": "0.45", "kernel": "#c8793a"}


def figures(text):
    """For each work the ways, and for each way its times in µs; and the matrices' sides."""
    lines = re.search(r"^\| matrix of .*\n\|[-|]+\n(?:\|.*\n)+", text, re.MULTILINE)[0].splitlines()
    header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    sides = [int(row[0].split()[0]) for row in rows]
    works = {}
    for column, title in enumerate(header[1:], 1):
        work, _, way = title.rpartition(": ")
        work = work or list(works)[-1]
        works.setdefault(work, {})[way] = [float(row[column]) for row in rows]
    return works, sides


def draw(text):
    from matplotlib.figure import Figure

    works, sides = figures(text)
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    panels = figure.subplots(1, len(works), sharey=True)
    for panel, (work, ways) in zip(panels, works.items(), strict=True):
        for way, times in ways.items():
            panel.plot(sides, times, marker="o", color=COLOURS[way], label=way)
        panel.set(title=work, xlabel="side of a square matrix of float32", xscale="log")
        panel.set_yscale("log")
        panel.set_xticks(sides, [str(side) for side in sides], minor=False, fontsize=8)
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend()
    panels[0].set_ylabel("µs")
    save_picture(figure, PICTURE, (works, sides))


def main(arguments):
    text = PAGE.read_text(encoding="utf-8")
    if "--check" not in arguments:
        draw(text)
    elif not is_drawn_of(PICTURE, figures(text)):
        sys.stderr.write("docs/copy-ways.svg is not drawn from docs/copy-engine.md\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
