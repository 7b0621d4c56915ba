"""A window of event time, as a view is asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ragmon.app.choice import check_names, moment, quoted, seconds, since_ns, unknown
from ragmon.errors import MalformedError
from ragmon.model.canary import is_canary

_MINUTE_NS: Final = 60_000_000_000
_MINUTE_S: Final = 60
_LONGEST_S: Final = 366 * 86_400
_PARAMETERS: Final = ("window", "since", "end", "pipeline")
_DEFAULT: Final = "1h"


@dataclass(frozen=True, slots=True)
class EventWindow:
    """Whole minutes, first <= minute < end, of one pipeline or of all those of users."""

    first_minute: int
    end_minute: int
    pipeline: str | None = None

    @property
    def start_ns(self) -> int:
        """Where it starts, in nanoseconds since 1970."""
        return self.first_minute * _MINUTE_NS

    @property
    def end_ns(self) -> int:
        """The first nanosecond behind it."""
        return self.end_minute * _MINUTE_NS

    def has(self, pipeline: str) -> bool:
        """Whether it is of this pipeline too; canaries are shown only where they are named."""
        return pipeline == self.pipeline or (self.pipeline is None and not is_canary(pipeline))


def read_window(chosen: Mapping[str, str], now_ns: int) -> EventWindow:
    """The window of `window` (1m to 366d) or `since` (such, or a time), `end` and `pipeline`.

    It ends with the minute of `end`, or of now; without a length it is an hour.

    Raises:
        MalformedError: a name or a value is none; it is quoted.
    """
    check_names(chosen, _PARAMETERS)
    if {"window", "since"} <= chosen.keys():
        raise MalformedError("window and since say the same; give one of them")
    end = _end_minute(chosen, now_ns)
    if "since" in chosen:
        first = _since_minute(chosen["since"], end, now_ns)
    else:
        first = end - _window_minutes(chosen.get("window", _DEFAULT))
    return EventWindow(first, end, chosen.get("pipeline"))


def check_pipeline(window: EventWindow, pipelines: tuple[str, ...]) -> None:
    """Hold the pipeline of a window against those that have results, where any has.

    Raises:
        MalformedError: it has none.
    """
    if pipelines and window.pipeline not in (None, *pipelines):
        raise MalformedError(unknown("pipeline", str(window.pipeline), pipelines))


def _window_minutes(window: str) -> int:
    length_s = seconds(window)
    if length_s is None or not _MINUTE_S <= length_s <= _LONGEST_S:
        raise MalformedError(f"window must be 1m to 366d, such as 24h, not {quoted(window)}")
    return round(length_s / _MINUTE_S)


def _since_minute(since: str, end_minute: int, now_ns: int) -> int:
    """As many whole minutes before the end as a window of that length has."""
    length_s = seconds(since)
    if length_s is not None:
        return max(0, end_minute - max(1, round(length_s / _MINUTE_S)))
    first = since_ns(since, now_ns) // _MINUTE_NS
    if first >= end_minute:
        raise MalformedError(f"since must be before the end, not {quoted(since)}")
    return first


def _end_minute(chosen: Mapping[str, str], now_ns: int) -> int:
    """The first minute behind the window; the running one is within."""
    if "end" not in chosen:
        return now_ns // _MINUTE_NS + 1
    end_ns = moment(chosen["end"])
    if end_ns is None:
        raise MalformedError(
            "end must be a time in ISO 8601 or seconds, such as 2026-12-01T05:00Z,"
            f" not {quoted(chosen['end'])}"
        )
    return -(-end_ns // _MINUTE_NS)
