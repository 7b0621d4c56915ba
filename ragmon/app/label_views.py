"""Stored labels shown: as they would be posted, and counted."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import orjson

from ragmon.app.assessments import AssessmentDesk
from ragmon.app.choice import check_names, since_ns, unknown
from ragmon.app.feedback import FeedbackDesk
from ragmon.app.labels import LabelDesk
from ragmon.errors import MalformedError
from ragmon.labels.write import posted_form
from ragmon.model.canary import is_canary
from ragmon.model.gold import GoldField
from ragmon.model.label_views import LabelChoice
from ragmon.store.protocol import Store

_MINUTE_NS: Final = 60_000_000_000
_LINES: Final = 500
_PARAMETERS: Final = ("field", "annotator", "since")


class LabelViews:
    """Shows labels. Any thread may call it. windows: name -> seconds."""

    def __init__(
        self,
        store: Store,
        desk: LabelDesk,
        assessments: AssessmentDesk,
        feedback: FeedbackDesk,
        windows: Mapping[str, int],
    ) -> None:
        self._store = store
        self._desk = desk
        self._assessments = assessments
        self._feedback = feedback
        self._windows = windows

    def lines(self, chosen: Mapping[str, str], now_ns: int) -> Iterator[bytes]:
        """The chosen labels as lines of JSON in the posted form, some hundred at a time.

        chosen: `field`, `annotator`, `since` (a time, or how long ago as in `7d`).

        Raises:
            MalformedError: at once, for a name or a value that is none.
        """
        labels = self._store.labels(_choice(chosen, now_ns))
        lines = (orjson.dumps(posted_form(label)) + b"\n" for label in labels)
        return iter(lambda: b"".join(islice(lines, _LINES)), b"")

    def status(self, now_ns: int) -> dict[str, Any]:
        """Outcomes since the start, what waits, counts by field and annotator, coverage.

        Also what became of evaluations that telemetry carried, and of feedback.
        """
        waiting = self._store.labels_unmatched()
        oldest_ns = waiting.oldest_ns
        return {
            "since_start": dict(self._desk.outcomes),
            "assessments": self._assessments.counts,
            "feedback": self._feedback.status(),
            "unmatched": {
                "count": waiting.count,
                "oldest_age_s": None if oldest_ns is None else max(0, now_ns - oldest_ns) / 1e9,
            },
            "labels": [
                {
                    "field": str(one.field),
                    "annotator": one.annotator,
                    "count": one.count,
                    "unmatched": one.unmatched,
                }
                for one in self._store.label_counts()
            ],
            "coverage": {
                name: self._coverage(now_ns, seconds) for name, seconds in self._windows.items()
            },
        }

    def _coverage(self, now_ns: int, window_s: int) -> dict[str, dict[str, float]]:
        """By pipeline: requests of the window, and how many of them a label reached."""
        last = now_ns // _MINUTE_NS
        first = last - max(1, round(window_s / 60)) + 1
        found: dict[str, dict[str, float]] = {}
        for one in self._store.roll_ups(first, last + 1):
            if is_canary(one.pipeline):
                continue
            pipeline = found.setdefault(one.pipeline, {"requests": 0, "labelled": 0})
            pipeline["requests"] += one.requests
            pipeline["labelled"] += one.labelled
        return {
            name: {**counts, "ratio": counts["labelled"] / counts["requests"]}
            for name, counts in sorted(found.items())
            if counts["requests"]
        }


def _choice(chosen: Mapping[str, str], now_ns: int) -> LabelChoice:
    check_names(chosen, _PARAMETERS)
    field, since = chosen.get("field"), chosen.get("since")
    return LabelChoice(
        field=None if field is None else _field(field),
        annotator=chosen.get("annotator"),
        since_ns=None if since is None else since_ns(since, now_ns),
    )


def _field(name: str) -> GoldField:
    try:
        return GoldField(name)
    except ValueError:
        raise MalformedError(unknown("field", name, tuple(map(str, GoldField)))) from None
