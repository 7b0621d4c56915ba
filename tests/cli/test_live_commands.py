"""`ragmon report` and `ragmon export` against a server that answers as it is told."""

import builtins
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from ragmon.cli.commands import app
from ragmon.errors import ConfigError
from ragmon.metrics.registry import build
from ragmon.summary.report import MetricSummary, Report, StageReport
from tests.cli.answering import serving

COLUMNS = ["trace_id", "time", "labelled", "weight", "retrieval.recall_at_k@5", "reasons"]
ROWS = [
    ["t1", "2026-12-01T04:40:00.000000001Z", True, None, 0.1, {}],
    ["t\u2028", "2026-12-01T04:41:00.500000000Z", False, 2.0, None, {"a": "missing:gold_ids"}],
]


class Processor(ThreadingHTTPServer):
    """Gives one answer, whatever is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.status = 200
        self.content = b""
        self.missing_bytes = 0
        self.asked: list[str] = []

    def tell(self, *lines: object, status: int = 200) -> None:
        self.status = status
        self.content = b"".join(
            json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Processor

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        length = len(self.server.content) + self.server.missing_bytes
        self.send_header("content-length", str(length))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def processor() -> Iterator[Processor]:
    with serving(Processor()) as server:
        yield server


def run(command: str, url: str, *arguments: object) -> tuple[int, str, str]:
    given = [command, "--endpoint", url, *map(str, arguments)]
    result = CliRunner().invoke(app, given)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def told(pipeline: str, recall: float | None) -> dict[str, Any]:
    """What a summary says of one pipeline."""
    spec = build((5,)).find("retrieval.recall_at_k")
    assert spec is not None
    metric = MetricSummary(spec, 5, recall, 2, 4, reasons={"missing": 2})
    report = Report(f"{pipeline}, today", (StageReport(spec.stage, (metric,)),))
    return {"pipeline": pipeline, "report": report.to_dict()}


# --- report -------------------------------------------------------------------------


def test_a_report_is_shown_and_written(processor: Processor, tmp_path: Path) -> None:
    """The table, the scorecard, and each file by its ending."""
    processor.tell({"pipelines": [told("shop", 0.625)]})
    page, again = tmp_path / "report.html", tmp_path / "report.json"
    files = ("--output", page, "-o", again)
    code, shown, _ = run("report", processor.url, "--since", "7d", "--pipeline", "shop", *files)
    assert (code, processor.asked) == (0, ["/v1/summary?since=7d&pipeline=shop"])
    assert "recall_at_k@5" in shown
    assert "Overall" in shown
    assert "shop, today" in page.read_text()
    metric = Report.from_dict(json.loads(again.read_text())).metric("retrieval.recall_at_k")
    assert metric is not None
    assert (metric.value, metric.count, metric.possible) == (0.625, 2, 4)


def test_several_pipelines_have_a_file_each(processor: Processor, tmp_path: Path) -> None:
    """Named after the pipeline, whose name leads nowhere else."""
    processor.tell({"pipelines": [told("shop", 0.5), told("../bank", 0.25)]})
    assert run("report", processor.url, "-o", tmp_path / "out.md")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out...%2Fbank.md",
        "out.shop.md",
    ]


def test_no_traffic_is_said(processor: Processor) -> None:
    """Exit 1: whoever reads the file of yesterday is warned."""
    processor.tell({"pipelines": [], "unread_minutes": 2})
    code, shown, complaint = run("report", processor.url)
    assert (code, shown) == (1, "")
    assert "no requests in that time" in complaint
    assert "2 minutes cannot be read" in complaint


# --- export -------------------------------------------------------------------------


def test_rows_become_lines_of_json(processor: Processor, tmp_path: Path) -> None:
    """An object a request, nulls kept."""
    processor.tell(COLUMNS, *ROWS)
    file = tmp_path / "out.jsonl"
    end = ("--since", "1d", "--end", "2026-12-02T00:00Z")
    assert run("export", processor.url, *end, file)[2] == "2 requests\n"
    assert processor.asked == ["/v1/results?since=1d&end=2026-12-02T00%3A00Z"]
    found = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert found == [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


def test_rows_become_csv(processor: Processor, tmp_path: Path) -> None:
    """An empty cell where there is nothing, reasons as JSON."""
    processor.tell(COLUMNS, *ROWS)
    file = tmp_path / "out.csv"
    run("export", processor.url, file)
    with file.open(newline="") as lines:
        first, second = csv.DictReader(lines)
    assert (first["retrieval.recall_at_k@5"], first["weight"]) == ("0.1", "")
    assert json.loads(second["reasons"]) == {"a": "missing:gold_ids"}


@pytest.mark.parametrize("rows", [ROWS, []])
def test_rows_become_parquet(processor: Processor, tmp_path: Path, rows: Sequence[object]) -> None:
    """Typed columns, also without rows; times to the nanosecond."""
    processor.tell(COLUMNS, *rows)
    file = tmp_path / "out.parquet"
    assert run("export", processor.url, file)[0] == 0
    table = parquet.read_table(file)
    types = [str(one) for one in table.schema.types]
    assert types == ["string", "timestamp[ns, tz=UTC]", "bool", "double", "double", "string"]
    assert table.column("retrieval.recall_at_k@5").to_pylist() == [0.1, None][: len(rows)]
    found = table.column("time").cast("int64").to_pylist()
    assert found == [1796100000000000001, 1796100060500000000][: len(rows)]


def test_parquet_needs_its_extra(
    processor: Processor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named before anything is asked."""
    found = builtins.__import__

    def without_pyarrow(
        name: str,
        into: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        names: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name=name)
        return found(name, into, local, names or (), level)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    with pytest.raises(ConfigError, match=r"pip install 'ragmon\[files\]'"):
        run("export", processor.url, tmp_path / "out.parquet")
    assert processor.asked == []


def test_an_unknown_ending_is_refused(processor: Processor, tmp_path: Path) -> None:
    """Before anything is asked."""
    with pytest.raises(ConfigError, match=r"must end in [.]parquet, [.]csv, [.]jsonl"):
        run("export", processor.url, tmp_path / "out.xlsx")
    assert processor.asked == []


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet"])
def test_an_export_that_breaks_off_leaves_no_file(
    processor: Processor, tmp_path: Path, name: str
) -> None:
    """Half a table looks like a whole one."""
    processor.tell(COLUMNS, *ROWS)
    processor.missing_bytes = 1
    with pytest.raises(ConfigError, match="broke off"):
        run("export", processor.url, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# --- both ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("report",), ("export", "out.jsonl")])
def test_what_cannot_be_asked_is_named(
    processor: Processor, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A wrong question by its message, another service and nobody by the endpoint."""
    monkeypatch.chdir(tmp_path)
    name, *arguments = command
    processor.tell({"message": "since must be how long ago, not 'x'"}, status=400)
    with pytest.raises(ConfigError, match=r"^since must be how long ago, not 'x'$"):
        run(name, processor.url, *arguments)
    processor.tell({"hello": "world"})
    with pytest.raises(ConfigError, match=f"^--endpoint {processor.url}"):
        run(name, processor.url, *arguments)
    processor.tell(status=404)
    with pytest.raises(ConfigError, match="404"):
        run(name, processor.url, *arguments)
    with pytest.raises(ConfigError, match=r"--endpoint http://127\.0\.0\.1:9/?: .*refused"):
        run(name, "http://127.0.0.1:9", *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["report", "export"])
def test_help_has_examples(command: str) -> None:
    """Which can be copied."""
    assert f"ragmon {command} --since" in CliRunner().invoke(app, [command, "--help"]).stdout
