"""Gold labels that come before, with, or long after their request."""

import json
import time

from tests.e2e.harness import RunningProcessor, StartProcessor, rag_request, until

MINUTE_NS = 60_000_000_000


def recall(processor: RunningProcessor) -> float | None:
    return processor.value(
        "ragmon_window_mean", stage="retrieval", metric="recall_at_k", window="1h"
    )


def observed(processor: RunningProcessor) -> float:
    labels = {"stage": "retrieval", "metric": "recall_at_k"}
    return processor.value("ragmon_score_count", **labels) or 0.0


def test_a_late_label_changes_the_past_and_is_observed_once(
    start_processor: StartProcessor,
) -> None:
    """A request of ten minutes ago gets its recall, at its own time, exactly once."""
    processor = start_processor()
    processor.post(rag_request(1, time.time_ns() - 10 * MINUTE_NS))
    until("the request is measured", lambda: processor.value("ragmon_requests_total"))
    assert recall(processor) is None
    first = {"request_id": "m-1", "relevant_ids": ["a", "z"], "annotator": "ann"}
    assert processor.label(first).status_code == 200
    until("the label reached the window", lambda: recall(processor) == 0.5)
    processor.label({**first, "relevant_ids": ["a"], "revision": 1})
    until("the revision replaced it", lambda: recall(processor) == 1.0)
    assert observed(processor) == 1
    late = processor.value("ragmon_evaluations_total", metric="recall_at_k", result="measured_late")
    assert late == 1
    assert (processor.value("ragmon_corrections_total", cause="revision") or 0) > 0


def test_a_label_before_its_request_waits_for_it(start_processor: StartProcessor) -> None:
    """A label that matches nothing is kept, counted, and used when its request comes."""
    processor = start_processor()
    trace_id = f"{8:032x}"
    processor.label({"trace_id": trace_id, "relevant_ids": ["a"], "annotator": "ann"})
    until("it is counted as waiting", lambda: processor.value("ragmon_labels_unmatched") == 1)
    processor.post(rag_request(7, time.time_ns()))
    until("it is used", lambda: recall(processor) == 1.0)
    until("nothing waits", lambda: processor.value("ragmon_labels_unmatched") == 0)


def test_a_query_label_stands(start_processor: StartProcessor) -> None:
    """A label on a query reaches stored and future requests with the same words."""
    processor = start_processor()
    processor.post(rag_request(1, time.time_ns()))
    until("the first is measured", lambda: processor.value("ragmon_requests_total"))
    processor.label({"query": "how long do RETURNS take", "relevant_ids": ["b"]})
    until("the stored request is labelled", lambda: observed(processor) == 1)
    processor.post(rag_request(2, time.time_ns()))
    until("the later request is labelled", lambda: observed(processor) == 2)


def test_faulty_labels_are_named_and_the_others_kept(start_processor: StartProcessor) -> None:
    """207 with a line per fault; 400 where nothing could be used."""
    processor = start_processor()
    mixed = processor.label({"query": "x", "answerable": True}, {"query": "x", "relevnt": 1})
    assert mixed.status_code == 207
    assert "relevnt" in mixed.text
    assert processor.label({"nonsense": 1}).status_code == 400
    assert processor.value("ragmon_labels_total", outcome="accepted") == 1
    assert processor.value("ragmon_labels_total", outcome="rejected") == 2


def test_labels_of_a_file_are_read_at_start(start_processor: StartProcessor) -> None:
    """`labels.file` is joined like posted labels."""
    processor = start_processor()
    processor.stop()
    path = processor.folder / "gold.jsonl"
    path.write_text(json.dumps({"request_id": "m-3", "reference_answers": ["30 days"]}) + "\n")
    processor.config["labels"] = {"file": str(path)}
    processor.start()
    processor.post(rag_request(3, time.time_ns()))
    until(
        "the reference is used",
        lambda: processor.value("ragmon_score_count", metric="answer_f1"),
    )
