"""What ragmon counts about itself."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from ragmon.model.flow import DropReason, LabelOutcome, Refusal, ReleaseReason, Unmatched
from ragmon.telemetry import FAMILIES, FamilyType, Room, SettledWhen, Transport

Make = Callable[..., Any]


def test_every_counter_of_the_processor_starts_at_zero(bench: Make) -> None:
    """Their label sets are closed, so no first increment is lost."""
    desk = bench()
    for family in FAMILIES:
        if family.type is FamilyType.COUNTER and family.labels == tuple(family.closed):
            combinations = len(list(product(*family.closed.values())))
            assert list(desk.read(family.name).values()) == [0.0] * combinations


@pytest.mark.parametrize(
    ("count", "name", "labels", "value"),
    [
        (lambda one: one.received(Transport.GRPC, 3), "spans_received", {"transport": "grpc"}, 3),
        (
            lambda one: one.refused(Refusal.OVERLOADED),
            "bodies_refused",
            {"reason": "overloaded"},
            1,
        ),
        (lambda one: one.replayed(4), "spans_replayed", {}, 4),
        (lambda one: one.duplicate(5), "spans_duplicate", {}, 5),
        (lambda one: one.settled(SettledWhen.LATE, 6), "spans_settled", {"when": "late"}, 6),
        (
            lambda one: one.dropped(DropReason.EXPIRED, 7),
            "spans_dropped",
            {"reason": "expired"},
            7,
        ),
        (
            lambda one: one.released(ReleaseReason.IDLE, 60.5),
            "traces_released",
            {"reason": "idle"},
            1,
        ),
        (lambda one: one.error(Room.STORE), "errors", {"stage": "store"}, 1),
        (lambda one: one.clock_fault("future"), "clock_faults", {"kind": "future"}, 1),
    ],
)
def test_each_event_moves_its_counter(
    bench: Make, count: Callable[[Any], None], name: str, labels: dict[str, str], value: float
) -> None:
    """One call, one counter."""
    desk = bench()
    count(desk.exporter)
    assert desk.value(f"ragmon_processor_{name}_total", **labels) == value


def test_lags_and_durations_are_histograms(bench: Make) -> None:
    """Seconds go to buckets; what is no finite number is an error."""
    desk = bench()
    desk.exporter.released(ReleaseReason.IDLE, 60.5)
    desk.exporter.settle_duration(0.02)
    desk.exporter.settle_duration(float("nan"))
    assert desk.value("ragmon_processor_release_lag_seconds_sum") == 60.5
    assert desk.value("ragmon_processor_settle_duration_seconds_sum") == 0.02
    assert desk.value("ragmon_processor_errors_total", stage="export") == 1


def test_labels_are_counted_by_outcome(bench: Make) -> None:
    """A batch of labels counts by what became of each."""
    desk = bench()
    desk.exporter.label(LabelOutcome.ACCEPTED, 3)
    assert desk.value("ragmon_labels_total", outcome="accepted") == 3


def test_waiting_labels_have_an_age_only_while_one_waits(bench: Make) -> None:
    """The number is 0 then, the age is absent."""
    desk = bench()
    desk.exporter.set_unmatched(Unmatched(2, 1_000_000_000), now_ns=61_000_000_000)
    assert desk.value("ragmon_labels_unmatched") == 2
    assert desk.value("ragmon_labels_unmatched_oldest_seconds") == 60
    desk.exporter.set_unmatched(Unmatched(0, None), now_ns=61_000_000_000)
    assert desk.value("ragmon_labels_unmatched") == 0
    assert desk.value("ragmon_labels_unmatched_oldest_seconds") is None


def test_a_watched_gauge_is_read_at_each_scrape(bench: Make) -> None:
    """It shows what the callable says now; None leaves it out."""
    desk = bench()
    readings = iter([5.0, None, 7.0])
    desk.exporter.watch("ragmon_processor_open_traces", lambda: next(readings))
    shown = [desk.value("ragmon_processor_open_traces") for _ in range(3)]
    assert shown == [5.0, None, 7.0]


def _raise() -> float:
    raise OSError("the disk is gone")


@pytest.mark.parametrize("read", [_raise, lambda: float("nan"), lambda: "many"])
def test_a_gauge_that_cannot_be_read_is_counted_and_left_out(
    bench: Make, read: Callable[[], float]
) -> None:
    """The others stay."""
    desk = bench()
    desk.exporter.watch("ragmon_processor_inbox_bytes", read)
    desk.exporter.watch("ragmon_processor_open_bytes", lambda: 1)
    text = desk.exporter.exposition().body.decode()
    assert "ragmon_processor_inbox_bytes" not in text
    assert "ragmon_processor_open_bytes 1.0" in text
    assert 'ragmon_processor_errors_total{stage="export"} 1.0' in text


def test_only_declared_gauges_can_be_watched(bench: Make) -> None:
    """A name that is not in the catalogue is a fault at the start."""
    with pytest.raises(ValueError, match="did you mean 'ragmon_processor_open_spans'"):
        bench().exporter.watch("ragmon_processor_open_span", lambda: 1)
