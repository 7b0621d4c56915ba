"""Which spans of a trace make which indexing run."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from ragmon import semconv
from ragmon.interpret import identity
from ragmon.interpret.dialects import dialect_of
from ragmon.interpret.faults import error_type
from ragmon.interpret.indexing import carries, read_chunking, read_embedding
from ragmon.interpret.meaning import Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.stages import ran_backwards, seconds
from ragmon.interpret.texts import Texts
from ragmon.interpret.times import event_time
from ragmon.interpret.tree import Forest, Node, outermost
from ragmon.model.indexing import Chunking, Embedding, IndexingRun
from ragmon.model.span import Trace

_INDEXING: Final = frozenset({Role.CHUNKING, Role.EMBEDDING})


def read_runs(
    trace: Trace, forest: Forest, scopes: Sequence[Scope], adjusted: float | None
) -> list[IndexingRun]:
    """The indexing runs of a trace, in no order.

    Each chunking span is a run. The embedding spans of one tree outside of any request are
    one run, keyed by the earliest; those of one request are one where they carry vectors.
    scopes: its requests. adjusted: the number of runs that one stands for.
    """
    nodes = [node for node in forest.nodes if node.meaning.role in _INDEXING]
    if not nodes:
        return []
    surroundings = _Surroundings(forest, scopes)
    taken = frozenset(scope.key for scope in scopes)
    return [_run(trace, found, taken, adjusted) for found in _found(nodes, surroundings)]


class _Around:
    """What lies around a run: the request it is part of, or trees that hang together."""

    def __init__(self, nodes: Sequence[Node], scope: Scope | None) -> None:
        self.scope = scope
        self._nodes = nodes

    @cached_property
    def pipeline(self) -> str:
        """The pipeline that any of its spans names."""
        return identity.pipeline(self._nodes)

    @cached_property
    def version(self) -> str | None:
        """The pipeline's version that any of its spans names."""
        return identity.pipeline_version(self._nodes)

    @cached_property
    def texts(self) -> Texts:
        """Texts by id: within a request each crosses once."""
        return Texts(() if self.scope is None else self.scope.nodes)


_Start: TypeAlias = tuple[int, int, _Around]
"""First and last place of a tree, and what it is part of."""


class _Surroundings:
    """Answers what lies around a span, in logarithmic time."""

    def __init__(self, forest: Forest, scopes: Sequence[Scope]) -> None:
        self._requests = _starts(
            [(top, _Around(scope.believed, scope)) for scope in scopes for top in scope.tops]
        )
        self._forest = forest

    @cached_property
    def _trees(self) -> list[_Start]:
        """All trees; those whose parents never came hang together by the parent's id."""
        groups: dict[str, list[Node]] = {}
        for top in self._forest.tops:
            groups.setdefault(top.span.parent_id or top.span.span_id, []).append(top)
        trees: list[tuple[Node, _Around]] = []
        for tops in groups.values():
            around = _Around([node for top in tops for node in self._forest.tree(top)], None)
            trees += [(top, around) for top in tops]
        return _starts(trees)

    def of(self, node: Node) -> _Around:
        """The request that a span is part of, else its tree and those beside it."""
        return _covering(self._requests, node) or _covering(self._trees, node) or _Around([], None)


def _starts(placed: Sequence[tuple[Node, _Around]]) -> list[_Start]:
    return sorted(
        [(top.first, top.last, around) for top, around in placed], key=lambda start: start[0]
    )


def _covering(starts: Sequence[_Start], node: Node) -> _Around | None:
    before = bisect_right(starts, node.first, key=lambda start: start[0])
    if not before:
        return None
    _, last, around = starts[before - 1]
    return around if node.first <= last else None


class _Found(NamedTuple):
    """The spans of one run, in order, and what they say."""

    nodes: Sequence[Node]
    content: Chunking | Embedding
    around: _Around


def _found(nodes: Sequence[Node], surroundings: _Surroundings) -> Iterator[_Found]:
    embeddings: dict[_Around, list[Node]] = {}
    for node in nodes:
        around = surroundings.of(node)
        if node.meaning.role is Role.CHUNKING:
            yield _Found((node,), read_chunking(node, around.texts), around)
        else:
            embeddings.setdefault(around, []).append(node)
    for around, made in embeddings.items():
        if around.scope is None or any(map(carries, made)):
            yield _Found(made, read_embedding(made), around)


def _run(trace: Trace, found: _Found, taken: frozenset[str], adjusted: float | None) -> IndexingRun:
    nodes, content, around = found
    stage = "chunking" if isinstance(content, Chunking) else "embedding"
    event_ns, faults = event_time(trace, nodes, negative=ran_backwards(nodes))
    # The embedding of a request is a stage of it: its time and its errors are told there.
    own = stage == "chunking" or around.scope is None
    key = min(nodes, key=lambda node: node.place).span.span_id
    return IndexingRun(
        trace_id=trace.trace_id,
        span_id=f"{key}/{stage}" if key in taken else key,
        span_ids=tuple(sorted([node.span.span_id for node in nodes])),
        dialect=dialect_of(nodes),
        pipeline=identity.own_pipeline(nodes) or around.pipeline,
        event_ns=event_ns,
        content=content,
        pipeline_version=identity.attribute_of(nodes, semconv.PIPELINE_VERSION) or around.version,
        duration_s=seconds(outermost(nodes)) if own else None,
        error_type=error_type(outermost(nodes)) if own else None,
        weight=adjusted,
        clock_faults=faults,
    )
