"""The reference vectors of the chunking stage and of Markdown blocks.

RAGMON_VECTORS names another folder with files of the same form.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from ragmon.metrics.measure import measure_run
from ragmon.metrics.registry import build
from ragmon.metrics.spec import Scope
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunk, ChunkedDocument, Chunking
from ragmon.model.measurement import NotMeasured
from ragmon.text import Text
from ragmon.text.blocks import blocks
from ragmon.text.source import Source

_FOLDER = Path(
    os.environ.get("RAGMON_VECTORS") or Path(__file__).parents[1] / "fixtures" / "vectors"
)
REGISTRY = build()


def _vectors(name: str) -> list[ParameterSet]:
    found = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
    return [pytest.param(vector, id=vector["id"]) for vector in found]


def _chunk(given: Mapping[str, Any], at: int) -> Chunk:
    """A chunk of an input; one without a text has that of its span."""
    chunk = given["chunks"][at]
    span = None if chunk.get("span") is None else tuple(chunk["span"])
    text = chunk.get("text")
    sentences, vectors = given.get("sentence_vectors"), given.get("chunk_vectors")
    return Chunk(
        chunk.get("id"),
        Text(given["source"][slice(*span)] if text is None and span else text),
        span,
        chunk.get("metadata", {}),
        None if sentences is None else np.array(sentences[at], dtype=np.float64),
        None if vectors is None else np.array(vectors[at], dtype=np.float64),
    )


def _run(given: Mapping[str, Any]) -> Chunking:
    chunks = tuple(_chunk(given, at) for at in range(len(given["chunks"])))
    limits, keys = given.get("size_limits"), given.get("required_keys")
    return Chunking(
        (ChunkedDocument("d", Source(given["source"]), chunks),),
        size_limits=None if limits is None else (limits[0], limits[1]),
        required_keys=None if keys is None else tuple(keys),
        boundary_tolerance=given.get("boundary_tolerance", 0),
    )


def _gold(given: Mapping[str, Any]) -> Gold:
    evidence, ideal = given.get("gold"), given.get("expected_chunks")
    return Gold(
        expected_evidence=None if evidence is None else tuple({"text": one} for one in evidence),
        expected_chunks=None if ideal is None else tuple(ideal),
        expected_metadata=given.get("expected_metadata"),
    )


@pytest.mark.parametrize("vector", _vectors("stage_chunking"))
def test_chunking_metrics_are_the_reference_s(vector: dict[str, Any]) -> None:
    """Every metric of the stage is that of the reference; null is not measured."""
    values = measure_run(_run(vector["input"]), _gold(vector["input"]), REGISTRY)
    layout = REGISTRY.layouts[Scope.DOCUMENT]
    expected = {
        name: value if value is None else pytest.approx(value, rel=1e-12, abs=1e-12)
        for name, value in vector["expected"].items()
    }
    assert expected == {
        slot.metric: None if isinstance(value, NotMeasured) else value
        for slot, value in zip(layout, values, strict=True)
    }


@pytest.mark.parametrize("vector", _vectors("stage_markdown_blocks"))
def test_markdown_blocks_are_the_reference_s(vector: dict[str, Any]) -> None:
    """Kind, place and text of every outermost block are those of the reference."""
    source = Source(vector["source"])
    assert vector["expected"] == [
        {**block._asdict(), "text": source.raw[block.start : block.end]} for block in blocks(source)
    ]
