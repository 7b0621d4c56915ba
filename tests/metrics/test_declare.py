"""Declaring metrics, the registry, and what derives from a declaration."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ragmon.metrics.buckets import BINARY, COUNT, HIGHER, LOWER
from ragmon.metrics.declare import stage
from ragmon.metrics.inputs import INPUTS
from ragmon.metrics.registry import Registry, build
from ragmon.metrics.spec import Better, MetricSpec, Needs, Scope, Unit
from ragmon.model.measurement import Slot
from ragmon.model.record import Stage

REGISTRY = build((10, 1, 5, 5))
REQUEST_SPECS = [spec for _, spec in REGISTRY.places[Scope.REQUEST]]


def test_the_layout_is_stages_then_declarations_then_cuts() -> None:
    """The places of values do not depend on anything but the declarations and k."""
    stages = [spec.stage for spec in REGISTRY.metrics]
    assert sorted(stages, key=list(Stage).index) == stages
    assert [Slot("retrieval", "precision_at_k", k, 1) for k in (1, 5, 10)] == list(
        REGISTRY.layout[:3]
    )
    assert len(set(REGISTRY.layout)) == len(REGISTRY.layout)
    assert REGISTRY.layout == build((1, 5, 10)).layout
    assert {str} == {type(slot.stage) for slot in REGISTRY.layout}


def test_the_first_set_is_complete() -> None:
    """The metrics of the first set, by their keys."""
    expected = {
        *("retrieval.precision_at_k", "retrieval.recall_at_k", "retrieval.mrr_at_k"),
        *("retrieval.ndcg_at_k", "retrieval.hit_at_k", "retrieval.latency_ms"),
        *("reranking.candidate_set_preservation_rate", "augmentation.duplicate_ratio_text"),
        *("augmentation.budget_compliant", "generation.context_grounding"),
        *("generation.unsupported_number_rate", "generation.latency_ms"),
        *("generation.unsupported_number_rate_with_question", "generation.answer_f1"),
        *("generation.exact_match", "end_to_end.latency_ms", "end_to_end.cost_usd"),
        "end_to_end.total_tokens",
    }
    assert expected <= {spec.key for spec in REGISTRY.metrics}


def test_a_metric_is_found_by_slot_and_by_key() -> None:
    """Slots and keys lead to the one declaration."""
    for slot, spec in zip(REGISTRY.layout, REQUEST_SPECS, strict=True):
        assert spec is REGISTRY.spec(slot)
        assert spec is REGISTRY.find(slot.key)
        assert spec.takes_k == (slot.k is not None)
    assert REGISTRY.find("retrieval.unheard_of") is None
    with pytest.raises(KeyError):
        REGISTRY.spec(Slot("retrieval", "unheard_of", None, 1))


@pytest.mark.parametrize("k", [(), (0,), (5, -1)])
def test_impossible_cuts_are_refused(k: tuple[int, ...]) -> None:
    """A registry has at least one cut-off, and none below 1."""
    with pytest.raises(ValueError, match="must hold one or more cut-offs, each 1 or more"):
        build(k)


def test_needs_follow_from_the_inputs() -> None:
    """A metric needs gold exactly where one of its inputs comes from labels."""
    for spec in REGISTRY.metrics:
        needs = {INPUTS[spec.scope][name].needs for name in spec.inputs}
        assert (spec.needs is Needs.GOLD) == (Needs.GOLD in needs)


def test_every_input_is_used() -> None:
    """No input waits for a metric."""
    used = {(spec.scope, name) for spec in REGISTRY.metrics for name in spec.inputs}
    assert {(scope, name) for scope, names in INPUTS.items() for name in names} == used


def _plain(latency_s: float) -> float:
    return latency_s


def _misspelled(retreived_ids: tuple[str, ...]) -> float:
    return len(retreived_ids)


def _unheard_of(zzz: float) -> float:
    return zzz


def _keyword_only(*, latency_s: float) -> float:
    return latency_s


def _any_number(*latency_s: float) -> float:
    return sum(latency_s)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            _misspelled,
            "unknown input 'retreived_ids' in retrieval._misspelled; did you mean 'retrieved_ids'?",
        ),
        (_unheard_of, "unknown input 'zzz' in retrieval._unheard_of; known are query, answer"),
        (_keyword_only, "'latency_s' in retrieval._keyword_only cannot be an input"),
        (_any_number, "'latency_s' in retrieval._any_number cannot be an input"),
    ],
)
def test_a_wrong_declaration_names_the_fault(function: Callable[..., float], message: str) -> None:
    """A parameter that is no input fails at declaration, naming the nearest."""
    metric = stage("retrieval")
    with pytest.raises(ValueError, match=re.escape(message)):
        metric(unit=Unit.RATIO, better=Better.HIGHER)(function)
    assert () == metric.specs


def test_a_name_is_declared_once() -> None:
    """A second metric of one name in one stage is refused."""
    metric = stage("generation")
    metric(unit=Unit.RATIO, better=Better.HIGHER)(_plain)
    with pytest.raises(ValueError, match=r"generation\._plain is declared twice"):
        metric(unit=Unit.RATIO, better=Better.HIGHER)(_plain)


def test_a_registry_holds_a_key_once() -> None:
    """Two modules of one stage may not declare the same name."""
    first = REGISTRY.metrics[0]
    with pytest.raises(ValueError, match="two metrics have one key"):
        Registry([first, first], (5,))


def test_a_stage_is_one_of_the_seven() -> None:
    """Metrics belong to the stages that the field knows."""
    with pytest.raises(ValueError, match="'retreival' is not a valid Stage"):
        stage("retreival")


def test_a_metric_without_docstring_shows_its_key() -> None:
    """Where Python strips docstrings the key is the help text."""
    metric = stage("generation")
    assert _plain is metric(unit=Unit.TOKENS, better=Better.NONE, version=2)(_plain)
    (spec,) = metric.specs
    assert ("generation._plain", "generation._plain", "", 2) == (
        spec.summary,
        spec.doc,
        spec.source,
        spec.version,
    )


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("generation.context_grounding", HIGHER),
        ("generation.unsupported_number_rate", LOWER),
        ("generation.exact_match", BINARY),
        ("retrieval.result_count", COUNT),
        ("reranking.ndcg_gain", ()),
        ("end_to_end.latency_ms", ()),
        ("end_to_end.cost_usd", ()),
        ("end_to_end.total_tokens", ()),
    ],
)
def test_buckets_follow_unit_and_direction(key: str, expected: tuple[float, ...]) -> None:
    """Each unit has its buckets; ratios have them dense where the trouble is."""
    spec = REGISTRY.find(key)
    assert spec is not None
    assert expected == spec.buckets
    assert sorted(set(expected)) == list(expected)


def _by_key() -> Mapping[str, MetricSpec]:
    return {spec.key: spec for spec in REGISTRY.metrics}


@pytest.mark.parametrize("key", sorted(_by_key()))
def test_a_docstring_has_its_fixed_parts(key: str) -> None:
    """Help text, every input, k, result with its None, source and a worked example."""
    spec = _by_key()[key]
    parameters = [*spec.inputs, *(["k"] if spec.takes_k else [])]
    assert len(spec.summary) <= 80
    assert spec.summary.endswith(".")
    for part in (*parameters, "Returns", "Source"):
        assert re.search(rf"^{part}: +\S", spec.doc, re.MULTILINE), part
    returns = re.search(r"^Returns:(.+?)^Source:", spec.doc, re.MULTILINE | re.DOTALL)
    assert returns is not None
    assert "None" in returns[1]
    assert spec.source
    assert f">>> {spec.name}(" in spec.doc or f"({spec.name}(" in spec.doc


def test_ratios_and_binaries_state_their_range() -> None:
    """The docstring says in which range a value lies, as its unit does."""
    stated: dict[Unit, Any] = {
        Unit.RATIO: "ratio in [0, 1",
        Unit.BINARY: "0 or 1",
        Unit.COUNT: "count >= 0",
    }
    for spec in REGISTRY.metrics:
        assert stated.get(spec.unit, "") in spec.doc, spec.key
