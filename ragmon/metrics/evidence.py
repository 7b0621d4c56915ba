"""Where the gold evidence of a request stands in the corpus, and what could not be found."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ragmon.metrics import positions
from ragmon.metrics.input import RequestFacts
from ragmon.model.corpus import Sources, TokenRange
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.text.tokens import joined

_UNREGISTERED: Final = NotMeasured(Kind.MISSING, "source")


class Evidence(NamedTuple):
    """Gold spans in their documents; not_found: gold texts that no document holds there."""

    ranges: tuple[TokenRange, ...]
    not_found: int


class _Place(NamedTuple):
    """A document in which evidence is looked for."""

    document_id: str
    tokens: str


def evidence_ranges(facts: RequestFacts) -> tuple[TokenRange, ...] | NotMeasured:
    """The gold spans of a request, at least one, or why there is none.

    Evidence stands at the first run of its word tokens in the document that it names; else
    in the source text that comes with it; else in the document that the corpus names for it.
    What is not found is an error of annotation and left out.
    """
    found = _evidence(facts)
    if isinstance(found, NotMeasured):
        return found
    return found.ranges or NotMeasured(Kind.UNDEFINED, "gold_not_found")


def evidence_notes(facts: RequestFacts) -> dict[str, int]:
    """What was left out of a request's evidence: `gold_not_found`, where it is not 0."""
    found = _evidence(facts)
    if isinstance(found, NotMeasured) or not found.not_found:
        return {}
    return {"gold_not_found": found.not_found}


def _evidence(facts: RequestFacts) -> Evidence | NotMeasured:
    expected = facts.gold.expected_evidence
    if expected is None:
        return NotMeasured(Kind.MISSING, "expected_evidence")
    if not expected:
        return NotMeasured(Kind.UNDEFINED, "no_expected_evidence")
    found = []
    for entry in expected:
        place = _range(entry, facts)
        if isinstance(place, NotMeasured):
            return place
        found.append(place)
    ranges = tuple([place for place in found if place is not None])
    return Evidence(ranges, len(found) - len(ranges))


def _range(entry: Mapping[str, str], facts: RequestFacts) -> TokenRange | NotMeasured | None:
    words = facts.words(entry["text"])
    if not words:
        return None
    place = _place(entry, words, facts)
    return positions.find(words, *place) if isinstance(place, _Place) else place


def _place(
    entry: Mapping[str, str], words: Sequence[str], facts: RequestFacts
) -> _Place | NotMeasured | None:
    named, source, sources = entry.get("document"), entry.get("source"), facts.sources
    if named is None and source is None:
        return _held(joined(words), sources)
    if named is not None and named in sources.documents:
        return _Place(named, sources.documents[named])
    if source is None:
        return _UNREGISTERED
    tokens = joined(facts.words(source))
    return _Place(_known_as(tokens, sources) if named is None else named, tokens)


def _held(run: str, sources: Sources) -> _Place | NotMeasured | None:
    """The document that the corpus names for a run of words."""
    if run not in sources.evidence:
        return _UNREGISTERED
    document_id = sources.evidence[run]
    return None if document_id is None else _Place(document_id, sources.documents[document_id])


def _known_as(tokens: str, sources: Sources) -> str:
    """The registered document with these tokens, else a name that no document has."""
    equal = [name for name, held in sources.documents.items() if held == tokens]
    return min(equal, default=f"\0{tokens}")
