"""How commands print and end, and what was perhaps meant by a word that they do not know.

Tables and progress are by rich where it is installed and a terminal is there, else plain text.
"""

import argparse
import difflib
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

from usmx._text import format_blocks, format_table

Item = TypeVar("Item")


def exit_code_of(command: Callable[[], int]) -> int:
    """Run a command; a closed pipe ends it quietly, since its reader has read enough."""
    open_streams()
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
        return 1
    except OSError as error:  # a full disk, a folder that is gone: the system's message says what
        print(f"usmx: {error}", file=sys.stderr)
        forget_output()
        return 1


def open_streams() -> None:
    """Discard what is written to a stream that was closed from the start (`usmx devices >&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def forget_output() -> None:
    """Discard what is not written yet: Python would flush it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> None:
    """Print a table to stdout; `right` names the columns that are aligned to the right."""
    console = rich_console(sys.stdout)
    if console is None:
        print(format_table(header, rows, right))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for name in header:
        table.add_column(Text(name), justify="right" if name in right else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def print_records(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> None:
    """Print a table, or a block for each row where the terminal is too narrow for the table."""
    width = max(map(len, format_table(header, rows).splitlines()))
    if sys.stdout.isatty() and width > shutil.get_terminal_size().columns:
        print(format_blocks(header, rows))
    else:
        print_table(header, rows, right)


def print_styled(text: str, beginning: str, style: str) -> None:
    """Print text whose beginning has this style of rich's on a terminal."""
    console = rich_console(sys.stdout)
    if console is None:
        print(text)
        return
    from rich.text import Text

    styled = Text(text)
    styled.stylize(style, 0, len(beginning))
    console.print(styled, soft_wrap=True)


def tracked(items: Sequence[tuple[str, Item]], *, plain: bool = True) -> Iterator[Item]:
    """Give the items one by one, and tell on stderr which one is being worked on.

    `items` are pairs of a title and the item. Where rich or the terminal is missing, `plain` says
    whether there are lines of text.
    """
    console = rich_console(sys.stderr)
    if console is None:
        yield from told(items) if plain else (item for _, item in items)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    # Refreshed here alone: a thread of rich's would disturb what is measured.
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
        task = progress.add_task("", total=len(items))
        for title, item in items:
            progress.update(task, description=title, refresh=True)
            yield item
            progress.advance(task)


def told(items: Iterable[tuple[str, Item]]) -> Iterator[Item]:
    """Give the items one by one, with a line of plain text for each."""
    for number, (title, item) in enumerate(items, start=1):
        print(f"{number:>3} {title}", file=sys.stderr, flush=True)
        yield item


def rich_console(stream: TextIO) -> Any:
    """Rich's console for the stream; None where rich or the terminal is missing."""
    if not stream.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, highlight=False)


def did_you_mean(given: str, known: Collection[str]) -> str:
    """The nearest of the known words as the end of a message, if one is near."""
    near = difflib.get_close_matches(given, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def one_of(known: Collection[str]) -> Callable[[str], str]:
    """The `type` of an option that takes one of these words."""

    def checked(given: str) -> str:
        if given not in known:
            raise argparse.ArgumentTypeError(
                f"expected one of {', '.join(known)}, found {given!r}{did_you_mean(given, known)}"
            )
        return given

    return checked
