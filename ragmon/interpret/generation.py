"""The model calls of a request: the one that answered, and what all of them used."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from ragmon.interpret.meaning import Role, SpanMeaning
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node, contains, innermost
from ragmon.model.record import ModelUsage

_USES: Final[tuple[Callable[[SpanMeaning], float | None], ...]] = (
    lambda meaning: meaning.input_tokens,
    lambda meaning: meaning.output_tokens,
    lambda meaning: meaning.cost_usd,
)


def answering_line(scope: Scope) -> list[Node]:
    """The leaf model call that ended last, and the model calls around it, inner ones first."""
    calls = scope.roles[Role.GENERATION]
    if not calls:
        return []
    leaf = max(innermost(calls), key=lambda node: node.finish)
    return [node for node in reversed(calls) if contains(node, leaf)]


class _Use(NamedTuple):
    model: str | None
    use: int
    amount: float


def usage(scope: Scope) -> tuple[ModelUsage, ...]:
    """Tokens and cost per model, in order of the calls.

    Model calls nest, and an outer one repeats what the inner ones used: each value is
    taken from the innermost spans that carry it.
    """
    nodes = [
        node for node in scope.nodes if node.meaning.role is Role.GENERATION or node is scope.root
    ]
    sums: dict[str | None, list[float | None]] = {}
    for use in sorted(_uses(nodes), key=lambda found: found[0]):
        _, (model, column, amount) = use
        row = sums.setdefault(model, [None, None, None])
        row[column] = amount + (row[column] or 0)
    return tuple([_row(model, *row) for model, row in sums.items()])


def _row(
    model: str | None, sent: float | None, received: float | None, cost: float | None
) -> ModelUsage:
    return ModelUsage(model, _whole(sent), _whole(received), cost)


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)


def _uses(nodes: Sequence[Node]) -> Iterator[tuple[int, _Use]]:
    enclosing = _enclosing(nodes)
    for column, read in enumerate(_USES):
        after: int | None = None
        for index in range(len(nodes) - 1, -1, -1):
            amount = read(nodes[index].meaning)
            if amount is None:
                continue
            if after is None or after > nodes[index].last:
                yield nodes[index].first, _Use(_model(nodes, index, enclosing), column, amount)
            after = nodes[index].first


def _enclosing(nodes: Sequence[Node]) -> list[int]:
    """Per node the index of the nearest of these nodes around it, -1 where there is none."""
    enclosing: list[int] = []
    for index, node in enumerate(nodes):
        around = index - 1
        while around >= 0 and nodes[around].last < node.first:
            around = enclosing[around]
        enclosing.append(around)
    return enclosing


def _model(nodes: Sequence[Node], index: int, enclosing: Sequence[int]) -> str | None:
    """The model of a call: as the innermost call inside it says, else it, else one around it."""
    node = nodes[index]
    inner = index
    while inner + 1 < len(nodes) and nodes[inner + 1].first <= node.last:
        inner += 1
    for inside in range(inner, index - 1, -1):
        if nodes[inside].meaning.model is not None:
            return nodes[inside].meaning.model
    around = enclosing[index]
    while around >= 0 and nodes[around].meaning.model is None:
        around = enclosing[around]
    return nodes[around].meaning.model if around >= 0 else None
