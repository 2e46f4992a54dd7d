"""Draw the pictures that explain: draw_pictures.py [--check].

Writes the pictures of PICTURES into docs/. Each is a list of boxes, lines and words, which this
file holds. --check writes nothing, and fails where one is not what would be written.
"""

import math
import sys
from dataclasses import dataclass
from itertools import pairwise

from generated import ROOT, settle
from svg import picture, text

WIDTH = 760
LETTER = 0.54  # the mean width of a letter, in sizes of the font

STYLE = """
  text { font: 14px ui-sans-serif, "Helvetica Neue", Arial, sans-serif; fill: #1b2a30 }
  .title { font-weight: 600 }
  .code { font-size: 13px }
  .small { font-size: 12px; fill: #55656c }
  .on { fill: #ffffff; font-weight: 600 }
  .on-small { font-size: 12px; fill: #ffffff }
  .paper { fill: #ffffff; stroke: #d0d7de }
  .place { fill: #f8fafb; stroke: #8aa0a8 }
  .part { fill: #eef3f5; stroke: #8aa0a8 }
  .call { fill: #2a7f9e; stroke: #2a7f9e }
  .work { fill: #647a83; stroke: #647a83 }
  .wait { fill: #fdf1e3; stroke: #d9822b; stroke-dasharray: 5 4 }
  .other { fill: none; stroke: #8aa0a8; stroke-dasharray: 5 4 }
  .memory { fill: #fdf3ea; stroke: #c8793a }
  .chosen { fill: #f3c89f; stroke: #c8793a }
  .line { fill: none; stroke: #8aa0a8; stroke-width: 1.5 }
  .back { fill: none; stroke: #d9822b; stroke-width: 1.5 }
  .head { fill: #8aa0a8 }
  .back-head { fill: #d9822b }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8eef1 }
    .small { fill: #a3b3ba }
    .on, .on-small { fill: #ffffff }
    .paper { fill: #10171a; stroke: #3a4a51 }
    .place { fill: #161f23; stroke: #5d727a }
    .part { fill: #1e2a2f; stroke: #5d727a }
    .call { fill: #23708c; stroke: #23708c }
    .work { fill: #4b5f67; stroke: #4b5f67 }
    .wait { fill: #3a2a17; stroke: #d9822b }
    .memory { fill: #2c2118; stroke: #c8793a }
    .chosen { fill: #7a4a1f; stroke: #c8793a }
  }
"""
SIZES = {"small": 12, "on-small": 12, "code": 13}


