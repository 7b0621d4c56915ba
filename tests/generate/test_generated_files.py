"""All generated files together: complete, fresh, traceable to their source."""

import json
from pathlib import Path

import pytest
import yaml

from ragmon import generate
from ragmon.generate.alerts import ALERTS
from ragmon.generate.origin import ORIGIN
from ragmon.metrics import registry as metrics_registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return generate.files()


def test_the_files_of_the_repository_are_fresh() -> None:
    """What is committed is what the registry gives; `ragmon generate` writes it again."""
    assert generate.stale(ROOT) == []


def test_every_file_says_by_what_it_was_generated(texts: dict[str, str]) -> None:
    """On the first line, or in the description of a dashboard."""
    for path, text in texts.items():
        says = json.loads(text)["description"] if path.endswith(".json") else text.splitlines()[0]
        assert ORIGIN in says, path


def test_the_same_registry_gives_the_same_bytes(texts: dict[str, str]) -> None:
    """No clock, no order of a set, no machine is in a generated file."""
    assert generate.files(metrics_registry.build()) == texts


def test_write_creates_what_is_stale_and_then_nothing_is(
    tmp_path: Path, texts: dict[str, str]
) -> None:
    """Writing an empty folder names every file; writing again names none."""
    assert generate.stale(tmp_path) == sorted(texts)
    assert generate.write(tmp_path) == sorted(texts)
    assert generate.stale(tmp_path) == []
    assert generate.write(tmp_path) == []


def test_an_edited_file_is_stale(tmp_path: Path, texts: dict[str, str]) -> None:
    """One changed letter is found and undone."""
    generate.write(tmp_path)
    page = tmp_path / "docs/metrics.md"
    page.write_text(page.read_text(encoding="utf-8") + "x", encoding="utf-8")
    assert generate.stale(tmp_path) == ["docs/metrics.md"]
    generate.write(tmp_path)
    assert page.read_text(encoding="utf-8") == texts["docs/metrics.md"]


def test_the_runbook_of_an_alert_that_is_no_more_goes(tmp_path: Path) -> None:
    """A generated page that nothing generates any more is removed; a user's own stays."""
    generate.write(tmp_path)
    old, own = (tmp_path / "docs/runbooks" / name for name in ("RagmonGone.md", "OurOwn.md"))
    old.write_text(f"<!-- {ORIGIN} -->\n# RagmonGone\n", encoding="utf-8")
    own.write_text("# Ours\n", encoding="utf-8")
    assert generate.write(tmp_path) == ["docs/runbooks/RagmonGone.md"]
    assert not old.exists()
    assert own.exists()


def test_every_runbook_url_has_its_page_and_every_page_its_alert(texts: dict[str, str]) -> None:
    """An alert leads somewhere, and no page is about nothing."""
    groups = yaml.safe_load(texts["deploy/prometheus/rules/ragmon.yml"])["groups"]
    rules = [rule for group in groups for rule in group["rules"] if "alert" in rule]
    linked = {rule["annotations"]["runbook_url"] for rule in rules}
    assert linked == {path for path in texts if path.startswith("docs/runbooks/")}
    assert len(linked) == len(ALERTS)


def test_runbooks_may_lie_elsewhere() -> None:
    """Another base gives other links in the rules."""
    texts = generate.files(runbook_base="https://wiki.example/rag")
    rules = texts["deploy/prometheus/rules/ragmon.yml"]
    assert "runbook_url: https://wiki.example/rag/RagmonMonitorDown.md" in rules


def test_every_runbook_has_all_its_parts(texts: dict[str, str]) -> None:
    """Meaning, impact, first look, causes, mitigation; none of them empty."""
    for alert in ALERTS:
        page = texts[f"docs/runbooks/{alert.name}.md"]
        sections = dict(part.split("\n\n", 1) for part in page.split("\n## ")[1:])
        assert list(sections) == [
            *("Meaning", "Impact", "First look", "Causes", "Mitigation", "Rule")
        ]
        assert all(text.strip() for text in sections.values())


def test_an_empty_file_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that gives nothing has failed."""
    monkeypatch.setattr(generate, "metrics_page", lambda _: "\n")
    with pytest.raises(ValueError, match=r"docs/metrics\.md would be empty"):
        generate.files()
