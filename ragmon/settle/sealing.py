"""Records reduced to what may be kept of them, as bytes and back."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ragmon.labels import query_name
from ragmon.model.record import (
    Absence,
    ContextSource,
    Document,
    ModelUsage,
    Outcome,
    RequestRecord,
    Stage,
    StageRun,
)
from ragmon.text import Text
from ragmon.text.hashing import TokenHasher
from ragmon.text.reduced import HashedText, TokenHashes, WithheldText, hashed, withheld

_T = TypeVar("_T")


def seal(records: Iterable[RequestRecord], hasher: TokenHasher, *, keep_hashes: bool) -> bytes:
    """Records without their texts, as bytes.

    keep_hashes: the hashes of the tokens of each text are kept, else nothing but its name.
    """
    reduce = hashed if keep_hashes else withheld
    texts = _Texts()
    written = [_written(_reduced(record, reduce, hasher), texts.place) for record in records]
    sealed = {"vocabulary": [*texts.vocabulary], "texts": texts.rows, "records": written}
    return json.dumps(sealed, separators=(",", ":")).encode()


def unseal(sealed: bytes, hasher: TokenHasher) -> tuple[RequestRecord, ...]:
    """The records that were sealed, with what is kept of their texts.

    hasher: the one that they were sealed with.
    """
    read = json.loads(sealed)
    texts = [_text(row, read["vocabulary"], hasher) for row in read["texts"]]
    return tuple(_record(written, texts) for written in read["records"])


def _reduced(
    record: RequestRecord, reduce: Callable[[Text, TokenHasher], Text], hasher: TokenHasher
) -> RequestRecord:
    def documents(found: tuple[Document, ...] | None) -> tuple[Document, ...] | None:
        return _each(found, lambda one: replace(one, text=_some(text, one.text)))

    def text(found: Text) -> Text:
        return reduce(found, hasher)

    return replace(
        record,
        query=_some(lambda query: _query(query, text(query), hasher), record.query),
        retrieved=documents(record.retrieved),
        reranked=documents(record.reranked),
        context=documents(record.context),
        prompt=None,
        answer=_some(text, record.answer),
    )


def _query(query: Text, reduced: Text, hasher: TokenHasher) -> Text:
    """A query keeps the name that labels know it by."""
    reduced.identity = query_name(query, hasher)
    return reduced


def _some(change: Callable[[_T], _T], found: _T | None) -> _T | None:
    return None if found is None else change(found)


def _each(found: Sequence[_T] | None, change: Callable[[_T], _T]) -> tuple[_T, ...] | None:
    return None if found is None else tuple(map(change, found))


# --- writing ------------------------------------------------------------------------


@dataclass(slots=True)
class _Texts:
    """The different texts of a trace; each distinct hash is written once."""

    vocabulary: dict[str, int] = field(default_factory=dict)
    rows: list[list[Any]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def place(self, text: Text | None) -> int | None:
        """Where a text stands in `rows`."""
        if text is None:
            return None
        if text.identity not in self.places:
            self.places[text.identity] = len(self.rows)
            self.rows.append(self._row(text))
        return self.places[text.identity]

    def _row(self, text: Text) -> list[Any]:
        if not isinstance(text, HashedText):
            return [text.identity]
        hashes = text.hashes
        tokens = map(self._numbers, (hashes.words, hashes.squad, hashes.supported))
        return [text.identity, *tokens, [self._numbers(one) for one in hashes.stated]]

    def _numbers(self, hashes: Iterable[str]) -> list[int]:
        return [self.vocabulary.setdefault(one, len(self.vocabulary)) for one in hashes]


def _written(record: RequestRecord, place: Callable[[Text | None], int | None]) -> dict[str, Any]:
    """A record as JSON can say it; a text is its place."""

    def documents(found: tuple[Document, ...] | None) -> list[Any] | None:
        if found is None:
            return None
        return [[one.id, place(one.text), one.score] for one in found]

    return {name: getattr(record, name) for name in _PLAIN} | {
        "query": place(record.query),
        "answer": place(record.answer),
        "retrieved": documents(record.retrieved),
        "reranked": documents(record.reranked),
        "context": documents(record.context),
        "usage": [
            [use.model, use.input_tokens, use.output_tokens, use.cost_usd] for use in record.usage
        ],
        "stages": {stage: [run.duration_s, run.error_type] for stage, run in record.stages.items()},
        "absent": dict(record.absent),
    }


_PLAIN = (
    "trace_id",
    "span_id",
    "span_ids",
    "dialect",
    "pipeline",
    "event_ns",
    "outcome",
    "pipeline_version",
    "request_id",
    "latency_s",
    "error_type",
    "context_source",
    "max_context_tokens",
    "citations",
    "model",
    "time_to_first_token_s",
    "weight",
    "clock_faults",
    "canary",
)
"""Fields that JSON can say as they are."""


# --- reading ------------------------------------------------------------------------


def _text(row: Sequence[Any], vocabulary: Sequence[str], hasher: TokenHasher) -> Text:
    identity, *tokens = row
    if not tokens:
        return WithheldText(identity)

    def hashes(places: Iterable[int]) -> tuple[str, ...]:
        return tuple([vocabulary[place] for place in places])

    words, squad, supported, stated = tokens
    kept = TokenHashes(hashes(words), hashes(squad), tuple(map(hashes, stated)), hashes(supported))
    return HashedText(identity, kept, hasher)


def _record(written: Mapping[str, Any], texts: Sequence[Text]) -> RequestRecord:
    def text(place: int | None) -> Text | None:
        return None if place is None else texts[place]

    def documents(found: Sequence[Any] | None) -> tuple[Document, ...] | None:
        if found is None:
            return None
        return tuple(Document(one, text(place), score) for one, place, score in found)

    source, citations = written["context_source"], written["citations"]
    return RequestRecord(
        **{name: written[name] for name in _PLAIN}
        | {
            "span_ids": tuple(written["span_ids"]),
            "outcome": Outcome(written["outcome"]),
            "context_source": None if source is None else ContextSource(source),
            "citations": None if citations is None else tuple(citations),
            "clock_faults": tuple(written["clock_faults"]),
        },
        query=text(written["query"]),
        answer=text(written["answer"]),
        retrieved=documents(written["retrieved"]),
        reranked=documents(written["reranked"]),
        context=documents(written["context"]),
        usage=tuple(ModelUsage(*use) for use in written["usage"]),
        stages={Stage(stage): StageRun(*run) for stage, run in written["stages"].items()},
        absent={name: Absence(why) for name, why in written["absent"].items()},
    )
