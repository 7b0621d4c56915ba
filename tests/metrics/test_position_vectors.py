"""The reference vectors of the metrics that need to know where chunks lie.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragmon.metrics.measure import measure
from ragmon.metrics.registry import build
from ragmon.metrics.sources import sources_of, wanted
from ragmon.model.corpus import CorpusDocument, TokenRange
from ragmon.model.gold import Gold
from ragmon.model.measurement import NotMeasured
from ragmon.model.record import ContextSource, Document, RequestRecord
from ragmon.text import Text
from ragmon.text.locate import locate
from ragmon.text.source import Source, Span
from ragmon.text.tokens import joined

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


def _measured(
    record: RequestRecord, gold: Gold, source: Source, chunks: Sequence[Mapping[str, Any]]
) -> Mapping[str, float | None]:
    """The values of a request whose one document is registered with its chunks."""
    entries = tuple(
        (str(place), _range(source, chunk["text"], chunk.get("span")))
        for place, chunk in enumerate(chunks)
    )
    document = CorpusDocument(record.pipeline, "d", joined(source.words), entries, 0)
    registry = build((max(1, len(chunks)),))
    values = measure(record, gold, registry, sources_of([document], wanted(record, gold)))
    return {
        slot.key: None if isinstance(value, NotMeasured) else value
        for slot, value in zip(registry.layout, values, strict=True)
    }


def _gold(texts: Sequence[str], said: Mapping[str, str]) -> Gold:
    return Gold(expected_evidence=tuple({"text": text, **said} for text in texts))


def _chunks(texts: Sequence[str]) -> tuple[Document, ...]:
    return tuple(Document(str(place), Text(text)) for place, text in enumerate(texts))


def _expected(vector: Vector, stage: str, measured: Mapping[str, float | None]) -> dict[str, Any]:
    """What a vector expects, in the form of a dictionary that only compares its own keys."""
    wanted_values = {f"{stage}.{name}": value for name, value in vector["expected"].items()}
    assert wanted_values.keys() <= measured.keys()
    return {
        key: value if value is None else pytest.approx(value, rel=1e-12, abs=1e-12)
        for key, value in wanted_values.items()
    }


@pytest.mark.parametrize("naming", NAMINGS, ids=["document", "source", "text alone"])
@pytest.mark.parametrize("vector", _vectors("stage_retrieval_token"))
def test_retrieved_tokens(
    make_record: MakeRecord, vector: Vector, naming: Callable[[str], dict[str, str]]
) -> None:
    """Every token metric is that of the reference, whatever the evidence says of its place."""
    texts = vector["top_k_chunks"]
    gold = _gold(vector["expected_evidence"], naming(vector["source"]))
    record = make_record(retrieved=_chunks(texts), context=None)
    chunks = [{"text": text} for text in texts]
    measured = _measured(record, gold, Source(vector["source"]), chunks)
    expected = _expected(vector, "retrieval", measured)
    assert expected == {key: measured[key] for key in expected}


@pytest.mark.parametrize("naming", NAMINGS, ids=["document", "source", "text alone"])
@pytest.mark.parametrize("vector", _vectors("stage_augmentation"))
def test_tokens_of_the_context(
    make_record: MakeRecord, vector: Vector, naming: Callable[[str], dict[str, str]]
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
    measured = _measured(record, gold, Source(given["source"]), given["context"])
    expected = _expected(vector, "augmentation", measured)
    assert expected == {key: measured[key] for key in expected}
