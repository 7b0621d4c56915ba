"""What is asked about stored labels, and what is counted of them."""

from dataclasses import dataclass

from ragmon.model.gold import GoldField


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """Which labels are meant; None is all. since_ns: came, or were replaced, at or after it."""

    field: GoldField | None = None
    annotator: str | None = None
    since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class LabelCount:
    """How many labels one annotator gave for one field; `unmatched` of them wait."""

    field: GoldField
    annotator: str
    count: int
    unmatched: int
