"""`ragmon evaluate`: files of questions, answers and gold, measured stage by stage."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ragmon.cli.console import ConfigFile, complain, err, out
from ragmon.cli.cut_offs import CutOffs, read_cut_offs
from ragmon.cli.gates import broken, read_gates
from ragmon.cli.report_files import check_endings, read_report, write_report
from ragmon.cli.showing import show, without_silent
from ragmon.cli.weights import read_weights
from ragmon.config import load
from ragmon.evaluate import evaluate as evaluate_file
from ragmon.evaluate.missing import hints
from ragmon.metrics.own import load_registry
from ragmon.metrics.registry import Registry
from ragmon.model.record import Stage
from ragmon.summary.report import Report

EXAMPLES = """
Examples:

    ragmon evaluate answers.jsonl

    ragmon evaluate answers.jsonl --k 5,10 --corpus corpus.jsonl --output report.html

    ragmon evaluate answers.jsonl --output now.json --compare before.json

    ragmon evaluate answers.jsonl --fail-under retrieval.ndcg_at_k=0.7   # exits 1 below it
"""
_LINES: Final = frozenset({".jsonl", ".ndjson"})
_OF_REQUESTS: Final = tuple(
    stage for stage in Stage if stage not in (Stage.CHUNKING, Stage.EMBEDDING)
)


def evaluate(
    file: Annotated[
        Path, typer.Argument(help="JSONL, CSV or Parquet, one request a row; also gzipped.")
    ],
    *,
    k: CutOffs = None,
    corpus: Annotated[
        Path | None, typer.Option(help="Documents with their chunks, for evidence metrics.")
    ] = None,
    stage: Annotated[
        list[str] | None, typer.Option(help="Only this stage; may be given several times.")
    ] = None,
    output: Annotated[
        list[Path] | None, typer.Option("--output", "-o", help="Write .html, .json or .md.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="JSON report of an earlier run, to stand beside this one.")
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(help="Of the scorecard: `retrieval=2,retrieval.ndcg_at_k=3`."),
    ] = None,
    fail_under: Annotated[
        list[str] | None, typer.Option(help="Exit 1 below a bound: `stage.metric[@k]=0.7`.")
    ] = None,
    fail_over: Annotated[
        list[str] | None, typer.Option(help="Exit 1 above a bound, where lower is better.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Measure a file of requests offline, with the metrics of live traffic.

    Exits 1 if a bound is broken or its metric was not measured, 2 if a file or an option
    cannot be read.
    """
    loaded = load(config, {})
    cuts = read_cut_offs(k) if k else loaded.metrics.k
    registry = load_registry(cuts, loaded.metrics.modules)
    gates = read_gates(fail_under or (), fail_over or (), registry)
    weighted = read_weights(weights or ())
    check_endings(output or ())
    before = None if compare is None else _earlier(compare, registry, stage or _OF_REQUESTS)
    report = _measured(file, cuts, registry, corpus=corpus, stages=stage or _OF_REQUESTS)
    told = report if stage else without_silent(report)
    comparison = None if before is None else told.compare(before)
    for path in output or ():
        write_report(path, told, weighted, comparison)
    show(told, weighted, comparison)
    for line in hints(told):
        out.print(line, highlight=False)
    for line in _nothing(file, report):
        complain(line)
    fallen = list(broken(gates, report))
    for line in fallen:
        complain(line)
    raise typer.Exit(1 if fallen else 0)


def _nothing(file: Path, report: Report) -> Iterator[str]:
    """A line where nothing was evaluated, and why."""
    if not any(stage.rows for stage in report.stages):
        yield f"{file}: holds no row; nothing was evaluated"
    elif not without_silent(report).stages:
        yield f"{file}: no row has a field that a metric needs; nothing was evaluated"


def _earlier(path: Path, registry: Registry, stages: Sequence[str]) -> Report:
    """Those stages of the report to compare with, under the name of its file."""
    report = read_report(path, registry)
    alike = tuple(one for one in report.stages if one.stage in stages)
    return replace(report, title=path.name, stages=alike)


def _measured(
    file: Path,
    k: Sequence[int],
    registry: Registry,
    *,
    corpus: Path | None,
    stages: Sequence[str],
) -> Report:
    """Evaluate; what cannot be read is one line that names the place, and exit 2."""
    try:
        with _progress(file) as told:
            return evaluate_file(
                file, k=k, stages=stages, corpus=corpus, progress=told, registry=registry
            )
    except ValueError as error:
        complain(str(error))
        raise typer.Exit(2) from None


@contextmanager
def _progress(file: Path) -> Iterator[Callable[[int], None] | None]:
    """A bar on stderr, where that is a terminal."""
    if not err.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(file.name, total=_rows(file))
        yield lambda rows: bar.update(task, completed=rows)


def _rows(file: Path) -> int | None:
    """How many rows the file holds, where that is cheap to know."""
    if file.suffix not in _LINES or not file.is_file():
        return None
    with file.open("rb") as lines:
        return sum(bool(line.strip()) for line in lines)
