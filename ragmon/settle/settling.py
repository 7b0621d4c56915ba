"""Records to results: labels joined, metrics measured."""

from collections.abc import Iterable, Iterator
from itertools import chain

from ragmon.labels import join, match_keys, run_keys, trace_keys
from ragmon.metrics.registration import register
from ragmon.metrics.registry import Registry
from ragmon.metrics.sources import wanted as asked_of
from ragmon.model.corpus import CorpusDocument, Wanted
from ragmon.model.flow import Draft, Known, Settled, TraceState
from ragmon.model.gold import GoldField, MatchKey
from ragmon.model.indexing import Chunking, IndexingRun
from ragmon.model.result import Cause, RequestKey, Result
from ragmon.settle.results import Joining, key_of, request_result, run_result, words_of
from ragmon.settle.sealed import results_again, sealed_runs
from ragmon.text.hashing import TokenHasher


def settle(
    draft: Draft,
    known: Known,
    registry: Registry,
    cause: Cause,
    hasher: TokenHasher | None = None,
) -> Settled:
    """Join the labels that are known to each record and run, and measure it.

    The results of the requests come first, then those of the runs. `known` may hold labels
    of other traces; `labels_read` names those under this trace's match keys, which the
    commit compares with what stands there then. hasher: by which queries and documents of
    the corpus are known, where they are not known by their words.
    """
    keys = record_keys(draft, hasher)
    labels = tuple(label for label in known.labels if label.key in keys)
    joining = Joining(labels, known.sources, registry, hasher)
    return Settled(
        draft=draft,
        results=tuple(_results(draft, joining)),
        labels_read=labels,
        cause=cause,
        corpus_read=known.corpus_read,
        corpus=_registered(draft.runs),
    )


def _results(draft: Draft, joining: Joining) -> Iterator[Result]:
    if draft.kept.state is TraceState.SEALED:
        yield from results_again(draft, joining)
    else:
        yield from (request_result(record, joining) for record in draft.records)
        yield from (run_result(run, joining) for run in draft.runs)


def record_keys(draft: Draft, hasher: TokenHasher | None = None) -> frozenset[MatchKey]:
    """Every match key of a draft, to ask the store for labels."""
    keys = (
        *(match_keys(record, hasher) for record in draft.records),
        *map(run_keys, draft.runs),
        *(trace_keys(*before.key) for before in sealed_runs(draft)),
    )
    return frozenset(chain.from_iterable(keys))


def wanted(
    draft: Draft, known: Known, hasher: TokenHasher | None = None
) -> dict[RequestKey, Wanted]:
    """What each request of a draft needs of the corpus, to ask the store for its sources."""
    evidence = tuple(one for one in known.labels if one.field is GoldField.EXPECTED_EVIDENCE)
    return {
        key_of(record): asked_of(record, join(record, evidence, hasher), words_of(hasher))
        for record in draft.records
    }


def _registered(runs: Iterable[IndexingRun]) -> tuple[CorpusDocument, ...]:
    """Every document that the chunking runs of a trace register, in their order."""
    splits = ((run, run.content) for run in runs)
    found = [
        register(run.pipeline, document, run.event_ns)
        for run, content in splits
        if isinstance(content, Chunking)
        for document in content.documents or ()
    ]
    return tuple(document for document in found if document is not None)
