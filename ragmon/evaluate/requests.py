"""Requests of a file, measured as live ones are."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from ragmon.evaluate.corpus import Library
from ragmon.evaluate.reading import Row
from ragmon.evaluate.rows import REQUEST_FIELDS, Request, read_request
from ragmon.evaluate.tally import Names, Tally
from ragmon.evaluate.values import read_fields
from ragmon.metrics.evidence import evidence_notes
from ragmon.metrics.input import RequestFacts
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry
from ragmon.metrics.sources import packable, place_key
from ragmon.model.record import Stage

Progress: TypeAlias = Callable[[int], None]
"""Called with the number of rows that were read so far."""

_EVERY: Final = 100
_UNKNOWN: Final = ()
"""Of a chunk that is not registered; None is one that is, and could not be located."""


class Settings(NamedTuple):
    """What holds for every row that does not say otherwise.

    short: field -> the field of a whole request that it stands for.
    """

    max_context_tokens: int | None = None
    short: Mapping[str, str] = {}


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
    names = Names()
    number = 0
    for number, row in enumerate(rows, start=1):
        request = _request(row, number, library, settings)
        sources = library.sources(request.record, request.gold)
        facts = RequestFacts(request.record, request.gold, sources)
        name = names.of(request.name)
        tally.add(name, measure(request.record, request.gold, registry, sources))
        _note(tally, request, facts, library)
        if progress is not None and number % _EVERY == 0:
            progress(number)
    if progress is not None:
        progress(number)
    return tally


def _request(row: Row, number: int, library: Library, settings: Settings) -> Request:
    given = {str(name): value for name, value in row.fields.items()}
    fields = read_fields(given, REQUEST_FIELDS, row.where)
    for short, full in settings.short.items():
        if short in fields:
            fields.setdefault(full, fields.pop(short))
    if settings.max_context_tokens is not None:
        fields.setdefault("max_context_tokens", settings.max_context_tokens)
    return read_request(fields, number, row.where, library.complete)


def _note(tally: Tally, request: Request, facts: RequestFacts, library: Library) -> None:
    chunks = {
        Stage.RETRIEVAL: facts.record.retrieved,
        Stage.AUGMENTATION: packable(facts.record),
    }
    evidence = evidence_notes(facts)
    for stage, found in chunks.items():
        places = [facts.sources.chunks.get(place_key(one) or "", _UNKNOWN) for one in found or ()]
        doubts = {"ambiguous": library.ambiguous(found or ()), "unlocated": places.count(None)}
        tally.note(stage, {**evidence, **doubts})
    for stage in request.negative:
        tally.note(stage, {"negative_durations": 1})
