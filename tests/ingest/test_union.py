"""The union of spans is independent of how they came."""

from dataclasses import replace
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from ragmon.ingest.union import union
from ragmon.model.flow import Ends, SpanPart


def _part(span_id: str, end_ns: int = 0, content: bytes = b"", arrival_ns: int = 0) -> SpanPart:
    return SpanPart("t", span_id, None, Ends.NOTHING, end_ns, arrival_ns, b"c", content)


_parts = st.builds(
    _part,
    st.sampled_from("abc"),
    st.integers(0, 2),
    st.sampled_from((b"x", b"y")),
    st.integers(0, 3),
)


@given(parts=st.lists(_parts, max_size=8), more=st.data())
def test_order_grouping_repetition(parts: list[SpanPart], more: st.DataObject) -> None:
    """Any order, split and repetition gives the same spans, and the counts add up."""
    whole = union((), parts)
    shuffled = more.draw(st.permutations(parts))
    cut = more.draw(st.integers(0, len(parts)))
    first = union((), shuffled[:cut])
    second = union(first.spans, shuffled[cut:])
    assert whole.spans == second.spans
    assert whole.settled == first.settled + second.settled
    assert len(parts) == sum(u.settled + u.duplicates for u in (first, second))
    again = union(second.spans, parts)
    assert (whole.spans, 0, len(parts)) == (again.spans, again.settled, again.duplicates)


def test_order_of_ids() -> None:
    """The union is ordered by span id."""
    assert [p.span_id for p in union([_part("c")], [_part("b"), _part("a")]).spans] == [*"abc"]


def test_later_end_wins() -> None:
    """Of two spans with one id the one that ends later stays, with the earliest arrival."""
    early, late = _part("a", 1, b"z", arrival_ns=5), _part("a", 2, b"a", arrival_ns=9)
    assert (replace(late, arrival_ns=5),) == union([early], [late]).spans
    assert (replace(late, arrival_ns=5),) == union([late], [early]).spans


def test_digest_breaks_the_tie() -> None:
    """At the same end the greater SHA-256 of context and span stays."""
    one, other = _part("a", 1, b"x"), _part("a", 1, b"y")
    winner = max((one, other), key=lambda p: sha256(p.context + p.span).digest())
    assert (winner,) == union([one], [other]).spans


def test_counts() -> None:
    """New ids are settled; known ones and repetitions are duplicates."""
    read = union([_part("a")], [_part("a"), _part("b"), _part("b"), _part("c")])
    assert (read.settled, read.duplicates) == (2, 2)
