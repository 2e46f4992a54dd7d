"""Findings of usmx.testing, one for each rule or case, and their table."""

from dataclasses import dataclass

from usmx._text import format_table

KEPT = "kept"
BROKEN = "broken"
NOT_APPLICABLE = "not applicable"
NOT_TRIED = "not tried"
_WIDTH = 96  # of a cell; the finding itself is whole
# Rules and cases of consumers, by their first words: a consumer of a producer that breaks the first
# ones touches memory that is not its own, of one that breaks the others it has wrong numbers.
_OF_MEMORY = frozenset((
    "pointer", "bounds", "arithmetic", "alignment", "lifetime", "ready", "read-only flag", "buffer",
))  # fmt: skip
_OF_NUMBERS = frozenset((
    "typestr", "typedescr", "type", "shape", "strides", "offset", "data", "device",
    "tensor's device",
))  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One rule, and what became of it.

    `rule` is the rule's name, and `outcome` is "kept", "broken", "not applicable" or "not tried".
    `expected` and `found` say in words what was expected and what was found.

    Example:
        >>> report = usmx.testing.check_producer(usmx.zeros(3))
        >>> report.findings[0].rule, report.findings[0].outcome
        ('attribute', 'kept')
    """

    rule: str
    outcome: str
    expected: str
    found: str


@dataclass(frozen=True, repr=False)
class Report:
    """The findings about one producer or consumer. ``str(report)`` is a table of them.

    `subject` says what was checked, and `findings` has a Finding for each rule. A report has no
    truth value: use ``report.ok``, or call ``report.raise_if_broken()``.

    Example:
        >>> usmx.testing.check_producer(usmx.zeros(3)).ok
        True
    """

    subject: str
    findings: tuple[Finding, ...]

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings about broken rules, those first that do the most harm.

        These are a process that died and what makes a consumer touch memory that is not its own;
        then come wrong numbers, and then what is refused.
        """
        broken = (finding for finding in self.findings if finding.outcome == BROKEN)
        return tuple(sorted(broken, key=_mildness))

    @property
    def ok(self) -> bool:
        """Whether no rule was found broken. Those that were not tried may be."""
        return not self.broken

    def raise_if_broken(self) -> None:
        """Raise AssertionError with a line for each broken rule, if there are any."""
        if not self.ok:
            lines = (f"{f.rule}: expected {f.expected}, found {f.found}" for f in self.broken)
            raise AssertionError("\n".join((self._summary(), *lines)))

    def _summary(self) -> str:
        outcomes = [finding.outcome for finding in self.findings]
        counts = (
            f"{outcomes.count(outcome)} {outcome}"
            for outcome in (KEPT, BROKEN, NOT_APPLICABLE, NOT_TRIED)
            if outcome in outcomes
        )
        return f"{self.subject}: {', '.join(counts)}"

    def __bool__(self) -> bool:
        """Raise TypeError."""
        raise TypeError("a Report has no truth value: use report.ok")

    def __str__(self) -> str:
        """Get a summary and the table of all findings, the broken rules first."""
        others = tuple(finding for finding in self.findings if finding.outcome != BROKEN)
        return f"{self._summary()}\n{_table(self.broken + others)}"

    __repr__ = __str__


def _mildness(finding: Finding) -> int:
    rule = finding.rule.partition(":")[0]
    if rule in _OF_MEMORY or finding.found.startswith(("the process died", "no answer in")):
        return 0
    return 1 if rule in _OF_NUMBERS else 2


def _table(findings: tuple[Finding, ...]) -> str:
    rows = [(f.rule, f.outcome, _cell(f.expected), _cell(f.found)) for f in findings]
    return format_table(("rule", "outcome", "expected", "found"), rows)


def _cell(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "..."
