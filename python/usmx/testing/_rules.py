"""What the checks of producers have in common: rules that are judged in turn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from usmx.testing._report import BROKEN, KEPT, NOT_APPLICABLE, NOT_TRIED, Finding


class Broken(Exception):
    """The rule is broken; the text is what was found."""


class NotApplicable(Exception):
    """The rule says nothing about this producer; the text says why."""


class NotTried(Exception):
    """The rule could not be judged; the text says why."""


_OUTCOMES = {Broken: BROKEN, NotApplicable: NOT_APPLICABLE, NotTried: NOT_TRIED}


@dataclass(frozen=True)
class _Rule:
    name: str
    expected: str
    needs: tuple[str, ...]
    judge: Callable[[Any], str]


class Rules:
    """Rules in the order in which they are judged."""

    def __init__(self):
        self._rules: list[_Rule] = []

    def add(self, name: str, expected: str, *needs: str):
        """Add a rule: its function returns what it found, or raises one of the outcomes above."""

        def added(judge):
            self._rules.append(_Rule(name, expected, needs, judge))
            return judge

        return added

    def judge(self, subject, findings: dict[str, Finding]) -> None:
        """Fill `findings`, which the rules may look into."""
        for rule in self._rules:
            findings[rule.name] = _judged(rule, subject, findings)


def _judged(rule: _Rule, subject, findings: dict[str, Finding]) -> Finding:
    unmet = [name for name in rule.needs if findings[name].outcome != KEPT]
    if unmet:
        found = f"needs '{unmet[0]}', which is {findings[unmet[0]].outcome}"
        return Finding(rule.name, NOT_APPLICABLE, rule.expected, found)
    try:
        return Finding(rule.name, KEPT, rule.expected, rule.judge(subject))
    except tuple(_OUTCOMES) as outcome:
        return Finding(rule.name, _OUTCOMES[type(outcome)], rule.expected, str(outcome))
    except Exception as error:
        return Finding(rule.name, BROKEN, rule.expected, f"{type(error).__name__}: {error}")
