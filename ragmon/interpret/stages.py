"""How long each stage of a request took, and whether it failed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ragmon.interpret.faults import error_type
from ragmon.interpret.intervals import Interval, length_without
from ragmon.interpret.meaning import Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node, contains, outermost
from ragmon.model.record import Stage, StageRun

_NS: Final = 1e9
_LONGEST_NS: Final = 7 * 86_400 * 1_000_000_000
_WHOLE: Final = (
    (Stage.EMBEDDING, Role.EMBEDDING),
    (Stage.RERANKING, Role.RERANKING),
    (Stage.AUGMENTATION, Role.AUGMENTATION),
)


def run_stages(scope: Scope, line: Sequence[Node]) -> dict[Stage, StageRun]:
    """The stages that a request went through.

    Parallel spans of a stage count as the union of their intervals, retrieval without the
    reranking inside it, generation is the model call that answered.
    """
    return dict(_runs(scope, line))


def _runs(scope: Scope, line: Sequence[Node]) -> Iterator[tuple[Stage, StageRun]]:
    for stage, role in _WHOLE:
        if scope.of(role):
            spans = outermost(scope.of(role))
            yield stage, StageRun(seconds(spans), error_type(spans))
    if scope.of(Role.RETRIEVAL):
        yield Stage.RETRIEVAL, _retrieval(scope)
    if line:
        yield Stage.GENERATION, StageRun(seconds(line[:1]), error_type(line[:1]))


def _retrieval(scope: Scope) -> StageRun:
    retrievers = outermost(scope.of(Role.RETRIEVAL))
    inside = _inside(outermost(scope.of(Role.RERANKING)), retrievers)
    return StageRun(seconds(retrievers, without=inside), error_type(retrievers))


def _inside(nodes: Sequence[Node], outer: Sequence[Node]) -> list[Node]:
    """Those of some nodes, in order, that lie inside one of others, in order and disjoint."""
    kept: list[Node] = []
    around = iter(outer)
    current = next(around, None)
    for node in nodes:
        while current is not None and current.last < node.first:
            current = next(around, None)
        if current is not None and contains(current, node):
            kept.append(node)
    return kept


def seconds(nodes: Sequence[Node], without: Sequence[Node] = ()) -> float | None:
    """Time that spans took, together; None where a clock ran backwards or can not be true."""
    if ran_backwards(nodes) or ran_backwards(without):
        return None
    if len(nodes) == 1 and not without:
        return plausible_s(nodes[0].span.end_ns - nodes[0].span.start_ns)
    return plausible_s(length_without(_intervals(nodes), _intervals(without)))


def plausible_s(length_ns: int) -> float | None:
    """Seconds; None for longer than a week, which only a wrong clock takes."""
    return length_ns / _NS if length_ns <= _LONGEST_NS else None


def ran_backwards(nodes: Iterable[Node]) -> bool:
    """Whether a span ends before it starts: its clock was set back."""
    return any(node.span.end_ns < node.span.start_ns for node in nodes)


def _intervals(nodes: Sequence[Node]) -> list[Interval]:
    return [(node.span.start_ns, node.span.end_ns) for node in nodes]
