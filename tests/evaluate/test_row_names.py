"""Names of rows: each row of a report can be told by its own."""

from ragmon.evaluate import EmbeddingEvaluator, evaluate
from ragmon.summary.report import Report


def names(report: Report) -> list[str]:
    """Of the rows of the only stage."""
    (stage,) = report.stages
    return [row.name for row in stage.rows]


def test_a_repeated_name_is_numbered() -> None:
    """Also where a row has the very name that the number would give."""
    rows = [{"id": name, "answer": "a"} for name in ("q", "q", "x", "q #2", "q")]
    found = names(evaluate(rows, stages=["generation"]))
    assert ["q", "q #2", "x", "q #2 #2", "q #3"] == found


def test_repeated_queries_are_numbered() -> None:
    """As requests are."""
    report = EmbeddingEvaluator(k=1).evaluate(
        {"a": [1.0]}, queries=[{"query_id": "q", "vector": [1.0], "relevant_ids": ["a"]}] * 2
    )
    assert ["q", "q #2"] == names(report)


def test_repeated_names_pair_with_those_of_another_report() -> None:
    """The second of a name is compared with the second."""
    before = evaluate([{"id": "q", "answer": "a", "reference_answers": [gold]} for gold in "ab"])
    after = evaluate([{"id": "q", "answer": "a", "reference_answers": ["b"]}] * 2)
    found = next(
        one for one in after.compare(before).metrics if one.key == "generation.exact_match"
    )
    assert (2, 0.5, 0.0) == (found.pairs, found.before, found.after)
