"""What is declared about a metric; everything else derives from it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from ragmon.model.record import Stage

MetricFunction: TypeAlias = Callable[..., float | None]


class Unit(StrEnum):
    """What a value is counted in.

    A ratio lies in [0, 1], a binary value is 0 or 1, a count is a whole number from 0, an
    amount any number from 0 that has no unit; a signed value may lie on either side of 0.
    """

    RATIO = "ratio"
    BINARY = "binary"
    SIGNED = "signed"
    COUNT = "count"
    AMOUNT = "amount"
    MILLISECONDS = "milliseconds"
    USD = "usd"
    TOKENS = "tokens"


class Better(StrEnum):
    """Which direction is good."""

    HIGHER = "higher"
    LOWER = "lower"
    NONE = "none"


class Needs(StrEnum):
    """What must be at hand beside the trace itself; of several gold is said first."""

    LABEL_FREE = "label_free"
    GOLD = "gold"
    VECTORS = "vectors"


class Scope(StrEnum):
    """What one value is about: a request, a split document, an index, or all of a window."""

    REQUEST = "request"
    DOCUMENT = "document"
    INDEX = "index"
    WINDOW = "window"


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One declared metric.

    inputs: the function's parameters, in order: names of its scope's `inputs.INPUTS`; in the
    scope WINDOW the metric of the same stage whose values it aggregates. takes_k: the
    function also takes a cut-off `k` by keyword. version: grows when the formula changes.
    summary: the first line of the docstring, doc all of it. buckets: upper bounds of its
    histogram, in the unit of its Prometheus family; empty where it has no histogram.
    on_hashes: it has the same value on hashes of tokens as on the tokens.
    """

    stage: Stage
    name: str
    unit: Unit
    better: Better
    needs: Needs
    inputs: tuple[str, ...]
    takes_k: bool
    version: int
    source: str
    summary: str
    doc: str
    function: MetricFunction
    buckets: tuple[float, ...]
    scope: Scope
    on_hashes: bool = False

    @property
    def key(self) -> str:
        """`stage.name`, the key in reports, objectives and the configuration."""
        return f"{self.stage}.{self.name}"
