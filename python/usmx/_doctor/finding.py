"""What a check says."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One sentence about one thing, and what to do about it where something is to be done.

    A *problem* keeps usmx from working or from working as it was told to. A *note* is good to know.
    The table of checks adds the check's name.
    """

    check: str
    state: State
    found: str
    remedy: str = ""


ok = partial(Finding, "", "ok")
note = partial(Finding, "", "note")
problem = partial(Finding, "", "problem")
