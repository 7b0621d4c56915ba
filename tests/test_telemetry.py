"""The catalogue of families."""

import re

import pytest

from ragmon.metrics.registry import build
from ragmon.telemetry import FAMILIES, Family, FamilyType, Room, families_of, find

ALL = (*FAMILIES, *families_of(build().metrics))


def families(*types: FamilyType) -> list[Family]:
    """The families of these types."""
    return [family for family in ALL if family.type in types]


def test_no_series_belongs_to_two_families() -> None:
    """Each series name, with the ones OpenMetrics may add, stands in one family only."""
    names = [
        name
        for family in ALL
        for name in {family.name, family.name.removesuffix("_total"), *family.series}
    ]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_names_follow_the_conventions(family: Family) -> None:
    """Base units, `_total` on counters only, `_info` on infos only, a sentence of help."""
    assert re.fullmatch(r"ragmon_[a-z_]+", family.name)
    assert not re.search(r"_(ms|milliseconds|percent|histogram|counter|gauge)(_|$)", family.name)
    assert family.name.endswith("_total") == (family.type is FamilyType.COUNTER)
    assert family.name.endswith("_info") == (family.type is FamilyType.INFO)
    assert family.help.endswith(".")


@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_labels_are_ours(family: Family) -> None:
    """No label that Prometheus gives itself, no content, no id; closed sets name our labels."""
    banned = {"job", "instance", "le", "quantile", "query", "user", "session", "trace_id"}
    assert not banned & set(family.labels)
    assert set(family.closed) <= set(family.labels)
    assert all(values for values in family.closed.values())


@pytest.mark.parametrize("family", families(FamilyType.HISTOGRAM), ids=lambda one: one.name)
def test_buckets_rise(family: Family) -> None:
    """Bounds are ascending, finite and not negative, else the sum would be left out."""
    bounds = list(family.buckets)
    assert bounds == sorted(set(bounds))
    assert all(0 <= bound < float("inf") for bound in bounds)


def test_only_scores_bring_their_own_buckets() -> None:
    """Every other histogram family has one layout."""
    own = [one.name for one in families(FamilyType.HISTOGRAM) if not one.buckets]
    assert own == ["ragmon_score"]


def test_errors_are_collected_last() -> None:
    """A collector's fault shows in the scrape that met it."""
    assert FAMILIES[-1] is find("ragmon_processor_errors_total")
    assert FAMILIES[-1].closed == {"stage": tuple(map(str, Room))}
