"""Live traffic by event time: what a window of it says, and its single requests."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import orjson

from ragmon.app.event_window import EventWindow, check_pipeline, read_window
from ragmon.app.faults import where_raised
from ragmon.app.feedback import told
from ragmon.errors import StoreUnavailableError
from ragmon.metrics.registry import Registry
from ragmon.model.result import RequestKey, Result
from ragmon.model.window import Dirty, RollUp
from ragmon.store.protocol import FeedbackStore, Store
from ragmon.summary.condense import condensed
from ragmon.summary.live import live_report
from ragmon.summary.roll_up import roll_up
from ragmon.summary.table import RequestTable, utc
from ragmon.summary.window import WindowSummary, merge, of_requests

_log = logging.getLogger("ragmon.app")

_MINUTE_NS: Final = 60_000_000_000
_LINES: Final = 200


class LiveReports:
    """Answers what is asked about live traffic. Any thread may call it; it writes nothing."""

    def __init__(self, store: Store, feedback: FeedbackStore, registry: Registry) -> None:
        self._store = store
        self._feedback = feedback
        self._registry = registry

    def summary(self, chosen: Mapping[str, str], now_ns: int) -> bytes:
        """What a window says of each pipeline, as JSON: counts, scorecard, report, feedback.

        chosen: as `read_window` reads it. `unread_minutes` counts those whose rows cannot
        be read, and which are left out.

        Raises:
            MalformedError: a name or a value is none.
            StoreUnavailableError: the store cannot be read now.
        """
        window = read_window(chosen, now_ns)
        check_pipeline(window, self._store.pipelines())
        read = _Reading(self._store, window)
        summaries = merge(condensed(read.roll_ups()), self._registry.slots)
        given = self._given(window)
        pipelines = [
            {**self._told(one, window), "feedback": given.get(one.pipeline, [])}
            for one in summaries
        ]
        return orjson.dumps({"pipelines": pipelines, "unread_minutes": read.unread_minutes})

    def lines(self, chosen: Mapping[str, str], now_ns: int) -> Iterator[bytes]:
        """The requests of a window as JSON arrays, a line each, below a line of their columns.

        Some hundred lines at a time, by pipeline and minute. Indexing runs are no requests.

        chosen: as `read_window` reads it.

        Raises:
            MalformedError: at once, for a name or a value that is none.
            StoreUnavailableError: the store cannot be read now.
        """
        window = read_window(chosen, now_ns)
        check_pipeline(window, self._store.pipelines())
        lines = self._lines(window)
        return iter(lambda: b"".join(islice(lines, _LINES)), b"")

    def _lines(self, window: EventWindow) -> Iterator[bytes]:
        table = RequestTable(self._registry.layout)
        yield orjson.dumps(table.columns) + b"\n"
        rows = self._store.rows(window.start_ns, window.end_ns, window.pipeline)
        for row in _once(rows):
            if of_requests(row.layout) and window.has(row.pipeline):
                yield orjson.dumps(table.row(row)) + b"\n"

    def _given(self, window: EventWindow) -> dict[str, list[dict[str, Any]]]:
        """Feedback on the requests of a window, by pipeline; it enters no report."""
        given: dict[str, list[dict[str, Any]]] = {}
        for one in self._feedback.within(window.start_ns, window.end_ns, window.pipeline):
            given.setdefault(one.pipeline, []).append(told(one))
        return given

    def _told(self, one: WindowSummary, window: EventWindow) -> dict[str, Any]:
        start, end = _minute(window.start_ns), _minute(window.end_ns)
        counts = f"{one.requests} requests, {one.labelled} labelled"
        title = f"{one.pipeline}, {start} to {end}: {counts}"
        report = live_report(one, self._registry, title).to_dict()
        return {
            "pipeline": one.pipeline,
            "start": start,
            "end": end,
            "requests": one.requests,
            "labelled": one.labelled,
            "label_coverage": one.label_coverage,
            "scorecard": report.pop("scorecard"),
            "report": report,
        }


class _Reading:
    """The roll-ups of one window as its rows are now."""

    def __init__(self, store: Store, window: EventWindow) -> None:
        self._store = store
        self._window = window
        self.unread_minutes = 0

    def roll_ups(self) -> Iterator[RollUp]:
        """Stored ones, and for minutes that are out of date new ones, which are not stored.

        Storing them is for upkeep alone: of two who do, one might keep what is older.
        """
        first, end = self._window.first_minute, self._window.end_minute
        # Before the roll-ups: a minute that is dirtied only then was read as it stood.
        dirty = [one for one in self._store.dirty_within(first, end) if self._has(one)]
        stale = {(one.pipeline, one.minute) for one in dirty}
        for stored in self._store.roll_ups(first, end):
            if self._has(stored) and (stored.pipeline, stored.minute) not in stale:
                yield stored
        for one in dirty:
            yield from self._from_rows(one)

    def _has(self, one: Dirty | RollUp) -> bool:
        return self._window.has(one.pipeline)

    def _from_rows(self, dirty: Dirty) -> tuple[RollUp, ...]:
        """Rows that cannot be read cost only their minute."""
        start_ns = dirty.minute * _MINUTE_NS
        try:
            rows = self._store.rows(start_ns, start_ns + _MINUTE_NS, dirty.pipeline)
            return roll_up(_once(rows), dirty.minute, dirty.pipeline)
        except StoreUnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 (one minute may not cost the others)
            _log.error("minute %d cannot be summed (%s)", dirty.minute, where_raised(error))
            self.unread_minutes += 1
            return ()


def _once(rows: Iterable[Result]) -> Iterator[Result]:
    """Each request once, though one that is settled again meanwhile comes again behind a page."""
    minute = -1
    seen: set[RequestKey] = set()
    for row in rows:
        if row.event_ns // _MINUTE_NS != minute:
            minute = row.event_ns // _MINUTE_NS
            seen.clear()
        if row.key not in seen:
            seen.add(row.key)
            yield row


def _minute(event_ns: int) -> str:
    """The time of a whole minute, such as `2026-12-01T05:00Z`."""
    return f"{utc(event_ns)[:16]}Z"
