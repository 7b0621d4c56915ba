"""Report files: the views of a report by the ending of the file, and reading JSON back."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from ragmon.errors import ConfigError
from ragmon.metrics.registry import Registry
from ragmon.summary.compare import Comparison
from ragmon.summary.report import Report

_VIEWS: Final = {".html": Report.to_html, ".json": Report.to_json, ".md": Report.to_markdown}


def check_endings(paths: Iterable[Path]) -> None:
    """Refuse a file of which nobody knows what to write, before any work is done.

    Raises:
        ConfigError: with a line for each.
    """
    known = ", ".join(_VIEWS)
    unknown = [path for path in paths if path.suffix.lower() not in _VIEWS]
    if unknown:
        raise ConfigError(tuple(f"--output {path}: must end in {known}" for path in unknown))


def read_report(path: Path, registry: Registry) -> Report:
    """The report that an earlier run wrote as JSON.

    Raises:
        ConfigError: it cannot be read, or is no report.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError((f"{path}: {error.strerror}",)) from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or "ragmon_report" not in content:
        raise ConfigError((f"{path}: is no report that `--output report.json` wrote",))
    try:
        return Report.from_dict(content, registry)
    except ValueError as error:
        raise ConfigError((f"{path}: {error}",)) from None


def write_report(
    path: Path, report: Report, weights: Mapping[str, float], comparison: Comparison | None
) -> None:
    """Write the view that the file's ending names.

    Raises:
        ConfigError: it cannot be written.
    """
    text = _VIEWS[path.suffix.lower()](report, weights, comparison)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError((f"--output {path}: {error.strerror}",)) from None
