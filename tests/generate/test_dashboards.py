"""The frame of every dashboard: grid, ids, variables, units, what grey means."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ragmon.generate.dashboards import dashboards
from ragmon.generate.overview import HIGHER_IS_BETTER, LOWER_IS_BETTER, overview
from ragmon.metrics import registry as metrics_registry
from ragmon.metrics.registry import Registry
from ragmon.metrics.spec import Better

Document = dict[str, Any]


def _graphs(document: Document) -> Iterator[Document]:
    return (panel for panel in document["panels"] if panel["type"] not in ("row", "text"))


def _cells(place: dict[str, int]) -> set[tuple[int, int]]:
    columns = range(place["x"], place["x"] + place["w"])
    lines = range(place["y"], place["y"] + place["h"])
    return set(itertools.product(columns, lines))


def test_panels_neither_overlap_nor_leave_the_grid(documents: dict[str, Document]) -> None:
    """Every cell of the 24 columns belongs to one panel at most."""
    for document in documents.values():
        cells = [cell for panel in document["panels"] for cell in _cells(panel["gridPos"])]
        assert len(set(cells)) == len(cells)
        assert max(column for column, _ in cells) < 24


def test_panel_ids_are_unique_and_tied_to_their_row(documents: dict[str, Document]) -> None:
    """A panel's id is a hundred per row and its position in it, so links stay right."""
    for document in documents.values():
        ids = [panel["id"] for panel in document["panels"]]
        assert len(set(ids)) == len(ids)
        rows = [panel["id"] for panel in document["panels"] if panel["type"] == "row"]
        assert all(row % 100 == 0 for row in rows)
        assert {identity - identity % 100 for identity in ids} == set(rows)


def test_every_panel_says_what_it_shows(documents: dict[str, Document]) -> None:
    """Title and description everywhere, a unit and a query on every graph."""
    for document in documents.values():
        for panel in document["panels"]:
            assert panel["title"]
            assert panel["type"] == "row" or panel["description"]
        for graph in _graphs(document):
            assert graph["fieldConfig"]["defaults"]["unit"]
            assert graph["targets"]


def test_the_data_source_is_always_the_chosen_one(documents: dict[str, Document]) -> None:
    """No panel, query, variable or annotation names a data source of its own."""
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    for document in documents.values():
        sources = [
            *(panel["datasource"] for panel in _graphs(document)),
            *(target["datasource"] for panel in _graphs(document) for target in panel["targets"]),
            *(annotation["datasource"] for annotation in document["annotations"]["list"]),
            *(choice["datasource"] for choice in _choices(document)),
        ]
        assert all(source == chosen for source in sources)
        assert "__inputs" not in document


def _choices(document: Document) -> list[Document]:
    return [choice for choice in document["templating"]["list"] if choice["type"] == "query"]


def test_jobs_and_pipelines_are_chosen_among_what_is_there(
    documents: dict[str, Document],
) -> None:
    """Variables hold many values, all by default, and follow the time range."""
    for document in documents.values():
        names = [variable["name"] for variable in document["templating"]["list"]]
        assert names == ["datasource", "job", "pipeline"]
        assert document["templating"]["list"][0]["label"] == "Data source"
        for choice in _choices(document):
            assert (choice["multi"], choice["refresh"]) == (True, 2)
            assert choice["current"]["value"] == ["$__all"]


def test_canaries_are_no_choice_and_no_part_of_all(documents: dict[str, Document]) -> None:
    """All of the jobs is any job; all of the pipelines are those that are offered."""
    for document in documents.values():
        job, pipeline = _choices(document)
        assert (job["allValue"], job["regex"]) == (".+", "")
        assert ("allValue" not in pipeline, pipeline["regex"]) == (True, "/^(?!canary:).*/")


def test_every_query_is_for_the_chosen_job(documents: dict[str, Document]) -> None:
    """A dashboard of one job never shows another's numbers."""
    for document in documents.values():
        for graph in _graphs(document):
            for target in graph["targets"]:
                assert 'job=~"$job"' in target["expr"]


def test_what_was_not_measured_is_grey_and_says_so(documents: dict[str, Document]) -> None:
    """Null and NaN are a text on grey, never the colour of a threshold."""
    for document in documents.values():
        for graph in _graphs(document):
            defaults = graph["fieldConfig"]["defaults"]
            [mapping] = defaults["mappings"]
            assert mapping["options"]["match"] == "null+nan"
            assert mapping["options"]["result"]["text"] == "not measured"
            assert mapping["options"]["result"]["color"] == "#5a5f69"
            assert defaults["noValue"] == "not measured"


def test_tiles_ask_for_the_value_now(documents: dict[str, Document]) -> None:
    """A tile never shows a value that is hours old; a graph never asks for one moment."""
    for document in documents.values():
        for graph in _graphs(document):
            instant = graph["type"] in ("stat", "bargauge")
            assert all(target["instant"] is instant for target in graph["targets"])
            assert all(target["range"] is not instant for target in graph["targets"])


def test_a_gap_stays_a_gap(documents: dict[str, Document]) -> None:
    """Lines do not run across a time without a value."""
    for document in documents.values():
        for graph in _graphs(document):
            if graph["type"] == "timeseries":
                assert graph["fieldConfig"]["defaults"]["custom"]["spanNulls"] is False


def test_quality_graphs_hold_few_metrics_of_one_direction(registry: Registry) -> None:
    """At most five metrics a graph, all of them better in the same direction."""
    for keys, better in ((HIGHER_IS_BETTER, Better.HIGHER), (LOWER_IS_BETTER, Better.LOWER)):
        specs = [registry.find(key) for key in keys]
        assert len(specs) <= 5
        assert {spec.better for spec in specs if spec is not None} == {better}


def test_the_overview_explains_grey(documents: dict[str, Document]) -> None:
    """The first screen holds the text that says how to read it."""
    panels = documents["ragmon-overview.json"]["panels"]
    [note] = [panel for panel in panels if panel["type"] == "text"]
    assert note["title"] == "How to read"
    assert "Grey = not measured" in note["options"]["content"]
    assert note["gridPos"]["y"] <= 1


def test_a_cut_off_of_the_configuration_is_the_one_shown() -> None:
    """Tiles of ranked metrics stand at the first cut-off of the registry."""
    document = json.loads(dashboards(metrics_registry.build((3, 10)))["ragmon-overview.json"])
    tiles = {panel["title"]: panel for panel in document["panels"]}
    assert 'metric="recall_at_k",k="3"' in tiles["recall@3"]["targets"][0]["expr"]


def test_a_registry_without_a_shown_metric_is_an_error() -> None:
    """A dashboard never loses a panel in silence."""
    with pytest.raises(KeyError, match="no metric 'generation"):
        overview(Registry((), (5,)))


def test_dashboards_do_not_change_by_themselves(registry: Registry) -> None:
    """The same registry gives the same bytes, keys sorted."""
    first, second = dashboards(registry), dashboards(metrics_registry.build())
    assert first == second
    for text in first.values():
        assert json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) in text
