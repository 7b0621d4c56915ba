"""The evaluators of the stages that fill the index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ragmon.errors import InputError
from ragmon.evaluate import settings as checked
from ragmon.evaluate.chunks import DOCUMENT_FIELDS, Split
from ragmon.evaluate.reading import Records, read_rows, rows_of
from ragmon.evaluate.settings import CutOffs, SizeLimits
from ragmon.evaluate.splits import pooled_gold, read_splits, with_metadata
from ragmon.evaluate.tally import Names, Tally, summary
from ragmon.evaluate.values import (
    Reader,
    argument,
    identity,
    labelled,
    list_of,
    read_fields,
)
from ragmon.labels.fields import relevant_ids
from ragmon.metrics.chunking_notes import notes
from ragmon.metrics.embedding_rows import measure_queries, query_layout
from ragmon.metrics.measure import measure_run
from ragmon.metrics.own import load_registry
from ragmon.metrics.spec import Scope
from ragmon.metrics.vectors import VectorLike, as_vector, clean
from ragmon.model.gold import Gold
from ragmon.model.indexing import Chunking, EmbeddedQuery, Embedding
from ragmon.model.measurement import Layout, Measured, NotMeasured
from ragmon.model.record import Stage
from ragmon.summary.report import MetricSummary, Report, Row, StageReport

_SEVERAL: Final = "several_documents"


class ChunkEvaluator:
    """Does the split keep what belongs together?

    size_limits: fewest and most word tokens of a chunk, inclusive; None leaves a side open.
    boundary_tolerance: in characters. required_keys: metadata every chunk must have.

    Fields of a document: document_id, text (the source), chunks (texts, or objects with id,
    text, start, end, metadata, vector, sentence_vectors), chunk_vectors, sentence_vectors,
    expected_chunks, expected_evidence, expected_metadata, markdown.

    >>> report = ChunkEvaluator(size_limits=(2, 3)).evaluate(
    ...     [{"text": "Alpha beta gamma. Delta.", "chunks": ["Alpha beta gamma."]}]
    ... )
    >>> report.metric("chunking.coverage").value
    0.75
    """

    def __init__(
        self,
        *,
        size_limits: SizeLimits | None = None,
        boundary_tolerance: int = 0,
        required_keys: Sequence[str] | None = None,
    ) -> None:
        self._settings = Chunking(
            documents=(),
            size_limits=checked.size_limits(size_limits),
            required_keys=checked.required_keys(required_keys),
            boundary_tolerance=checked.boundary_tolerance(boundary_tolerance),
        )
        self._registry = load_registry()

    def evaluate(
        self,
        records: Records | None = None,
        *,
        title: str = "chunking",
        **columns: Sequence[Any] | None,
    ) -> Report:
        """Evaluate documents: records, a file or a frame, or columns of equal length.

        A value is of the whole corpus: its parts are pooled over the documents. boundary_f1
        is the mean of the documents that have ideal chunks. Rows are the documents by
        themselves, but where any chunk of the corpus has metadata, one without has none of it.

        Raises:
            InputError: a row cannot be read or has no chunks; it names its place and the field.
        """
        splits = with_metadata(list(read_splits(rows_of(records, columns, DOCUMENT_FIELDS))))
        return Report(title, (self._report(splits),))

    def _report(self, splits: Sequence[Split]) -> StageReport:
        layout = self._registry.layouts[Scope.DOCUMENT]
        tally = Tally(layout)
        for split in splits:
            run = replace(self._settings, documents=(split.document,))
            tally.add(split.name, measure_run(run, split.gold, self._registry))
        whole = replace(self._settings, documents=tuple(split.document for split in splits))
        gold = pooled_gold(splits)
        tally.note(Stage.CHUNKING, notes(whole, gold))
        report = tally.report(Stage.CHUNKING, self._registry)
        pooled = measure_run(whole, gold, self._registry)
        metrics = tuple(map(_of_corpus, report.metrics, pooled))
        return replace(report, metrics=metrics, row_metrics=metrics)


def _of_corpus(metric: MetricSummary, pooled: Measured) -> MetricSummary:
    """The pooled value; the mean over documents where the corpus as a whole has none."""
    if not isinstance(pooled, NotMeasured):
        return replace(metric, value=pooled)
    return metric if pooled.detail == _SEVERAL else replace(metric, value=None)


_VECTOR_FIELDS: Final[Mapping[str, Reader]] = {"id": identity, "vector": list_of(lambda one: one)}
_QUERY_FIELDS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys(("query_id", "name"), identity),
    "vector": list_of(lambda one: one),
    "relevant_ids": labelled(relevant_ids),
    "retrieved_ids": list_of(identity),
}


class EmbeddingEvaluator:
    """Are the vectors sound, and do they find what they should?

    >>> report = EmbeddingEvaluator(k=1).evaluate(
    ...     {"a": [1.0, 0.0], "b": [0.0, 1.0]},
    ...     queries=[{"vector": [0.0, 2.0], "relevant_ids": ["b"]}],
    ... )
    >>> report.metric("embedding.query_topk_recall").value
    1.0
    """

    def __init__(self, k: CutOffs = 5) -> None:
        self._registry = load_registry(checked.cut_offs(k))

    def evaluate(
        self,
        vectors: Mapping[str, VectorLike] | Sequence[VectorLike] | Records,
        *,
        ids: Sequence[str] | None = None,
        indexed_ids: Iterable[str] | None = None,
        queries: Records | None = None,
        title: str = "embedding",
    ) -> Report:
        """Evaluate the vectors of chunks, and queries against them.

        Args:
            vectors: Chunk id -> vector; or vectors with their `ids`; or records, a file or a
                frame with the fields `id` and `vector`.
            ids: The chunk ids of vectors that stand in a list or an array.
            indexed_ids: The chunks that the index holds.
            queries: Records, a file or a frame with the fields `vector`, `relevant_ids`, what
                the index returned as `retrieved_ids`, and `query_id`.
            title: Of the report.

        Raises:
            InputError: ids and vectors differ in number, or a record cannot be read.
        """
        names, given = _vectors(vectors, ids)
        cleaned = clean(given)
        kept = None if names is None else tuple(names[place] for place in cleaned.kept)
        asked = [] if queries is None else list(_queries(queries))
        run = Embedding(
            vectors=cleaned.matrix,
            ids=kept,
            invalid=cleaned.invalid,
            indexed_ids=None if indexed_ids is None else _indexed(indexed_ids),
            queries=None if queries is None else tuple(query for _, query in asked),
        )
        report = self._report(run, [name for name, _ in asked])
        return Report(title, (report,))

    def _report(self, run: Embedding, names: Sequence[str]) -> StageReport:
        layout = self._registry.layouts[Scope.INDEX]
        pooled = dict(zip(layout, measure_run(run, Gold(), self._registry), strict=True))
        per_query = query_layout(self._registry)
        rows = measure_queries(run, self._registry) if names else ()
        metrics = {
            slot: summary(self._registry.spec(slot), slot.k, [pooled[slot]]) for slot in layout
        }
        for place, slot in enumerate(per_query):
            if rows:
                column = [row[place] for row in rows]
                metrics[slot] = _of_queries(metrics[slot], column)
        counts = {"invalid_vectors": run.invalid} if run.invalid else {}
        return StageReport(
            stage=Stage.EMBEDDING,
            metrics=tuple(metrics.values()),
            row_metrics=_listed(metrics, per_query),
            rows=tuple(Row(name, row) for name, row in zip(names, rows, strict=True)),
            notes=counts,
        )


def _listed(metrics: Mapping[Any, MetricSummary], layout: Layout) -> tuple[MetricSummary, ...]:
    return tuple(metrics[slot] for slot in layout)


def _of_queries(metric: MetricSummary, column: Sequence[Measured]) -> MetricSummary:
    """The pooled value beside what the single queries have."""
    return replace(summary(metric.spec, metric.k, column), value=metric.value)


def _vectors(
    given: Any, ids: Sequence[str] | None
) -> tuple[list[str] | None, Iterable[VectorLike]]:
    """Ids and vectors, from whichever form."""
    if isinstance(given, np.ndarray) or _is_list_of_vectors(given):
        return _with_ids(given, ids)
    if ids is not None:
        raise InputError("ids go with vectors in a list or an array only")
    if isinstance(given, Mapping):
        return list(argument("vectors", list_of(identity), list(given))), list(given.values())
    rows = [(row, read_fields(row.fields, _VECTOR_FIELDS, row.where)) for row in read_rows(given)]
    for row, fields in rows:
        if fields.keys() != _VECTOR_FIELDS.keys():
            raise InputError(f"{row.where}: needs id and vector")
    return [fields["id"] for _, fields in rows], [fields["vector"] for _, fields in rows]


def _indexed(given: Iterable[str]) -> frozenset[str]:
    named = sorted(given, key=str) if isinstance(given, AbstractSet) else given
    return frozenset(argument("indexed_ids", list_of(identity), named))


def _is_list_of_vectors(given: object) -> bool:
    return (
        isinstance(given, Sequence)
        and not isinstance(given, str)
        and not any(isinstance(one, Mapping) for one in given[:1])
    )


def _with_ids(
    given: Sequence[VectorLike], ids: Sequence[str] | None
) -> tuple[list[str] | None, Sequence[VectorLike]]:
    if ids is None:
        return None, given
    names = argument("ids", list_of(identity), ids)
    if len(names) != len(given):
        raise InputError(f"ids has {len(names)} entries and vectors {len(given)}")
    return list(names), given


def _queries(given: Records) -> Iterator[tuple[str, EmbeddedQuery]]:
    names = Names()
    for number, row in enumerate(read_rows(given), start=1):
        fields = read_fields(row.fields, _QUERY_FIELDS, row.where)
        if "vector" not in fields:
            raise InputError(f"{row.where}: needs a vector")
        vector = as_vector(fields["vector"])
        grades = fields.get("relevant_ids")
        name = fields.get("query_id", fields.get("name", str(number)))
        yield (
            names.of(name),
            EmbeddedQuery(
                vector=np.full(1, np.nan) if vector is None else vector,
                gold_ids=None if grades is None else _positive(grades),
                index_ids=fields.get("retrieved_ids"),
            ),
        )


def _positive(grades: Mapping[str, float]) -> frozenset[str]:
    return frozenset(found for found, grade in grades.items() if grade > 0)
