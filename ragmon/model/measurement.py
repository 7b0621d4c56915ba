"""Measurements: a number, or the reason why there is none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias


class Kind(StrEnum):
    """Why a metric has no value."""

    UNDEFINED = "undefined"
    MISSING = "missing"
    NOT_KEPT = "not_kept"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A metric without a value; `detail` comes from a closed set (input names, error classes)."""

    kind: Kind
    detail: str = ""

    @property
    def reason(self) -> str:
        """The kind with its detail, such as `missing:gold_ids`."""
        return f"{self.kind}:{self.detail}" if self.detail else str(self.kind)

    @classmethod
    def parse(cls, reason: str) -> "NotMeasured":
        """Read back what `reason` gave."""
        kind, _, detail = reason.partition(":")
        return cls(Kind(kind), detail)


Measured: TypeAlias = float | NotMeasured


class Slot(NamedTuple):
    """One place of a layout: a metric at one cut-off, in one version of its formula."""

    stage: str
    metric: str
    k: int | None
    version: int

    @property
    def key(self) -> str:
        """`stage.metric`, as in reports and objectives; K is never part of it."""
        return f"{self.stage}.{self.metric}"


Layout: TypeAlias = tuple[Slot, ...]
