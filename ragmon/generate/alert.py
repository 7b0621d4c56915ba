"""What a rule file is declared from: recordings, alerts and the runbook of each alert."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """Whom an alert wakes: a page now, a ticket in working hours."""

    PAGE = "page"
    TICKET = "ticket"


@dataclass(frozen=True, slots=True)
class Runbook:
    """What the person on call reads; every part is required, Markdown is allowed."""

    meaning: str
    impact: str
    first_look: str
    causes: tuple[str, ...]
    mitigation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert rule, with its runbook.

    hold is the rule's `for`. Durations in expr stand only in `[...]` and after `offset`,
    where a time scale finds them; `$job` stands for the quoted scrape job. summary names
    labels only, so that one problem keeps one title; the value belongs in description.
    """

    name: str
    severity: Severity
    hold: str
    expr: str
    summary: str
    description: str
    runbook: Runbook


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording rule, named `level:metric:operation`."""

    name: str
    expr: str


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that are evaluated one after the other."""

    name: str
    rules: tuple[Recording | Alert, ...]

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """The alerts of the group, in order."""
        return tuple(rule for rule in self.rules if isinstance(rule, Alert))
