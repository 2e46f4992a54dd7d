"""Whether the kernels that usmx has built can be kept on disk for the next process."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from usmx._doctor.finding import Finding, note, ok, problem
from usmx._doctor.situation import Situation


def check(situation: Situation) -> Iterator[Finding]:
    """Write a file there, as usmx does."""
    from usmx import _core

    folder = str(_core._kernel_cache_directory())
    if folder in ("", "."):
        yield note("off: kernels are built anew in every process", remedy())
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield problem(
            f"usmx cannot write to {folder} ({error.strerror}): kernels are built anew in every "
            "process, which takes a tenth of a second to a second",
            remedy(),
        )
        return
    yield ok(folder)


def remedy() -> str:
    """How to get a cache."""
    return "set USMX_CACHE_DIR to a folder to which you can write"
