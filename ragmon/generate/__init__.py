"""Generated files: docs, dashboards, rules, runbooks and example configurations.

All of them follow from the metrics registry, the catalogue of families and the alerts;
the same input gives the same bytes.
"""

from collections.abc import Mapping
from pathlib import Path

from ragmon.generate import deploy, grafana
from ragmon.generate.dashboards import dashboards
from ragmon.generate.docs import metrics_page
from ragmon.generate.labels import schema_file
from ragmon.generate.origin import ORIGIN
from ragmon.generate.rules import RUNBOOKS, rules_file
from ragmon.generate.runbooks import pages
from ragmon.generate.settings import sample_file, settings_page
from ragmon.metrics import registry as metrics_registry
from ragmon.metrics.registry import Registry

_DASHBOARDS = "grafana/dashboards"
_NUMEROUS = (f"{RUNBOOKS}/*.md", f"{_DASHBOARDS}/*.json")
"""Where a file may be left over from an alert or a dashboard that is no more."""


def files(
    registry: Registry | None = None, *, job: str = "ragmon", runbook_base: str = RUNBOOKS
) -> dict[str, str]:
    """Path relative to the project's root to text, of every generated file.

    registry: the default one if None. job, runbook_base: see `rules_file`.

    Raises:
        ValueError: a file would be empty.
    """
    metrics = registry or metrics_registry.build()
    return _none_empty(
        {
            "docs/metrics.md": metrics_page(metrics),
            "docs/label.schema.json": schema_file(),
            "docs/settings.md": settings_page(),
            "deploy/ragmon.yaml": sample_file(),
            "deploy/prometheus/rules/ragmon.yml": rules_file(job=job, runbook_base=runbook_base),
            **_below(RUNBOOKS, pages()),
            **_below(_DASHBOARDS, dashboards(metrics)),
            **_below("grafana", grafana.files()),
            **_below("deploy", deploy.files(job)),
        }
    )


def write(root: Path, generated: Mapping[str, str] | None = None) -> list[str]:
    """Bring the files below the root up to date; the paths it wrote or removed, sorted."""
    texts = files() if generated is None else generated
    changed = stale(root, texts)
    for path in changed:
        _replace(root / path, texts.get(path))
    return changed


def stale(root: Path, generated: Mapping[str, str] | None = None) -> list[str]:
    """Paths below the root that `write` would write or remove, sorted."""
    texts = files() if generated is None else generated
    changed = (path for path, text in texts.items() if _read(root / path) != text)
    return sorted([*changed, *_left_over(root, texts)])


def _below(folder: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in texts.items()}


def _none_empty(texts: dict[str, str]) -> dict[str, str]:
    for path, text in texts.items():
        if not text.strip():
            raise ValueError(f"{path} would be empty")
    return texts


def _replace(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _left_over(root: Path, texts: Mapping[str, str]) -> list[str]:
    """Files of our own that nothing generates any more; a user's own files stay."""
    found = (path for pattern in _NUMEROUS for path in root.glob(pattern))
    names = {str(path.relative_to(root)): path for path in found}
    return [name for name, path in names.items() if name not in texts and _is_ours(path)]


def _is_ours(path: Path) -> bool:
    return ORIGIN in path.read_text(encoding="utf-8")


__all__ = ["files", "rules_file", "stale", "write"]
