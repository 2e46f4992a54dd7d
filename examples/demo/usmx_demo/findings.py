"""What the demo finds out: every hand-over, and every number that was computed twice."""

from dataclasses import dataclass, field

LIMIT = 1e-10
"""How far a number may be off, relative to the largest of its array."""


@dataclass(frozen=True)
class HandOver:
    """An array went from one library to another: where its first element was before and after."""

    source: str
    target: str
    how: str
    pointer_before: int
    pointer_after: int
    nbytes: int
    seconds: float

    @property
    def copied(self) -> bool:
        """As found by comparing the pointers."""
        return self.pointer_before != self.pointer_after


@dataclass(frozen=True)
class Check:
    """A number that was computed in two ways: how far apart they are."""

    name: str
    error: float
    limit: float = LIMIT

    @property
    def ok(self) -> bool:
        """Also false for NaN."""
        return self.error <= self.limit


@dataclass
class Report:
    """All that was found."""

    hand_overs: list[HandOver] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 when nothing was copied and no number is off, else 1."""
        good = all(check.ok for check in self.checks)
        return int(not good or any(hand_over.copied for hand_over in self.hand_overs))
