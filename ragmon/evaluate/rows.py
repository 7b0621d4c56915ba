"""A row of a file to what is known of one request: the record and its gold."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeAlias

from ragmon.evaluate.values import (
    Reader,
    amount,
    count,
    flag,
    identity,
    labelled,
    list_of,
    number,
    optional,
    possible_id,
    same_length,
    text,
    whole_amount,
)
from ragmon.labels.fields import FIELDS
from ragmon.labels.join import read_gold
from ragmon.model.gold import Gold, GoldField
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
from ragmon.text.abstention import decide

PIPELINE: Final = "offline"
NAMES: Final = ("query_id", "name", "id")
"""Fields that name a row, the first of which counts."""

Complete: TypeAlias = Callable[[Document], Document]
"""Gives a chunk the text that the corpus has under its id."""

_texts = list_of(optional(text))
_ids = list_of(possible_id)
_GOLD: Final = tuple(name for name in FIELDS if name is not GoldField.EXPECTED_CHUNKS)
_LISTS: Final = (
    ("retrieved_ids", "retrieved_texts", "retrieved_scores"),
    ("reranked_ids", "reranked_texts"),
    ("context_ids", "context"),
)
"""Fields that stand beside each other: ids, texts, scores."""
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
    "cited_ids": list_of(identity),
    "abstained": flag,
    **dict.fromkeys(_DURATIONS, number),
    "cost_usd": amount,
    **dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), whole_amount),
    **{str(name): labelled(FIELDS[name]) for name in _GOLD},
    "answerable": flag,
    "task_success": flag,
}
"""What a row may hold of a request, and how each field is read."""


class Request(NamedTuple):
    """One row: its name, what happened, what is right, and stages whose clocks ran backwards."""

    name: str
    record: RequestRecord
    gold: Gold
    negative: tuple[Stage, ...]


def read_request(fields: Mapping[str, Any], number: int, where: str, complete: Complete) -> Request:
    """The request that the fields of a row tell of.

    fields: as `read_fields` gave them. number: of the row, its name where it has none.

    Raises:
        InputError: lists that belong together differ in length.
    """
    retrieved, reranked, packed = (_documents(fields, names, where, complete) for names in _LISTS)
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
    fields: Mapping[str, Any], names: Sequence[str], where: str, complete: Complete
) -> tuple[Document, ...] | None:
    """Documents whose ids, texts and scores stand in lists beside each other."""
    columns = {name: fields[name] for name in names if name in fields}
    if not columns:
        return None
    same_length(columns, where)
    parts = (columns.get(name, repeat(None)) for name in names)
    rows = zip(*parts, strict=False)
    return tuple(complete(_document(*row)) for row in rows)


def _document(id_: str | None, said: str | None, score: float | None = None) -> Document:
    return Document(id_, _text(said), score)


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
        if documents is not None and all(one.text is not None for one in documents):
            return documents, source
    return None, None


def _outcome(abstained: bool | None, answer: Text | None, context: Sequence[Document]) -> Outcome:
    if abstained is not None:
        return Outcome.ABSTAINED if abstained else Outcome.ANSWERED
    if answer is None:
        return Outcome.UNKNOWN
    decision = decide(answer, [document.text for document in context if document.text])
    return Outcome.of(decision)


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
    return read_gold({name: fields[str(name)] for name in _GOLD if str(name) in fields})
