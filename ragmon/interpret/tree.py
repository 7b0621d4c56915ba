"""The spans of a trace as trees, and what lies inside what, without recursion."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from ragmon.interpret.meaning import SpanMeaning
from ragmon.model.span import Span


class Node:
    """One span with its meaning and its place.

    `first` is its place in an order where parents come before their children, siblings by
    (start, id); `last` is the place of its last descendant, so that a node contains
    another where `first <= other.first <= last`.
    """

    __slots__ = ("children", "first", "last", "meaning", "parent", "span")

    def __init__(self, span: Span, meaning: SpanMeaning) -> None:
        self.span = span
        self.meaning = meaning
        self.parent: Node | None = None
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
        self.tops = _link(placed)
        self.nodes: list[Node] = []
        for top in self.tops:
            self._walk(top)
        for node in placed:
            if node.first < 0:
                self.tops.append(_cut_loop(node))
                self._walk(self.tops[-1])

    def tree(self, top: Node) -> list[Node]:
        """A node and all its descendants, in order."""
        return self.nodes[top.first : top.last + 1]

    def _walk(self, top: Node) -> None:
        stack = [(top, False)]
        while stack:
            node, done = stack.pop()
            if done:
                node.last = len(self.nodes) - 1
                continue
            node.first = len(self.nodes)
            self.nodes.append(node)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))


def _link(nodes: Sequence[Node]) -> list[Node]:
    by_id = {node.span.span_id: node for node in nodes}
    tops = []
    for node in nodes:
        parent = by_id.get(node.span.parent_id) if node.span.parent_id is not None else None
        if parent is None or parent is node:
            tops.append(node)
        else:
            node.parent = parent
            parent.children.append(node)
    return tops


def _cut_loop(node: Node) -> Node:
    """Make the first span of the loop of parents above `node` a topmost one."""
    seen: set[int] = set()
    while id(node) not in seen and node.parent is not None:
        seen.add(id(node))
        node = node.parent
    loop = [node]
    while loop[-1].parent is not None and loop[-1].parent is not node:
        loop.append(loop[-1].parent)
    top = min(loop, key=lambda member: member.place)
    if top.parent is not None:
        top.parent.children.remove(top)
        top.parent = None
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
        node
        for node, after in zip_longest(nodes, following)
        if after is None or after > node.last
    ]
