"""Weights of the scorecard, as the command line gives them."""

from collections.abc import Iterable

from ragmon.cli.gates import read_number
from ragmon.errors import ConfigError
from ragmon.summary.report import Report


def read_weights(texts: Iterable[str]) -> dict[str, float]:
    """The weights of `retrieval=2,retrieval.ndcg_at_k=3`; what is not named weighs 1.

    Raises:
        ConfigError: with a line for each part that is no weight, or weighs nothing scored.
    """
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    faults: list[str] = []
    weights: dict[str, float] = {}
    for part in parts:
        try:
            weights |= _weight(part)
        except ValueError as fault:
            faults.append(f"--weights {part}: {fault}")
    if faults:
        raise ConfigError(tuple(faults))
    return weights


def _weight(part: str) -> dict[str, float]:
    name, equals, number = part.partition("=")
    if not equals:
        raise ValueError("has no weight; write retrieval=2")
    weights = {name.strip(): read_number(number)}
    Report("", ()).scorecard(weights)  # refuses what it does not know
    return weights
