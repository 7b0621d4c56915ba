"""Sealed traces, settled again: what was measured stays, but for what can still change."""

from collections.abc import Iterator
from dataclasses import replace

from ragmon.labels import join, join_run, match_keys, trace_keys
from ragmon.metrics.input import RequestFacts
from ragmon.metrics.remeasure import carried, remeasure
from ragmon.metrics.sources import wanted as asked_of
from ragmon.metrics.spec import Scope
from ragmon.model.corpus import NO_SOURCES, digests
from ragmon.model.flow import Draft
from ragmon.model.record import RequestRecord, Stage
from ragmon.model.result import Result
from ragmon.settle.results import Joining, key_of, winners_of, words_of

_SCOPES = {str(Stage.CHUNKING): Scope.DOCUMENT, str(Stage.EMBEDDING): Scope.INDEX}


def results_again(draft: Draft, joining: Joining) -> Iterator[Result]:
    """The results of a sealed trace, with the labels and the corpus that stand now."""
    last = {result.key: result for result in draft.kept.results}
    for record in draft.records:
        # Sealed by a version that read other requests out of the spans than were stored.
        if key_of(record) in last:
            yield _request_again(record, last[key_of(record)], joining)
    for run in sealed_runs(draft):
        yield _run_again(run, joining)


def sealed_runs(draft: Draft) -> tuple[Result, ...]:
    """Of a sealed trace the last results without a record: no record of a run is kept."""
    requests = {key_of(record) for record in draft.records}
    return tuple(result for result in draft.kept.results if result.key not in requests)


def _request_again(record: RequestRecord, last: Result, joining: Joining) -> Result:
    words = words_of(joining.hasher)
    gold = join(record, joining.labels, joining.hasher)
    sources = joining.sources.get(last.key, NO_SOURCES)
    facts = RequestFacts(record, gold, sources, words)
    before = dict(zip(last.layout, last.values, strict=True))
    return replace(
        last,
        layout=joining.registry.layout,
        values=remeasure(facts, joining.registry, before),
        winners=winners_of(gold),
        match_keys=match_keys(record, joining.hasher),
        wanted=digests(asked_of(record, gold, words)),
    )


def _run_again(last: Result, joining: Joining) -> Result:
    keys = trace_keys(*last.key)
    gold = join_run(keys, last.pipeline, joining.labels)
    scope = _SCOPES.get(last.layout[0].stage, Scope.REQUEST)
    before = dict(zip(last.layout, last.values, strict=True))
    return replace(
        last,
        layout=joining.registry.layouts[scope],
        values=carried(gold, joining.registry, scope, before),
        winners=winners_of(gold),
        match_keys=keys,
    )
