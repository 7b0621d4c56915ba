"""The spans of a trace as trees, and what lies inside what, without recursion."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from ragmon.interpret.meaning import SpanMeaning
from ragmon.model.span import Span


class Node:
    """One span with its meaning and its place.

    `first` is its place in an order where parents come before their children, siblings by
    (start, id); `last` is the place of its last descendant, so that a node contains
    another where `first <= other.first <= last`. No node knows its parent: without cycles
    the memory of a trace is free as soon as it is read.
    """

    __slots__ = ("children", "first", "last", "meaning", "span")

    def __init__(self, span: Span, meaning: SpanMeaning) -> None:
        self.span = span
        self.meaning = meaning
        self.children: list[Node] = []
        self.first = -1
        self.last = -1

    @property
    def place(self) -> tuple[int, str]:
        """Orders spans by start, ties by id."""
        return (self.span.start_ns, self.span.span_id)

    @property
    def finish(self) -> tuple[int, int, str]:
        """Orders spans by end, ties by start and id."""
        return (self.span.end_ns, self.span.start_ns, self.span.span_id)


class Forest:
    """All trees of a trace. `tops` are the topmost spans present, `nodes` all in order."""

    __slots__ = ("nodes", "tops")

    def __init__(self, nodes: Iterable[Node]) -> None:
        placed = sorted(nodes, key=lambda node: node.place)
        by_id = {node.span.span_id: node for node in placed}
        self.tops = _link(placed, by_id)
        self.nodes: list[Node] = []
        for top in self.tops:
            self._walk(top)
        if len(self.nodes) < len(placed):
            self._walk_loops(placed, by_id)

    def tree(self, top: Node) -> list[Node]:
        """A node and all its descendants, in order."""
        return self.nodes[top.first : top.last + 1]

    def _walk_loops(self, placed: Sequence[Node], by_id: Mapping[str, Node]) -> None:
        for node in placed:
            if node.first < 0:
                self.tops.append(_cut_loop(node, by_id))
                self._walk(self.tops[-1])

    def _walk(self, top: Node) -> None:
        stack = [top]
        while stack:
            node = stack.pop()
            if node.first >= 0:
                node.last = len(self.nodes) - 1
                continue
            node.first = node.last = len(self.nodes)
            self.nodes.append(node)
            if node.children:
                stack.append(node)
                stack.extend(reversed(node.children))


def _link(nodes: Sequence[Node], by_id: Mapping[str, Node]) -> list[Node]:
    tops = []
    for node in nodes:
        parent = None if node.span.parent_id is None else by_id.get(node.span.parent_id)
        if parent is None or parent is node:
            tops.append(node)
        else:
            parent.children.append(node)
    return tops


def _cut_loop(node: Node, by_id: Mapping[str, Node]) -> Node:
    """Make the first span of the loop of parents above `node` a topmost one."""
    seen: set[int] = set()
    while id(node) not in seen:
        seen.add(id(node))
        node = by_id[node.span.parent_id or ""]
    loop = [node]
    while (above := by_id[loop[-1].span.parent_id or ""]) is not node:
        loop.append(above)
    top = min(loop, key=lambda member: member.place)
    by_id[top.span.parent_id or ""].children.remove(top)
    return top


def contains(outer: Node, inner: Node) -> bool:
    """Whether `inner` is `outer` or one of its descendants."""
    return outer.first <= inner.first <= outer.last


def outermost(nodes: Sequence[Node]) -> list[Node]:
    """Those of some nodes, given in order, that lie inside none of the others."""
    kept: list[Node] = []
    for node in nodes:
        if not kept or node.first > kept[-1].last:
            kept.append(node)
    return kept


def innermost(nodes: Sequence[Node]) -> list[Node]:
    """Those of some nodes, given in order, that hold none of the others."""
    following = [node.first for node in nodes[1:]]
    return [
        node for node, after in zip_longest(nodes, following) if after is None or after > node.last
    ]
