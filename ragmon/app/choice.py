"""Reading what a view is asked for: names, moments, and how long ago."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from ragmon.config import window_seconds
from ragmon.errors import MalformedError
from ragmon.labels.fields import FieldError
from ragmon.labels.parse import moment_ns

_NANOSECONDS: Final = 1_000_000_000
_QUOTED: Final = 64
_NAMED: Final = 10


def check_names(names: Iterable[str], known: Sequence[str]) -> None:
    """Hold the parameters of a question against the known ones.

    Raises:
        MalformedError: for the first unknown one.
    """
    for name in names:
        if name not in known:
            raise MalformedError(unknown("parameter", name, known))


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """That a name is unknown, with the nearest of the known ones, or some of them."""
    near = get_close_matches(name[:_QUOTED], known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {_listed(known)}"
    return f"unknown {kind} {quoted(name)}; {hint}"


def quoted(value: str) -> str:
    """The beginning of a value, as a message may show it."""
    return repr(value[:_QUOTED])


def since_ns(since: str, now_ns: int) -> int:
    """The moment of a time, or of how long ago as in `7d`.

    Raises:
        MalformedError: it is neither.
    """
    ago_s = seconds(since)
    if ago_s is not None:
        return max(0, now_ns - ago_s * _NANOSECONDS)
    found = moment(since)
    if found is None:
        raise MalformedError(
            "since must be how long ago, such as 7d, or a time in ISO 8601 or seconds,"
            f" not {quoted(since)}"
        )
    return found


def seconds(window: str) -> int | None:
    """Seconds of a window such as `7d`; None if it is none."""
    try:
        return window_seconds(window)
    except ValueError:
        return None


def moment(written: str) -> int | None:
    """Nanoseconds of a time in ISO 8601 or seconds since 1970; None if it is none."""
    try:
        return moment_ns(_number(written), 0)
    except FieldError:
        return None


def _number(written: str) -> float | str:
    try:
        return float(written)
    except ValueError:
        return written


def _listed(known: Sequence[str]) -> str:
    more = len(known) - _NAMED
    return ", ".join(known[:_NAMED]) + (f" and {more} more" if more > 0 else "")
