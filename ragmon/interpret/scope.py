"""Which spans of a trace make which request."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from ragmon.interpret.meaning import CALLS, Role
from ragmon.interpret.tree import Forest, Node, outermost
from ragmon.model.span import SpanKind

_REQUEST: Final = Role.REQUEST
_ENTRY_KINDS: Final = frozenset({SpanKind.SERVER, SpanKind.CONSUMER})


class Scope:
    """One request: its key in the trace and its spans in order.

    `root` is the request span, None where it never came. `tops` are the topmost of the
    spans: the root and the parts that belong to it though they hang from a missing span.
    """

    __slots__ = ("_roles", "key", "nodes", "root", "tops")

    def __init__(self, key: str, root: Node | None, tops: Sequence[Node], forest: Forest) -> None:
        self.key = key
        self.root = root
        self.tops = sorted(tops, key=lambda top: top.first)
        self.nodes = [node for top in self.tops for node in forest.tree(top)]
        self._roles: dict[Role, list[Node]] = {}
        for node in self.nodes:
            self._roles.setdefault(node.meaning.role, []).append(node)

    def of(self, role: Role) -> Sequence[Node]:
        """The spans that play this part, in order."""
        return self._roles.get(role, ())

    @property
    def request(self) -> Sequence[Node]:
        """The request span, or nothing."""
        return () if self.root is None else (self.root,)

    @property
    def believed(self) -> Sequence[Node]:
        """All its spans, in the order in which they are asked whose request this is."""
        return (*self.request, *self.nodes)

    @property
    def lead(self) -> Node | None:
        """The request span, or the one topmost span that stands for it."""
        if self.root is not None:
            return self.root
        return self.tops[0] if len(self.tops) == 1 else None


def find_scopes(forest: Forest) -> list[Scope]:
    """The requests of a trace; indexing runs and trees without a call are none."""
    requests: list[Node] = []
    bare: list[Node] = []
    orphans: list[Node] = []
    for top in forest.tops:
        tree = forest.tree(top)
        explicit = outermost([node for node in tree if node.meaning.role is _REQUEST])
        if explicit:
            requests += explicit
        elif not _is_entry(top):
            orphans.append(top)
        else:
            (requests if _calls(tree) else bare).append(top)
    return _scopes(forest, requests, bare, orphans)


def _is_entry(top: Node) -> bool:
    span = top.span
    return span.parent_id is None or span.parent_is_remote or span.kind in _ENTRY_KINDS


def _calls(nodes: Sequence[Node]) -> bool:
    return any(node.meaning.role in CALLS for node in nodes)


def _scopes(
    forest: Forest, requests: list[Node], bare: list[Node], orphans: list[Node]
) -> list[Scope]:
    parts: dict[int, list[Node]] = {request.first: [request] for request in requests}
    covers = (_Cover(requests), _Cover(bare))
    strays: list[Node] = []
    for orphan in orphans:
        owner = _owner(covers, orphan, forest)
        if owner is None:
            strays.append(orphan)
        else:
            parts.setdefault(owner.first, [owner]).append(orphan)
    scopes = [Scope(tops[0].span.span_id, tops[0], tops, forest) for tops in parts.values()]
    if strays:
        missing = min(top.span.parent_id or top.span.span_id for top in strays)
        scopes.append(Scope(missing, None, strays, forest))
    return [scope for scope in scopes if scope.of(_REQUEST) or _calls(scope.nodes)]


def _owner(covers: Sequence["_Cover"], orphan: Node, forest: Forest) -> Node | None:
    """The one request span around an orphan part; else the one topmost span without calls."""
    tree = forest.tree(orphan)
    start = min(node.span.start_ns for node in tree)
    end = max(node.span.end_ns for node in tree)
    for cover in covers:
        around = cover.around(start, end)
        if around:
            return around[0] if len(around) == 1 else None
    return None


class _Cover:
    """Answers which spans contain an interval, in logarithmic time, as far as two of them."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        placed = sorted(nodes, key=lambda node: node.place)
        self._starts = [node.span.start_ns for node in placed]
        self._latest: list[list[Node]] = []
        latest: list[Node] = []
        for node in placed:
            latest = sorted([*latest, node], key=lambda kept: kept.finish)[-2:]
            self._latest.append(latest)

    def around(self, start_ns: int, end_ns: int) -> list[Node]:
        """Those that contain the interval, two at most."""
        known = bisect_right(self._starts, start_ns)
        latest = self._latest[known - 1] if known else []
        return [node for node in latest if node.span.end_ns >= end_ns]
