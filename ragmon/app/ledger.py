"""Commits to counters: what happened to spans, told to the exporter once."""

import logging
from collections.abc import Container, Iterable, Sequence

from ragmon.app.faults import where_raised
from ragmon.export.exporter import Exporter
from ragmon.model.flow import Draft, Dropped, Release
from ragmon.model.indexing import IndexingRun
from ragmon.model.record import RequestRecord
from ragmon.model.result import Fresh, RequestKey
from ragmon.telemetry import Room, SettledWhen

_log = logging.getLogger("ragmon.app")
_NANOSECONDS = 1e9


class Ledger:
    """Counts what the loop commits. One caller at a time."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter

    def observe(self, fresh: Iterable[Fresh]) -> None:
        """Count first values, after their commit; one that cannot be counted is an error."""
        for one in fresh:
            try:
                self._exporter.observe(one)
            except Exception as error:  # noqa: BLE001 (what is committed may not be undone)
                _log.error("a request could not be counted (%s)", where_raised(error))
                self._exporter.error(Room.EXPORT)

    def committed(self, draft: Draft, releases: Sequence[Release], now_ns: int) -> None:
        """Count the spans of a committed trace, and why it was released."""
        when = SettledWhen.LATE if draft.kept.revision else SettledWhen.FIRST
        if draft.settled:
            self._exporter.settled(when, draft.settled)
        if draft.duplicates:
            self._exporter.duplicate(draft.duplicates)
        self.dropped(draft.dropped)
        for release in releases:
            lag_s = max(0, now_ns - release.last_ns) / _NANOSECONDS
            self._exporter.released(release.reason, lag_s)
        empty = not draft.records and not draft.runs and not draft.expired
        if releases and not draft.kept.revision and empty:
            self._exporter.without_request()

    def clock_faults(self, draft: Draft, new: Container[RequestKey]) -> None:
        """Count the wrong clocks of the requests and runs that a commit stored first."""
        told: tuple[RequestRecord | IndexingRun, ...] = (*draft.records, *draft.runs)
        for one in told:
            if RequestKey(one.trace_id, one.span_id) in new:
                for kind in one.clock_faults:
                    self._exporter.clock_fault(kind)

    def dropped(self, dropped: Iterable[Dropped]) -> None:
        """Count spans that will never be part of a result."""
        for one in dropped:
            self._exporter.dropped(one.reason, one.spans)

    def settle_duration(self, seconds: float) -> None:
        """Time one batch took from load to commit."""
        self._exporter.settle_duration(seconds)

    def error(self) -> None:
        """Count a trace whose settling raised."""
        self._exporter.error(Room.SETTLE)

    def corpus_refused(self, documents: int) -> None:
        """Count documents that the corpus had no room for."""
        for _ in range(documents):
            self._exporter.error(Room.STORE)
