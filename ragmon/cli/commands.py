"""The commands."""

import logging
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from ragmon import generate as generated
from ragmon._version import __version__
from ragmon.app.serve import serve as run_processor
from ragmon.app.wiring import check as check_together
from ragmon.app.wiring import load_metrics
from ragmon.cli import corpus as corpus_command
from ragmon.cli import demo as demo_command
from ragmon.cli import erase as erase_command
from ragmon.cli import evaluate as evaluate_command
from ragmon.cli import export as export_command
from ragmon.cli import labels as labels_command
from ragmon.cli import replay as replay_command
from ragmon.cli import report as report_command
from ragmon.cli.console import ConfigFile, Root, complain, out
from ragmon.cli.cut_offs import CutOffs, read_cut_offs
from ragmon.config import load
from ragmon.metrics.own import load_registry
from ragmon.metrics.spec import Better

app = typer.Typer(
    help="Measures every request of a RAG service from its OpenTelemetry spans.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_SERVE = """
Examples:

    ragmon serve                          # this machine only, state in ./ragmon-state

    ragmon serve --config ragmon.yaml --labels gold.jsonl

    ragmon serve --store memory           # nothing on disk, for a trial
"""
_GENERATE = """
Examples:

    ragmon generate --root observability  # dashboard, rules and docs for your own repository

    ragmon generate --check               # exits 1 and names what is stale

    ragmon generate --config ragmon.yaml  # with the metrics of your own that it names
"""

_BETTER = {
    Better.HIGHER: "higher is better",
    Better.LOWER: "lower is better",
    Better.NONE: "no direction",
}


def _version(value: bool) -> None:
    if value:
        out.print(f"ragmon {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def main(
    *,
    version: Annotated[  # noqa: ARG001 (its callback answers)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set up what every command shares."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells of every start
    logging.getLogger("httpx").setLevel(logging.WARNING)  # else a line per request


@app.command(epilog=_SERVE)
def serve(
    config: ConfigFile = None,
    host: Annotated[str | None, typer.Option(help="Address of every port.")] = None,
    otlp_grpc_port: Annotated[int | None, typer.Option(help="OTLP over gRPC [4317].")] = None,
    otlp_http_port: Annotated[
        int | None, typer.Option(help="OTLP over HTTP, labels, corpus [4318].")
    ] = None,
    views_port: Annotated[int | None, typer.Option(help="/metrics and health [9464].")] = None,
    store: Annotated[
        str | None, typer.Option(help="Folder of the databases, or `memory` [ragmon-state].")
    ] = None,
    labels: Annotated[str | None, typer.Option(help="JSONL file of gold labels.")] = None,
) -> None:
    """Receive OTLP, measure every request, join gold labels, expose Prometheus metrics."""
    listen: dict[str, object] = {
        "host": host,
        "otlp_grpc_port": otlp_grpc_port,
        "otlp_http_port": otlp_http_port,
        "views_port": views_port,
    }
    given: dict[str, dict[str, object]] = {
        "listen": listen,
        "store": {"path": store},
        "labels": {"file": labels},
    }
    raise typer.Exit(run_processor(load(config, _present(given))))


@app.command("check-config")
def check_config(
    config: Annotated[Path | None, typer.Argument(help="YAML configuration.")] = None,
) -> None:
    """Name every fault of a configuration (exit 2), or print what holds.

    Environment variables `RAGMON_SECTION__KEY` are read as `serve` reads them.
    """
    loaded = load(config, {})
    check_together(loaded)
    out.print_json(loaded.model_dump_json())


@app.command()
def metrics(
    config: ConfigFile = None,
    k: CutOffs = None,
) -> None:
    """List what is measured, and what each metric needs; your own metrics too."""
    loaded = load(config, {})
    cuts = read_cut_offs(k) if k else loaded.metrics.k
    declared = load_registry(cuts, loaded.metrics.modules)
    for spec in (*declared.metrics, *declared.aggregates):
        facts = f"{spec.unit}, {_BETTER[spec.better]}, {spec.needs.replace('_', '-')}"
        out.print(f"[bold]{spec.key}[/bold]  {facts}", highlight=False)
        out.print(Padding(escape(spec.summary), (0, 0, 0, 2)), highlight=False)


@app.command(epilog=_GENERATE)
def generate(
    *,
    config: ConfigFile = None,
    root: Root = Path(),
    job: Annotated[str, typer.Option(help="Name of the scrape job that reads ragmon.")] = "ragmon",
    check: Annotated[bool, typer.Option("--check", help="Only compare; exit 1 if stale.")] = False,
) -> None:
    """Write the metric reference, dashboard, rules and runbooks from the registry."""
    files = generated.files(load_metrics(load(config, {})), job=job)
    if check:
        stale = generated.stale(root, files)
        for path in stale:
            complain(f"{path} is stale; `ragmon generate` writes it again")
        raise typer.Exit(bool(stale))
    try:
        written = generated.write(root, files)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}; choose another --root")
        raise typer.Exit(1) from None
    for path in written:
        out.print(path, highlight=False)


app.command(epilog=evaluate_command.EXAMPLES)(evaluate_command.evaluate)
app.command(epilog=report_command.EXAMPLES)(report_command.report)
app.command(epilog=export_command.EXAMPLES)(export_command.export)
app.command(epilog=erase_command.EXAMPLES)(erase_command.erase)
app.command(epilog=replay_command.EXAMPLES)(replay_command.replay)
app.command(epilog=demo_command.EXAMPLES)(demo_command.demo)
app.add_typer(corpus_command.app, name="corpus")
app.add_typer(labels_command.app, name="labels")


def _present(given: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """The flags that were given."""
    sections = {
        section: {key: value for key, value in keys.items() if value is not None}
        for section, keys in given.items()
    }
    return {section: keys for section, keys in sections.items() if keys}