@dataclass(frozen=True)
class Box:
    """A rectangle with lines of words in its middle; the first line may be of another kind."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    lines: tuple[str, ...] = ()
    first: str = ""  # the kind of the first line
    rest: str = "small"  # of the others

    @property
    def right(self):
        return self.x + self.width

    @property
    def bottom(self):
        return self.y + self.height

    def drawn(self):
        middle = self.x + self.width / 2
        top = self.y + self.height / 2 - 9 * (len(self.lines) - 1) + 4.5
        parts = [
            f'<rect class="{self.kind}" x="{self.x}" y="{self.y}" width="{self.width}" '
            f'height="{self.height}" rx="5"/>'
        ]
        for number, words in enumerate(self.lines):
            kind = self.rest if number else self.first
            if len(words) * LETTER * SIZES.get(kind, 14) > self.width - 4:
                raise ValueError(f"the words are wider than their box: {words!r}")
            parts.append(text(f"{middle:g}", f"{top + 18 * number:g}", words, kind, "middle"))
        return parts


def call(x, y, width, words):
    """Something that the program does."""
    return Box(x, y, width, 30, "call", (words,), "on-small")


def work(x, y, width, words):
    """Something that a queue does."""
    return Box(x, y, width, 30, "work", (words,), "on-small")


def wait(x, y, width, words):
    return Box(x, y, width, 30, "wait", (words,), "code")


def other(x, y, width, words):
    return Box(x, y, width, 30, "other", (words,), "small")


def arrow(points, kind="line"):
    """A line along the points, with a head at the last one."""
    (x0, y0), (x, y) = points[-2:]
    length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
    along = ((x - x0) / length, (y - y0) / length)
    left, right = (
        (x - 9 * along[0] + side * 4 * along[1], y - 9 * along[1] - side * 4 * along[0])
        for side in (1, -1)
    )
    path = "L".join(f"{a:g} {b:g}" for a, b in points)
    ends = "L".join(f"{a:.1f} {b:.1f}" for a, b in (points[-1], left, right))
    head = "back-head" if kind == "back" else "head"
    return [f'<path class="{kind}" d="M{path}"/>', f'<path class="{head}" d="M{ends}Z"/>']


def line(points):
    path = "L".join(f"{a:g} {b:g}" for a, b in points)
    return [f'<path class="line" d="M{path}"/>']


def all_drawn(boxes):
    return [part for box in boxes for part in box.drawn()]


def cells(x, y, numbers, chosen=()):
    """Elements of memory, side by side."""
    return [
        Box(x + 60 * k, y, 60, 40, "chosen" if k in chosen else "memory", (number,))
        for k, number in enumerate(numbers)
    ]


# ---- The pictures --------------------------------------------------------------------------------


def exchange():
    """Libraries above, one allocation below."""
    users = [
        ("NumPy, Numba", "on the host"),
        ("dpnp, dpctl", "on the device"),
        ("your C++ and C", "with oneMKL"),
        ("your kernel", "C++ in a string"),
    ]
    lefts = (12, 160, 464, 612)
    boxes = [Box(x, 24, 136, 60, "part", lines) for x, lines in zip(lefts, users, strict=True)]
    boxes.append(Box(308, 16, 144, 68, "call", ("usmx", "checks each array"), "on", "on-small"))
    numbers = [f"{k / 2:.1f}" for k in range(8)]
    return [
        *line([(80, 84), (80, 118), (680, 118), (680, 84)]),
        *line([(228, 84), (228, 118)]),
        *line([(532, 84), (532, 118)]),
        *arrow([(380, 84), (380, 160)]),
        *all_drawn([*boxes, *cells(140, 164, numbers)]),
        text(
            380,
            236,
            "one allocation in unified shared memory: no copy between any two of them",
            anchor="middle",
        ),
    ], 256


def kinds():
    """Who reaches which kind of memory."""
    boxes = [
        Box(20, 46, 340, 240, "place"),
        Box(400, 46, 340, 240, "place"),
        Box(470, 60, 220, 32, "call", ("usm_type='device'",), "on"),
        Box(270, 136, 220, 32, "call", ("usm_type='shared'",), "on"),
        Box(60, 212, 220, 32, "call", ("usm_type='host'",), "on"),
    ]
    said = [
        (190, 114, "asnumpy copies"),
        (570, 114, "reads and writes at full speed"),
        (190, 190, "reads and writes: np.asarray(a) is a view"),
        (570, 190, "reads and writes; pages may move"),
        (190, 266, "reads and writes: np.asarray(a) is a view"),
        (570, 266, "reads and writes across the bus"),
    ]
    return [
        text(190, 30, "host: Python, NumPy, your C++", "title", "middle"),
        text(570, 30, "device: kernels, dpnp, oneMKL", "title", "middle"),
        *all_drawn(boxes),
        *(text(x, y, words, "small", "middle") for x, y, words in said),
    ], 302


def waiting():
    """Who waits when, in three cases; time goes to the right."""

    def lane(y, words):
        return text(16, y + 20, words, "small")

    plain = [
        call(130, 44, 70, "b = a * 2"),
        call(208, 44, 70, "c = b + 1"),
        other(286, 44, 206, "other Python code"),
        wait(500, 44, 124, "waits for it"),
        call(624, 44, 80, "float(c[0])"),
        work(180, 94, 190, "a * 2"),
        work(372, 94, 250, "b + 1"),
    ]
    view = [
        call(130, 194, 150, "host = np.asarray(a)"),
        call(288, 194, 60, "a += 1"),
        wait(348, 194, 190, "waits for this work"),
        call(546, 194, 120, "host[0] is new"),
        work(340, 244, 190, "a + 1"),
    ]
    queues = [
        call(130, 344, 96, "kernel(x, y)"),
        call(234, 344, 96, "kernel(y, z)"),
        call(338, 344, 70, "copy to v"),
        wait(498, 344, 126, "synchronize()"),
        work(180, 394, 150, "writes y"),
        work(400, 394, 100, "copies to v"),
        work(332, 444, 288, "reads y: comes after it"),
    ]
    return [
        text(
            16, 28, "Nobody else has the memory: a call returns; reading the result waits.", "title"
        ),
        lane(44, "your program"),
        lane(94, "the queue"),
        *all_drawn(plain),
        *arrow([(165, 74), (184, 94)]),
        *arrow([(243, 74), (376, 94)]),
        *arrow([(620, 94), (632, 74)], "back"),
        text(
            16,
            178,
            "NumPy has a view: a call waits for its own work, so the view is never old.",
            "title",
        ),
        lane(194, "your program"),
        lane(244, "the queue"),
        *all_drawn(view),
        *arrow([(318, 224), (344, 244)]),
        *arrow([(528, 244), (544, 224)], "back"),
        text(
            16,
            328,
            "Two queues: work on the same memory keeps its order, other work overlaps.",
            "title",
        ),
        lane(344, "your program"),
        lane(394, "a queue"),
        lane(444, "another queue"),
        *arrow([(178, 374), (186, 394)]),
        *arrow([(282, 374), (340, 444)]),
        *arrow([(373, 374), (408, 394)]),
        *arrow([(616, 444), (618, 374)], "back"),
        *all_drawn(queues),
    ], 490


def view():
    """Two objects of two libraries describe the same memory."""
    boxes = [
        Box(
            20,
            20,
            230,
            84,
            "call",
            ("a", "usmx: shape (8,), strides (1,)", "from address 0x1000"),
            "on",
            "on-small",
        ),
        Box(
            510,
            20,
            230,
            84,
            "part",
            ("x = usmx.to_dpnp(a[1::2])", "dpnp: shape (4,), strides (2,)", "from address 0x1008"),
            "code",
        ),
        Box(
            280,
            30,
            200,
            64,
            "other",
            (
                "a description, no element:",
                "address, shape, strides,",
                "element type, queue, owner",
            ),
            "small",
        ),
    ]
    numbers = [str(k) for k in range(8)]
    return [
        *arrow([(250, 62), (280, 62)]),
        *arrow([(480, 62), (510, 62)]),
        *all_drawn([*boxes, *cells(140, 150, numbers, chosen=(1, 3, 5, 7))]),
        *arrow([(135, 104), (170, 148)]),
        *arrow([(625, 104), (230, 148)]),
        text(
            380,
            216,
            "x[0] = 7 changes a[1]. The memory is freed once, when a and x are both gone.",
            anchor="middle",
        ),
    ], 236


def launch():
    """From the call of a kernel to its work items."""
    steps = [
        ("kernel(n, g, a)", "your call"),
        ("check", "types, queue,", "bounds"),
        ("order", "after work", "on these bytes"),
        ("submit", "one command", "to the queue"),
        ("note", "its event, for", "who uses a later"),
    ]
    lefts = [12 + 150 * k for k in range(5)]
    boxes = []
    for x, lines in zip(lefts, steps, strict=True):
        strong = not boxes
        boxes.append(
            Box(
                x,
                20,
                136,
                74,
                "call" if strong else "part",
                lines,
                "on" if strong else "title",
                "on-small" if strong else "small",
            )
        )
    below = [
        Box(
            162,
            124,
            286,
            46,
            "wait",
            ("once for a source and its element types:", "compiled, or taken from the disk cache"),
            "small",
        ),
        Box(612, 124, 136, 46, "call", ("the call returns",), "on-small"),
        Box(462, 124, 136, 46, "work", ("the device begins",), "on-small"),
    ]
    groups = [Box(162 + 148 * k, 204, 136, 62, "place", (), "small") for k in range(4)]
    items = [
        Box(172 + 148 * k + 30 * i, 216, 26, 22, "work", (str(4 * k + i),), "on-small")
        for k in range(4)
        for i in range(4)
    ]
    return [
        *(part for a, b in pairwise(boxes) for part in arrow([(a.right, 57), (b.x, 57)])),
        *arrow([(230, 94), (230, 124)]),
        *arrow([(380, 124), (380, 94)]),
        *arrow([(530, 94), (530, 124)]),
        *arrow([(680, 94), (680, 124)]),
        *arrow([(530, 170), (530, 204)]),
        *all_drawn([*boxes, *below, *groups, *items]),
        text(20, 232, "n = 16 work items", "small"),
        text(20, 250, "in groups of g = 4", "small"),
        *(text(230 + 148 * k, 257, f"group {k}", "small", "middle") for k in range(4)),
    ], 284


def low_pass():
    """The program of docs/reference/fft.md: a signal, and what is left of it below 10 Hz."""
    rate, count = 1000, 601  # values in a second, and values that are drawn
    low = [math.sin(2 * math.pi * 3 * k / rate) for k in range(count)]
    high = [0.5 * math.sin(2 * math.pi * 50 * k / rate) for k in range(count)]
    left, width = 60, 640

    def curve(values, middle, kind):
        points = "L".join(
            f"{left + width * k / (count - 1):.1f} {middle - 42 * value:.1f}"
            for k, value in enumerate(values)
        )
        return [
            *line([(left, middle), (left + width, middle)]),
            f'<path class="{kind}" d="M{points}"/>',
        ]

    return [
        text(16, 28, "The signal: 3 Hz, and 50 Hz half as strong", "title"),
        *curve([a + b for a, b in zip(low, high, strict=True)], 110, "line"),
        text(16, 200, "irfft(where(frequencies <= 10, rfft(signal), 0))", "title"),
        *curve(low, 262, "back"),
        text(left, 330, "0 s", "small", "middle"),
        text(left + width, 330, "0.6 s", "small", "middle"),
    ], 346


PICTURES = {
    "low-pass": ("A signal of 3 and 50 Hz, and the 3 Hz that a low-pass filter leaves", low_pass),
    "exchange": ("NumPy, dpnp, usmx, native code and kernels work on one allocation", exchange),
    "kinds": ("Kinds of memory: device, shared and host, and who reaches them", kinds),
    "waiting": ("Who waits when: without a view of the host, with one, and on two queues", waiting),
    "view": ("Two libraries describe the same memory: nothing is copied", view),
    "launch": ("What a kernel launch does: check, order, submit, note the event", launch),
}


def drawn(name):
    title, draw = PICTURES[name]
    parts, height = draw()
    return picture(WIDTH, height, title, STYLE, parts)


def main(arguments):
    pictures = {ROOT / "docs" / f"{name}.svg": drawn(name) for name in PICTURES}
    return settle(pictures, "tools/draw_pictures.py", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
