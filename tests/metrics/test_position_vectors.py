"""The reference vectors of the metrics that need to know where chunks lie.

Each request is measured with its texts, and sealed: with the hashes of their tokens.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragmon.metrics.registry import build
from ragmon.model.corpus import CorpusDocument, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.record import ContextSource, Document, RequestRecord
from ragmon.text import Text
from ragmon.text.locate import locate
from ragmon.text.source import Source, Span
from ragmon.text.tokens import joined
from tests.metrics.measuring import Measure, differing

MakeRecord = Callable[..., RequestRecord]
Vector = dict[str, Any]

_FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)
NAMINGS: tuple[Callable[[str], dict[str, str]], ...] = (
    lambda _: {"document": "d"},
    lambda source: {"source": source},
    lambda _: {},
)


def _vectors(name: str) -> list[Any]:
    found = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
    return [pytest.param(vector, id=vector["id"]) for vector in found]


def _range(source: Source, text: str, span: Span | None) -> TokenRange | None:
    place = span or locate(source, text)
    return place and TokenRange("d", *source.covered(place[0], place[1]))


def _corpus(
    record: RequestRecord, source: Source, chunks: Sequence[Mapping[str, Any]]
) -> CorpusDocument:
    """The one document of a request, registered with its chunks."""
    entries = tuple(
        (str(place), _range(source, chunk["text"], chunk.get("span")))
        for place, chunk in enumerate(chunks)
    )
    return CorpusDocument(record.pipeline, "d", joined(source.words), entries, 0)


def _gold(texts: Sequence[str], said: Mapping[str, str]) -> Gold:
    return Gold(expected_evidence=tuple({"text": text, **said} for text in texts))


def _chunks(texts: Sequence[str]) -> tuple[Document, ...]:
    return tuple(Document(str(place), Text(text)) for place, text in enumerate(texts))


def _expected(vector: Vector, stage: str) -> Vector:
    return {f"{stage}.{name}": value for name, value in vector["expected"].items()}


@pytest.mark.parametrize("naming", NAMINGS, ids=["document", "source", "text alone"])
@pytest.mark.parametrize("vector", _vectors("stage_retrieval_token"))
def test_retrieved_tokens(
    make_record: MakeRecord,
    vector: Vector,
    naming: Callable[[str], dict[str, str]],
    measured: Measure,
) -> None:
    """Every token metric is that of the reference, whatever the evidence says of its place."""
    texts = vector["top_k_chunks"]
    gold = _gold(vector["expected_evidence"], naming(vector["source"]))
    record = make_record(retrieved=_chunks(texts), context=None)
    chunks = [{"text": text} for text in texts]
    registry = build((max(1, len(chunks)),))
    values = measured(record, gold, registry, [_corpus(record, Source(vector["source"]), chunks)])
    assert {} == differing(_expected(vector, "retrieval"), values)


@pytest.mark.parametrize("naming", NAMINGS, ids=["document", "source", "text alone"])
@pytest.mark.parametrize("vector", _vectors("stage_augmentation"))
def test_tokens_of_the_context(
    make_record: MakeRecord,
    vector: Vector,
    naming: Callable[[str], dict[str, str]],
    measured: Measure,
) -> None:
    """Every metric of the context is that of the reference."""
    given = vector["input"]
    record = make_record(
        retrieved=None,
        context=_chunks([chunk["text"] for chunk in given["context"]]),
        context_source=ContextSource.PACKED,
        max_context_tokens=given.get("max_context_tokens"),
    )
    gold = _gold(given["gold"], naming(given["source"]))
    corpus = [_corpus(record, Source(given["source"]), given["context"])]
    values = measured(record, gold, build((5,)), corpus)
    assert {} == differing(_expected(vector, "augmentation"), values)
