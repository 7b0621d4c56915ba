"""What a canary sends, and when."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragmon.ingest.split import PROTOBUF, split
from ragmon.probe import RequestTemplate
from ragmon.probe.marker import marker, new_context
from ragmon.probe.schedule import Schedule

BODY = {"q": "{{query}}", "top": 5, "deep": [{"text": "ask: {{query}}!"}], "none": None}
TEMPLATE = RequestTemplate("POST", "http://shop/ask?q={{query}}", {"x-key": "1"}, BODY)


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_query_stays_within_the_texts_of_the_body(query: str) -> None:
    """Whatever it holds, it changes neither the shape of the body nor the path."""
    request = TEMPLATE.fill(query)
    assert request.content is not None
    assert json.loads(request.content) == {
        **BODY,
        "q": query,
        "deep": [{"text": f"ask: {query}!"}],
    }
    assert request.url.startswith("http://shop/ask?q=")
    assert set("&#/?=\n ").isdisjoint(request.url.removeprefix("http://shop/ask?q="))


def test_headers_of_the_template_win() -> None:
    """A body is JSON unless they say another form of it."""
    assert TEMPLATE.fill("a").headers == {"content-type": "application/json", "x-key": "1"}
    own = RequestTemplate("POST", "http://shop", {"Content-Type": "text/x"}, {"q": "{{query}}"})
    assert own.fill("a").headers == {"Content-Type": "text/x"}
    assert RequestTemplate("GET", "http://shop?q={{query}}", {}).fill("a b").content is None


@given(st.integers(1, 50), st.floats(0.5, 1e6), st.floats(0, 1e6))
def test_turns_are_spread_evenly(count: int, every_s: float, start_s: float) -> None:
    """Each query once in every_s, in order, with the same pause between two."""
    schedule = Schedule(count, every_s, start_s)
    pause_s = schedule.due_s(1) - schedule.due_s(0)
    assert pause_s == pytest.approx(every_s / count, rel=1e-6, abs=1e-6)
    assert schedule.turn(start_s - 1) == 0


def test_missed_turns_are_not_made_up_for() -> None:
    """After a long answer the running turn is the next one."""
    schedule = Schedule(4, 40.0, 100.0)
    assert (0, 2, 7) == (schedule.turn(100.0), schedule.turn(125.0), schedule.turn(175.0))
    assert schedule.due_s(7) == 170.0


def test_the_marker_names_the_trace_and_nothing_of_the_query() -> None:
    """One span that ends nothing, so that the trace waits for the application's spans."""
    context = new_context()
    made = marker(context, "gold", 5)
    assert made.media_type == PROTOBUF
    ((part,),) = (one.spans for one in split(made.content, PROTOBUF, 5).parts)
    assert (context.trace_id, context.span_id) == (part.trace_id, part.span_id)
    assert part.ends.name == "NOTHING"
    assert context.traceparent == f"00-{context.trace_id}-{context.span_id}-01"
    assert context != new_context()
