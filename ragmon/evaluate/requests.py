"""Requests of a file, measured as live ones are."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon.evaluate.corpus import Library
from ragmon.evaluate.reading import Row
from ragmon.evaluate.rows import REQUEST_FIELDS, Request, read_request
from ragmon.evaluate.tally import Tally
from ragmon.evaluate.values import read_fields
from ragmon.metrics.evidence import evidence_notes
from ragmon.metrics.input import RequestFacts
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry
from ragmon.model.record import Stage

Progress: TypeAlias = Callable[[int], None]
"""Called with the number of rows that were read so far."""

_EVERY: Final = 100


class Settings(NamedTuple):
    """What holds for every row that does not say otherwise.

    aliases: field -> the field that it stands for.
    """

    max_context_tokens: int | None = None
    aliases: Mapping[str, str] = {}


def measure_requests(
    rows: Iterable[Row],
    registry: Registry,
    library: Library,
    settings: Settings,
    progress: Progress | None = None,
) -> Tally:
    """Measure every row, one at a time; of a row only its values stay.

    Raises:
        InputError: a row cannot be read; it names its place.
    """
    tally = Tally(registry.layout)
    number = 0
    for number, row in enumerate(rows, start=1):
        request = _request(row, number, settings)
        record = library.completed(request.record)
        sources = library.sources(record, request.gold)
        tally.add(request.name, measure(record, request.gold, registry, sources))
        _note(tally, request, RequestFacts(record, request.gold, sources))
        if progress is not None and number % _EVERY == 0:
            progress(number)
    if progress is not None:
        progress(number)
    if library.ambiguous:
        for stage in (Stage.RETRIEVAL, Stage.AUGMENTATION):
            tally.note(stage, {"ambiguous": library.ambiguous})
    return tally


def _request(row: Row, number: int, settings: Settings) -> Request:
    given: dict[str, Any] = {
        settings.aliases.get(str(name), str(name)): value for name, value in row.fields.items()
    }
    fields = read_fields(given, REQUEST_FIELDS, row.where)
    request = read_request(fields, number, row.where)
    if request.record.max_context_tokens is None:
        record = replace(request.record, max_context_tokens=settings.max_context_tokens)
        return request._replace(record=record)
    return request


def _note(tally: Tally, request: Request, facts: RequestFacts) -> None:
    evidence = evidence_notes(facts)
    if evidence:
        for stage in (Stage.RETRIEVAL, Stage.AUGMENTATION):
            tally.note(stage, evidence)
    for stage in request.negative:
        tally.note(stage, {"negative_durations": 1})
