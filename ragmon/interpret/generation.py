"""The model calls of a request: the one that answered, and what all of them used."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias

from ragmon.interpret.meaning import Role, SpanMeaning
from ragmon.interpret.scope import Scope
from ragmon.interpret.tree import Node, contains, innermost
from ragmon.model.record import ModelUsage

_Amounts: TypeAlias = tuple[int | None, int | None, float | None]

_NO_AMOUNTS: Final[_Amounts] = (None, None, None)


def answering_line(scope: Scope) -> list[Node]:
    """The leaf model call that ended last, and the model calls around it, inner ones first."""
    calls = scope.of(Role.GENERATION)
    if not calls:
        return []
    leaf = max(innermost(calls), key=lambda node: node.finish)
    return [node for node in reversed(calls) if contains(node, leaf)]


def usage(scope: Scope) -> tuple[ModelUsage, ...]:
    """Tokens and cost per model, in order of the calls.

    Model calls nest, and an outer one repeats what the inner ones used: each value is
    taken from the innermost spans that carry it. What a call may have lost is not known of
    the others either: a sum of the rest would pass for the whole.
    """
    nodes = [*scope.of(Role.GENERATION), *scope.request]
    nodes.sort(key=lambda node: node.first)
    carriers = [(index, _amounts(node.meaning)) for index, node in enumerate(nodes)]
    carriers = [(index, amounts) for index, amounts in carriers if amounts != _NO_AMOUNTS]
    if not carriers:
        return ()
    own = _without_lost(_own_amounts(nodes, carriers), nodes, scope.of(Role.GENERATION))
    around = _models_around(nodes)
    sums: dict[str | None, list[float | None]] = {}
    for index, amounts in own:
        row = sums.setdefault(_model(nodes, index, around[index]), [None, None, None])
        row[:] = map(_plus, row, amounts)
    return tuple([_row(model, *row) for model, row in sums.items()])


def _amounts(meaning: SpanMeaning) -> _Amounts:
    return meaning.input_tokens, meaning.output_tokens, meaning.cost_usd


def _own_amounts(
    nodes: Sequence[Node], carriers: Sequence[tuple[int, _Amounts]]
) -> list[tuple[int, Sequence[float | None]]]:
    """What each carrier used beyond what the calls inside it tell of."""
    after: list[int | None] = [None, None, None]
    own: list[tuple[int, Sequence[float | None]]] = []
    for index, amounts in reversed(carriers):
        node = nodes[index]
        kept = [
            amount if inner is None or inner > node.last else None
            for amount, inner in zip(amounts, after, strict=True)
        ]
        after = [
            inner if amount is None else node.first
            for amount, inner in zip(amounts, after, strict=True)
        ]
        own.append((index, kept))
    return [(index, kept) for index, kept in reversed(own) if any(map(_is_known, kept))]


def _without_lost(
    own: list[tuple[int, Sequence[float | None]]], nodes: Sequence[Node], calls: Sequence[Node]
) -> list[tuple[int, Sequence[float | None]]]:
    """The amounts but those of a kind that a call which lost attributes has not."""
    torn = [call for call in innermost(calls) if call.span.dropped]
    if not torn:
        return own
    carriers = [[nodes[index] for index, kept in own if _is_known(kept[kind])] for kind in range(3)]
    whole = [all(_told(call, of_kind) for call in torn) for of_kind in carriers]
    left = [
        (index, [amount if known else None for amount, known in zip(kept, whole, strict=True)])
        for index, kept in own
    ]
    return [(index, kept) for index, kept in left if any(map(_is_known, kept))]


def _told(call: Node, carriers: Sequence[Node]) -> bool:
    """Whether a call lies inside one of some disjoint spans, given in order, or is one."""
    before = bisect_right(carriers, call.first, key=lambda node: node.first)
    return before > 0 and contains(carriers[before - 1], call)


def _is_known(amount: float | None) -> bool:
    return amount is not None


def _plus(total: float | None, amount: float | None) -> float | None:
    return total if amount is None else amount + (total or 0)


def _row(
    model: str | None, sent: float | None, received: float | None, cost: float | None
) -> ModelUsage:
    return ModelUsage(model, _whole(sent), _whole(received), cost)


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)


def _enclosing(nodes: Sequence[Node]) -> list[int]:
    """Per node the index of the nearest of these nodes around it, -1 where there is none."""
    enclosing: list[int] = []
    for index, node in enumerate(nodes):
        around = index - 1
        while around >= 0 and nodes[around].last < node.first:
            around = enclosing[around]
        enclosing.append(around)
    return enclosing


def _models_around(nodes: Sequence[Node]) -> list[str | None]:
    """Per node the model of the nearest of these nodes around it that names one."""
    around: list[str | None] = []
    for outer in _enclosing(nodes):
        own = nodes[outer].meaning.model if outer >= 0 else None
        around.append(around[outer] if own is None and outer >= 0 else own)
    return around


def _model(nodes: Sequence[Node], index: int, around: str | None) -> str | None:
    """The model of a call: as the innermost call inside it says, else it, else one around it."""
    node = nodes[index]
    inner = index
    while inner + 1 < len(nodes) and nodes[inner + 1].first <= node.last:
        inner += 1
    for inside in range(inner, index - 1, -1):
        if nodes[inside].meaning.model is not None:
            return nodes[inside].meaning.model
    return around
