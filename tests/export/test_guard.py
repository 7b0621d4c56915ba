"""Labels that senders can fill."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from ragmon.export.guard import LabelGuard
from ragmon.model.objective import Objective
from ragmon.model.record import Outcome
from ragmon.model.result import Observation

Make = Callable[..., Any]
ANSWERED = {"observations": ((Observation("outcome"), str(Outcome.ANSWERED)),)}


def guard(bound: int, *declared: str) -> tuple[LabelGuard, list[None]]:
    """A guard, and a list that grows with each overflow."""
    overflows: list[None] = []
    return LabelGuard("model", bound, lambda: overflows.append(None), declared), overflows


def test_declared_values_come_first_then_first_come() -> None:
    """A value past the bound is `other`; one that was let through stays."""
    one, overflows = guard(2, "declared")
    shown = [one.value(raw) for raw in ("first", "second", "declared", "first", "third")]
    assert shown == ["first", "other", "declared", "first", "other"]
    assert len(overflows) == 2


def test_declared_values_may_pass_the_bound() -> None:
    """What the operator named has series of its own in any case."""
    one, overflows = guard(1, "a", "b")
    assert [one.value(raw) for raw in ("a", "b", "c")] == ["a", "b", "other"]
    assert len(overflows) == 1


@pytest.mark.parametrize("raw", ["x" * 129, "two\nlines", "\ud800", "\x00"])
def test_what_cannot_be_a_label_is_other(raw: str) -> None:
    """Long, unprintable and undecodable values take no place of another."""
    one, _ = guard(1)
    assert [one.value(raw), one.value("good")] == ["other", "good"]


def test_an_empty_value_is_unknown() -> None:
    """Prometheus reads an empty label as absent."""
    one, overflows = guard(1)
    assert (one.value(""), overflows) == ("unknown", [])


def test_the_bound_is_logged_once_without_the_value(caplog: pytest.LogCaptureFixture) -> None:
    """A label at its bound is said once; what the sender wrote is not."""
    one, _ = guard(0)
    with caplog.at_level(logging.WARNING, "ragmon.export"):
        for raw in ("secret-a", "secret-b"):
            one.value(raw)
    assert caplog.messages == ["label model is at its bound; the rest is counted as other"]


def test_pipelines_are_bounded_and_configured_ones_stay(
    bench: Make, promise: Callable[..., Objective], fresh: Make
) -> None:
    """However many pipelines a sender invents, the series are bounded and the rest counted."""
    desk = bench(promise(), max_pipelines=3)
    for name in ("a", "b", "c", "d", "demo"):
        desk.exporter.observe(fresh(name, **ANSWERED))
    counted = {
        dict(labels)["pipeline"]: value
        for labels, value in desk.read("ragmon_requests_total").items()
        if dict(labels)["outcome"] == "answered"
    }
    assert counted == {"demo": 1, "a": 1, "b": 1, "other": 2}
    assert desk.value("ragmon_processor_label_overflow_total", label="pipeline") == 2


@pytest.mark.parametrize(
    ("family", "counter", "label"),
    [
        ("cost", "ragmon_cost_usd_total", "model"),
        ("stage_error", "ragmon_stage_errors_total", "error_type"),
    ],
)
def test_models_and_error_types_are_bounded(
    bench: Make, fresh: Make, family: str, counter: str, label: str
) -> None:
    """A sender cannot make a series per request."""
    desk = bench()
    for number in range(200):
        name = Observation(family, f"n{number}" if family == "cost" else "retrieval", f"n{number}")
        desk.exporter.observe(fresh(observations=((name, 1.0),)))
    assert len(desk.read(counter)) == 51
    assert sum(desk.read(counter).values()) == 200
    assert desk.value("ragmon_processor_label_overflow_total", label=label) == 150
