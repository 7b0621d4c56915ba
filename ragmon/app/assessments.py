"""Evaluations of log events and spans into gold labels and feedback, every one counted."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from ragmon.app.faults import where_raised
from ragmon.app.feedback import FeedbackDesk
from ragmon.app.labels import LabelDesk
from ragmon.config import Config, LabelEvent
from ragmon.export.exporter import Exporter
from ragmon.ingest.evaluations import of_span
from ragmon.labels.assess import EventRule, sort
from ragmon.model.assessment import FAULTS, Assessment, Sorting, Way
from ragmon.model.flow import SpanPart
from ragmon.model.gold import GoldField
from ragmon.semconv import OWN_PREFIX
from ragmon.telemetry import Room

_log = logging.getLogger("ragmon.app")


@dataclass(frozen=True, slots=True)
class Assessed:
    """How many evaluations cannot be used, and a line for each of the first of them."""

    rejected: int
    faults: tuple[str, ...]


class AssessmentDesk:
    """Takes evaluations. Any thread may call it. rules: by the name of an evaluation."""

    def __init__(
        self,
        labels: LabelDesk,
        feedback: FeedbackDesk,
        exporter: Exporter,
        rules: Mapping[str, EventRule],
    ) -> None:
        self._labels = labels
        self._feedback = feedback
        self._exporter = exporter
        self._rules = rules
        self._counts = {way: Counter[Sorting]() for way in Way}
        self._counting = Lock()

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """What became of evaluations since the start, by the way on which they came."""
        with self._counting:
            return {
                str(way): {str(one): counts[one] for one in Sorting}
                for way, counts in self._counts.items()
            }

    def of_logs(self, assessments: Sequence[Assessment], ignored: int, now_ns: int) -> Assessed:
        """Keep what came of log events; `ignored` other records came with them.

        Raises:
            StoreUnavailableError: not all is kept; taken again, nothing counts twice.
        """
        return self._take(Way.EVENT, assessments, ignored, now_ns)

    def of_spans(self, spans: Iterable[SpanPart], now_ns: int) -> None:
        """Keep what came of the annotations on spans that are about to be settled.

        Before they are: so that a crash between the two repeats this, and changes nothing.

        Raises:
            StoreUnavailableError: not all is kept; taken again, nothing counts twice.
        """
        assessments = [one for span in spans for one in self._read(span)]
        if assessments:
            self._take(Way.ANNOTATION, assessments, 0, now_ns)

    def _read(self, span: SpanPart) -> tuple[Assessment, ...]:
        """The annotations of a span; one that cannot be decoded costs no other."""
        try:
            return of_span(span)
        except Exception as error:  # noqa: BLE001 (settling meets it too, and sets it aside)
            _log.error("a span's annotations cannot be read (%s)", where_raised(error))
            self._exporter.error(Room.LABELS)
            return ()

    def _take(
        self, way: Way, assessments: Sequence[Assessment], ignored: int, now_ns: int
    ) -> Assessed:
        made = sort(assessments, self._rules)
        if made.gold:
            self._labels.keep(made.gold, now_ns)
        if made.feedback:
            self._feedback.keep(made.feedback, now_ns)
        # Only now: what could not be kept comes again.
        counts = Counter({**made.counts, Sorting.IGNORED: ignored})
        self._count(way, counts)
        return Assessed(sum(counts[fault] for fault in FAULTS), made.faults)

    def _count(self, way: Way, counts: Counter[Sorting]) -> None:
        for result, count in counts.items():
            self._exporter.assessed(way, result, count)
        with self._counting:
            self._counts[way].update(counts)


def event_rules(config: Config) -> dict[str, EventRule]:
    """The rules that `labels.events` gives, by name."""
    return {name: _rule(event) for name, event in config.labels.events.items()}


def event_faults(config: Config) -> tuple[str, ...]:
    """What `labels.events` says that no label can."""
    known = tuple(map(str, GoldField))
    fields = (
        f"labels.events.{name}.field: {event.field!r} is no gold field; known: {', '.join(known)}"
        for name, event in config.labels.events.items()
        if event.field not in known
    )
    names = (
        f"labels.events.{name}: names that begin with {OWN_PREFIX!r} are ragmon's own scores"
        for name in config.labels.events
        if name.startswith(OWN_PREFIX)
    )
    return (*fields, *names)


def _rule(event: LabelEvent) -> EventRule:
    return EventRule(
        field=GoldField(event.field),
        annotators=frozenset(event.annotators),
        at_least=event.at_least,
        true_labels=frozenset(word.casefold() for word in event.true_labels),
        false_labels=frozenset(word.casefold() for word in event.false_labels),
    )
