"""Canaries: requests that ragmon sends itself, and shows apart from those of users."""

from enum import StrEnum
from typing import Final

_PREFIX: Final = "canary:"


class Ending(StrEnum):
    """How a canary request ended: answered with 2xx, with anything else, too late, or not."""

    OK = "ok"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"


def canary_of(pipeline: str) -> str:
    """The name under which canaries of a pipeline are shown."""
    return f"{_PREFIX}{pipeline}"


def is_canary(pipeline: str) -> bool:
    """Whether a name is one under which canaries are shown."""
    return pipeline.startswith(_PREFIX)


def of_users(name: str) -> str:
    """A pipeline's name as users may have it: none of theirs is taken for a canary's."""
    return name.replace(":", "_", 1) if is_canary(name) else name
