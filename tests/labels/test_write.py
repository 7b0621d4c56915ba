"""Labels written as they would be posted."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ragmon.labels import parse_label
from ragmon.labels.write import posted_form

TARGETS: tuple[dict[str, Any], ...] = (
    {"trace_id": "A" * 32},
    {"trace_id": "A" * 32, "span_id": "B" * 16},
    {"request_id": "Größe 7"},
    {"query": "  Wie GROẞ ist İstanbul?! a\u0301"},
)
GOLD: dict[str, Any] = {
    "relevant_ids": {"a": 2, "7": 0.5},
    "expected_evidence": ["one", {"text": "two", "document": "d", "source": "two three"}],
    "expected_chunks": ["one", "two"],
    "reference_answers": "\ud83d\ude00 one",
    "required_facts": ["a", ["b", "c"]],
    "expected_citations": ["d", 7],
    "answerable": False,
    "verified_claims": [True, None, {"supported": False}],
    "task_success": True,
}
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "pipeline": st.just("shop"),
        "annotator": st.text("äb ", min_size=1),
        "labelled_at": st.integers(0, 9_223_372_035) | st.just("2026-01-01T00:00:00.123456+02:00"),
        "revision": st.integers(0, (1 << 31) - 1),
        "probability": st.floats(0, 1, exclude_min=True),
    },
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TARGETS), envelopes, st.integers(0, (1 << 63) - 1))
def test_what_is_written_is_read_as_the_same_label(
    target: dict[str, Any], envelope: dict[str, Any], now_ns: int
) -> None:
    """To the nanosecond, whatever the target, the field and the time of receipt."""
    for label in parse_label({**target, **GOLD, **envelope}, now_ns):
        (again,) = parse_label(posted_form(label), 0)
        assert (label.key, label.version, label.precedence) == (
            again.key,
            again.version,
            again.precedence,
        )
        assert (label.value, label.pipeline, label.probability, label.field) == (
            again.value,
            again.pipeline,
            again.probability,
            again.field,
        )
