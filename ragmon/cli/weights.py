"""Weights of the stages in the scorecard, as the command line gives them."""

from math import isfinite

from ragmon.cli.gates import nearest
from ragmon.errors import ConfigError
from ragmon.model.record import Stage


def read_weights(text: str) -> dict[Stage, float]:
    """The weights of `retrieval=2,generation=0.5`; a stage that is not named weighs 1.

    Raises:
        ConfigError: with a line for each part that is no stage or no weight.
    """
    faults: list[str] = []
    weights: dict[Stage, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        try:
            stage, weight = _weight(part)
        except ValueError as fault:
            faults.append(f"--weights {part}: {fault}")
        else:
            weights[stage] = weight
    if faults:
        raise ConfigError(tuple(faults))
    return weights


def read_stage(name: str) -> Stage:
    """The stage of that name.

    Raises:
        ValueError: there is none; the message names the nearest.
    """
    try:
        return Stage(name)
    except ValueError:
        hint = nearest(name, Stage, f"known are {', '.join(Stage)}")
        raise ValueError(f"there is no stage {name!r}; {hint}") from None


def _weight(part: str) -> tuple[Stage, float]:
    name, _, number = part.partition("=")
    stage = read_stage(name.strip())
    try:
        weight = float(number)
    except ValueError:
        weight = float("nan")
    if not (isfinite(weight) and weight >= 0):
        raise ValueError(f"the weight {number.strip()!r} is no number from 0")
    return stage, weight
