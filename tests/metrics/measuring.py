"""Requests measured with all their texts, and with nothing but the hashes of their tokens."""

from collections.abc import Callable, Mapping, Sequence
from math import isclose
from typing import TypeAlias

from ragmon.metrics.input import RequestFacts
from ragmon.metrics.measure import measure
from ragmon.metrics.registry import Registry
from ragmon.metrics.remeasure import remeasure
from ragmon.metrics.sources import sources_of, wanted
from ragmon.model.corpus import CorpusDocument
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, Measured
from ragmon.model.record import RequestRecord
from ragmon.settle.sealing import seal, unseal
from ragmon.store.keying import hashed_document
from ragmon.text.hashing import TokenHasher

_NO_VALUE = {Kind.NOT_KEPT: Kind.NOT_KEPT}
NO_LABEL = Gold()
HASHER = TokenHasher(b"the key of tests")

Values: TypeAlias = Mapping[str, float | Kind | None]
Measure: TypeAlias = Callable[[RequestRecord, Gold, Registry, Sequence[CorpusDocument]], Values]
"""Values by metric, of one cut-off; None is not measured for another reason than NOT_KEPT."""


def plain(
    record: RequestRecord, gold: Gold, registry: Registry, corpus: Sequence[CorpusDocument] = ()
) -> Values:
    """What a request is worth while everything of it is kept."""
    sources = sources_of(corpus, wanted(record, gold))
    return by_metric(registry, measure(record, gold, registry, sources))


def hashed(
    record: RequestRecord, gold: Gold, registry: Registry, corpus: Sequence[CorpusDocument] = ()
) -> Values:
    """What it is worth if its labels and its corpus come after it was sealed."""
    again = remeasured(record, gold, registry, corpus, keep_hashes=True)
    return by_metric(registry, again)


def remeasured(
    record: RequestRecord,
    gold: Gold,
    registry: Registry,
    corpus: Sequence[CorpusDocument] = (),
    *,
    keep_hashes: bool,
    known: Gold = NO_LABEL,
) -> tuple[Measured, ...]:
    """The values of a request that was measured with what was known, sealed, and then labelled."""
    before = dict(zip(registry.layout, measure(record, known, registry), strict=True))
    (reduced,) = unseal(seal([record], HASHER, keep_hashes=keep_hashes), HASHER)
    kept = [hashed_document(document, HASHER) for document in corpus]
    sources = sources_of(kept, wanted(reduced, gold, HASHER.words))
    return remeasure(RequestFacts(reduced, gold, sources, HASHER.words), registry, before)


def by_metric(registry: Registry, values: Sequence[Measured]) -> Values:
    """Values by `stage.metric`, None where not measured, NOT_KEPT where it says so."""
    return {
        slot.key: value if isinstance(value, float) else _NO_VALUE.get(value.kind)
        for slot, value in zip(registry.layout, values, strict=True)
    }


def differing(expected: Mapping[str, float | None], values: Values) -> dict[str, object]:
    """Expected values that are neither met within 1e-12 nor not kept, with what is there."""
    return {
        key: (value, values[key])
        for key, value in expected.items()
        if values[key] is not Kind.NOT_KEPT and not _is_close(value, values[key])
    }


def _is_close(expected: float | None, value: float | Kind | None) -> bool:
    if expected is None or not isinstance(value, float):
        return expected is value
    return isclose(expected, value, rel_tol=1e-12, abs_tol=1e-12)
