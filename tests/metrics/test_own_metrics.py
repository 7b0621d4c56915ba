"""A user's own metrics: found by module or entry point, shown everywhere, costing nobody."""

import sys
from pathlib import Path

import pytest

from ragmon.errors import ConfigError
from ragmon.export.exporter import Exporter
from ragmon.generate.docs import metrics_page
from ragmon.generate.quality import quality
from ragmon.metrics.measure import measure
from ragmon.metrics.own import load_registry
from ragmon.metrics.registry import build
from ragmon.model.gold import Gold
from ragmon.model.measurement import Kind, NotMeasured
from ragmon.model.record import Outcome, RequestRecord
from ragmon.model.result import Fresh, RequestKey
from ragmon.telemetry import families_of
from ragmon.text import Text

MODULE = '''
"""Metrics of a shop."""
from ragmon.metrics import Better, Text, Unit, stage

metric = stage("generation")


@metric(unit=Unit.RATIO, better=Better.HIGHER)
def politeness(answer: Text) -> float | None:
    """Share of the answer's words that are please or thanks."""
    polite = sum(word in ("please", "thanks") for word in answer.words)
    return polite / len(answer.words) if answer.words else None


@metric(unit=Unit.MILLISECONDS, better=Better.LOWER)
def reading_time_ms(answer: Text) -> float:
    """How long it takes to read the answer."""
    return 250.0 * len(answer.words)


@metric(unit=Unit.COUNT, better=Better.NONE)
def broken(answer: Text) -> float:
    """A metric that raises."""
    raise RuntimeError(answer.raw)
'''
RECORD = RequestRecord(
    trace_id="1" * 32,
    span_id="2" * 16,
    span_ids=(),
    dialect="ragmon",
    pipeline="shop",
    event_ns=0,
    outcome=Outcome.ANSWERED,
    answer=Text("Thanks, it is 10."),
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an importable module of own metrics."""
    (tmp_path / "shop_metrics.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "shop_metrics", raising=False)
    return "shop_metrics"


def test_an_own_metric_is_measured_beside_all_others(module: str) -> None:
    """Declared in a module of the configuration, it has a place of its own."""
    registry = load_registry((5,), [module])
    measured = measure(RECORD, Gold(), registry)
    values = dict(zip([slot.key for slot in registry.layout], measured, strict=True))
    assert 0.25 == values["generation.politeness"]
    assert 1000.0 == values["generation.reading_time_ms"]


def test_an_own_metric_that_raises_costs_no_other(module: str) -> None:
    """It is counted as failed, with the class of its error and none of its words."""
    registry = load_registry((5,), [module])
    ours = dict(zip(registry.layout, measure(RECORD, Gold(), registry), strict=True))
    plain = build((5,))
    alone = dict(zip(plain.layout, measure(RECORD, Gold(), plain), strict=True))
    broken = next(slot for slot in ours if slot.metric == "broken")
    assert NotMeasured(Kind.FAILED, "RuntimeError") == ours[broken]
    assert alone == {slot: ours[slot] for slot in alone}


def test_an_own_metric_is_in_docs_dashboards_and_families(module: str) -> None:
    """With no other change than its declaration."""
    registry = load_registry((5,), [module])
    assert "generation.politeness" in metrics_page(registry)
    queries = str(quality(registry).rows)
    assert "politeness" in queries
    assert "ragmon_generation_reading_time_seconds_sum" in queries
    families = {family.name for family in families_of(registry.metrics)}
    assert {"ragmon_generation_reading_time_seconds", "ragmon_generation_broken"} <= families


def test_an_own_metric_is_in_the_answer_to_a_scrape(module: str) -> None:
    """A ratio is a score; milliseconds are a histogram of seconds."""
    registry = load_registry((5,), [module])
    exporter = Exporter(registry, (), 900.0, 50, "1.0")
    scores = [
        (slot, value)
        for slot, value in zip(registry.layout, measure(RECORD, Gold(), registry), strict=True)
        if not isinstance(value, NotMeasured)
    ]
    key = RequestKey(RECORD.trace_id, RECORD.span_id)
    exporter.observe(Fresh(key, "shop", None, 0, 0, None, first=True, scores=tuple(scores)))
    lines = exporter.exposition().body.decode().splitlines()
    assert 'ragmon_generation_reading_time_seconds_sum{pipeline="shop"} 1.0' in lines
    name = 'ragmon_score_sum{metric="politeness",pipeline="shop",stage="generation"}'
    assert f"{name} 0.25" in lines


def test_an_installed_package_adds_its_metrics(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry point of the group ragmon.metrics names the module."""
    package = tmp_path / "shop-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[ragmon.metrics]\nshop = {module}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert load_registry().find("generation.politeness") is not None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "'faulty_metrics' declares no metric"),
        ("1 / 0", "'faulty_metrics' cannot be imported: ZeroDivisionError"),
        (MODULE.replace("politeness", "answer_f1"), "generation.answer_f1 of faulty_metrics"),
        (MODULE.replace("(answer:", "(anwser:"), "did you mean 'answer'?"),
    ],
)
def test_a_module_that_cannot_be_used_is_named(
    text: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every fault is a line of one configuration error."""
    (tmp_path / "faulty_metrics.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "faulty_metrics", raising=False)
    with pytest.raises(ConfigError) as caught:
        load_registry((5,), ["faulty_metrics", "no_such_metrics"])
    assert any(fault in line for line in caught.value.faults)
    assert any("'no_such_metrics' cannot be imported" in line for line in caught.value.faults)
