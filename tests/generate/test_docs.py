"""docs/metrics.md: every metric and every family, and where a value shows up."""

import pytest

from ragmon import telemetry
from ragmon.generate.docs import exposed_as, metrics_page
from ragmon.metrics.registry import Registry


@pytest.fixture(scope="module")
def page(registry: Registry) -> str:
    return metrics_page(registry)


def test_every_metric_has_a_row_and_its_details(registry: Registry, page: str) -> None:
    """Key, first line, formula: the docstring is the only source."""
    for spec in registry.metrics:
        [row] = [line for line in page.splitlines() if line.startswith(f"| [`{spec.key}`]")]
        assert f"| {spec.summary} | {spec.unit} |" in row
        details = page.split(f"### {spec.key}\n")[1].split("\n#", maxsplit=1)[0]
        assert "Source:" in details
        assert ">>>" not in details


def test_every_family_has_a_row(registry: Registry, page: str) -> None:
    """All of the catalogue is listed, closed labels with their values."""
    for family in (*telemetry.FAMILIES, *telemetry.families_of(registry.metrics)):
        assert f"| `{family.name}` | {family.type} | " in page
    assert "`outcome` (answered / abstained / error / unknown)" in page


def test_a_value_shows_up_in_a_family_of_the_catalogue(registry: Registry) -> None:
    """The series that the page names exists, with the labels that it names."""
    for spec in registry.metrics:
        name, _, matchers = exposed_as(spec).partition("{")
        labels = [part.split("=")[0] for part in matchers.rstrip("}").split(",") if part]
        family = telemetry.family_of(spec) or telemetry.find(name)
        assert family.name == name
        assert set(labels) <= set(family.labels)


def test_what_no_span_carries_is_offline_only(registry: Registry, page: str) -> None:
    """Metadata, vectors of sentences and chunks, queries of an index: no series has them."""
    told = {
        spec.key
        for spec in registry.metrics
        for line in page.splitlines()
        if line.startswith(f"| [`{spec.key}`]") and line.endswith("| offline only |")
    }
    chunking = "metadata_completeness metadata_accuracy semantic_cohesion"
    chunking += " semantic_boundary_clarity semantic_chunk_stickiness"
    embedding = "query_topk_recall ann_recall_at_k positive_similarity negative_similarity"
    embedding += " similarity_margin"
    assert told == {
        *(f"chunking.{name}" for name in chunking.split()),
        *(f"embedding.{name}" for name in embedding.split()),
    }


def test_only_metrics_with_a_cut_off_have_the_label_k(registry: Registry) -> None:
    """`k` stands where the metric takes one."""
    for spec in registry.metrics:
        assert (',k="' in exposed_as(spec)) == spec.takes_k


def test_a_bar_in_a_text_breaks_no_table(page: str) -> None:
    """Every row of a table has the cells of its heading."""
    for table in page.split("\n\n"):
        lines = [line.replace("\\|", "") for line in table.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) <= 1
