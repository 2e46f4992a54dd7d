"""Text for people: tables, sizes of memory, and objects in messages."""

import reprlib
from collections.abc import Collection, Sequence


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> str:
    """Align columns with two blanks between them; `right` names those aligned to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    to_right = [name in right for name in header]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(cells, widths, to_right, strict=True)
        )
        return "  ".join(aligned).rstrip()

    return "\n".join(map(line, (header, ["-" * width for width in widths], *rows)))


def format_blocks(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Make a block of each row: its first cells up to one with a name, below it the others."""
    first = next(k for k, name in enumerate(header) if name) + 1
    width = max(map(len, header[first:]))

    def block(cells: Sequence[str]) -> str:
        others = zip(header[first:], cells[first:], strict=True)
        lines = [f"    {name.ljust(width)}  {cell}" for name, cell in others]
        return "\n".join([" ".join(filter(None, cells[:first])), *lines])

    return "\n\n".join(map(block, rows))


def size_text(nbytes: int) -> str:
    """Bytes in the largest binary unit that leaves at least 1: "15.6 GiB"."""
    size = float(nbytes)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"


def printable(text: str) -> str:
    """The text, with escapes in place of characters that a terminal should not get."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class _ShortRepr(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 100

    def repr_int(self, x: int, level: int) -> str:
        # Python makes no decimal digits of the largest ones.
        return repr(x) if x.bit_length() <= 256 else f"an integer of {x.bit_length()} bits"

    def repr_instance(self, x: object, level: int) -> str:
        text = repr(x)  # its errors pass through
        return text if len(text) <= self.maxother else text[: self.maxother] + "..."


def short_repr(found: object) -> str:
    """The repr of any object, for a message: bounded in length, and in time where it is nested."""
    return _ShortRepr().repr(found)
