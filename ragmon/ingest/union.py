"""What is known of a trace: the union of the spans kept and the spans that came."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from ragmon.model.flow import SpanPart, held_bytes


@dataclass(frozen=True, slots=True)
class Union:
    """Each span once, ordered by span id.

    Of those that arrived `settled` brought an id that was not known, `duplicates` are the
    rest.
    """

    spans: tuple[SpanPart, ...]
    settled: int
    duplicates: int


def union(kept: Sequence[SpanPart], arrived: Sequence[SpanPart]) -> Union:
    """Unite the spans of one trace.

    Of two with one id the one that ends later stays, then the one with the greater SHA-256
    of its context and span bytes; it keeps the earliest arrival of the two. So neither
    order nor grouping nor repetition changes the spans.
    """
    spans: dict[str, SpanPart] = {}
    _unite(spans, kept)
    known = len(spans)
    _unite(spans, arrived)
    settled = len(spans) - known
    ordered = tuple([spans[span_id] for span_id in sorted(spans)])
    return Union(ordered, settled, len(arrived) - settled)


def bounded_union(
    kept: Sequence[SpanPart], arrived: Sequence[SpanPart], most_spans: int, most_bytes: int
) -> Union:
    """The union, without what would take a trace over a bound.

    First the new spans stay out; where later versions of known spans are too much as well,
    the versions stay that are kept.
    """

    def fits(united: Union) -> bool:
        return len(united.spans) <= most_spans and held_bytes(united.spans) <= most_bytes

    if fits(united := union(kept, arrived)):
        return united
    known = {span.span_id: span for span in kept}
    repeated = [span for span in arrived if span.span_id in known]
    if fits(united := union(kept, repeated)):
        return united
    return union(kept, [span for span in repeated if _yields(span, known[span.span_id])])


def _yields(span: SpanPart, kept: SpanPart) -> bool:
    """Whether the kept version of a span stays when this one comes."""
    stays = _stronger(kept, span)
    return (stays.context, stays.span) == (kept.context, kept.span)


def _unite(spans: dict[str, SpanPart], more: Iterable[SpanPart]) -> None:
    for part in more:
        other = spans.setdefault(part.span_id, part)
        if other is not part:
            spans[part.span_id] = _stronger(other, part)


def _stronger(one: SpanPart, other: SpanPart) -> SpanPart:
    winner = max(one, other, key=lambda part: (part.end_ns, _digest(part)))
    arrival_ns = min(one.arrival_ns, other.arrival_ns)
    return winner if winner.arrival_ns == arrival_ns else replace(winner, arrival_ns=arrival_ns)


def _digest(part: SpanPart) -> bytes:
    return sha256(part.context + part.span).digest()
