"""A row of a file to what is known of one request: the record and its gold."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from ragmon.evaluate.values import (
    Reader,
    count,
    flag,
    identity,
    labelled,
    list_of,
    number,
    optional,
    same_length,
    text,
)
from ragmon.labels.fields import FIELDS
from ragmon.labels.join import read_gold
from ragmon.model.gold import Gold
from ragmon.model.record import (
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
    StageRun,
)
from ragmon.text import Text
from ragmon.text.abstention import Decision, decide

PIPELINE: Final = "offline"
NAMES: Final = ("query_id", "name", "id")
"""Fields that name a row, the first of which counts."""

_texts = list_of(optional(text))
_ids = list_of(identity)
_CALLS: Final = {
    "retrieval_latency_ms": Stage.RETRIEVAL,
    "generation_latency_ms": Stage.GENERATION,
}
_DURATIONS: Final = {"latency_ms": Stage.END_TO_END, **_CALLS}
REQUEST_FIELDS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys(NAMES, identity),
    "query": text,
    "retrieved_ids": _ids,
    "retrieved_texts": _texts,
    "retrieved_scores": list_of(optional(number)),
    "reranked_ids": _ids,
    "reranked_texts": _texts,
    "context_ids": _ids,
    "context": _texts,
    "max_context_tokens": count,
    "answer": text,
    "cited_ids": _ids,
    "abstained": flag,
    **dict.fromkeys(_DURATIONS, number),
    "cost_usd": number,
    "input_tokens": count,
    "output_tokens": count,
    "total_tokens": count,
    **{str(name): labelled(reader) for name, reader in FIELDS.items()},
    "answerable": flag,
    "task_success": flag,
}
"""What a row may hold of a request, and how each field is read."""
_OUTCOMES: Final = {
    Decision.ANSWER: Outcome.ANSWERED,
    Decision.PARTIAL: Outcome.ANSWERED,
    Decision.ABSTAIN: Outcome.ABSTAINED,
}


class Request(NamedTuple):
    """One row: its name, what happened, what is right, and stages whose clocks ran backwards."""

    name: str
    record: RequestRecord
    gold: Gold
    negative: tuple[Stage, ...]


def read_request(fields: Mapping[str, Any], number: int, where: str) -> Request:
    """The request that the fields of a row tell of.

    fields: as `read_fields` gave them. number: of the row, its name where it has none.

    Raises:
        InputError: lists that belong together differ in length.
    """
    retrieved = _documents(fields, "retrieved_ids", "retrieved_texts", where, "retrieved_scores")
    reranked = _documents(fields, "reranked_ids", "reranked_texts", where)
    packed = _documents(fields, "context_ids", "context", where)
    context, source = _context(packed, reranked, retrieved)
    answer = _text(fields.get("answer"))
    record = RequestRecord(
        trace_id="",
        span_id="",
        span_ids=(),
        dialect="",
        pipeline=PIPELINE,
        event_ns=0,
        outcome=_outcome(fields.get("abstained"), answer, context or ()),
        latency_s=_seconds(fields, "latency_ms"),
        query=_text(fields.get("query")),
        retrieved=retrieved,
        reranked=reranked,
        context=context,
        context_source=source,
        max_context_tokens=fields.get("max_context_tokens"),
        answer=answer,
        citations=fields.get("cited_ids"),
        usage=_usage(fields),
        stages={
            stage: StageRun(_seconds(fields, name))
            for name, stage in _CALLS.items()
            if name in fields
        },
    )
    return Request(_name(fields, number), record, _gold(fields), _negative(fields))


def _name(fields: Mapping[str, Any], number: int) -> str:
    return next((fields[name] for name in NAMES if name in fields), str(number))


def _text(value: str | None) -> Text | None:
    return None if value is None else Text(value)


def _documents(
    fields: Mapping[str, Any], ids: str, texts: str, where: str, scores: str = ""
) -> tuple[Document, ...] | None:
    """Documents whose ids, texts and scores stand in lists beside each other."""
    columns: dict[str, Sequence[Any] | None] = {name: fields.get(name) for name in (ids, texts)}
    if columns[ids] is None and columns[texts] is None:
        return None
    columns[scores] = fields.get(scores)
    same_length(columns, where)
    parts = zip(*(repeat(None) if one is None else one for one in columns.values()), strict=False)
    return tuple(Document(id_, _text(said), score) for id_, said, score in parts)


def _context(
    packed: tuple[Document, ...] | None,
    reranked: tuple[Document, ...] | None,
    retrieved: tuple[Document, ...] | None,
) -> tuple[tuple[Document, ...] | None, ContextSource | None]:
    """The packed context, else the reranked list, else the retrieved one, as of a live request."""
    if packed is not None:
        return packed, ContextSource.PACKED
    for documents, source in (
        (reranked, ContextSource.RERANKED),
        (retrieved, ContextSource.RETRIEVED),
    ):
        if documents is not None and all(document.text for document in documents):
            return documents, source
    return None, None


def _outcome(abstained: bool | None, answer: Text | None, context: Sequence[Document]) -> Outcome:
    if abstained is not None:
        return Outcome.ABSTAINED if abstained else Outcome.ANSWERED
    if answer is None:
        return Outcome.UNKNOWN
    decision = decide(answer, [document.text for document in context if document.text])
    return _OUTCOMES[decision] if decision else Outcome.UNKNOWN


def _seconds(fields: Mapping[str, Any], name: str) -> float | None:
    """A duration in seconds; None where it is not given or clocks ran backwards."""
    duration_ms = fields.get(name)
    return None if duration_ms is None or duration_ms < 0 else duration_ms / 1000


def _negative(fields: Mapping[str, Any]) -> tuple[Stage, ...]:
    return tuple(stage for name, stage in _DURATIONS.items() if fields.get(name, 0.0) < 0)


def _usage(fields: Mapping[str, Any]) -> tuple[ModelUsage, ...]:
    """Tokens and cost; a total alone counts as sent."""
    sent, received = fields.get("input_tokens"), fields.get("output_tokens")
    if "total_tokens" in fields:
        sent, received = fields["total_tokens"], 0
    use = ModelUsage(None, sent, received, fields.get("cost_usd"))
    return () if use == ModelUsage(None, None, None, None) else (use,)


def _gold(fields: Mapping[str, Any]) -> Gold:
    return read_gold({name: fields[str(name)] for name in FIELDS if str(name) in fields})
