"""What to add to a file, said for every input that may be missing."""

from ragmon.evaluate import evaluate
from ragmon.evaluate.missing import ADDED, hints
from ragmon.evaluate.rows import REQUEST_FIELDS
from ragmon.metrics.request_inputs import REQUEST_INPUTS


def test_every_missing_input_names_a_field() -> None:
    """By its own name, or by what is told; what is told names fields that there are."""
    assert ADDED.keys() - {"source"} == REQUEST_INPUTS.keys() - REQUEST_FIELDS.keys()
    named = {word.strip(",") for told in ADDED.values() for word in told.split() if "_" in word}
    assert named <= REQUEST_FIELDS.keys()


def test_a_hint_is_told_once_where_something_is_missing() -> None:
    """Each line begins with the reason as the report shows it."""
    told = list(hints(evaluate([{"retrieved_ids": ["a"]}, {}], stages=["retrieval"])))
    assert "missing:gold_ids: add the field relevant_ids" in told
    assert "missing:result_scores: add the field retrieved_scores" in told
    assert len(set(told)) == len(told)
    assert [] == [line for line in told if line.startswith(("missing:query", "undefined"))]
