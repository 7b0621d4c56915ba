"""`ragmon report`: live traffic by event time, as a report."""

from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import httpx
import typer

from ragmon.cli.asking import (
    VIEWS_ENDPOINT,
    ViewsEndpoint,
    connect,
    reached,
    read_object,
    refused,
)
from ragmon.cli.console import complain
from ragmon.cli.feedback import show_feedback
from ragmon.cli.report_files import check_endings, write_report
from ragmon.cli.showing import show, without_silent
from ragmon.errors import ConfigError
from ragmon.summary.report import NO_WEIGHTS, Report

EXAMPLES = """
Examples:

    ragmon report --since 24h

    ragmon report --since 7d --pipeline shop --output report.html --output report.json

    ragmon report --since 2026-11-30T00:00Z --end 2026-12-01T00:00Z
"""
_OK: Final = 200

Since = Annotated[str, typer.Option(help="How long ago, such as 24h, or a time in ISO 8601.")]
End = Annotated[str | None, typer.Option(help="A time in ISO 8601 [now].")]
Pipeline = Annotated[str | None, typer.Option(help="Only this pipeline.")]


def report(
    *,
    since: Since = "24h",
    end: End = None,
    pipeline: Pipeline = None,
    endpoint: ViewsEndpoint = VIEWS_ENDPOINT,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Write .html, .json or .md, a file per pipeline."),
    ] = None,
) -> None:
    """Report on live traffic of a running processor, with the metrics of `evaluate`.

    Requests count at their own time, with every label that has come by now. Of several
    pipelines each has a file of its own, such as report.shop.html.

    Exits 1 where there was no traffic, 2 where the processor cannot be asked.
    """
    check_endings(output or ())
    told = _told(endpoint, asked(since, end, pipeline))
    reports = [(one["pipeline"], _read(one["report"])) for one in told["pipelines"]]
    given = {one["pipeline"]: one.get("feedback", []) for one in told["pipelines"]}
    for name, found in reports:
        show(found)
        show_feedback(given[name])
        for path in output or ():
            write_report(path if len(reports) == 1 else _of(path, name), found, NO_WEIGHTS, None)
    if unread := told.get("unread_minutes"):
        complain(f"{unread} minutes cannot be read and are left out; see the processor's log")
    if not reports:
        complain("no requests in that time")
    raise typer.Exit(not reports)


def asked(since: str, end: str | None, pipeline: str | None) -> dict[str, str]:
    """The parameters of a window."""
    given = {"since": since, "end": end, "pipeline": pipeline}
    return {name: value for name, value in given.items() if value is not None}


def _told(endpoint: str, chosen: dict[str, str]) -> dict[str, Any]:
    with connect(endpoint, None) as client:
        answer = reached(client, lambda: _get(client, chosen))
        if answer.status_code != _OK:
            raise refused(client, answer)
        return read_object(client, answer, "pipelines")


def _get(client: httpx.Client, chosen: dict[str, str]) -> httpx.Response:
    return client.get("/v1/summary", params=chosen)


def _read(content: dict[str, Any]) -> Report:
    """The report, without stages that nothing was measured of.

    Raises:
        ConfigError: the processor is of another version.
    """
    try:
        return without_silent(Report.from_dict(content))
    except ValueError as error:
        raise ConfigError((f"the processor's report cannot be read: {error}",)) from None


def _of(path: Path, pipeline: str) -> Path:
    """The file of one of several pipelines."""
    return path.with_name(f"{path.stem}.{quote(pipeline, safe=' ')}{path.suffix}")
